package verifiertest

// Here are tables of the toolbox, for tests: a table on which seats do what
// a test says, and one with every operation that there is.

import (
	"encoding/json"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// Game is the toolbox.
var Game = play.NewGame(toolbox.Rules{})

// TakeSteps takes the steps of the protocol that are due.
func TakeSteps(t *tabletest.Table) error {
	for d := t.State.Duties(); len(d) > 0 && d[0].Kind != table.Move; d = t.State.Duties() {
		if err := t.Play(1); err != nil {
			return err
		}
	}
	return nil
}

// SignMove makes a seat's move, after what is due before it, and leaves what follows from it to
// be done.
func SignMove(t *tabletest.Table, seat table.Seat, move string) error {
	if err := TakeSteps(t); err != nil {
		return err
	}
	entry, err := t.HonestMessage(seat, table.Duty{Kind: table.Move, Seats: []table.Seat{seat}}, json.RawMessage(move))
	if err == nil {
		err = t.Add(entry)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", move, err)
	}
	return nil
}

// PlayEverything is a table of two seats and six faces with every operation, and with every kind
// of message.
func PlayEverything(c tabletest.Config, seed uint64) (*tabletest.Table, error) {
	c.Seats, c.Options = 2, map[string]string{"faces": "6"}
	t, err := tabletest.New(Game, c, seed)
	if err != nil {
		return nil, err
	}
	var hand map[table.Card]card.Face // of the first seat, in the second deal
	for _, move := range []func() (table.Seat, string){
		fixedMove(0, `{"op":"create","pile":"p","faces":[0,1,2]}`),
		fixedMove(0, `{"op":"mask","pile":"p"}`),
		fixedMove(1, `{"op":"private","pile":"q","faces":[3,4,5]}`),
		fixedMove(0, `{"op":"random","pile":"r","faces":[0,1,2]}`),
		fixedMove(0, `{"op":"mix","pile":"q"}`),
		fixedMove(0, `{"op":"show","cards":[7]}`),
		fixedMove(0, `{"op":"deal","pile":"q","seat":"A","n":1}`),
		fixedMove(0, `{"op":"split","pile":"p","to":"r","n":1}`),
		fixedMove(0, `{"op":"take","pile":"p","to":"r"}`),
		fixedMove(0, `{"op":"join","pile":"r","to":"p"}`),
		fixedMove(1, `{"op":"equal","pile":"p","to":"e"}`),
		fixedMove(1, `{"op":"deck"}`),
		fixedMove(0, `{"op":"deal","pile":"deck","seat":"A","n":2}`),
		fixedMove(1, `{"op":"deal","pile":"deck","seat":"B","n":2}`),
		fixedMove(1, `{"op":"permute"}`),
		fixedMove(0, `{"op":"cut","pile":"deck"}`),
		func() (table.Seat, string) {
			hand = t.Hand(0)
			return 0, fmt.Sprintf(`{"op":"state","cards":[0,1],"faces":[%d],"min":1,"max":1}`, hand[0])
		},
		fixedMove(0, `{"op":"insert","pile":"deck","cards":[0]}`),
		fixedMove(1, `{"op":"return","pile":"deck","cards":[2]}`),
		fixedMove(1, `{"op":"give","seat":"A","cards":[3]}`),
		fixedMove(1, `{"op":"draw","cards":[3]}`),
		func() (table.Seat, string) {
			return 0, fmt.Sprintf(`{"op":"show","cards":[1],"faces":[%d]}`, hand[1])
		},
		throwMove("coin", 0, `"n":6,`),
		throwMove("commit", 1, ""),
		throwMove("reveal", 1, ""),
		throwMove("reveal", 0, ""),
		fixedMove(0, `{"op":"end"}`),
	} {
		if err := TakeSteps(t); err != nil {
			return nil, err
		}
		seat, text := move()
		if err := SignMove(t, seat, text); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// throwMove is what a seat, whose share is its own number, does in the first throw of a table.
func throwMove(op string, seat table.Seat, n string) func() (table.Seat, string) {
	value := toolbox.Value{byte(seat)}
	if op != "reveal" {
		value = toolbox.Commitment(seat, 1, value)
	}
	return fixedMove(seat, fmt.Sprintf(`{"op":%q,%s"value":"%x"}`, op, n, value))
}

func fixedMove(seat table.Seat, move string) func() (table.Seat, string) {
	return func() (table.Seat, string) { return seat, move }
}
