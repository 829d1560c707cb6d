package table

import (
	"encoding/json"
	"maps"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Game is [Rules] with the types of state and move hidden: what the kernel and
// the catalogue of games hold. [NewGame] makes one that is verified and admitted,
// play.Of one that is also played.
type Game interface {
	Name() string
	erasedRules
}

// erasedRules is Rules over hidden types.
type erasedRules interface {
	setup(c Config) (rulesState, card.Deck, error)
	neededRelations(c Config) []string
	phaseDuties(s rulesState) []Duty
	settle(s rulesState, open map[Card]card.Face) rulesState
	apply(s rulesState, seat Seat, move json.RawMessage, faces map[Card]card.Face) (rulesState, Terms, error)
	result(s rulesState) []int
	forfeit(s rulesState, silent Seat) ([]int, bool)
	sheet(s rulesState) (sheet Sheet, lists bool)
}

// rulesState is the S of some Rules[S, M].
type rulesState any

// NewGame makes rules a Game.
func NewGame[S, M any](r Rules[S, M]) Game { return game[S, M]{r} }

type game[S, M any] struct{ rules Rules[S, M] }

func (g game[S, M]) Name() string { return g.rules.Name() }

func (g game[S, M]) setup(c Config) (rulesState, card.Deck, error) {
	c.Options = maps.Clone(c.Options)
	return g.rules.Setup(c)
}

// neededRelations are what Rules say that have a method Needs, and all relations if they have none.
func (g game[S, M]) neededRelations(c Config) []string {
	if r, ok := g.rules.(interface{ Needs(Config) []string }); ok {
		return r.Needs(c)
	}
	return proof.Relations()
}

func (g game[S, M]) phaseDuties(s rulesState) []Duty { return g.rules.Duties(s.(S)) }

func (g game[S, M]) settle(s rulesState, open map[Card]card.Face) rulesState {
	return g.rules.Settle(s.(S), maps.Clone(open))
}

// forfeit is what Rules say that have a method Forfeit, and nothing if they have none.
func (g game[S, M]) forfeit(s rulesState, silent Seat) ([]int, bool) {
	if r, ok := g.rules.(interface {
		Forfeit(s S, silent Seat) ([]int, bool)
	}); ok {
		return r.Forfeit(s.(S), silent)
	}
	return nil, false
}

func (g game[S, M]) result(s rulesState) []int { return g.rules.Result(s.(S)) }

// sheet is what Rules say that have a method Sheet; others list no deals.
func (g game[S, M]) sheet(s rulesState) (Sheet, bool) {
	r, lists := g.rules.(interface{ Sheet(S) Sheet })
	if !lists {
		return Sheet{}, false
	}
	return r.Sheet(s.(S)), true
}

func (g game[S, M]) apply(s rulesState, seat Seat, move json.RawMessage, faces map[Card]card.Face) (rulesState, Terms, error) {
	var m M
	if err := wire.DecodeCanonical(move, &m); err != nil {
		return nil, Terms{}, err
	}
	return g.rules.Apply(s.(S), Input[M]{Seat: seat, Move: m, Faces: maps.Clone(faces)})
}

// Catalogue finds games and suites by the names in a genesis entry.
type Catalogue struct {
	Game  func(name string) (Game, bool)
	Suite func(name string) (proof.Suite, bool)
}
