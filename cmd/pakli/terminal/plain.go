package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// plainFace shows any game: its state and its moves as JSON.
type plainFace struct{}

func (plainFace) Hand(p Position) string {
	var list []string
	for _, c := range p.State.Hand(p.View.Seat) {
		list = append(list, fmt.Sprintf("%d:%s", c, p.State.FaceName(p.View.Faces[c])))
	}
	return "Your hand: " + strings.Join(list, " ") + "\n"
}

func (plainFace) Table(p Position) string {
	public, err := p.State.Public()
	if err != nil {
		return err.Error() + "\n"
	}
	return string(public) + "\n" + waiting(p.State)
}

func (plainFace) Score(p Position) string {
	if result, over := p.State.Result(); over {
		return scoreLine(p.State, result)
	}
	return "The score is in the table's state, and final when it is over.\n"
}

// scoreLine is what every seat has won.
func scoreLine(s *table.State, scores []int) string {
	return "Score: " + points(s, scores) + ".\n"
}

func points(s *table.State, scores []int) string {
	list := make([]string, len(scores))
	for seat, n := range scores {
		list[seat] = fmt.Sprintf("%s %+d", s.SeatName(table.Seat(seat)), n)
	}
	return strings.Join(list, ", ")
}

func (plainFace) Ask(p Position) Question {
	moves, err := play.Moves(p.State, p.View)
	if err != nil {
		return Question{Text: err.Error()}
	}
	q := Question{Text: "Your move:", Help: "A move is one of those listed, as JSON, or its number.\n"}
	for _, m := range moves {
		q.Choices = append(q.Choices, Choice{Say: string(m)})
	}
	return q
}

// Read takes moves of the list alone: of others nobody here knows whether they
// can be proved.
func (plainFace) Read(p Position, line string) (json.RawMessage, error) {
	moves, err := play.Moves(p.State, p.View)
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		if bytes.Equal(m, []byte(line)) {
			return m, nil
		}
	}
	return nil, fmt.Errorf("%.60q is none of the moves that are listed", line)
}

func (plainFace) Course(before, after *table.State, m *wire.Message) []string {
	if m.Kind != table.Move {
		return nil
	}
	var body wire.MoveBody
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return nil
	}
	return []string{after.SeatName(table.Seat(m.Seat)) + ": " + string(body.Move)}
}

func (plainFace) Say(_ Position, move json.RawMessage) string { return string(move) }
