package scene

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Presentation is how a game is shown. S and M are the types of its [table.Rules]. All methods are
// pure. Nothing here is trusted: a move that it lets through is checked by the rules and rehearsed by
// the seat.
type Presentation[S, M any] interface {
	// Scene returns all that lies on the table, for this viewer.
	Scene(at GamePosition[S]) Scene
	// Ask returns what the seat owes a move for.
	Ask(at GamePosition[S]) Ask
	// Answer returns what some picks amount to, and what may follow them.
	Answer(at GamePosition[S], picked []Pick) Answer[M]
	// Tell says what a message did. If it is a move, the first Tell says in the past what its seat did,
	// to follow a name ("played XII"), and the rest say what that brought about. A nil m is a step of
	// the protocol, of which only the consequences are told. If the rules refused a move, after has no
	// Table, and only the first Tell is given.
	Tell(before, after GamePosition[S], by table.Seat, m *M) []Tell
	// Sheets returns the sheets of the finished deals.
	Sheets(s S) []Sheet
	// Claim returns a condition in words.
	Claim(c table.Condition) Claim
	// Rule says what a rule is about, by its number; the zero Note if there is none.
	Rule(id string) Note
	// Words returns the texts of all these notes, and the cards.
	Words() Words
}

// Summing is a [Presentation] of a game whose deals are entered in a list: each seat's column shows
// what the seat has after each deal, and the sums follow the last deal.
type Summing[S any] interface {
	// Sums returns the lines of sums so far. If there are none, there is no list.
	Sums(s S) []Sum
}

// Advising is a [Presentation] of a game whose bot gives reasons for its moves.
type Advising[S, M any] interface {
	// Reason says what speaks for a move that the bot chose; the zero Note if it was the only move.
	Reason(at GamePosition[S], m M) Note
}

// Position is a table as somebody sees it.
type Position struct {
	Table *table.State
	View  table.View  // faces that this viewer knows; for an onlooker the open ones
	Seat  *table.Seat // nil: an onlooker
}

// SeatPosition returns a table as its seat sees it.
func SeatPosition(s *table.State, v table.View) Position { return Position{s, v, &v.Seat} }

// OnlookerPosition returns a table as an onlooker sees it; with a nil s it has no Table.
func OnlookerPosition(s *table.State) Position {
	if s == nil {
		return Position{}
	}
	return Position{Table: s, View: table.View{Faces: s.Faces()}}
}

// GamePosition is a Position with the game's state.
type GamePosition[S any] struct {
	State S
	Position
}

// Tell is something that happened.
type Tell struct {
	What Note `json:"what"`
	Card bool `json:"card,omitempty"` // whether it is a card laid to a trick, told once the trick is complete
	Idle bool `json:"idle,omitempty"` // whether it only says that there is nothing to say
}

// Game is a [Presentation] with the types of state and move hidden.
type Game struct {
	name  string
	words Words
	erasedPresentation
}

// erasedPresentation is Presentation with hidden types.
type erasedPresentation interface {
	// Scene returns all that lies on the table, for this viewer.
	Scene(at Position) Scene
	// Ask returns what the seat owes a move for.
	Ask(at Position) Ask
	// Answer returns what some picks amount to, and what may follow them.
	Answer(at Position, picked []Pick) Answer[json.RawMessage]
	// Tell says what a message did; move is nil for a step of the protocol. See [Presentation].
	Tell(before, after Position, by table.Seat, move json.RawMessage) []Tell
	// Sheets returns the sheets of the finished deals.
	Sheets(s *table.State) []Sheet
	// Sums returns the lines below the deals of a list. See [Summing].
	Sums(s *table.State) []Sum
	// Reason says what speaks for a move that the bot chose. See [Advising].
	Reason(at Position, move json.RawMessage) Note
	// Claim returns a condition in words.
	Claim(c table.Condition) Claim
	// Rule says what a rule is about, by its number; the zero Note if there is none.
	Rule(id string) Note
}

// NewGame makes a Game of a presentation, for the rules with this name.
func NewGame[S, M any](name string, p Presentation[S, M]) Game {
	return Game{name, p.Words(), typedPresentation[S, M]{p}}
}

// Name returns the name of the rules.
func (g Game) Name() string { return g.name }

// Players returns how many people usually play.
func (g Game) Players() int {
	if g.words.Players == 0 {
		return 4
	}
	return g.words.Players
}

// Terms returns what people agree on before they play.
func (g Game) Terms() Terms { return g.words.Terms }

// Texts returns the game's texts in a language, by key.
func (g Game) Texts(tag string) map[string]string { return g.words.Texts[tag] }

// Face returns a card by its name in the deck. An unknown card is shown by that name.
func (g Game) Face(name string) Face {
	if g.words.Face != nil {
		if f, ok := g.words.Face(name); ok {
			return f
		}
	}
	return Face{Words: Say("text", Text("text", name)), Rank: name}
}

// ForcedMove returns the move of a seat with only one answer, which decides nothing and is given
// without asking; nil if the seat has to be asked.
func (g Game) ForcedMove(at Position) json.RawMessage {
	ask := g.Ask(at)
	free := ask.FreeParts()
	if !ask.Alone || len(free) != 1 {
		return nil
	}
	if a := g.Answer(at, []Pick{free[0].Pick}); a.Move != nil {
		return *a.Move
	}
	return nil
}

// Advice is what a bot would do, in words and as picks, and why: the rule that leaves no other card, or
// what the bot thinks, or both if the rule leaves a choice.
type Advice struct {
	Says  Note
	Picks []Pick
	Why   []Note
}

// Advise puts a move that the bot chose for a seat into words.
func (g Game) Advise(at Position, move json.RawMessage) (a Advice) {
	if a.Picks = FindPicks(g, at, move); a.Picks != nil {
		a.Says = g.Answer(at, a.Picks).Says
	} else if list := g.Tell(at, Position{}, *at.Seat, move); len(list) > 0 {
		a.Says = list[0].What
	}
	if len(a.Picks) == 1 {
		why, only := g.Ask(at).forcing(a.Picks[0])
		if why != nil {
			a.Why = append(a.Why, *why)
		}
		if only {
			return a
		}
	}
	if reason := g.Reason(at, move); reason.ID != "" {
		a.Why = append(a.Why, reason)
	}
	return a
}

// forcing returns why other cards are barred, if any is, and whether pick is the only card left.
func (a Ask) forcing(pick Pick) (why *Note, only bool) {
	beside := slices.DeleteFunc(slices.Clone(a.Parts), func(p Part) bool { return p.Place == nil || p.Pick == pick })
	i := slices.IndexFunc(beside, func(p Part) bool { return p.Why != nil })
	if card, is := a.FindPart(pick); !is || card.Place == nil || i < 0 {
		return nil, false
	}
	return beside[i].Why, !slices.ContainsFunc(beside, func(p Part) bool { return p.Why == nil })
}

type typedPresentation[S, M any] struct{ p Presentation[S, M] }

// withState returns a position with the state of the game. It panics if the table is of another game: a
// fault of this program.
func (typedPresentation[S, M]) withState(p Position) GamePosition[S] {
	if p.Table == nil {
		return GamePosition[S]{}
	}
	s, ok := table.Public[S](p.Table)
	if !ok {
		panic(fmt.Sprintf("scene: a table of %s is shown as one of another game", p.Table.Genesis().Game))
	}
	return GamePosition[S]{s, p}
}

func (h typedPresentation[S, M]) Scene(p Position) Scene { return h.p.Scene(h.withState(p)) }

func (h typedPresentation[S, M]) Ask(p Position) Ask {
	if !p.OwesMove() {
		return Ask{}
	}
	return h.p.Ask(h.withState(p))
}

func (h typedPresentation[S, M]) Answer(p Position, picked []Pick) Answer[json.RawMessage] {
	if !p.OwesMove() {
		return Answer[json.RawMessage]{}
	}
	a := h.p.Answer(h.withState(p), picked)
	answer := Answer[json.RawMessage]{Ask: a.Ask, Says: a.Says, Weighs: a.Weighs}
	if a.Move == nil {
		return answer
	}
	raw, err := wire.EncodeBody(*a.Move)
	if err != nil {
		return Answer[json.RawMessage]{}
	}
	answer.Move, answer.Proves = (*json.RawMessage)(&raw), h.provedClaims(p, raw)
	return answer
}

// provedClaims returns the claims that a move proves about hidden cards.
func (h typedPresentation[S, M]) provedClaims(p Position, move json.RawMessage) (list []Claim) {
	terms, _ := p.Table.MoveTerms(*p.Seat, move)
	for _, c := range terms.Prove {
		if !c.Trivial() {
			list = append(list, h.p.Claim(c))
		}
	}
	return list
}

func (h typedPresentation[S, M]) Tell(before, after Position, by table.Seat, move json.RawMessage) []Tell {
	if move == nil {
		return h.p.Tell(h.withState(before), h.withState(after), by, nil)
	}
	var m M
	if wire.DecodeCanonical(move, &m) != nil {
		return []Tell{{What: Say("did.unknown")}}
	}
	if after.Table != nil && after.Table.IsDisputed() {
		after = OnlookerPosition(nil) // the move opened a card that has no face, and has no effect
	}
	return h.p.Tell(h.withState(before), h.withState(after), by, &m)
}

func (h typedPresentation[S, M]) Sheets(s *table.State) []Sheet {
	return h.p.Sheets(h.withState(Position{Table: s}).State)
}

func (h typedPresentation[S, M]) Sums(s *table.State) []Sum {
	if p, sums := h.p.(Summing[S]); sums {
		return p.Sums(h.withState(Position{Table: s}).State)
	}
	return nil
}

func (h typedPresentation[S, M]) Reason(at Position, move json.RawMessage) Note {
	var m M
	if p, advises := h.p.(Advising[S, M]); advises && wire.DecodeCanonical(move, &m) == nil {
		return p.Reason(h.withState(at), m)
	}
	return Note{}
}

func (h typedPresentation[S, M]) Claim(c table.Condition) Claim { return h.p.Claim(c) }

func (h typedPresentation[S, M]) Rule(id string) Note { return h.p.Rule(id) }
