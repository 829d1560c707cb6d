package table

import (
	"encoding/json"
	"maps"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/wire"
)

// Game is [Rules] with the types of state and move hidden, as the kernel and the catalogue of games
// hold it. [NewGame] makes a Game that can be verified and admitted, play.NewGame one that can also
// be played.
type Game interface {
	Name() string
	erasedRules
}

// erasedRules is Rules with hidden types.
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

// NewGame makes a Game of rules.
func NewGame[S, M any](r Rules[S, M]) Game { return game[S, M]{r} }

type game[S, M any] struct{ rules Rules[S, M] }

func (g game[S, M]) Name() string { return g.rules.Name() }

func (g game[S, M]) setup(c Config) (rulesState, card.Deck, error) {
	c.Options = maps.Clone(c.Options)
	return g.rules.Setup(c)
}

// neededRelations calls the method Needs of the rules, or returns all relations if there is none.
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

// forfeit calls the method Forfeit of the rules, or returns false if there is none.
func (g game[S, M]) forfeit(s rulesState, silent Seat) ([]int, bool) {
	if r, ok := g.rules.(interface {
		Forfeit(s S, silent Seat) ([]int, bool)
	}); ok {
		return r.Forfeit(s.(S), silent)
	}
	return nil, false
}

func (g game[S, M]) result(s rulesState) []int { return g.rules.Result(s.(S)) }

// sheet calls the method Sheet of the rules; rules without it list no deals.
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

// Catalogue finds games and suites by their names in a genesis entry.
type Catalogue struct {
	Game  func(name string) (Game, bool)
	Suite func(name string) (proof.Suite, bool)
}
