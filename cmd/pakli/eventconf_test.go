package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/wire"
)

// A kind of event that cannot be played, or whose terms a line of the file does not change.
func TestEventKinds(t *testing.T) {
	skey, vkey, err := note.GenerateKey(bytes.NewReader(make([]byte, 32)), "club")
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(skey))(t)
	for _, kind := range kindNames() {
		e := testmust.Have(readEvent(strings.NewReader("rounds = 5\nname = Cup\nkind = " + kind + "\ndeals = 3\n")))(t)
		if e.Rounds != 5 || e.Deals != 3 || len(e.Seating) != 5 {
			t.Errorf("%s: %d rounds, %d deals, seated %v", kind, e.Rounds, e.Deals, e.Seating)
		}
		if entry, err := announce(e, signer, vkey); err != nil || !wire.BeginsEvent(entry) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// Terms that promise what nobody can show; a line that is no line.
func TestEventConfRefused(t *testing.T) {
	for text, want := range map[string]string{
		"protest = 60":             "keepers",
		"clock = club":             "--keeper is missing",
		"kind = chess":             "want one of tarokk-cup, skat-series",
		"name":                     "line 1: want a name",
		"name = Cup\ncolour = ":    `line 2: no line is called "colour"`,
		"from = 3.5.2031":          "line 1: from: want a date as 2031-05-03",
		"rounds = three":           "line 1: rounds: want a whole number",
		"rounds = 2\nrounds = 3":   "line 2: rounds is there already, in line 1",
		"seating = random, ranked": "the event has 3",
		"rounds = -1":              "must be 1 to", "rounds = -1\nseating = ranked": "must be 1 to", "rounds = 4000000000000000000": "must be 1 to",
		"keeper = nobody": "line 1: keeper",
	} {
		if _, err := readEvent(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, want := range map[string]string{"rounds = 2": "[random random]", "seating = ranked": "[ranked ranked ranked]", "rounds = 2\nkind = tarokk-cup": "[random ranked]"} {
		if e, err := readEvent(strings.NewReader(text)); err != nil || fmt.Sprint(e.Seating) != want {
			t.Errorf("%q: %v, %v, want %s", text, e, err, want)
		}
	}
	keeper := markstest.Keeper(t, "keeper", nil)
	e, err := readEvent(strings.NewReader("protest = 60\nclock = club,move=90\nkeeper = " + keeper.VerifierKey.String()))
	if err != nil || e.Clock.Move != 90 || e.Clock.Quorum != 1 || e.Clock.Bank != 900 {
		t.Errorf("a clock: %v, %+v", err, e)
	}
}
