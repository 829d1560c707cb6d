// Package play is the player's side of a game and of its table: what a seat sees and what it may
// do. No verdict rests on it, and nothing that verifies or admits calls it: a game without [Rules]
// can be verified, but not played here.
package play

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Rules is a game that can be played. All methods are pure, except that Choose draws from its
// random source.
type Rules[S, M any] interface {
	table.Rules[S, M]
	// Moves lists moves that a seat that sees v may try. Each must be provable.
	Moves(s S, v table.View) []M
	// Choose returns the move that a fair beginner would make, or false to wait for another seat.
	// The move must be provable. Choose is not part of the rules; a game without judgement can use
	// [RandomMove].
	Choose(s S, v table.View, r *rand.Rand) (M, bool)
}

// RandomMove returns one of moves, each equally likely; false if there are none.
func RandomMove[M any](moves []M, r *rand.Rand) (M, bool) {
	if len(moves) == 0 {
		var none M
		return none, false
	}
	return moves[r.IntN(len(moves))], true
}

// NewGame makes a game of rules that can be verified, admitted and played.
func NewGame[S, M any](r Rules[S, M]) table.Game { return game[S, M]{table.NewGame(r), r} }

type game[S, M any] struct {
	table.Game
	rules Rules[S, M]
}

// playable is a game[S, M] with its types hidden.
type playable interface {
	moves(s *table.State, v table.View) ([]json.RawMessage, error)
	choose(s *table.State, v table.View, r *rand.Rand) (json.RawMessage, error)
}

// Moves lists moves that a seat that sees v may try.
func Moves(s *table.State, v table.View) ([]json.RawMessage, error) {
	g, err := gameOf(s)
	if err != nil {
		return nil, err
	}
	return g.moves(s, v)
}

// Choose returns the move that a bot makes for a seat that sees v, or nil to wait.
func Choose(s *table.State, v table.View, r *rand.Rand) (json.RawMessage, error) {
	g, err := gameOf(s)
	if err != nil {
		return nil, err
	}
	return g.choose(s, v, r)
}

func gameOf(s *table.State) (playable, error) {
	g, ok := s.Game().(playable)
	if !ok {
		return nil, fmt.Errorf("%s can be verified here, but not played", s.Game().Name())
	}
	return g, nil
}

func (g game[S, M]) moves(s *table.State, v table.View) ([]json.RawMessage, error) {
	var list []json.RawMessage
	public, _ := table.Public[S](s)
	for _, m := range g.rules.Moves(public, v) {
		raw, err := wire.EncodeBody(m)
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	return list, nil
}

func (g game[S, M]) choose(s *table.State, v table.View, r *rand.Rand) (json.RawMessage, error) {
	public, _ := table.Public[S](s)
	m, act := g.rules.Choose(public, v, r)
	if !act {
		return nil, nil
	}
	return wire.EncodeBody(m)
}

// See returns what a seat with this secret sees.
func See(s *table.State, seat table.Seat, secret proof.Secret) (table.View, error) {
	e := Eyes{Seat: seat, Secret: secret}
	return e.See(s)
}

// Eyes see one state after another for a seat. They remember the masked cards seen in the last
// state, since unmasking costs a multiplication by the secret.
type Eyes struct {
	Seat   table.Seat
	Secret proof.Secret
	known  map[string]card.Face // by the masked card
}

// See returns what the seat sees.
func (e *Eyes) See(s *table.State) (table.View, error) {
	u := unmasking{s, e.Secret, e.known, map[string]card.Face{}}
	hand, err := u.findFaces(s.Hand(e.Seat), s.MaskedCards)
	if err != nil {
		return table.View{}, err
	}
	dealt, err := u.findFaces(s.DealtCards(e.Seat), s.MaskedDealt)
	if err != nil {
		return table.View{}, err
	}
	e.known = u.found
	return View(s, e.Seat, hand, dealt), nil
}

// View returns what seat sees, given the faces of its hand and of the cards that it was dealt.
func View(s *table.State, seat table.Seat, hand, dealt map[table.Card]card.Face) table.View {
	v := table.View{Seat: seat, Faces: map[table.Card]card.Face{}, Dealt: maps.Clone(dealt)}
	maps.Copy(v.Faces, s.Faces())
	maps.Copy(v.Faces, hand)
	return v
}

// Peek returns the faces of the hand of a seat with this secret.
func Peek(s *table.State, seat table.Seat, secret proof.Secret) (map[table.Card]card.Face, error) {
	return unmasking{s, secret, nil, map[string]card.Face{}}.findFaces(s.Hand(seat), s.MaskedCards)
}

// PeekDealt returns the faces of the cards that were dealt to a seat with this secret.
func PeekDealt(s *table.State, seat table.Seat, secret proof.Secret) (map[table.Card]card.Face, error) {
	return unmasking{s, secret, nil, map[string]card.Face{}}.findFaces(s.DealtCards(seat), s.MaskedDealt)
}

// unmasking unmasks cards of a state, and remembers what it found.
type unmasking struct {
	state        *table.State
	secret       proof.Secret
	known, found map[string]card.Face // by the masked card
}

func (u unmasking) findFaces(cards []table.Card, masked func([]table.Card) []proof.MaskedCard) (map[table.Card]card.Face, error) {
	faces := map[table.Card]card.Face{}
	for i, m := range masked(cards) {
		name := string(m.Bytes())
		f, ok := u.known[name]
		if !ok {
			f, ok = u.found[name]
		}
		if !ok {
			f, ok = u.state.Face(u.state.Encoding().Strip(m, u.secret.Token(m)))
		}
		if !ok && u.state.Defers() {
			continue // a shuffle or token was wrong; the holder disputes the card
		}
		if !ok {
			return nil, fmt.Errorf("card %d has no face of the deck under this secret", cards[i])
		}
		faces[cards[i]], u.found[name] = f, f
	}
	return faces, nil
}
