package auction_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games/skat/auction"
)

var errTurn = errors.New("it is another player's turn")

// An auction that ends as nobody called, that never ends, or in which a call listed as
// legal is refused and another one accepted (SK-R-16, SK-R-22).
func TestRandomAuctions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := auction.New()
		for s.Phase != auction.Over {
			legal := s.Legal()
			for n := auction.Call(0); n < 270; n++ {
				if _, err := s.Next(n); (err == nil) != slices.Contains(legal, n) {
					t.Fatalf("%v after %v: %v, listed %v", n, s.Calls, err, legal)
				}
			}
			before := len(s.Calls)
			next, err := s.Next(legal[r.IntN(min(len(legal), 3))])
			if err != nil || len(next.Calls) != before+1 || len(s.Calls) != before {
				t.Fatalf("after %v: %v", s.Calls, err)
			}
			s = next
		}
		last, bidder := 0, auction.Nobody
		for _, said := range s.Calls {
			switch {
			case said.Call == auction.Yes:
				bidder = said.Player
			case said.Call != auction.Pass:
				last, bidder = int(said.Call), said.Player
			}
		}
		if s.Last != last || s.Declarer != bidder && last > 0 && !held(s) || last == 0 && !s.PassedIn() {
			t.Fatalf("%v: declarer %d at %d", s.Calls, s.Declarer, s.Last)
		}
		if _, err := s.Next(auction.Pass); err == nil {
			t.Fatal("a call after the end")
		}
	}
}

// held reports whether the declarer named or held the bid (SK-R-18).
func held(s auction.State) bool { return s.Bids[s.Declarer] == s.Last }

// A call with two spellings.
func TestCallsHaveOneSpelling(t *testing.T) {
	for _, bad := range []string{`"018"`, `"+18"`, `"Pass"`, `""`, `"1"`, `"0"`, `"20 "`, `18`} {
		var c auction.Call
		if err := json.Unmarshal([]byte(bad), &c); err == nil {
			t.Errorf("%s is read as %v", bad, c)
		}
	}
	for _, c := range []auction.Call{auction.Pass, auction.Yes, 18, 264} {
		text, err := json.Marshal(c)
		var again auction.Call
		if err != nil || json.Unmarshal(text, &again) != nil || again != c {
			t.Errorf("%v is written %s and read %v", c, text, again)
		}
	}
}
