package fivecarddraw

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// Stage is what play waits for.
type Stage string

// Stages, in the order of a deal. Not every deal has every stage.
const (
	Shuffling  Stage = "shuffle"   // FD-R-10
	Picking    Stage = "pick"      // FD-R-35
	Dealing    Stage = "deal"      // FD-R-12
	Betting    Stage = "bet"       // FD-R-13
	Exchanging Stage = "exchange"  // FD-R-30
	Returning  Stage = "return"    // FD-R-34
	Mixing     Stage = "mix"       // FD-R-34
	Drawing    Stage = "draw"      // FD-R-31
	BetAfter   Stage = "bet-after" // FD-R-15
	Showing    Stage = "show"      // FD-R-40
	Opening    Stage = "openers"   // FD-R-61
	Disclosing Stage = "disclose"  // FD-P-08
	Over       Stage = "over"
)

// State is what everybody sees: a table and its present deal. Slices are never changed in place.
type State struct {
	Rules Options       `json:"rules"`
	Deals int           `json:"deals"` // how many were agreed
	Stage Stage         `json:"stage"`
	Chips []int         `json:"chips"` // by seat, without those in the middle
	Left  int           `json:"left"`  // in the middle from earlier deals (92.8)
	Out   []Out         `json:"out"`   // by seat
	Deal  Deal          `json:"deal"`
	Last  *Deal         `json:"last"` // the deal before, as it ended; nil in the first deal
	Past  []SettledDeal `json:"past"` // all finished deals, in order
}

// Out is how a seat went out of the table: the deal, or 0 while it has chips, its chips when that deal
// began, and its dealer.
type Out struct {
	Deal   int        `json:"deal"`
	Chips  int        `json:"chips"`
	Dealer table.Seat `json:"dealer"`
}

// Deal is the public state of one deal. Lists by seat are of all seats of the table; cards are places
// of the deal.
type Deal struct {
	Number int            `json:"number"` // from 1
	Dealer table.Seat     `json:"dealer"`
	In     []table.Seat   `json:"in"`     // the seats of the deal, from the left of the dealer
	Live   []bool         `json:"live"`   // by seat: in the deal and not folded
	Began  []int          `json:"began"`  // by seat: chips when the deal began
	Paid   []int          `json:"paid"`   // by seat: chips put into the middle in this deal
	Round  Round          `json:"round"`  // the present or last round of betting
	Dealt  [][]table.Card `json:"dealt"`  // by seat: the five cards dealt to it
	Hands  [][]table.Card `json:"hands"`  // by seat, ascending
	Away   [][]table.Card `json:"away"`   // by seat: cards put away
	Coming [][]table.Card `json:"coming"` // by seat: places of cards that it will get
	// the first place that nobody got, unless places are picked; from DeckSize on, an index of Returned
	Next table.Card `json:"next"`

	// discarded cards that are stock again, in their order there (FD-R-34)
	Returned []table.Card `json:"returned,omitempty"`

	Asked  []table.Seat `json:"asked"`  // seats that still have to exchange or to show; the first is asked
	Opener int          `json:"opener"` // who opened; -1: nobody (92.8)
	Pots   []Pot        `json:"pots"`   // from the showdown on, with their remaining claimants
	Back   []int        `json:"back"`   // by seat: chips that nobody called
	Shown  []Hand       `json:"shown"`  // in the order of showing
	Mucked []table.Seat `json:"mucked"`
}

// Hand is a hand turned up at the showdown.
type Hand struct {
	Seat  table.Seat     `json:"seat"`
	Faces [HandSize]Face `json:"faces"` // in the order of their places
	Class int            `json:"class"` // 1 is the best of HandClasses
}

// SettledDeal is a deal that is over.
type SettledDeal struct {
	Number int        `json:"number"`
	Dealer table.Seat `json:"dealer"`
	Began  []int      `json:"began"` // by seat: chips when the deal began
	Paid   []int      `json:"paid"`  // by seat: put in, without what came back
	Pots   []Payment  `json:"pots"`
	Pays   []int      `json:"pays"` // by seat: chips when the deal ended less chips when it began
	Left   int        `json:"left"` // in the middle after the deal
}

// Payment is a pot, the seats that shared it, and what each got. Without winners it stays in the
// middle.
type Payment struct {
	Chips   int          `json:"chips"`
	Winners []table.Seat `json:"winners"`
	Shares  []int        `json:"shares"`

	// With silent=forfeits, by winner: who would have won without that winner (FD-R-56).
	Heirs [][]table.Seat `json:"heirs,omitempty"`
}

// nobody stands for no seat where a seat is an int.
const nobody = -1

// clockwise returns all seats from the left of one on, with that one last.
func (d Deal) clockwise(from table.Seat) []table.Seat {
	n := table.Seat(len(d.Live))
	seats := make([]table.Seat, n)
	for i := range n {
		seats[i] = (from + 1 + i) % n
	}
	return seats
}

// liveSeats returns the seats of the deal that have not folded, from the left of one on.
func (d Deal) liveSeats(from table.Seat) []table.Seat {
	return slices.DeleteFunc(d.clockwise(from), func(seat table.Seat) bool { return !d.Live[seat] })
}

// InMiddle returns how many chips lie in the middle.
func (s State) InMiddle() int {
	sum := s.Left
	if s.Stage == Over || s.Stage == Disclosing {
		return sum // the deal is paid
	}
	for _, n := range s.Deal.Paid {
		sum += n
	}
	return sum
}

func withValueAt[T any](list []T, seat table.Seat, v T) []T {
	list = slices.Clone(list)
	list[seat] = v
	return list
}
