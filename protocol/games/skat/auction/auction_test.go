package auction_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
)

var errTurn = errors.New("it is another player's turn")

// A call with two spellings.
func TestCallsHaveOneSpelling(t *testing.T) {
	for _, bad := range []string{`"018"`, `"+18"`, `"Pass"`, `""`, `"1"`, `"0"`, `"20 "`, `18`} {
		var c auction.Call
		testmust.Fail(t, json.Unmarshal([]byte(bad), &c), bad, "is read as", c)
	}
	for _, c := range []auction.Call{auction.Pass, auction.Yes, 18, 264} {
		text, err := json.Marshal(c)
		var again auction.Call
		if err != nil || json.Unmarshal(text, &again) != nil || again != c {
			t.Errorf("%v is written %s and read %v", c, text, again)
		}
	}
}

// A value that no game has, or one that is left out (SK-R-14).
func TestBids(t *testing.T) {
	if want := skattest.Read[[]int](t, "bids"); !slices.Equal(auction.Values, want) {
		t.Errorf("values %v, want %v", auction.Values, want)
	}
	checks := skattest.Read[struct {
		Count, Sum int
		Not        []int
	}](t, "bid_checks")
	sum := 0
	for _, n := range auction.Values {
		sum += n
	}
	if len(auction.Values) != checks.Count || sum != checks.Sum {
		t.Errorf("%d values with the sum %d, want %d, %d", len(auction.Values), sum, checks.Count, checks.Sum)
	}
	for _, n := range checks.Not {
		testmust.Fail(t, testmust.ErrorOf(auction.Parse(auction.Call(n).String())), n, "is taken for a value")
	}
}

type vector struct {
	skattest.Vector
	Calls  []string
	Expect struct {
		PassedIn bool `json:"passed_in"`
		Declarer string
		Bid      int
		Illegal  *int
	}
}

// A call out of turn, one that is not above the last, a duel that goes to the wrong
// player (SK-R-15 to SK-R-21, AMB-S-02).
func TestAuctions(t *testing.T) {
	skattest.Each(t, "auctions", func(t *testing.T, v vector) {
		s := auction.New()
		for i, said := range v.Calls {
			who, what, _ := strings.Cut(said, ":")
			next, err := s, error(nil)
			if call, parsed := auction.Parse(what); parsed != nil {
				err = parsed
			} else if strings.Index("FMR", who) != s.Turn {
				err = errTurn
			} else {
				next, err = s.Next(call)
			}
			if illegal := v.Expect.Illegal != nil && *v.Expect.Illegal == i; illegal != (err != nil) {
				t.Fatalf("call %d, %s: illegal %v, the auction says %v", i, said, illegal, err)
			}
			s = next
		}
		if v.Expect.Illegal != nil {
			return
		}
		if s.Phase != auction.Over || s.PassedIn() != v.Expect.PassedIn {
			t.Fatalf("the auction ends as %+v", s)
		}
		if !v.Expect.PassedIn && ("FMR"[s.Declarer:s.Declarer+1] != v.Expect.Declarer || s.Last != v.Expect.Bid) {
			t.Errorf("player %d at %d, want %s at %d", s.Declarer, s.Last, v.Expect.Declarer, v.Expect.Bid)
		}
	})
}
