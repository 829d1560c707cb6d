package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier/report/page"
)

// long is a table of many deals, played by bots.
func long(t *testing.T, deals int) *scene {
	t.Helper()
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 4, Deals: deals}, 3)
	s := &scene{Table: tb}
	play(t, tb, -1, func(d table.Duty) (table.Seat, json.RawMessage) { return chosen(t, tb, d) })
	s.sign(t, tb.Entries)
	return s
}

// Tricks that are told of another deal, that lack a card, or that nobody took.
func TestTricksOfEveryDeal(t *testing.T) {
	d := long(t, 3).document(t, "en")
	played := 0
	for _, s := range d.Sheets {
		if len(s.Lines) == 0 {
			if len(s.Tricks) > 0 {
				t.Errorf("deal %d was not played and has %d tricks", s.Deal, len(s.Tricks))
			}
			continue
		}
		played++
		seen := map[string]bool{}
		for _, trick := range s.Tricks {
			for _, c := range trick.Cards {
				seen[c.Face] = true
			}
			if trick.Taken == nil {
				t.Errorf("deal %d: nobody took a trick", s.Deal)
			}
		}
		if len(s.Tricks) != 9 || len(seen) != 36 {
			t.Errorf("deal %d has %d tricks of %d cards: %s", s.Deal, len(s.Tricks), len(seen), s.Text)
		}
	}
	headings := 0
	for _, s := range d.Trace {
		if d.Heading(s) != "" {
			headings++
		}
	}
	if played == 0 || headings != 9*played || len(d.Playing) > 0 {
		t.Errorf("%d deals played, %d tricks have headings, %d are being played", played, headings, len(d.Playing))
	}
}

// A sheet without the sums, or with a rank that equal sums do not share.
func TestSheetAddsUp(t *testing.T) {
	d := *scenes["tarokk"](t).document(t, "en")
	d.Sheets = append(d.Sheets, d.Sheets[1])
	var written bytes.Buffer
	testmust.Do(t, page.Sheet(&written, &d))
	page := strings.ReplaceAll(written.String(), "&#43;", "+")
	for _, want := range []string{`<th class="n">+12</th><th class="n">−12</th><th class="n">+12</th><th class="n">−12</th>`,
		`<td class="n">1</td><td class="n">3</td><td class="n">1</td><td class="n">3</td>`, "<u>XXI</u>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the sheet lacks %s", want)
		}
	}
}
