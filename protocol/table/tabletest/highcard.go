package tabletest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// HighCard is the smallest game for tests that has every kind of duty in deals without some seats of
// the table. It also has a plain form that needs only shuffles and tokens, for tables whose locks are
// disclosed.
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
//
// It implements play.Rules.
type HighCard struct{}

// PlainHighCard implements play.Rules for the plain game (H6).
type PlainHighCard struct{ HighCard }

var (
	_ play.Rules[HighCardState, HighCardMove] = HighCard{}
	_ play.Rules[HighCardState, HighCardMove] = PlainHighCard{}
)

const (
	highCardSeats  = 4
	playing        = highCardSeats - 1 // number of seats in a deal
	faces          = 9
	highCardUpcard = table.Card(2 * playing)
)

// HighCardStage is what the table waits for.
type HighCardStage string

// The stages of a deal, in their order.
const (
	HighCardShuffle  HighCardStage = "shuffle"
	HighCardDeal     HighCardStage = "deal"
	HighCardHand     HighCardStage = "hand"
	HighCardMix      HighCardStage = "mix"
	HighCardLay      HighCardStage = "lay"
	HighCardCall     HighCardStage = "call"
	HighCardDisclose HighCardStage = "disclose"
	HighCardOver     HighCardStage = "over"
)

// HighCardState is what everybody sees.
type HighCardState struct {
	Stage    HighCardStage     `json:"stage"`
	Dealer   table.Seat        `json:"dealer"`
	Left     int               `json:"left"` // number of deals after this one
	Laid     []table.ShownCard `json:"laid"` // from the first seat on; a seat that passes has Passed
	Scores   []int             `json:"scores"`
	Plain    bool              `json:"plain"`
	Each     bool              `json:"each"`     // disclose=deal
	Forfeits bool              `json:"forfeits"` // silent=forfeits
}

// Passed stands in State.Laid for a seat that laid no card.
var Passed = table.ShownCard{Card: 255}

// HighCardMove is a card that is laid, with what is said about it, or a call; if neither is set it is a
// pass.
type HighCardMove struct {
	Lay  *table.ShownCard `json:"lay,omitempty"`
	Say  string           `json:"say,omitempty"`
	Call string           `json:"call,omitempty"`
}

// Name implements table.Rules.
func (HighCard) Name() string { return "highcard/v1" }

// Name implements table.Rules.
func (PlainHighCard) Name() string { return "highcard-plain/v1" }

// Needs lists the few relations that the plain game uses, so that a suite of locks can play it.
func (PlainHighCard) Needs(table.Config) []string { return []string{"ownership", "shuffle", "reveal"} }

// Setup implements table.Rules.
func (HighCard) Setup(c table.Config) (HighCardState, card.Deck, error) {
	return newTable(HighCardState{}, table.ReadOptions(c), c)
}

// Setup implements table.Rules.
func (PlainHighCard) Setup(c table.Config) (HighCardState, card.Deck, error) {
	o := table.ReadOptions(c)
	s := HighCardState{Plain: true, Each: o.Choice("disclose", "table", "deal") == "deal", Forfeits: o.Choice("silent", "waits", "forfeits") == "forfeits"}
	return newTable(s, o, c)
}

func newTable(s HighCardState, o *table.Options, c table.Config) (HighCardState, card.Deck, error) {
	if err := o.Err(); err != nil {
		return HighCardState{}, card.Deck{}, err
	}
	if c.Seats != highCardSeats {
		return HighCardState{}, card.Deck{}, errors.New("H1: there are four seats")
	}
	s.Stage, s.Left, s.Laid, s.Scores = HighCardShuffle, c.Deals-1, []table.ShownCard{}, make([]int, highCardSeats)
	var names []string
	for f := range faces {
		names = append(names, fmt.Sprint(f+1))
	}
	deck, err := card.NewDeck("highcard", names)
	return s, deck, err
}

// seatAt is the i-th seat after the first of the deal.
func (s HighCardState) seatAt(i int) table.Seat {
	return (s.Dealer + 1 + table.Seat(i)) % highCardSeats
}

// dealtCards are the cards that the i-th seat of the deal gets by H1.
func dealtCards(i int) []table.Card { return []table.Card{2 * table.Card(i), 2*table.Card(i) + 1} }

// hand is the hand of the i-th seat of the deal, after H2 if it is played.
func (s HighCardState) hand(i int) []table.Card {
	if s.Plain {
		return dealtCards(i)
	}
	return [playing][]table.Card{{1}, {0, 2, 3}, {4, 5}}[i]
}

// Duties implements table.Rules.
func (HighCard) Duties(s HighCardState) []table.Duty {
	switch s.Stage {
	case HighCardShuffle, HighCardDisclose:
		kind := map[HighCardStage]table.Kind{HighCardShuffle: table.Shuffle, HighCardDisclose: table.Disclose}[s.Stage]
		return []table.Duty{{Kind: kind, Seats: []table.Seat{s.seatAt(0), s.seatAt(1), s.seatAt(2)}}}
	case HighCardDeal:
		duties := []table.Duty{{Kind: table.Show, Cards: []table.Card{highCardUpcard}}}
		for i := range playing {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: dealtCards(i), To: []table.Seat{s.seatAt(i)}})
		}
		return duties
	case HighCardHand:
		return []table.Duty{{Kind: table.Give, Seats: []table.Seat{s.seatAt(0)}, Cards: []table.Card{0}, To: []table.Seat{s.seatAt(1)}}}
	case HighCardMix:
		return []table.Duty{{Kind: table.Permute, Seats: []table.Seat{s.seatAt(1)}, Cards: s.hand(1)}}
	case HighCardLay:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.seatAt(len(s.Laid))}}}
	case HighCardCall:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Dealer}}}
	}
	return nil
}

// Settle implements table.Rules.
func (HighCard) Settle(s HighCardState, _ map[table.Card]card.Face) HighCardState {
	switch {
	case s.Stage == HighCardDisclose:
		return s.nextDeal()
	case s.Stage == HighCardDeal && s.Plain:
		s.Stage = HighCardLay
	default:
		s.Stage = map[HighCardStage]HighCardStage{HighCardShuffle: HighCardDeal, HighCardDeal: HighCardHand, HighCardHand: HighCardMix, HighCardMix: HighCardLay}[s.Stage]
	}
	return s
}

// Apply implements table.Rules.
func (HighCard) Apply(s HighCardState, in table.Input[HighCardMove]) (HighCardState, table.Terms, error) {
	m := in.Move
	switch {
	case s.Stage == HighCardCall && (m == HighCardMove{Call: "fair"} || m == HighCardMove{Call: "foul"}):
		return s.endDeal(), table.Terms{}, nil
	case s.Stage == HighCardLay && s.Plain && m == HighCardMove{}:
		return s.withLaid(Passed), table.Terms{}, nil
	case s.Stage == HighCardLay && m.Lay != nil && m.Call == "":
		return s.layCard(m, in.Faces[highCardUpcard])
	}
	return s, table.Terms{}, fmt.Errorf("H3, H4: play waits for a seat to %s", s.Stage)
}

// layCard is H3.
func (s HighCardState) layCard(m HighCardMove, up card.Face) (HighCardState, table.Terms, error) {
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
func (s HighCardState) withLaid(c table.ShownCard) HighCardState {
	s.Laid = append(slices.Clone(s.Laid), c)
	switch {
	case len(s.Laid) < playing:
		return s
	case s.Plain:
		return s.endDeal()
	}
	s.Stage = HighCardCall
	return s
}

// endDeal is H5.
func (s HighCardState) endDeal() HighCardState {
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
		s.Scores[s.seatAt(slices.Index(s.Laid, best))] += highCardSeats
	}
	if s.Each {
		s.Stage = HighCardDisclose
		return s
	}
	return s.nextDeal()
}

// nextDeal is the next deal.
func (s HighCardState) nextDeal() HighCardState {
	if s.Stage = HighCardOver; s.Left > 0 {
		s.Stage, s.Left, s.Dealer, s.Laid = HighCardShuffle, s.Left-1, s.seatAt(0), []table.ShownCard{}
	}
	return s
}

// Moves implements play.Rules. It lists all the true moves.
func (HighCard) Moves(s HighCardState, v table.View) (moves []HighCardMove) {
	switch {
	case s.Stage == HighCardCall:
		return []HighCardMove{{Call: "fair"}, {Call: "foul"}}
	case s.Plain:
		moves = []HighCardMove{{}}
	}
	i := len(s.Laid)
	hand := s.hand(i)
	for _, c := range hand {
		lay := &table.ShownCard{Card: c, Face: v.Faces[c]}
		moves = append(moves, HighCardMove{Lay: lay})
		higher := func(o table.Card) bool { return v.Faces[o] > lay.Face }
		if len(hand) > 1 && !s.Plain && !slices.ContainsFunc(hand, higher) {
			moves = append(moves, HighCardMove{Lay: lay, Say: "best"})
		}
		over := func(o table.Card) bool { return v.Dealt[o] >= v.Faces[highCardUpcard] }
		if !s.Plain && !slices.ContainsFunc(dealtCards(i), over) {
			moves = append(moves, HighCardMove{Lay: lay, Say: "low"})
		}
	}
	return moves
}

// Choose implements play.Rules.
func (r HighCard) Choose(s HighCardState, v table.View, random *rand.Rand) (HighCardMove, bool) {
	return play.RandomMove(r.Moves(s, v), random)
}

// Result implements table.Rules.
func (HighCard) Result(s HighCardState) []int { return s.Scores }

// Forfeit is H8.
func (PlainHighCard) Forfeit(s HighCardState, silent table.Seat) ([]int, bool) {
	scores := slices.Clone(s.Scores)
	for seat := range scores {
		scores[seat] += 100
	}
	scores[silent] -= 100 * highCardSeats
	return scores, s.Forfeits
}
