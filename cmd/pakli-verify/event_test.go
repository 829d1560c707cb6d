package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// announced is an event without tables: its entries, with a final decision of these standings
// or, if they are empty, of those that follow.
func announced(t *testing.T, final bool, standings string) (entries [][]byte, id wire.Hash) {
	t.Helper()
	_, s := ledgertest.NewKey(t, "club", tlog.Ed25519)
	vkey := s.Verifier().String()
	post := func(what any) *wire.Entry {
		entry := testmust.Have(wire.Sign(what, s))(t)
		entries = append(entries, entry)
		return testmust.Have(wire.ParseEntry(entry))(t)
	}
	commit := sha256.Sum256([]byte("secret"))
	e := post(&wire.Event{
		Format: wire.EventFormat, Name: "Kupa", Game: "schwarzer-peter/v1", Suite: "ristretto255-bayergroth/v1", Options: map[string]string{}, Deals: 1, Rounds: 1,
		Sizes: []int{2}, Seating: []wire.Seating{wire.SeatAtRandom}, Draw: wire.DrawCommit, Commit: hex.EncodeToString(commit[:]), Score: wire.ScoreSum, Places: []int{},
		Ties: []wire.Tie{}, Substitute: wire.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: wire.Registration{Max: 10}, Arbiters: []string{}, Jury: []string{}, Organiser: vkey, Nonce: make([]byte, wire.NonceBytes),
	})
	h := testmust.Have(event.Open(e, 0))(t)
	body, _ := wire.EncodeBody(wire.RegisterBody{Name: "Kovács Béla"})
	n := post(&wire.Notice{Format: wire.NoticeFormat, Event: e.Hash, Seen: e.Hash, By: vkey, Kind: wire.Register, Body: body})
	testmust.Do(t, h.Take(n, 1))
	decide := func(kind wire.DecisionKind, what any) {
		body := testmust.Have(wire.EncodeBody(what))(t)
		d := post(&wire.Decision{Format: wire.DecisionFormat, Event: e.Hash, Parent: h.Head, By: vkey, Kind: kind, Body: body})
		testmust.Do(t, h.Take(d, uint64(len(entries)-1)))
	}
	decide(wire.DecideRoster, h.NextRoster(2))
	if final {
		b := event.NextFinal(h, nil, 3)
		if standings != "" {
			b.Standings = standings
		}
		decide(wire.DecideFinal, b)
	}
	return entries, e.Hash
}

// An exit code that scripts take for another verdict; a format that says less.
func TestEvent(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		final     bool
		standings string
		code      int
		says      string
	}{
		"open":        {false, "", 3, "not over"},
		"adjudicated": {true, "", 6, "Round 1 was not played. (round-missing)"},
		"misreported": {true, strings.Repeat("0", 64), 7, "standings that do not follow"},
	} {
		t.Run(name, func(t *testing.T) {
			entries, id := announced(t, c.final, c.standings)
			dir, vkey := mirrored(t, entries)
			args := []string{"--log", vkey, "--event", id.String()}
			var out, errs bytes.Buffer
			if code := run(ctx, append(args, dir), &out, &errs); code != c.code || !strings.Contains(out.String(), c.says) || !strings.Contains(out.String(), "1 Kovács Béla") {
				t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
			}
			for _, format := range [][]string{{"--format", "json"}, {"--json"}, {"--format", "csv", "--lang", "hu"}, {"--format", "html", "--lang", "de"}, {"--without", "ruled,clock,agreed"}} {
				out.Reset()
				if code := run(ctx, append(append(args, format...), dir), &out, &errs); code != c.code || !strings.Contains(out.String(), "Kovács Béla") {
					t.Errorf("%v: exit code %d: %s%s", format, code, out.String(), errs.String())
				}
				if strings.Contains(format[len(format)-1], "json") && !json.Valid(out.Bytes()) {
					t.Errorf("%v: %s", format, out.String())
				}
			}
		})
	}
	entries, id := announced(t, false, "")
	dir, vkey := mirrored(t, entries)
	for _, wrong := range [][]string{
		{"--event", "00"}, {"--event", id.String(), "--all"}, {"--event", id.String(), "--table", id.String()}, {"--event", id.String(), "--without", "luck"},
		{"--all", "--without", "ruled"}, {"--all", "--format", "csv"}, {"--event", id.String(), "--format", "sheet"}, {"--event", id.String(), "--against", dir},
	} {
		testmust.Equal(t, run(ctx, append(append([]string{"--log", vkey}, wrong...), dir), &bytes.Buffer{}, &bytes.Buffer{}), exitUsage, wrong, "exit code")
	}
	if code := run(ctx, []string{"--log", vkey, "--event", strings.Repeat("0", 64), dir}, &bytes.Buffer{}, &bytes.Buffer{}); code != exitCannot {
		t.Errorf("no such event: exit code %d", code)
	}
}
