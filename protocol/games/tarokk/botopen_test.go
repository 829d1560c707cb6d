package tarokk_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// openTable plays the rules without cryptography: one hand knows all cards. The
// cards of a deal depend on seed and the deal's number alone, whoever plays.
type openTable struct {
	state    tarokk.State
	seed     uint64
	faces    map[table.Card]card.Face // that lie there now
	dealt    map[table.Card]card.Face // that lay there when they were dealt
	open     map[table.Card]card.Face
	messages int
}

// chooser makes the moves of a seat.
type chooser func(s tarokk.State, v table.View) (tarokk.Move, bool)

func newOpenTable(c table.Config, seed uint64) (*openTable, error) {
	s, _, err := tarokk.Rules{}.Setup(c)
	return &openTable{state: s, seed: seed}, err
}

// play plays to the end with a chooser for each seat, in turn around the table.
func (t *openTable) play(seats []chooser) error {
	for {
		duties := tarokk.Rules{}.Duties(t.state)
		switch {
		case len(duties) == 0:
			return nil
		case duties[0].Kind != table.Move:
			t.steps(duties)
		default:
			if err := t.move(duties[0].Seats[0], seats); err != nil {
				return err
			}
		}
	}
}

// steps takes all steps of the protocol that are due.
func (t *openTable) steps(duties []table.Duty) {
	for _, d := range duties {
		t.messages += len(d.Seats)
		switch d.Kind {
		case table.Shuffle:
			t.shuffle()
		case table.Show:
			t.show(d)
		case table.Permute:
			chance := t.random("permute")
			chance.Shuffle(len(d.Cards), func(i, j int) {
				t.faces[d.Cards[i]], t.faces[d.Cards[j]] = t.faces[d.Cards[j]], t.faces[d.Cards[i]]
			})
		}
	}
	t.state = tarokk.Rules{}.Settle(t.state, t.open)
}

func (t *openTable) shuffle() {
	t.faces, t.dealt, t.open = map[table.Card]card.Face{}, map[table.Card]card.Face{}, map[table.Card]card.Face{}
	for i, f := range t.random("shuffle").Perm(deck.Size) {
		t.faces[table.Card(i)] = card.Face(f)
	}
}

func (t *openTable) show(d table.Duty) {
	into := t.dealt
	if len(d.To) == 0 {
		into = t.open
	}
	for _, c := range d.Cards {
		if _, known := into[c]; !known {
			into[c] = t.faces[c]
		}
	}
}

func (t *openTable) random(what string) *rand.Rand {
	var key [32]byte
	copy(key[:], fmt.Sprintf("%d %d %s", t.seed, t.state.Deal.Number, what))
	return rand.New(rand.NewChaCha8(key))
}

// view is what a seat sees.
func (t *openTable) view(seat table.Seat) table.View {
	v := table.View{Seat: seat, Faces: maps.Clone(t.open), Dealt: map[table.Card]card.Face{}}
	if p := slices.Index(t.state.Deal.Seats[:], seat); p >= 0 {
		for _, c := range t.state.Deal.Cards[p] {
			v.Faces[c], v.Dealt[c] = t.faces[c], t.dealt[c]
		}
	}
	return v
}

func (t *openTable) move(seat table.Seat, seats []chooser) error {
	m, acts := seats[seat](t.state, t.view(seat))
	if !acts {
		return fmt.Errorf("%s: seat %d waits", t.state.Stage, seat)
	}
	next, terms, err := tarokk.Rules{}.Apply(t.state, table.Input[tarokk.Move]{Seat: seat, Move: m, Faces: t.open})
	if err != nil {
		return err
	}
	for _, shown := range terms.Open {
		t.open[shown.Card] = shown.Face
	}
	t.state = next
	t.messages++
	return nil
}

// sensible is the bot of the rules, reckless any of the moves there are.
func sensible(random *rand.Rand) chooser {
	return func(s tarokk.State, v table.View) (tarokk.Move, bool) { return tarokk.Rules{}.Choose(s, v, random) }
}

func reckless(random *rand.Rand) chooser {
	return func(s tarokk.State, v table.View) (tarokk.Move, bool) {
		moves := tarokk.Rules{}.Moves(s, v)
		return moves[random.IntN(len(moves))], true
	}
}
