package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
)

// endedTable is a table with an act of every kind, an attempt, and void acts of each check.
func endedTable(t *testing.T, game string, closed bool) *scene {
	t.Helper()
	seats := map[string]int{"tarokk/v1": 4, "skat/v1": 3, "schwarzer-peter/v1": 3}[game]
	tb := newTable(t, game, tabletest.Config{Seats: seats, Deals: 4, Fouls: wire.WarnFouls,
		Ends: &wire.Ends{Late: wire.LateForfeit, Forfeit: 5, Resign: true, Agree: true}}, 3)
	var log [][]byte
	must := func(err error) {
		t.Helper()
		testmust.Do(t, err)
	}
	upTo := func(entries ...[]byte) { log = append(log, entries...) }
	act := func(entry []byte) { t.Helper(); must(tb.Add(entry)) }
	flush := func(from int) int { upTo(tb.Entries[from:]...); return len(tb.Entries) }
	for len(tb.State.Sheet().Deals) < 1 {
		must(tb.Play(1))
	}
	_, err := tb.PlayUntil(table.Move)
	must(err)
	at := flush(0)
	upTo(tb.ActOf(1, wire.KindClose, wire.CloseBody{}), tb.RulingAct(wire.KindResume, wire.EmptyBody{}), tb.ActOf(1, wire.KindTimeout, wire.EmptyBody{}),
		bytes.Replace(tb.RulingAct(wire.KindClose, wire.CloseBody{Reason: "a"}), []byte(`"a"`), []byte(`"b"`), 1))
	entry, err := tb.Next()
	must(err)
	wrong, err := tb.Forge(entry, func(m *wire.Message) { m.Body = []byte(`{}`) })
	must(err)
	_, err = tabletest.Apply(tb.State, wrong)
	var f *table.Fault
	testmust.Require(t, errors.As(err, &f), err)
	tb.LogAttempt(wrong, f)
	act(tb.RulingAct(wire.KindPause, wire.EmptyBody{}))
	act(tb.RulingAct(wire.KindResume, wire.EmptyBody{}))
	act(tb.ActOf(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))
	act(tb.ActOf(0, wire.KindAgree, wire.AgreeBody{To: wire.AgreeNothing}))
	act(tb.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}))
	for seat := range table.Seat(seats) {
		act(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo}))
	}
	_, err = tb.PlayUntil(table.Move)
	must(err)
	act(tb.ActOf(2, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
	expose, err := tb.Expose(0, tb.State.Hand(0)...)
	must(err)
	act(expose)
	act(tb.RulingAct(wire.KindBack, wire.EmptyBody{}))
	h, reseat, err := tb.Substitute(1)
	must(err)
	act(reseat)
	must(tb.SitDown(h))
	must(tb.Play(3))
	if closed {
		act(tb.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Zehn Uhr – „Schluß“."}))
		flush(at)
		upTo(tb.RulingAct(wire.KindClose, wire.CloseBody{}))
	} else {
		act(tb.ActOf(0, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))
		flush(at)
	}
	s := &scene{Table: tb}
	s.sign(t, log)
	return s
}

// Ways to fail, for each game in each language and form: a text is missing in a language, an act is
// told without its seat or its cost, or another reading of the same entries gives another report.
func TestEndingsAreTold(t *testing.T) {
	for _, game := range []string{"tarokk/v1", "skat/v1", "schwarzer-peter/v1"} {
		for _, closed := range []bool{true, false} {
			if !closed && game != "tarokk/v1" && !testmust.Thorough() {
				continue // the report of a table that continues does not come from the game
			}
			s := endedTable(t, game, closed)
			r, rec := s.verified(t)
			r.CountPartial()
			for _, tag := range report.Languages() {
				d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, tag)))(t, game)
				out, html := string(written(t, d.Text)), string(written(t, pageOf(d)))
				if i := strings.Index(out, "["); i >= 0 || strings.Contains(html, ">[") || strings.Contains(string(written(t, sheetOf(d))), ">[") {
					t.Errorf("%s, %s: a text is missing: %.200s", game, tag, out[max(i-100, 0):])
				}
				testmust.Holdf(t, (r.Verdict == verifier.Adjudicated) == closed && (r.Stopped == nil) == closed && len(r.Attempts) == 1 && r.Acts >= 10,
					"%s: %s, stopped %v, %d attempts, %d acts", game, r.Verdict, r.Stopped, len(r.Attempts), r.Acts)
				if tag == "en" {
					endingsInEnglish(t, d, closed)
				}
			}
		}
	}
}

func endingsInEnglish(t *testing.T, d *report.Document, closed bool) {
	t.Helper()
	told := strings.Join(d.Notes, "\n")
	want := []string{"By the word of seat B (seat-1)", "Deal 2 was open and does not count.", "Forfeit: seat-0 +5", "By the word of all seats", "Ruled by organiser", "another player took the place of seat B", "It was counted as an attempt"}
	if closed {
		want = append(want, "The reason: “Zehn Uhr – „Schluß“.”.", "The deals that are over are proved.")
	} else {
		want = append(want, "1 deal is over and proved: ")
	}
	for _, text := range want {
		testmust.Holdf(t, strings.Contains(told, text), "%s: not told: %q, of\n%s", d.Game, text, told)
	}
	acts := map[table.Kind]bool{}
	for _, s := range d.Trace {
		if s.Status == report.Applied {
			acts[s.Kind] = true
		}
		testmust.Holdf(t, s.Kind != wire.KindExpose || len(s.Cards) != 0 && *s.Seat == 0, "%s: exposed cards are not told: %+v", d.Game, s)
	}
	for _, k := range []wire.Kind{wire.KindResign, wire.KindAgree, wire.KindPause, wire.KindResume, wire.KindBack, wire.KindExpose, wire.KindReseat} {
		testmust.Hold(t, acts[k], d.Game, "a", k, "is not told")
	}
	if n := len(d.Sheets); n != 1 || !slices.ContainsFunc(d.Besides, func(s report.ListSum) bool { return strings.HasPrefix(s.Text, "Forfeit of") }) {
		t.Errorf("%s: %d sheets, besides %v", d.Game, n, d.Besides)
	}
}

// long is a table of many deals, played by bots.
func long(t *testing.T, deals int) *scene {
	t.Helper()
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 4, Deals: deals}, 3)
	s := &scene{Table: tb}
	play(t, tb, -1, func(d table.Duty) (table.Seat, json.RawMessage) { return chosen(t, tb, d) })
	s.sign(t, tb.Entries)
	return s
}

// Tricks are told of the wrong deal, lack a card, or have no winner.
func TestTricksOfEveryDeal(t *testing.T) {
	d := long(t, 3).document(t, "en")
	played := 0
	for _, s := range d.Sheets {
		if len(s.Lines) == 0 {
			testmust.Hold(t, len(s.Tricks) <= 0, "deal", s.Deal, "was not played and has", len(s.Tricks), "tricks")
			continue
		}
		played++
		seen := map[string]bool{}
		for _, trick := range s.Tricks {
			for _, c := range trick.Cards {
				seen[c.Face] = true
			}
			testmust.Holdf(t, trick.Taken != nil, "deal %d: nobody took a trick", s.Deal)
		}
		testmust.Holdf(t, len(s.Tricks) == 9 && len(seen) == 36, "deal %d has %d tricks of %d cards: %s", s.Deal, len(s.Tricks), len(seen), s.Text)
	}
	headings, deals, l := 0, []string{}, language(t, d.Language)
	for _, s := range d.Trace {
		switch heading := d.Heading(s); {
		case slices.ContainsFunc(d.Sheets, func(s report.Sheet) bool { return l.Say("deal", "n", s.Deal) == heading }):
			deals = append(deals, heading)
		case heading != "":
			headings++
		}
	}
	testmust.Holdf(t, played != 0 && headings == 9*played && len(d.Playing) == 0, "%d deals played, %d tricks have headings, %d are being played", played, headings, len(d.Playing))
	for i, s := range d.Sheets { // the trace and the sheet have the same numbers
		testmust.Hold(t, len(deals) == len(d.Sheets) && deals[i] == l.Say("deal", "n", s.Deal), deals)
	}
}

// A sheet lacks the sums, or gives equal sums different ranks.
func TestSheetAddsUp(t *testing.T) {
	d := *scenes["tarokk"](t).document(t, "en")
	d.Sheets = append(d.Sheets, d.Sheets[1])
	var written bytes.Buffer
	testmust.Do(t, page.WriteSheet(&written, &d))
	page := strings.ReplaceAll(written.String(), "&#43;", "+")
	for _, want := range []string{`<th class="n">+12</th><th class="n">−12</th><th class="n">+12</th><th class="n">−12</th>`,
		`<td class="n">1</td><td class="n">3</td><td class="n">1</td><td class="n">3</td>`, "<u>XXI</u>"} {
		testmust.Hold(t, strings.Contains(page, want), "the sheet lacks", want)
	}
}

// A deal that was undone and dealt again is told both as counting and as not counting, or shifts the
// numbers of other deals.
func TestDealtAgain(t *testing.T) {
	tb := newTable(t, "schwarzer-peter/v1", tabletest.Config{Seats: 3, Deals: 2, Fouls: wire.WarnFouls, Ends: &wire.Ends{Late: wire.LateUndo, Agree: true}}, 3)
	testmust.Have(tb.PlayUntil(table.Move))(t)
	for seat := range table.Seat(3) {
		testmust.Do(t, tb.Add(tb.ActOf(seat, wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo})))
	}
	for len(tb.State.Sheet().Deals) < 1 {
		testmust.Do(t, tb.Play(1))
	}
	testmust.Have(tb.PlayUntil(table.Move))(t)
	testmust.Equal(t, tb.State.DealNumber(), 2, "the deal that is open has the number", tb.State.DealsBegun())
	testmust.Do(t, tb.Add(tb.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Ten o'clock."})))
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	d := s.document(t, "en")
	told := strings.Join(d.EndedTexts(), "\n")
	for _, want := range []string{"Deal 1 as it was dealt before does not count; it was dealt again.", "Deal 2 was open and does not count."} {
		testmust.Holdf(t, strings.Count(told, want) == 1, "%q is not told once in %s", want, told)
	}
	var headings []string
	for _, step := range d.Trace {
		if text := d.Heading(step); strings.HasPrefix(text, "Deal ") {
			headings = append(headings, text)
		}
	}
	testmust.Holdf(t, slices.Equal(headings, []string{"Deal 1.", "Deal 1, dealt again.", "Deal 2."}), "%v", headings)
}

// Two players of one name cannot be told apart in the columns of a sheet, in payments or in a
// sentence, and a third name reverses the text direction of the sentence.
func TestNamesakes(t *testing.T) {
	c := tabletest.Config{Seats: 3, Deals: 1, Suite: clear.Suite{}, Ends: &wire.Ends{Late: wire.LateUndo}}
	tb := newTable(t, "schwarzer-peter/v1", c, 3)
	g := *tb.State.Genesis()
	g.Names = []wire.Text{"Kovács Béla", "\u05d3\u05d5\u05d3", "kovács béla"}
	var seats []note.Signer
	for _, h := range tb.Hands {
		seats = append(seats, h.Signer)
	}
	tb = testmust.Have(tabletest.OpenSeated(tb.Game, c, &g, tb.Organiser, seats, 3))(t)
	for !tb.State.IsOver() {
		testmust.Do(t, tb.Play(1))
	}
	s := &scene{Table: tb}
	s.sign(t, tb.Entries)
	d := s.document(t, "en")
	sheet, text := string(written(t, sheetOf(d))), strings.Join(d.ProvedDeals(), "\n")
	for _, want := range []string{"Kovács Béla (A)", "kovács béla (C)"} {
		testmust.Holdf(t, strings.Contains(sheet, "<bdi>"+want+"</bdi>") && strings.Contains(text, want+" "), "%s is not told apart in %s", want, text)
	}
	david := "\u2068\u05d3\u05d5\u05d3\u2069"
	testmust.Holdf(t, strings.Contains(text, david+" ") && strings.Contains(strings.Join(d.Facts(), "\n"), "B "+david+", C"), "a name from right to left: %s", text)
	testmust.Holdf(t, !strings.Contains(sheet, "\u05d3 (") && !strings.Contains(d.Sheets[0].Text, "éla w"), "of the deal it says %s", d.Sheets[0].Text)
}
