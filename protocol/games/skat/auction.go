package skat

// This is the bidding of a deal of Skat (SK-R-14 to SK-R-22). It knows
// no hand: every call may be made with any cards.
//
// Middlehand says values and forehand hears them; rearhand says them to who is
// left; and if nobody named one, forehand may still have the game at 18. An [Auction]
// is what has been said, a value that is never changed.

import (
	"fmt"
	"slices"
	"strconv"
)

// Players, in the order of the deal (SK-R-10), and nobody.
const (
	Forehand   = 0
	Middlehand = 1
	Rearhand   = 2
	Nobody     = -1
)

// Players is how many there are in a deal (SK-R-09).
const Players = 3

// LowestBid is the least value that can be named.
const LowestBid = 18

// BidValues are the values that can be named, ascending (SK-R-14): those that a game
// can have.
var BidValues = func() []int {
	list := []int{23, 35, 46, 59}
	for base, most := range map[int]int{9: 18, 10: 18, 11: 18, 12: 18, 24: 11} {
		for factor := 2; factor <= most; factor++ {
			list = append(list, base*factor)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}()

// Call is what a player says: a value, or one of the words. In JSON it is a string:
// "18", "yes", "pass".
type Call int

// Words.
const (
	PassCall Call = 0
	YesCall  Call = 1
)

// String is the call as it is written.
func (c Call) String() string {
	switch c {
	case PassCall:
		return "pass"
	case YesCall:
		return "yes"
	}
	return strconv.Itoa(int(c))
}

// ParseCall reads a call: a word, or a value of [BidValues].
func ParseCall(s string) (Call, error) {
	for _, word := range []Call{PassCall, YesCall} {
		if s == word.String() {
			return word, nil
		}
	}
	n, err := strconv.Atoi(s)
	if err != nil || !slices.Contains(BidValues, n) || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("SK-R-14: %.10q is no call: pass, yes or a value of the list", s)
	}
	return Call(n), nil
}

// MarshalText writes a call.
func (c Call) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a call.
func (c *Call) UnmarshalText(text []byte) (err error) {
	*c, err = ParseCall(string(text))
	return err
}

// Phases of an auction.
const (
	FirstDuel     = 1 // middlehand says, forehand hears (SK-R-15)
	SecondDuel    = 2 // rearhand says, who is left hears (SK-R-17)
	ForehandAlone = 3 // forehand says 18 or passes (SK-R-19)
	AuctionOver   = 4
)

// Auction is an auction so far; [NewAuction] begins one.
type Auction struct {
	Phase    int          `json:"phase"`
	Sayer    int          `json:"sayer"`
	Hearer   int          `json:"hearer"`
	Turn     int          `json:"turn"`     // whose call it is; Nobody when it is over
	Last     int          `json:"last"`     // value named last, 0 before; at the end the bid
	Declarer int          `json:"declarer"` // Nobody while it is open, and if all passed
	Bids     [Players]int `json:"bids"`     // highest value that a player named or held
	Calls    []PlayerCall `json:"calls"`
}

// PlayerCall is a call and who made it.
type PlayerCall struct {
	Player int  `json:"player"`
	Call   Call `json:"call"`
}

// NewAuction is an auction before the first call.
func NewAuction() Auction {
	return Auction{Phase: FirstDuel, Sayer: Middlehand, Hearer: Forehand, Turn: Middlehand, Declarer: Nobody, Calls: []PlayerCall{}}
}

// PassedIn reports whether all passed (SK-R-20).
func (s Auction) PassedIn() bool { return s.Phase == AuctionOver && s.Declarer == Nobody }

// AfterCall is the auction after a call of the player whose turn it is.
func (s Auction) AfterCall(c Call) (Auction, error) {
	if err := s.checkCall(c); err != nil {
		return s, err
	}
	p := s.Turn
	s.Calls = append(slices.Clone(s.Calls), PlayerCall{p, c})
	switch {
	case c == PassCall && s.Phase == ForehandAlone:
		return s.endAuction(Nobody), nil
	case c == PassCall:
		return s.survive(s.Sayer + s.Hearer - p), nil
	case c == YesCall:
		s.Bids[p], s.Turn = s.Last, s.Sayer
		return s, nil
	}
	s.Last, s.Bids[p], s.Turn = int(c), int(c), s.Hearer
	if s.Phase == ForehandAlone {
		return s.endAuction(p), nil
	}
	return s, nil
}

// checkCall says why a call cannot be made now.
func (s Auction) checkCall(c Call) error {
	switch {
	case s.Phase == AuctionOver:
		return fmt.Errorf("SK-R-21: the auction is over")
	case c == PassCall:
		return nil
	case s.Phase == ForehandAlone && c != LowestBid:
		return fmt.Errorf("SK-R-19: both others passed: forehand says 18 or passes, and not %v", c)
	case s.Phase == ForehandAlone:
		return nil
	case (c == YesCall) != (s.Turn == s.Hearer):
		return fmt.Errorf("SK-R-15: who says names a value, who hears says yes, or either passes: %s cannot say %v", seatNames[s.Turn], c)
	case c != YesCall && int(c) <= s.Last:
		return fmt.Errorf("SK-R-15: %v is not above %d, which was named last", c, s.Last)
	case c != YesCall && !slices.Contains(BidValues, int(c)):
		return fmt.Errorf("SK-R-14: %v is no value of a game", c)
	}
	return nil
}

// seatNames are how players are named in errors.
var seatNames = [Players]string{"forehand", "middlehand", "rearhand"}

// survive goes on with who is left of a duel (SK-R-17, SK-R-18).
func (s Auction) survive(p int) Auction {
	switch {
	case s.Phase == FirstDuel:
		s.Phase, s.Sayer, s.Hearer, s.Turn = SecondDuel, Rearhand, p, Rearhand
		return s
	case s.Last > 0:
		return s.endAuction(p)
	}
	s.Phase, s.Sayer, s.Hearer, s.Turn = ForehandAlone, Forehand, Nobody, Forehand
	return s
}

func (s Auction) endAuction(declarer int) Auction {
	s.Phase, s.Sayer, s.Hearer, s.Turn, s.Declarer = AuctionOver, Nobody, Nobody, Nobody, declarer
	return s
}

// Legal lists the calls that can be made now, the pass first.
func (s Auction) Legal() (list []Call) {
	for _, n := range append([]int{int(PassCall), int(YesCall)}, BidValues...) {
		if s.checkCall(Call(n)) == nil {
			list = append(list, Call(n))
		}
	}
	return list
}
