package tarokk_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// A player who may try what he cannot prove is led into a foul: a bid without an
// honour, a discard that the disclosure must refuse. What the rules refuse
// whatever the cards is refused in their words.
func TestCheckFindsWhatCannotBeProved(t *testing.T) {
	s := opening(t)
	kings := view(s, "HK", "DK", "CK", "SK", "HQ", "HR", "T2", "T3", "T4")
	three, hold := auction.Three, auction.Hold
	var untrue *tarokk.Untrue
	if err := (tarokk.Rules{}).Check(s, kings, tarokk.Move{Call: &three}); !errors.As(err, &untrue) || untrue.Set != deck.Honours {
		t.Errorf("three without an honour: %v, want that one of %v is missing", err, deck.Honours.Faces())
	}
	if err := (tarokk.Rules{}).Check(s, kings, tarokk.Move{Call: &hold}); err == nil || !strings.Contains(err.Error(), "R-BID-6") {
		t.Errorf("hold as the first call: %v, want R-BID-6", err)
	}
	if err := (tarokk.Rules{}).Check(s, view(s, "T1", "DK", "CK", "SK", "HQ", "HR", "T2", "T3", "T4"), tarokk.Move{Call: &three}); err != nil {
		t.Errorf("three with the pagát: %v", err)
	}

	s.Stage, s.Deal.Outcome = tarokk.Discarding, &auction.Outcome{}
	s.Deal.Cards[0] = append(s.Deal.Cards[0], 0)
	s.Deal.Held[0] = "abcdefghij"
	s.Deal.Discards[0] = tarokk.Discard{Faces: []string{}}
	kings.Faces[0] = deck.T(5)
	for letters, legal := range map[string]bool{"a": false, "e": true, "j": true} {
		err := (tarokk.Rules{}).Check(s, kings, tarokk.Move{Discard: &letters})
		if (err == nil) != legal {
			t.Errorf("discard of %s: %v, want legal %v", letters, err, legal)
		}
	}
}

// opening is a deal of which A has to say the first word.
func opening(t *testing.T) tarokk.State {
	t.Helper()
	r := tarokk.Rules{}
	s, _, err := r.Setup(table.Config{Seats: 4, Deals: 1, Options: map[string]string{"seat-draw": "false"}})
	if err != nil {
		t.Fatal(err)
	}
	for s.Stage != tarokk.Bidding {
		s = r.Settle(s, nil)
	}
	return s
}

// view is what A sees who was dealt these cards.
func view(s tarokk.State, names ...string) table.View {
	v := table.View{Seat: s.Deal.Seats[0], Faces: map[table.Card]card.Face{}, Dealt: map[table.Card]card.Face{}}
	for i, name := range names {
		f, err := deck.Parse(name)
		if err != nil {
			panic(err)
		}
		v.Faces[s.Deal.Cards[0][i]], v.Dealt[s.Deal.Cards[0][i]] = f, f
	}
	return v
}
