package auction_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat/auction"
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
