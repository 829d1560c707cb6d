// Package play is the player's side of a game and of its table: what a seat sees,
// and what it may do. No verdict rests on it, and nothing that verifies or admits
// calls it: a game without [Rules] is verified all the same, and only cannot be
// played from here.
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

// Rules is a game that can be played. All methods are pure, but that Choose draws
// from its random source.
type Rules[S, M any] interface {
	table.Rules[S, M]
	// Moves lists moves a seat may try, knowing v. Each must be provable.
	Moves(s S, v table.View) []M
	// Choose returns the move a fair beginner would make, or false to wait for
	// another seat. Each must be provable. It is no part of the rules; [RandomMove] does
	// for a game without judgement.
	Choose(s S, v table.View, r *rand.Rand) (M, bool)
}

// RandomMove chooses any of moves, each as likely; false if there are none.
func RandomMove[M any](moves []M, r *rand.Rand) (M, bool) {
	if len(moves) == 0 {
		var none M
		return none, false
	}
	return moves[r.IntN(len(moves))], true
}

// NewGame makes rules a game that can be verified, admitted and played.
func NewGame[S, M any](r Rules[S, M]) table.Game { return game[S, M]{table.NewGame(r), r} }

type game[S, M any] struct {
	table.Game
	rules Rules[S, M]
}

// playable is a game[S, M] over hidden types.
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

// Choose is the move a bot makes for a seat that sees v, or nil to wait.
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

// See is what the seat whose secret this is sees.
func See(s *table.State, seat table.Seat, secret proof.Secret) (table.View, error) {
	e := Eyes{Seat: seat, Secret: secret}
	return e.See(s)
}

// Eyes are a seat that looks at one state after another: a masked card that it saw in the
// last one is not unmasked again, which is a multiplication by its secret.
type Eyes struct {
	Seat   table.Seat
	Secret proof.Secret
	known  map[string]card.Face // by the masked card
}

// See is what the seat sees.
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

// View is what seat sees, given the faces of its hand and of what it was dealt.
func View(s *table.State, seat table.Seat, hand, dealt map[table.Card]card.Face) table.View {
	v := table.View{Seat: seat, Faces: map[table.Card]card.Face{}, Dealt: maps.Clone(dealt)}
	maps.Copy(v.Faces, s.Faces())
	maps.Copy(v.Faces, hand)
	return v
}

// Peek returns the faces of the hand of the seat whose secret this is.
func Peek(s *table.State, seat table.Seat, secret proof.Secret) (map[table.Card]card.Face, error) {
	return unmasking{s, secret, nil, map[string]card.Face{}}.findFaces(s.Hand(seat), s.MaskedCards)
}

// PeekDealt returns the faces that the cards had which were dealt to the seat
// whose secret this is.
func PeekDealt(s *table.State, seat table.Seat, secret proof.Secret) (map[table.Card]card.Face, error) {
	return unmasking{s, secret, nil, map[string]card.Face{}}.findFaces(s.DealtCards(seat), s.MaskedDealt)
}

// unmasking unmasks cards of a state, and puts what it found beside what was known.
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
			continue // somebody's shuffle or token was wrong: the holder disputes it
		}
		if !ok {
			return nil, fmt.Errorf("card %d has no face of the deck under this secret", cards[i])
		}
		faces[cards[i]], u.found[name] = f, f
	}
	return faces, nil
}
