package tabletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// liesPerMove is the number of moves, of a player mistaken about his cards, that are tried in each
// place.
const liesPerMove = 2

// tryLies tries moves that the game would offer if the mover's hand, and the cards dealt to it, were
// others. If such a move is legal for the true cards too it must be applied, otherwise it must be a
// foul of its seat.
func (t attacker) tryLies() error {
	for _, seat := range t.movingSeats() {
		for range liesPerMove {
			moves := t.movesSeeing(play.View(t.State, seat, t.falsifyFaces(t.Hand(seat)), t.falsifyFaces(t.DealtFaces(seat))))
			if len(moves) == 0 {
				continue
			}
			move := moves[t.Choice.IntN(len(moves))]
			if err := t.tryLie(seat, move); err != nil {
				return fmt.Errorf("seat %d says %s: %w", seat, move, err)
			}
		}
	}
	return nil
}

func (t *Table) movingSeats() []table.Seat {
	for _, d := range t.State.Duties() {
		if d.Kind == table.Move {
			return d.Seats
		}
	}
	return nil
}

// falsifyFaces gives cards other faces: their own in another order, or any faces that are not open.
func (t attacker) falsifyFaces(cards map[table.Card]card.Face) map[table.Card]card.Face {
	faces := slices.Collect(maps.Values(cards))
	if hidden := t.hiddenFaces(); len(hidden) >= len(cards) && t.Choice.IntN(2) == 0 {
		faces = hidden
	}
	slices.Sort(faces)
	t.Choice.Shuffle(len(faces), func(i, j int) { faces[i], faces[j] = faces[j], faces[i] })
	for i, c := range slices.Sorted(maps.Keys(cards)) {
		cards[c] = faces[i]
	}
	return cards
}

func (t attacker) hiddenFaces() []card.Face {
	all, _ := t.State.Deck()
	open := slices.Collect(maps.Values(t.State.Faces()))
	var hidden []card.Face
	for f := range all {
		if !slices.Contains(open, card.Face(f)) {
			hidden = append(hidden, card.Face(f))
		}
	}
	return hidden
}

func (t attacker) tryLie(seat table.Seat, move json.RawMessage) error {
	entry, err := t.Bluff(seat, move)
	fault := new(table.Fault)
	if err == nil {
		_, err = Apply(t.State, entry)
	}
	switch {
	case err != nil && (!errors.As(err, &fault) || fault.Class != table.Foul || fault.Seat != seat):
		return fmt.Errorf("want a foul of seat %d, got: %w", seat, err)
	case t.Config.Legal == nil:
		return nil
	}
	switch illegal := t.Config.Legal(t.Table, seat, move); {
	case err == nil && illegal != nil:
		return fmt.Errorf("was applied: %w", illegal)
	case err != nil && illegal == nil:
		return fmt.Errorf("is legal, but: %w", err)
	}
	return nil
}

// Bluff makes the message of a seat that moves, whatever its hand is: with true tokens, with proofs of
// what is true, and with 64 zero bytes in place of every proof that cannot be made. It fails if the
// rules forbid the move with every hand.
func (t *Table) Bluff(seat table.Seat, move json.RawMessage) ([]byte, error) {
	h := t.Hands[seat]
	turned, err := t.State.TurnedCards(seat, move)
	if err != nil {
		return nil, err
	}
	body := wire.MoveBody{Move: move, Tokens: [][]byte{}}
	for _, c := range t.State.MaskedCards(turned) {
		body.Tokens = append(body.Tokens, h.Secret.Token(c).Bytes())
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return nil, err
	}
	statements, err := t.State.Statements(seat, table.Move, raw)
	if err != nil {
		return nil, err
	}
	proofs := make([][]byte, len(statements))
	for i, s := range statements {
		proofs[i], err = t.Prove(seat, table.Move, uint16(i), s, nil)
		if errors.Is(err, proof.ErrFalse) {
			proofs[i], err = make([]byte, 64), nil
		}
		if err != nil {
			return nil, err
		}
	}
	return t.Sign(seat, table.Move, body, proofs...)
}

// MutantGame is a game whose moves are valid on other terms.
func MutantGame[S, M any](r play.Rules[S, M], change func(table.Terms) table.Terms) table.Game {
	return play.NewGame(mutantRules[S, M]{r, change})
}

type mutantRules[S, M any] struct {
	play.Rules[S, M]
	change func(table.Terms) table.Terms
}

func (m mutantRules[S, M]) Apply(s S, in table.Input[M]) (S, table.Terms, error) {
	next, terms, err := m.Rules.Apply(s, in)
	return next, m.change(terms), err
}

// CheckNoticed fails unless the playouts of a mutant break a promise, that is, unless the suite would
// find the fault in a game.
func CheckNoticed(t *testing.T, mutant table.Game, c Config) {
	t.Helper()
	for seed := range uint64(c.withDefaults().Playouts) {
		if err := playout(mutant, c, seed, true); err != nil {
			t.Logf("noticed: %v", err)
			return
		}
	}
	t.Errorf("%d playouts of the mutant went well", c.withDefaults().Playouts)
}
