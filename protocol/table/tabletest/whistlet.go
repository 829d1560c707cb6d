package tabletest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
)

// Whistlet is a trick game for tests: the smallest one with every form of the kernel's conditions and a
// card that everybody sees.
//
//   - W1 The pack has 16 cards, the ranks J Q K A of the suits C S H D. Three
//     seats get four each; one card is turned up and its suit is trump; three
//     are left.
//   - W2 From seat 0 on, each seat bids once: "pass"; "one", at least one
//     honour (an ace) in the hand; "two", exactly two. The last seat that bid
//     most leads to the first trick, and seat 0 if all passed.
//   - W3 Each seat draws one of the cards left and mixes its hand.
//   - W4 A card that is played is in the hand and has the face its holder says.
//   - W5 A card of the led suit must be played if the hand has one.
//   - W6 The highest trump takes the trick, or else the highest card of the led
//     suit; its winner leads to the next.
//   - W7 After the first trick, from seat 0 on, each seat recalls once: "pass";
//     "some", at least one honour among the four cards it got by W1; "none",
//     none among them; "drew", an honour by W3.
//   - W8 A seat scores three points for each of its tricks, less five.
//
// It implements play.Rules.
type Whistlet struct{}

var _ play.Rules[WhistletState, WhistletMove] = Whistlet{}

const (
	whistletSeats  = 3
	whistletDealt  = 4                                         // number of cards for each seat by W1
	whistletTricks = whistletDealt + 1                         // including the card of W3
	whistletUpcard = table.Card(whistletSeats * whistletDealt) // the cards left come after it
	whistletSuits  = "CSHD"
	whistletOrder  = "JQKA"
)

// whistletBids are the bids, from the lowest.
var whistletBids = []string{"pass", "one", "two"}

// WhistletStage is what the table waits for.
type WhistletStage string

// The stages in their order; play comes both before and after recall.
const (
	WhistletShuffle WhistletStage = "shuffle"
	WhistletDeal    WhistletStage = "deal"
	WhistletBid     WhistletStage = "bid"
	WhistletDraw    WhistletStage = "draw"
	WhistletMix     WhistletStage = "mix"
	WhistletPlay    WhistletStage = "play"
	WhistletRecall  WhistletStage = "recall"
)

// WhistletState is what everybody sees.
type WhistletState struct {
	Stage   WhistletStage     `json:"stage"`
	Bids    []string          `json:"bids"`    // by seat, of those that have bid
	Recalls []string          `json:"recalls"` // by seat, of those that have recalled
	Leader  table.Seat        `json:"leader"`
	Trick   []table.ShownCard `json:"trick"` // cards played to the trick, leader first
	Hands   [][]table.Card    `json:"hands"`
	Tricks  []int             `json:"tricks"` // by seat
}

// WhistletMove is a bid, a card or what a seat recalls: exactly one of its fields is set.
type WhistletMove struct {
	Bid    string           `json:"bid,omitempty"`
	Card   *table.ShownCard `json:"card,omitempty"`
	Recall string           `json:"recall,omitempty"`
}

// Name implements table.Rules.
func (Whistlet) Name() string { return "whistlet/v1" }

// Setup implements table.Rules.
func (Whistlet) Setup(c table.Config) (WhistletState, card.Deck, error) {
	if err := table.ReadOptions(c).Err(); err != nil {
		return WhistletState{}, card.Deck{}, err
	}
	if c.Seats != whistletSeats || c.Deals != 1 {
		return WhistletState{}, card.Deck{}, errors.New("W1: whistlet is for three seats and one deal")
	}
	var faces []string
	for _, suit := range whistletSuits {
		for _, rank := range whistletOrder {
			faces = append(faces, string(rank)+string(suit))
		}
	}
	deck, err := card.NewDeck("whistlet", faces)
	return WhistletState{
		Stage: WhistletShuffle, Bids: []string{}, Recalls: []string{},
		Trick: []table.ShownCard{}, Tricks: make([]int, whistletSeats),
	}, deck, err
}

func suitOf(f card.Face) int { return int(f) / len(whistletOrder) }

// SuitSet is the faces of one suit.
func SuitSet(suit int) card.Set {
	var s card.Set
	for i := range len(whistletOrder) {
		s = s.AddFace(card.Face(suit*len(whistletOrder) + i))
	}
	return s
}

// Honours are the aces (W2).
func Honours() card.Set {
	var s card.Set
	for suit := range len(whistletSuits) {
		s = s.AddFace(card.Face(suit*len(whistletOrder) + len(whistletOrder) - 1))
	}
	return s
}

// Turn is the seat that bids, plays or recalls next.
func (s WhistletState) Turn() table.Seat {
	switch s.Stage {
	case WhistletBid:
		return table.Seat(len(s.Bids))
	case WhistletRecall:
		return table.Seat(len(s.Recalls))
	}
	return (s.Leader + table.Seat(len(s.Trick))) % whistletSeats
}

// dealtTo are the cards that a seat gets by W1.
func dealtTo(seat table.Seat) []table.Card {
	first := whistletDealt * table.Card(seat)
	return []table.Card{first, first + 1, first + 2, first + 3}
}

// drawnBy is the card that a seat gets by W3.
func drawnBy(seat table.Seat) []table.Card {
	return []table.Card{whistletUpcard + 1 + table.Card(seat)}
}

// Duties implements table.Rules.
func (Whistlet) Duties(s WhistletState) []table.Duty {
	switch s.Stage {
	case WhistletShuffle:
		return []table.Duty{{Kind: table.Shuffle, Seats: []table.Seat{0, 1, 2}}}
	case WhistletDeal:
		return append(showDuties(dealtTo), table.Duty{Kind: table.Show, Cards: []table.Card{whistletUpcard}})
	case WhistletDraw:
		return showDuties(drawnBy)
	case WhistletMix:
		return s.mixDuties()
	}
	if s.Stage == WhistletPlay && len(s.Hands[s.Turn()]) == 0 {
		return nil
	}
	return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Turn()}}}
}

func showDuties(cards func(table.Seat) []table.Card) (duties []table.Duty) {
	for seat := range table.Seat(whistletSeats) {
		duties = append(duties, table.Duty{Kind: table.Show, Cards: cards(seat), To: []table.Seat{seat}})
	}
	return duties
}

func (s WhistletState) mixDuties() (duties []table.Duty) {
	for seat, hand := range s.Hands {
		duties = append(duties, table.Duty{Kind: table.Permute, Seats: []table.Seat{table.Seat(seat)}, Cards: hand})
	}
	return duties
}

// Settle implements table.Rules.
func (Whistlet) Settle(s WhistletState, _ map[table.Card]card.Face) WhistletState {
	switch s.Stage {
	case WhistletShuffle:
		s.Stage, s.Hands = WhistletDeal, make([][]table.Card, whistletSeats)
	case WhistletDeal:
		s.Stage, s.Hands = WhistletBid, s.handsWith(dealtTo)
	case WhistletDraw:
		s.Stage, s.Hands = WhistletMix, s.handsWith(drawnBy)
	case WhistletMix:
		s.Stage = WhistletPlay
	}
	return s
}

func (s WhistletState) handsWith(cards func(table.Seat) []table.Card) [][]table.Card {
	hands := make([][]table.Card, whistletSeats)
	for seat := range hands {
		hands[seat] = slices.Concat(s.Hands[seat], cards(table.Seat(seat)))
	}
	return hands
}

// Apply implements table.Rules.
func (Whistlet) Apply(s WhistletState, in table.Input[WhistletMove]) (WhistletState, table.Terms, error) {
	m := in.Move
	bid, card, recall := m.Bid != "", m.Card != nil, m.Recall != ""
	switch {
	case s.Stage == WhistletBid && bid && !card && !recall:
		return s.placeBid(m.Bid)
	case s.Stage == WhistletPlay && card && !bid && !recall:
		return s.playCard(*m.Card, in.Faces[whistletUpcard])
	case s.Stage == WhistletRecall && recall && !bid && !card:
		return s.makeRecall(m.Recall)
	}
	return s, table.Terms{}, fmt.Errorf("W2, W4, W7: play waits for %s", s.Stage)
}

func (s WhistletState) placeBid(bid string) (WhistletState, table.Terms, error) {
	value := slices.Index(whistletBids, bid)
	if value < 0 {
		return s, table.Terms{}, fmt.Errorf("W2: unknown bid %.10q", bid)
	}
	hand := s.Hands[s.Turn()]
	var terms table.Terms
	switch bid {
	case "one":
		terms.Prove = []table.Condition{{Cards: hand, Set: Honours(), Min: 1, Max: len(hand)}}
	case "two":
		terms.Prove = []table.Condition{{Cards: hand, Set: Honours(), Min: 2, Max: 2}}
	}
	if value > 0 && value >= s.highestBid() {
		s.Leader = s.Turn()
	}
	s.Bids = append(slices.Clone(s.Bids), bid)
	if len(s.Bids) == whistletSeats {
		s.Stage = WhistletDraw
	}
	return s, terms, nil
}

func (s WhistletState) makeRecall(what string) (WhistletState, table.Terms, error) {
	c := table.Condition{Cards: dealtTo(s.Turn()), Set: Honours(), Max: whistletDealt, Dealt: true}
	switch what {
	case "pass":
	case "some":
		c.Min = 1
	case "none":
		c.Max = 0
	case "drew":
		c.Cards, c.Min, c.Max = drawnBy(s.Turn()), 1, 1
	default:
		return s, table.Terms{}, fmt.Errorf("W7: nobody recalls %.10q", what)
	}
	s.Recalls = append(slices.Clone(s.Recalls), what)
	if len(s.Recalls) == whistletSeats {
		s.Stage = WhistletPlay
	}
	return s, table.Terms{Prove: []table.Condition{c}}, nil
}

func (s WhistletState) highestBid() int {
	highest := 0
	for _, b := range s.Bids {
		highest = max(highest, slices.Index(whistletBids, b))
	}
	return highest
}

func (s WhistletState) playCard(c table.ShownCard, up card.Face) (WhistletState, table.Terms, error) {
	turn := s.Turn()
	i := slices.Index(s.Hands[turn], c.Card)
	if i < 0 {
		return s, table.Terms{}, fmt.Errorf("W4: card %d is not in the hand of seat %d", c.Card, turn)
	}
	if int(c.Face) >= len(whistletSuits)*len(whistletOrder) {
		return s, table.Terms{}, fmt.Errorf("W4: there is no face %d", c.Face)
	}
	s.Hands = slices.Clone(s.Hands)
	s.Hands[turn] = slices.Delete(slices.Clone(s.Hands[turn]), i, i+1)
	terms := table.Terms{Open: []table.ShownCard{c}}
	if rest := s.Hands[turn]; len(s.Trick) > 0 && len(rest) > 0 {
		for _, suit := range shared.LackedClasses(pack{}, s.Trick[0].Face, c.Face, func(int) bool { return false }) {
			terms.Prove = append(terms.Prove, table.Condition{Cards: rest, Set: SuitSet(suit)})
		}
	}
	s.Trick = append(slices.Clone(s.Trick), c)
	if len(s.Trick) == whistletSeats {
		s = s.takeTrick(pack{trump: suitOf(up)})
	}
	return s, terms, nil
}

// pack is how cards follow (W5) and beat one another (W6).
type pack struct{ trump int }

func (pack) Class(f card.Face) int { return suitOf(f) }

func (pack) Cards(suit int) card.Set { return SuitSet(suit) }

func (pack) Follow(led int) []int { return []int{led} }

func (p pack) Beats(f, best card.Face) bool {
	if suitOf(f) == suitOf(best) {
		return f > best
	}
	return suitOf(f) == p.trump
}

// Points counts tricks alone (W8).
func (pack) Points(card.Face) int { return 0 }

// trickFaces are those of the trick.
func (s WhistletState) trickFaces() []card.Face {
	list := make([]card.Face, len(s.Trick))
	for i, c := range s.Trick {
		list[i] = c.Face
	}
	return list
}

// takeTrick gives the trick to the highest card (W6).
func (s WhistletState) takeTrick(p pack) WhistletState {
	s.Leader = (s.Leader + table.Seat(shared.TrickWinner(p, s.trickFaces()))) % whistletSeats
	s.Tricks = slices.Clone(s.Tricks)
	s.Tricks[s.Leader]++
	s.Trick = []table.ShownCard{}
	if len(s.Recalls) == 0 {
		s.Stage = WhistletRecall
	}
	return s
}

// Choose implements play.Rules.
func (r Whistlet) Choose(s WhistletState, v table.View, random *rand.Rand) (WhistletMove, bool) {
	return play.RandomMove(r.Moves(s, v), random)
}

// Moves implements play.Rules. It lists all that are legal.
func (Whistlet) Moves(s WhistletState, v table.View) []WhistletMove {
	hand := s.Hands[v.Seat]
	switch s.Stage {
	case WhistletBid:
		return bidsOf(countFaces(hand, v.Faces, Honours()))
	case WhistletRecall:
		return recallsOf(countFaces(dealtTo(v.Seat), v.Dealt, Honours()), countFaces(drawnBy(v.Seat), v.Dealt, Honours()))
	}
	var own card.Set
	for _, c := range hand {
		own = own.AddFace(v.Faces[c])
	}
	may := shared.PlayableCards(pack{}, s.trickFaces(), own)
	var moves []WhistletMove
	for _, c := range hand {
		if f := v.Faces[c]; may.Has(f) {
			moves = append(moves, WhistletMove{Card: &table.ShownCard{Card: c, Face: f}})
		}
	}
	return moves
}

func bidsOf(honours int) []WhistletMove {
	moves := []WhistletMove{{Bid: "pass"}}
	if honours >= 1 {
		moves = append(moves, WhistletMove{Bid: "one"})
	}
	if honours == 2 {
		moves = append(moves, WhistletMove{Bid: "two"})
	}
	return moves
}

func recallsOf(whistletDealt, drawn int) []WhistletMove {
	moves := []WhistletMove{{Recall: "pass"}}
	if whistletDealt > 0 {
		moves = append(moves, WhistletMove{Recall: "some"})
	} else {
		moves = append(moves, WhistletMove{Recall: "none"})
	}
	if drawn > 0 {
		moves = append(moves, WhistletMove{Recall: "drew"})
	}
	return moves
}

func countFaces(cards []table.Card, faces map[table.Card]card.Face, set card.Set) (n int) {
	for _, c := range cards {
		if set.Has(faces[c]) {
			n++
		}
	}
	return n
}

// Result implements table.Rules.
func (Whistlet) Result(s WhistletState) []int {
	scores := make([]int, whistletSeats)
	for seat, n := range s.Tricks {
		scores[seat] = 3*n - whistletTricks
	}
	return scores
}
