package table

import (
	"encoding/json"
	"maps"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Game is [Rules] with the types of state and move hidden: what the kernel and
// the catalogue of games hold. Make one with [Of].
type Game interface {
	Name() string
	erased
}

// erased is Rules and Bot over hidden types.
type erased interface {
	setup(c Config) (rulesState, card.Deck, error)
	phase(s rulesState) []Duty
	settle(s rulesState, open map[Card]card.Face) rulesState
	apply(s rulesState, seat Seat, move json.RawMessage, faces map[Card]card.Face) (rulesState, Terms, error)
	moves(s rulesState, v View) ([]json.RawMessage, error)
	choose(s rulesState, v View, r *rand.Rand) (json.RawMessage, error)
	result(s rulesState) []int
}

// rulesState is the S of some Rules[S, M].
type rulesState any

// Of makes rules a Game.
func Of[S, M any](r Rules[S, M]) Game { return game[S, M]{r} }

type game[S, M any] struct{ rules Rules[S, M] }

func (g game[S, M]) Name() string { return g.rules.Name() }

func (g game[S, M]) setup(c Config) (rulesState, card.Deck, error) {
	c.Options = maps.Clone(c.Options)
	return g.rules.Setup(c)
}

func (g game[S, M]) phase(s rulesState) []Duty { return g.rules.Duties(s.(S)) }

func (g game[S, M]) settle(s rulesState, open map[Card]card.Face) rulesState {
	return g.rules.Settle(s.(S), maps.Clone(open))
}

func (g game[S, M]) result(s rulesState) []int { return g.rules.Result(s.(S)) }

func (g game[S, M]) apply(s rulesState, seat Seat, move json.RawMessage, faces map[Card]card.Face) (rulesState, Terms, error) {
	var m M
	if err := wire.DecodeMove(move, &m); err != nil {
		return nil, Terms{}, err
	}
	return g.rules.Apply(s.(S), Input[M]{Seat: seat, Move: m, Faces: maps.Clone(faces)})
}

func (g game[S, M]) moves(s rulesState, v View) ([]json.RawMessage, error) {
	var list []json.RawMessage
	for _, m := range g.rules.Moves(s.(S), v) {
		raw, err := wire.EncodeBody(m)
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	return list, nil
}

// choose is the move of a bot, or nil to wait.
func (g game[S, M]) choose(s rulesState, v View, r *rand.Rand) (json.RawMessage, error) {
	if bot, ok := g.rules.(Bot[S, M]); ok {
		m, act := bot.Choose(s.(S), v, r)
		if !act {
			return nil, nil
		}
		return wire.EncodeBody(m)
	}
	moves, err := g.moves(s, v)
	if err != nil || len(moves) == 0 {
		return nil, err
	}
	return moves[r.IntN(len(moves))], nil
}

// Catalogue finds games and suites by the names in a genesis entry.
type Catalogue struct {
	Game  func(name string) (Game, bool)
	Suite func(name string) (proof.Suite, bool)
}
