package report_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
	"github.com/pakli/pakli/verifier/tableset"
)

// The trace must have every entry of the table in the order of the log, and the verifier's counts of
// applied and void entries.
func TestTraceIsWhole(t *testing.T) {
	s := scenes["tarokk"](t)
	d := s.document(t, "en")
	var applied, void int
	for i, step := range d.Trace {
		if i > 0 && step.Index <= d.Trace[i-1].Index {
			t.Errorf("entry %d comes after %d", step.Index, d.Trace[i-1].Index)
		}
		switch {
		case step.Status == report.Void:
			void++
		case step.Kind != report.Genesis:
			applied++
		}
		if e, err := wire.Parse(s.entries[step.Index]); err != nil || e.Message != nil && step.Seat != nil && e.Message.Seat != int(*step.Seat) {
			t.Errorf("entry %d is told of another seat (%v)", step.Index, err)
		}
	}
	testmust.Holdf(t, applied == d.Applied && void == d.Voided, "%d applied and %d void, the verifier counted %d and %d", applied, void, d.Applied, d.Voided)
	last := d.Sheets[len(d.Sheets)-1]
	for i, p := range last.Payments {
		testmust.Holdf(t, p.Total == d.Result[i] && p.Game+p.Other == p.Total, "payments %v, the result is %v", last.Payments, d.Result)
	}
}

// A report made from other entries than those verified is refused: from none, some, or altered ones,
// or with a foul that did not happen.
func TestOtherEntriesMakeNoReport(t *testing.T) {
	sound, foul := scenes["tarokk"](t), scenes["foul"](t)
	l := language(t, "en")
	r, rec := sound.verified(t)
	_, err := report.BuildDocument(r, report.NewRecording(r.Table), sound.Catalogue(), l)
	testmust.Fail(t, err, "a report of no entries")
	_, other := foul.verified(t)
	_, err = report.BuildDocument(r, other, sound.Catalogue(), l)
	testmust.Fail(t, err, "a report of another table's entries")
	bad, rec2 := foul.verified(t)
	lied := *bad
	lied.Verdict = verifier.Sound
	_, err = report.BuildDocument(&lied, rec2, foul.Catalogue(), l)
	testmust.Fail(t, err, "a sound report of a foul table")
	index, seat := uint64(26), table.Seat(0)
	lied = *r
	lied.Verdict, lied.Findings = verifier.Foul, []verifier.Finding{{Check: table.CheckCondition, Index: &index, Seat: &seat, Err: errors.New("no")}}
	_, err = report.BuildDocument(&lied, rec, sound.Catalogue(), l)
	testmust.Fail(t, err, "a report of a foul that is none")
}

// Every way to be foul must have a sentence with seat, entry and reason in every language, and
// entries that are not foul must blame nobody. By default the test tries one of each kind of message,
// in one language.
func TestEveryFoulHasASentence(t *testing.T) {
	seen, told := map[table.Check]int{}, map[string]bool{}
	tell := func(tb *tabletest.Table, at int, entry []byte) {
		s := &scene{Table: tb}
		s.sign(t, append(slices.Clone(tb.Entries[:at]), entry))
		seat := testmust.Have(wire.Parse(tb.Entries[at]))(t).Message.Seat
		seen[sentences(t, s, tb.Hands[seat].Signer.Name(), at)]++
	}
	for name, move := range map[string]func() any{"tarokk": func() any { return new(tarokk.Move) }, "peter": func() any { return new(schwarzerpeter.Move) }} {
		tb := scenes[name](t).Table
		words := tabletest.Vocabulary{Words: []string{"<script>", "fig:<i>", "contra:x", "T2", "T99", "7H", "z"}, Verbs: []string{"call", "say", "play", "wish", "draw", "lay"}, Move: move}
		for _, at := range new(tabletest.Campaign).FirstOfKinds(t, tb) {
			m := testmust.Have(wire.Parse(tb.Entries[at]))(t).Message
			for _, mutant := range testmust.Have(tabletest.MutantsOf(tb, at, tabletest.Effort{Bytes: 1, Moves: 40}, words))(t) {
				_, err := tabletest.Apply(tb.States[at-1], mutant.Entry)
				fault, _ := errors.AsType[*table.Fault](err)
				if fault == nil {
					fault = new(table.Fault)
				}
				kind := fmt.Sprint(m.Kind, fault.Check)
				if testmust.Thorough() {
					kind += fmt.Sprint(name, at)
				}
				if !told[kind] {
					tell(tb, at, mutant.Entry)
				}
				told[kind] = true
			}
		}
		tell(tb, 2, testmust.Have(tb.Forge(tb.Entries[2], func(m *wire.Message) { // the card key of another seat
			m.Body = testmust.Have(wire.Parse(tb.Entries[1]))(t).Message.Body
		}))(t))
	}
	for _, c := range table.Checks() {
		never := c == table.CheckHand // neither game lets a move reach this check
		testmust.Holdf(t, c[0] != 'E' && c[0] != 'P' || seen[c] != 0 || never, "no foul by %s was tried", c)
	}
}

// languagesOf returns the languages in which to try the n-th of many reports, since each needs a new
// trace.
func languagesOf(n int) []string {
	all := report.Languages()
	if testmust.Thorough() {
		return all
	}
	return all[n%len(all):][:1]
}

// sentences checks the report in some languages, and returns the check that failed.
func sentences(t *testing.T, s *scene, name string, index int) (failed table.Check) {
	t.Helper()
	r, rec := s.verified(t)
	for _, tag := range languagesOf(index) {
		d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, tag)))(t)
		testmust.Holdf(t, !strings.ContainsAny(d.Headline, "[{"), "%s: %s", tag, d.Headline)
		if d.Verdict != verifier.Foul {
			continue
		}
		failed = d.Findings[0].Check
		testmust.Holdf(t, strings.Contains(d.Headline, name) && strings.Contains(d.Headline, fmt.Sprint(index)),
			"%s: %q does not name %s at %d", tag, d.Headline, name, index)
	}
	return failed
}

// A table that stops anywhere must say whom it waits for, and blame nobody.
func TestWaitingAnywhere(t *testing.T) {
	tb := scenes["tarokk"](t).Table
	for n := 1; n < len(tb.Entries); n += 13 {
		s := &scene{Table: tb}
		s.sign(t, tb.Entries[:n])
		r, rec := s.verified(t)
		for _, tag := range languagesOf(n) {
			d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, tag)))(t)
			testmust.Holdf(t, d.Verdict == verifier.Unfinished && !strings.ContainsAny(d.Headline, "[{") && strings.Contains(d.Headline, "seat-"),
				"%s, after %d entries: %s", tag, n, d.Headline)
		}
	}
}

// extract shows the entries of the table alone, as a bundle does.
type extract struct{ *scene }

func (x extract) Extract(tlog.Checkpoint) (iter.Seq2[uint64, []byte], error) {
	return func(yield func(uint64, []byte) bool) {
		for i, e := range x.entries {
			if _, err := wire.ParseEntry(e); err == nil && !yield(uint64(i), e) {
				return
			}
		}
	}, nil
}

// A recorded bundle must remain a bundle. Its report must say what it cannot show, and must tell the
// same game as the log's.
func TestBundleIsToldAsOne(t *testing.T) {
	s := scenes["tarokk"](t)
	for _, tag := range report.Languages() {
		whole := s.document(t, tag)
		rec := report.NewRecording(s.State.ID())
		r := testmust.Have(tableset.VerifyAgainst(context.Background(), rec.RecordFrom(extract{s}), tableset.AgainstOptions{Options: s.options()}))(t)
		d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, tag)))(t)
		testmust.Holdf(t, d.Coverage != nil && len(d.Notes) > len(whole.Notes) && !strings.Contains(strings.Join(d.Notes, ""), "["), "%s: %v", tag, d.Notes)
		if !reflect.DeepEqual(d.Trace, whole.Trace) || d.Headline != whole.Headline { // the table is sound, so that the bundle shows its end
			t.Errorf("%s: the bundle tells another game than the log", tag)
		}
	}
}

// A report gives a time only if a cosigner attests one.
func TestTimeIsAttestedOrAbsent(t *testing.T) {
	s := scenes["waiting"](t)
	r, rec := s.verified(t)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for want, cosigned := range map[string][]tlog.Cosignature{
		"at 2030-01-02 03:04:05 UTC, by its clock": {{Cosigner: "witness", Time: at}},
		"no time is attested":                      {{Cosigner: "witness"}},
		"":                                         nil,
	} {
		r.Cosigned = cosigned
		d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, "en")))(t)
		notes := strings.Join(d.Notes, " ")
		testmust.Holdf(t, strings.Contains(notes, want) && (want != "" || !strings.Contains(notes+d.Headline, "20")), "with %v: %s", cosigned, notes)
	}
}

// A seat sends a second message on an entry, and nobody owes such a message any more at the head: the
// seat gives a card twice, and the card has no receiver at the head. The report must describe the
// message in the state of the entry that both build on.
func TestSecondMessageOnOneEntryIsTold(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 61, nil)
	for w.State.Duties()[0].Kind != table.Give {
		w.PlayMoves(1, 0)
	}
	duty := w.State.Duties()[0]
	second := testmust.Have(w.Hands[duty.Seats[0]].SignMessage(w.State, duty, nil, w.Random))(t)
	w.PlayMoves(2, 0)
	fault, ok := errors.AsType[*table.Fault](w.Post(second))
	testmust.Requiref(t, ok && fault.Check == table.CheckOnce, "%v, want %s", fault, table.CheckOnce)
	o := verifier.Options{Table: w.State.ID(), Log: []note.Verifier{w.Key}, Catalogue: w.Catalogue()}
	rec := report.NewRecording(o.Table)
	r := testmust.Have(verifier.Verify(t.Context(), rec.RecordFrom(w.Log), o))(t)
	for _, tag := range []string{"en", "de", "hu"} {
		d := testmust.Have(report.BuildDocument(r, rec, w.Catalogue(), language(t, tag)))(t)
		step := d.Trace[len(d.Trace)-1]
		testmust.Holdf(t, step.Status == report.Foul && step.Check == table.CheckOnce && (tag != "en" || strings.Contains(step.Text, "handed a card over to "+w.State.SeatName(duty.To[0]))),
			"%s: %+v", tag, step)
	}
}

// hostile are texts that try to act as more than text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='x`, `</style><iframe src="//x">`, `</symbol></svg><a href="javascript:x">`,
	"\x1b[31mred\x1b]0;title\x07", "a\nSound. Payments: all to me.", "\u202egnisrever\u2066", "{{.}} {name} {did}", "&lt;b&gt;", "]]>-->",
}

// Names and texts from outside must remain text on every page and in every line. This test puts them
// everywhere at once, although the parser of a genesis entry would refuse most of them.
func TestHostileTextStaysText(t *testing.T) {
	s := scenes["tarokk"](t)
	for _, evil := range hostile {
		r, rec := s.verified(t)
		d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, "en")))(t)
		d.Trace = slices.Clip(d.Trace[len(d.Trace)-40:])
		r.Game, r.Suite, r.Seats = "tarokk/v1"+evil, evil, []string{evil, evil, evil, evil}
		r.Checkpoint.Origin = evil
		r.Findings = []verifier.Finding{{Check: table.Check(evil), Err: errors.New(evil)}}
		d.Headline, d.Notes = evil, []string{evil}
		for i := range d.Checks {
			d.Checks[i].Says = evil
		}
		for i := range d.Sheets {
			d.Sheets[i].Text = evil
			for j := range d.Sheets[i].Payments {
				d.Sheets[i].Payments[j].Name = evil
			}
		}
		for i := range d.Trace {
			s := &d.Trace[i]
			s.Name, s.Text, s.Why, s.Check = evil, evil, evil, table.Check(evil)
			for j := range s.Faces {
				if j > 0 {
					s.Faces[j] = evil
				}
				s.Cards[j] = evil
			}
			for j := range s.Proofs {
				s.Proofs[j].Text, s.Proofs[j].Claim, s.Proofs[j].Why = evil, evil, evil
			}
		}
		obeysNothing(t, pageOf(d), d.Text, evil)
		obeysNothing(t, sheetOf(d), d.Text, evil)
	}
}

// obeysNothing requires that a page and a text with evil in every place treat it as text.
func obeysNothing(t *testing.T, html, words func(io.Writer) error, evil string) {
	t.Helper()
	got := parsed(t, written(t, html)).words
	testmust.Holdf(t, strings.ContainsAny(evil, "\x1b\u202e") || strings.Contains(strings.Join(got, " "), squeeze(evil)), "%q is not shown as it is", evil)
	for i, line := range strings.Split(string(written(t, words)), "\n") {
		testmust.Requiref(t, !strings.ContainsAny(line, "\x1b\x07\r\u202e\u2066") && (i <= 0 || !strings.HasPrefix(line, "Sound. Payments: all")),
			"%q rewrites line %d: %q", evil, i, line)
	}
}

// A move's token is wrong by an equation, and its next proof is malformed. The report must not say
// both that a check passed and that a proof failed it.
func TestNoCheckPassedThatAProofFailed(t *testing.T) {
	tb := newTable(t, "tarokk/v1", tabletest.Config{Seats: 4, Deals: 20}, 1)
	for {
		entry := testmust.Have(tb.Next())(t)
		foul := testmust.Have(tb.Forge(entry, func(m *wire.Message) {
			if m.Kind == table.Move && len(m.Proofs) > 1 {
				m.Proofs[0][len(m.Proofs[0])-32] ^= 1
				m.Proofs[1] = m.Proofs[1][1:]
			}
		}))(t)
		e := testmust.Have(wire.Parse(foul))(t)
		m := e.Message
		list, err := tb.State.Statements(table.Seat(m.Seat), m.Kind, m.Body)
		if err == nil && len(list) > 1 && proof.RelationName(list[0]) == "reveal" {
			s := &scene{Table: tb}
			s.sign(t, append(slices.Clone(tb.Entries), foul))
			d := s.document(t, "en")
			proofs := d.Trace[len(d.Trace)-1].Proofs
			testmust.Holdf(t, d.Verdict == verifier.Foul && d.Findings[0].Check == table.CheckReveal && proofs[0].Outcome == verifier.Failed,
				"%s, %v, %+v", d.Verdict, d.Findings, proofs)
			for _, c := range d.Checks {
				testmust.Holdf(t, (c.ID != proofs[0].Check || c.Outcome == verifier.Failed) && (c.ID != proofs[1].Check || c.Outcome != verifier.Passed),
					"check %s %s, and the proofs are %+v", c.ID, c.Outcome, proofs)
			}
			return
		}
		testmust.Do(t, tb.Add(entry))
	}
}

// A name or a reason becomes markup in a place that only one kind of page has: at drawn cards, in a
// list's sums, at an entry that was not applied, or in what a jury reads.
func TestHostilePlaces(t *testing.T) {
	for _, name := range []string{"tarokk", "skat", "foul", "peter"} {
		s := scenes[name](t)
		for _, evil := range hostile {
			r, _ := s.verified(t)
			d := s.document(t, "en")
			d.Report, d.Trace = r, slices.Clone(d.Trace[len(d.Trace)-40:])
			r.Seats = slices.Repeat([]string{evil}, len(r.Seats))
			d.Sums = []report.ListSum{{Rule: evil, Text: evil, Amounts: make([]int, len(r.Seats))}}
			d.Place = &report.Place{Event: evil, Title: evil, Players: []string{evil}, Times: evil, Rulings: []string{evil}, Said: []string{evil}}
			for i := range d.Trace {
				d.Trace[i].Why, d.Trace[i].Cards = evil, slices.Repeat([]string{evil}, len(d.Trace[i].Cards))
			}
			d.Trace[0].Status = report.Void
			obeysNothing(t, pageOf(d), func(io.Writer) error { return nil }, evil)
			obeysNothing(t, sheetOf(d), func(io.Writer) error { return nil }, evil)
			obeysNothing(t, func(w io.Writer) error { return page.WriteDispute(w, d) }, func(io.Writer) error { return nil }, evil)
		}
	}
}
