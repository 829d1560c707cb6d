package skat

// This file is the bidding of a deal of Skat (SK-R-14 to SK-R-22). It knows no hand: every call may be
// made with any cards.
//
// Middlehand names values and forehand holds them or passes; rearhand then names values to whichever of
// the two is left; and if nobody named one, forehand may still take the game at 18. An [Auction] is
// what has been said so far, a value that is never changed in place.

import (
	"fmt"
	"slices"
	"strconv"
)

// The players of a deal, in its order (SK-R-10), and nobody.
const (
	Forehand   = 0
	Middlehand = 1
	Rearhand   = 2
	Nobody     = -1
)

// Players is the number of players in a deal (SK-R-09).
const Players = 3

// LowestBid is the lowest value that can be bid.
const LowestBid = 18

// BidValues are the values that can be bid, ascending (SK-R-14): those that a game can have.
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

// Call is what a player says: a value, or one of two words. In JSON it is a string: "18", "yes",
// "pass".
type Call int

// The calls that are words.
const (
	PassCall Call = 0
	YesCall  Call = 1
)

// String is the call as it is written in a move.
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

// The phases of an auction.
const (
	FirstDuel     = 1 // middlehand bids, forehand answers (SK-R-15)
	SecondDuel    = 2 // rearhand bids, whoever is left answers (SK-R-17)
	ForehandAlone = 3 // forehand takes the game at 18 or passes (SK-R-19)
	AuctionOver   = 4
)

// Auction is the bidding so far; [NewAuction] begins it.
type Auction struct {
	Phase    int          `json:"phase"`
	Sayer    int          `json:"sayer"`
	Hearer   int          `json:"hearer"`
	Turn     int          `json:"turn"`     // the player whose call it is; Nobody when it is over
	Last     int          `json:"last"`     // the last value bid, 0 before the first; at the end the bid of the game
	Declarer int          `json:"declarer"` // Nobody while it is open, and if all passed
	Bids     [Players]int `json:"bids"`     // by player, the highest value bid or held
	Calls    []PlayerCall `json:"calls"`
}

// PlayerCall is a call, and the player who made it.
type PlayerCall struct {
	Player int  `json:"player"`
	Call   Call `json:"call"`
}

// NewAuction is an auction before its first call.
func NewAuction() Auction {
	return Auction{Phase: FirstDuel, Sayer: Middlehand, Hearer: Forehand, Turn: Middlehand, Declarer: Nobody, Calls: []PlayerCall{}}
}

// PassedIn reports whether all players passed (SK-R-20).
func (s Auction) PassedIn() bool { return s.Phase == AuctionOver && s.Declarer == Nobody }

// AfterCall is the auction after a call by the player whose turn it is.
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

// seatNames are the names of the players in errors.
var seatNames = [Players]string{"forehand", "middlehand", "rearhand"}

// survive goes on with p, who is left after a duel (SK-R-17, SK-R-18).
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

// Legal lists the calls that can be made now; a pass comes first.
func (s Auction) Legal() (list []Call) {
	for _, n := range append([]int{int(PassCall), int(YesCall)}, BidValues...) {
		if s.checkCall(Call(n)) == nil {
			list = append(list, Call(n))
		}
	}
	return list
}
