package tarokk_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
)

// A player who may try what he cannot prove is led into a foul: a bid without an
// honour, a discard that the disclosure must refuse. What the rules refuse
// whatever the cards is refused in their words.
func TestCheckFindsWhatCannotBeProved(t *testing.T) {
	s := script(t, "")
	kings := s.sees("HK DK CK SK HQ HR T2 T3 T4")
	three, hold := auction.Three, auction.Hold
	var untrue *tarokk.Untrue
	if err := (tarokk.Rules{}).Check(s.state, kings, tarokk.Move{Call: &three}); !errors.As(err, &untrue) || untrue.Set != deck.Honours {
		t.Errorf("three without an honour: %v, want that one of %v is missing", err, deck.Honours.Faces())
	}
	if err := (tarokk.Rules{}).Check(s.state, kings, tarokk.Move{Call: &hold}); err == nil || !strings.Contains(err.Error(), "R-BID-6") {
		t.Errorf("hold as the first call: %v, want R-BID-6", err)
	}
	if err := (tarokk.Rules{}).Check(s.state, s.sees("T1 DK CK SK HQ HR T2 T3 T4"), tarokk.Move{Call: &three}); err != nil {
		t.Errorf("three with the pagát: %v", err)
	}

	s = script(t, "three pass pass pass")
	for letters, legal := range map[string]bool{"aef": false, "efg": true, "jkl": true} {
		err := (tarokk.Rules{}).Check(s.state, s.sees("HK DK CK SK HQ HR T2 T3 T4 T5 CT CJ"), tarokk.Move{Discard: &letters})
		if (err == nil) != legal {
			t.Errorf("discard of %s: %v, want legal %v", letters, err, legal)
		}
	}
}
