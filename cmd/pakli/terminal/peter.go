package terminal

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// peterFace is Schwarzer Peter.
type peterFace struct{ Style }

func peterState(s *table.State) (state schwarzerpeter.State) {
	decodePublic(s, &state)
	return state
}

// decodePublic reads a game's public state back into its type. That a state is
// not read as it was written is a mistake of the program.
func decodePublic(s *table.State, into any) {
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		panic(fmt.Sprintf("terminal: the state of %s: %v", s.Genesis().Game, err))
	}
}

func (f peterFace) Hand(p Position) string {
	var list []string
	for _, c := range peterState(p.State).Hands[p.View.Seat] {
		name := "?"
		if face, known := p.View.Faces[c]; known {
			name = p.State.FaceName(face)
		}
		list = append(list, name)
	}
	return "Your hand: " + strings.Join(list, " ") + "\n"
}

func (f peterFace) Table(p Position) string {
	var b strings.Builder
	s := peterState(p.State)
	fmt.Fprintf(&b, "Deal %d of %d.\n", s.Deal, s.Deals)
	for seat, hand := range s.Hands {
		fmt.Fprintf(&b, "  %s: %d cards in hand, laid down:%s\n", p.State.SeatName(table.Seat(seat)), len(hand), pairsText(s.Laid[seat]))
	}
	return b.String() + f.Score(p) + waiting(p.State)
}

func pairsText(pairs []schwarzerpeter.Pair) string {
	if len(pairs) == 0 {
		return " nothing"
	}
	text := ""
	for _, pair := range pairs {
		text += " " + pair[0].Face + "-" + pair[1].Face
	}
	return text
}

func (f peterFace) Score(p Position) string { return scoreLine(p.State, peterState(p.State).Scores) }

func (f peterFace) Ask(p Position) Question {
	s := peterState(p.State)
	q := Question{Text: "Which pairs do you lay down?", Help: "A move is one of those listed, or its number: draw 3, lay 7H-7D, keep.\n"}
	if s.Stage == schwarzerpeter.Drawing {
		q.Text = "Which card do you draw? They lie face down, from left to right."
	}
	moves := schwarzerpeter.Rules{}.Moves(s, p.View)
	for _, m := range moves {
		q.Choices = append(q.Choices, Choice{Say: f.words(m)})
	}
	if len(moves) == 1 && moves[0].Lay != nil {
		q.Forced, _ = wire.EncodeBody(moves[0])
	}
	return q
}

func (f peterFace) words(m schwarzerpeter.Move) string {
	switch {
	case m.Draw != nil:
		return "draw " + strconv.Itoa(m.Draw.Position+1)
	case len(*m.Lay) == 0:
		return "keep"
	}
	return "lay" + pairsText(*m.Lay)
}

// Read compares a line with the words of the moves that are possible.
func (f peterFace) Read(p Position, line string) (json.RawMessage, error) {
	s := peterState(p.State)
	line = strings.ToLower(strings.Join(strings.Fields(line), " "))
	moves := schwarzerpeter.Rules{}.Moves(s, p.View)
	for _, m := range moves {
		if strings.ToLower(f.words(m)) == line {
			return wire.EncodeBody(m)
		}
	}
	if n, isDraw := strings.CutPrefix(line, "draw "); isDraw && s.Stage == schwarzerpeter.Drawing {
		return nil, fmt.Errorf("SP-S5, SP-C4: there is no card %.10q, only 1 to %d", n, len(moves))
	}
	return nil, fmt.Errorf("%.40q is none of the moves that are listed", line)
}

func (f peterFace) Course(before, after *table.State, m *wire.Message) []string {
	old, s := peterState(before), peterState(after)
	who := after.SeatName(table.Seat(m.Seat))
	lines := shuffled(after, m)
	if old.Stage == schwarzerpeter.Dealing && s.Stage != schwarzerpeter.Dealing {
		lines = append(lines, fmt.Sprintf("Deal %d: everybody has cards, %s begins.", s.Deal, after.SeatName(s.First)))
	}
	var body wire.MoveBody
	var move schwarzerpeter.Move
	if m.Kind == table.Move && wire.DecodeBody(m.Body, &body) == nil && json.Unmarshal(body.Move, &move) == nil {
		switch {
		case move.Draw != nil:
			lines = append(lines, fmt.Sprintf("%s draws card %d of %s.", who, move.Draw.Position+1, after.SeatName(move.Draw.From)))
		case len(*move.Lay) > 0:
			lines = append(lines, fmt.Sprintf("%s lays down%s.", who, pairsText(*move.Lay)))
		}
	}
	if len(s.Last) > len(old.Last) {
		lines = append(lines, fmt.Sprintf("%s is left with the odd card.", after.SeatName(s.Last[len(s.Last)-1])), strings.TrimSuffix(scoreLine(after, s.Scores), "\n"))
	}
	return lines
}

func (f peterFace) Say(_ Position, move json.RawMessage) string {
	var m schwarzerpeter.Move
	if err := wire.DecodeMove(move, &m); err != nil {
		return string(move)
	}
	return f.words(m)
}
