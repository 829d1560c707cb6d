// Package highcard is the smallest game for tests with every kind of duty in deals that have not all
// seats of the table, and a plain form of it that needs no more than shuffles and tokens, for tables
// whose locks are disclosed.
//
//   - H1 The pack has nine cards, 1 to 9. There are four seats. In each deal one of them deals
//     and sits out, seat 0 in the first. The other three, from the next one on, shuffle and get
//     two cards each. One card is turned up; two are left.
//   - H2 The first of the three hands a card to the second, who mixes its hand.
//   - H3 Each of the three lays a card of its hand. It may say "best": it has no higher one; or
//     "low": both that it was dealt are lower than the card turned up.
//   - H4 The dealer, who has no card, calls the deal "fair" or "foul". It changes nothing.
//   - H5 The highest card laid wins its seat three points, and loses every other seat one.
//   - H6 The plain game is without H2 and H4, nothing is said in it, and a seat may lay no card.
//     If none is laid, nobody wins.
//   - H7 With disclose=deal the three of the plain game disclose their locks after each deal.
//   - H8 With silent=forfeits a seat that alone does not disclose has lost 300 points, and every
//     other has won 100.
package highcard

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Rules implements play.Rules.
type Rules struct{}

// Plain implements play.Rules for the plain game (H6).
type Plain struct{ Rules }

var (
	_ play.Rules[State, Move] = Rules{}
	_ play.Rules[State, Move] = Plain{}
)

const (
	seats   = 4
	playing = seats - 1 // in a deal
	faces   = 9
	upcard  = table.Card(2 * playing)
)

// Stage is what play waits for.
type Stage string

// The stages of a deal in their order.
const (
	Shuffle  Stage = "shuffle"
	Deal     Stage = "deal"
	Hand     Stage = "hand"
	Mix      Stage = "mix"
	Lay      Stage = "lay"
	Call     Stage = "call"
	Disclose Stage = "disclose"
	Over     Stage = "over"
)

// State is what everybody sees.
type State struct {
	Stage    Stage             `json:"stage"`
	Dealer   table.Seat        `json:"dealer"`
	Left     int               `json:"left"` // deals after this one
	Laid     []table.ShownCard `json:"laid"` // from the first seat on; a pass is Passed
	Scores   []int             `json:"scores"`
	Plain    bool              `json:"plain"`
	Each     bool              `json:"each"`     // disclose=deal
	Forfeits bool              `json:"forfeits"` // silent=forfeits
}

// Passed stands in State.Laid for a seat that laid nothing.
var Passed = table.ShownCard{Card: 255}

// Move is a card that is laid, with what is said of it, or a call; none is a pass.
type Move struct {
	Lay  *table.ShownCard `json:"lay,omitempty"`
	Say  string           `json:"say,omitempty"`
	Call string           `json:"call,omitempty"`
}

// Name implements table.Rules.
func (Rules) Name() string { return "highcard/v1" }

// Name implements table.Rules.
func (Plain) Name() string { return "highcard-plain/v1" }

// Needs is what lets a suite of locks play it.
func (Plain) Needs(table.Config) []string { return []string{"ownership", "shuffle", "reveal"} }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	return newTable(State{}, table.ReadOptions(c), c)
}

// Setup implements table.Rules.
func (Plain) Setup(c table.Config) (State, card.Deck, error) {
	o := table.ReadOptions(c)
	s := State{Plain: true, Each: o.Choice("disclose", "table", "deal") == "deal", Forfeits: o.Choice("silent", "waits", "forfeits") == "forfeits"}
	return newTable(s, o, c)
}

func newTable(s State, o *table.Options, c table.Config) (State, card.Deck, error) {
	if err := o.Err(); err != nil {
		return State{}, card.Deck{}, err
	}
	if c.Seats != seats {
		return State{}, card.Deck{}, errors.New("H1: there are four seats")
	}
	s.Stage, s.Left, s.Laid, s.Scores = Shuffle, c.Deals-1, []table.ShownCard{}, make([]int, seats)
	var names []string
	for f := range faces {
		names = append(names, fmt.Sprint(f+1))
	}
	deck, err := card.NewDeck("highcard", names)
	return s, deck, err
}

// seatAt is the seat that is so many after the first of the deal.
func (s State) seatAt(i int) table.Seat { return (s.Dealer + 1 + table.Seat(i)) % seats }

// dealtCards are the cards that the i-th seat of the deal gets by H1.
func dealtCards(i int) []table.Card { return []table.Card{2 * table.Card(i), 2*table.Card(i) + 1} }

// hand is the hand of the i-th seat of the deal, after H2 if it is played.
func (s State) hand(i int) []table.Card {
	if s.Plain {
		return dealtCards(i)
	}
	return [playing][]table.Card{{1}, {0, 2, 3}, {4, 5}}[i]
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Shuffle, Disclose:
		kind := map[Stage]table.Kind{Shuffle: table.Shuffle, Disclose: table.Disclose}[s.Stage]
		return []table.Duty{{Kind: kind, Seats: []table.Seat{s.seatAt(0), s.seatAt(1), s.seatAt(2)}}}
	case Deal:
		duties := []table.Duty{{Kind: table.Show, Cards: []table.Card{upcard}}}
		for i := range playing {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: dealtCards(i), To: []table.Seat{s.seatAt(i)}})
		}
		return duties
	case Hand:
		return []table.Duty{{Kind: table.Give, Seats: []table.Seat{s.seatAt(0)}, Cards: []table.Card{0}, To: []table.Seat{s.seatAt(1)}}}
	case Mix:
		return []table.Duty{{Kind: table.Permute, Seats: []table.Seat{s.seatAt(1)}, Cards: s.hand(1)}}
	case Lay:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.seatAt(len(s.Laid))}}}
	case Call:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Dealer}}}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	switch {
	case s.Stage == Disclose:
		return s.nextDeal()
	case s.Stage == Deal && s.Plain:
		s.Stage = Lay
	default:
		s.Stage = map[Stage]Stage{Shuffle: Deal, Deal: Hand, Hand: Mix, Mix: Lay}[s.Stage]
	}
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	m := in.Move
	switch {
	case s.Stage == Call && (m == Move{Call: "fair"} || m == Move{Call: "foul"}):
		return s.endDeal(), table.Terms{}, nil
	case s.Stage == Lay && s.Plain && m == Move{}:
		return s.withLaid(Passed), table.Terms{}, nil
	case s.Stage == Lay && m.Lay != nil && m.Call == "":
		return s.layCard(m, in.Faces[upcard])
	}
	return s, table.Terms{}, fmt.Errorf("H3, H4: play waits for a seat to %s", s.Stage)
}

// layCard is H3.
func (s State) layCard(m Move, up card.Face) (State, table.Terms, error) {
	i := len(s.Laid)
	hand := s.hand(i)
	at := slices.Index(hand, m.Lay.Card)
	if at < 0 || int(m.Lay.Face) >= faces {
		return s, table.Terms{}, fmt.Errorf("H3: seat %s has no card %d, or there is no face %d", s.seatAt(i).Letter(), m.Lay.Card, m.Lay.Face)
	}
	terms := table.Terms{Open: []table.ShownCard{*m.Lay}}
	switch rest := slices.Delete(slices.Clone(hand), at, at+1); {
	case m.Say == "":
	case m.Say == "best" && len(rest) > 0 && !s.Plain:
		terms.Prove = []table.Condition{{Cards: rest, Set: facesFrom(m.Lay.Face)}}
	case m.Say == "low" && !s.Plain:
		terms.Prove = []table.Condition{{Cards: dealtCards(i), Set: facesFrom(up), Dealt: true}}
	default:
		return s, table.Terms{}, fmt.Errorf("H3: a seat with %d cards cannot say %.10q", len(hand), m.Say)
	}
	return s.withLaid(*m.Lay), terms, nil
}

// facesFrom are the faces from f on.
func facesFrom(f card.Face) (set card.Set) {
	for ; f < faces; f++ {
		set = set.AddFace(f)
	}
	return set
}

// withLaid is the state after a card, or a pass.
func (s State) withLaid(c table.ShownCard) State {
	s.Laid = append(slices.Clone(s.Laid), c)
	switch {
	case len(s.Laid) < playing:
		return s
	case s.Plain:
		return s.endDeal()
	}
	s.Stage = Call
	return s
}

// endDeal is H5.
func (s State) endDeal() State {
	value := func(c table.ShownCard) int {
		if c == Passed {
			return -1
		}
		return int(c.Face)
	}
	best := slices.MaxFunc(s.Laid, func(a, b table.ShownCard) int { return value(a) - value(b) })
	if s.Scores = slices.Clone(s.Scores); best != Passed {
		for seat := range s.Scores {
			s.Scores[seat]--
		}
		s.Scores[s.seatAt(slices.Index(s.Laid, best))] += seats
	}
	if s.Each {
		s.Stage = Disclose
		return s
	}
	return s.nextDeal()
}

// nextDeal is the next deal.
func (s State) nextDeal() State {
	if s.Stage = Over; s.Left > 0 {
		s.Stage, s.Left, s.Dealer, s.Laid = Shuffle, s.Left-1, s.seatAt(0), []table.ShownCard{}
	}
	return s
}

// Moves implements play.Rules. It lists all that are true.
func (Rules) Moves(s State, v table.View) (moves []Move) {
	switch {
	case s.Stage == Call:
		return []Move{{Call: "fair"}, {Call: "foul"}}
	case s.Plain:
		moves = []Move{{}}
	}
	i := len(s.Laid)
	hand := s.hand(i)
	for _, c := range hand {
		lay := &table.ShownCard{Card: c, Face: v.Faces[c]}
		moves = append(moves, Move{Lay: lay})
		higher := func(o table.Card) bool { return v.Faces[o] > lay.Face }
		if len(hand) > 1 && !s.Plain && !slices.ContainsFunc(hand, higher) {
			moves = append(moves, Move{Lay: lay, Say: "best"})
		}
		over := func(o table.Card) bool { return v.Dealt[o] >= v.Faces[upcard] }
		if !s.Plain && !slices.ContainsFunc(dealtCards(i), over) {
			moves = append(moves, Move{Lay: lay, Say: "low"})
		}
	}
	return moves
}

// Choose implements play.Rules.
func (r Rules) Choose(s State, v table.View, random *rand.Rand) (Move, bool) {
	return play.RandomMove(r.Moves(s, v), random)
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return s.Scores }

// Forfeit is H8.
func (Plain) Forfeit(s State, silent table.Seat) ([]int, bool) {
	scores := slices.Clone(s.Scores)
	for seat := range scores {
		scores[seat] += 100
	}
	scores[silent] -= 100 * seats
	return scores, s.Forfeits
}
