package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/tableset"
)

// summed is one log with tables of every verdict, and a requested table that is not there.
func summed(t testing.TB) *tableset.Report {
	t.Helper()
	together.Do(func() { verified = verifiedTogether(t) })
	return verified
}

var (
	together sync.Once
	verified *tableset.Report
)

func verifiedTogether(t testing.TB) *tableset.Report {
	t.Helper()
	s := &scene{Table: scenes["tarokk"](t).Table}
	var entries [][]byte
	var ids []wire.Hash
	for _, name := range []string{"tarokk", "foul", "waiting", "peter"} {
		entries = append(entries, scenes[name](t).entries...)
		ids = append(ids, scenes[name](t).State.ID())
	}
	s.sign(t, entries)
	o := s.options()
	o.Table, o.Catalogue.Game = wire.Hash{}, games.Lookup
	return testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o, Tables: append(ids, wire.Hash{1})}))(t)
}

// A sentence, a key or a column of a report on many tables changes unnoticed.
func TestGoldenTables(t *testing.T) {
	sum := summed(t)
	file := func(table verifier.Table) string {
		if table.Err != nil {
			return ""
		}
		return table.Table.String() + ".html"
	}
	var text bytes.Buffer
	english := alone(t, pageOfAll(report.Sum(sum, language(t, "en"), file)))
	for _, tag := range report.Languages() {
		d := report.Sum(sum, language(t, tag), file)
		fmt.Fprintf(&text, "———— %s\n", tag)
		write(t, &text, d.Text)
		p, texts := alone(t, pageOfAll(d)), append([]string{d.Headline}, d.Notes...)
		for _, row := range d.Tables {
			texts = append(texts, row.Table.String(), row.Headline)
		}
		p.says(t, texts)
		if tag == "en" {
			testmust.Same(t, "testdata/many.json", written(t, d.JSON))
			testmust.Same(t, "testdata/many.html", written(t, pageOfAll(d)))
			continue
		}
		p.inEnglish(t, english, squeeze(string(written(t, d.Text))))
	}
	testmust.Same(t, "testdata/many.txt", text.Bytes())
	fitsEightyColumns(t, text.String())
}

// keysOf returns the JSON keys of a type's objects.
func keysOf(t reflect.Type) (list []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			list = append(list, keysOf(f.Type)...)
		case f.IsExported() && name != "-":
			list = append(list, name)
		}
	}
	return list
}

// The JSON has exactly the keys of the specification, and an object reads back to the same value.
func TestTablesJSONIsTheSpecifications(t *testing.T) {
	spec := testmust.Have(os.ReadFile("../../docs/spec/81-reports.md"))(t)
	_, chapter, _ := strings.Cut(string(spec), "## 81.5")
	tables := regexp.MustCompile(`(?s)\| (?:key|of a table) \|.*?\n\n`).FindAllString(chapter, 2)
	testmust.Requiref(t, len(tables) == 2, "81.5 has %d tables of keys, want 2", len(tables))
	for i, of := range []any{report.TablesDocument{}, report.Row{}} {
		var documented []string
		for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(tables[i], -1) {
			for _, key := range strings.Split(row[1], ", ") {
				documented = append(documented, strings.Trim(key, "`"))
			}
		}
		written := keysOf(reflect.TypeOf(of))
		slices.Sort(documented)
		slices.Sort(written)
		testmust.Hold(t, slices.Equal(documented, written), "81.5 has", documented, "the program writes", written)
	}
	sum := summed(t)
	out := written(t, report.Sum(sum, language(t, "en"), nil).JSON)
	n := bytes.Count(out, []byte("\n"))
	testmust.Requiref(t, n == 1, "%d lines, want one", n)
	var back struct {
		Tables []struct {
			Verdict  verifier.Verdict
			Findings []struct{ Check string }
			Checks   []verifier.Check
			Error    string
		}
		Counts map[string]int
	}
	testmust.Do(t, json.Unmarshal(out, &back))
	want := map[string]int{"sound": 2, "unfinished": 1, "foul": 1, "cannot check": 1, "log broken": 0}
	testmust.Holdf(t, reflect.DeepEqual(back.Counts, want) && back.Tables[1].Findings[0].Check == "P5-condition" && back.Tables[4].Error != "" && len(back.Tables[0].Checks) >= 15,
		"%s", out)
}

// Rows contradict the reports of their tables, or contain markup.
func TestRowsSayWhatReportsSay(t *testing.T) {
	sum := summed(t)
	for _, tag := range report.Languages() {
		d := report.Sum(sum, language(t, tag), nil)
		for i, name := range []string{"tarokk", "foul", "waiting", "peter"} {
			whole, row := scenes[name](t).document(t, tag), d.Tables[i]
			testmust.Holdf(t, row.Verdict == whole.Verdict && !strings.ContainsAny(row.Headline, "[{"), "%s: %s: %s", tag, name, row.Headline)
			if digits := regexp.MustCompile(`[0-9]`); name != "foul" && digits.ReplaceAllString(row.Headline, "") != digits.ReplaceAllString(whole.Headline, "") {
				t.Errorf("%s: %s: %q in the row, %q in the report", tag, name, row.Headline, whole.Headline)
			}
		}
	}
}

// Many tables report a log that broke its promise, tables that could not be read, and two checkpoints
// of bundles.
func TestTablesOfABrokenLog(t *testing.T) {
	s := scenes["broken"](t)
	o := s.options()
	id := o.Table
	o.Table = wire.Hash{}
	sum := testmust.Have(tableset.VerifyTables(context.Background(), s, tableset.Options{Options: o, Tables: []wire.Hash{id}}))(t)
	for _, tag := range report.Languages() {
		d := report.Sum(sum, language(t, tag), nil)
		if want := s.document(t, tag).Headline; d.Headline != want || d.Tables[0].Headline != want || d.Counts.Broken != 1 {
			t.Errorf("%s: %q and %q, want %q", tag, d.Headline, d.Tables[0].Headline, want)
		}
	}
}

// A report must not present entries altered on the way as two contradictory signatures of the log, in
// any form or language.
func TestOnlyTwoSignaturesAccuseTheLog(t *testing.T) {
	accuses := map[string]string{"en": "broke its promise", "de": "sein Wort gebrochen", "hu": "megszegte a szavát"}
	altered := scenes["broken"](t)
	fork := *altered
	fork.sign(t, altered.Table.Entries)
	before := fork.checkpoint
	fork.sign(t, altered.entries)
	o := fork.options()
	o.Believed = []tlog.Checkpoint{before}
	signed := testmust.Have(verifier.Verify(t.Context(), &fork, o))(t)
	shown, _ := altered.verified(t)
	text := shown.Headline()
	testmust.Holdf(t, !strings.Contains(text, "promise") && strings.Contains(text, "Ask another copy"), "altered entries are told as\n%s", text)
	text = signed.Headline()
	testmust.Holdf(t, strings.Contains(text, accuses["en"]), "a fork is told as\n%s", text)
	for tag, accusation := range accuses {
		for r, want := range map[*verifier.Report]bool{shown: false, signed: true} {
			d := testmust.Have(report.BuildDocument(r, nil, altered.Catalogue(), language(t, tag)))(t)
			for form, write := range map[string]func(io.Writer) error{"text": d.Text, "HTML": pageOf(d), "JSON": d.JSON} {
				text := squeeze(string(written(t, write)))
				testmust.Holdf(t, strings.Contains(text, accusation) == want && (want || !strings.Contains(text, accuses["en"])),
					"%s, %s, %s:\n%s", r.Findings[0].Check, form, tag, text)
			}
		}
	}
}

// An altered bundle is missing from the count, the rows, or the colour of the headline.
func TestAlteredBundleIsTold(t *testing.T) {
	sum := *summed(t)
	sum.Tables = sum.Tables[:1]
	altered := &bundle.Error{Check: bundle.CheckHash, Place: "entry 7", Err: errors.New("no")}
	sum.Unread = []tableset.Unread{{Name: "evening/3.pakli", Err: fmt.Errorf("evening/3.pakli: %w", altered)}}
	for tag, want := range map[string][]string{
		"en": {"2 tables: 1 sound", "1 cannot be checked", "Ask for another copy; nobody is accused"},
		"de": {"2 Tische: 1 einwandfrei", "1 nicht prüfbar", "Eine andere Kopie ist zu besorgen; niemand wird beschuldigt"},
		"hu": {"2 asztal: 1 rendben", "1 nem ellenőrizhető", "Másik másolatot kell kérni; ez senkit sem vádol"},
	} {
		d := report.Sum(&sum, language(t, tag), nil)
		text, html := string(written(t, d.Text)), string(written(t, pageOfAll(d)))
		if row := d.Tables[len(d.Tables)-1]; d.Counts.Cannot != 1 || row.Bundle != "evening/3.pakli" || row.Verdict != "" {
			t.Errorf("%s: counted %d, last row %+v", tag, d.Counts.Cannot, row)
		}
		for _, w := range append(want, "B3-hash", "evening/3.pakli") {
			testmust.Holdf(t, strings.Contains(squeeze(text), w) && strings.Contains(html, w), "%s: neither text nor page may lack %q:\n%s", tag, w, text)
		}
		testmust.Hold(t, strings.Contains(html, `class="headline bad"`), tag, "the headline is not red")
	}
}

// Equal sums have different ranks, or a rank continues in another game.
func TestRanks(t *testing.T) {
	sum := *summed(t)
	sum.Standings = []tableset.Standing{{Game: "a", Sum: 5}, {Game: "a", Sum: 5}, {Game: "a", Sum: 1}, {Game: "b", Sum: 9}}
	var got []int
	for _, s := range report.Sum(&sum, language(t, "en"), nil).Standings {
		got = append(got, s.Rank)
	}
	want := []int{1, 1, 3, 1}
	testmust.Holdf(t, slices.Equal(got, want), "ranks %v, want %v", got, want)
}

// Text from outside must remain text in every row and standing.
func TestHostileTables(t *testing.T) {
	sum := summed(t)
	for _, evil := range hostile {
		d := report.Sum(sum, language(t, "en"), nil)
		d.Headline, d.Notes, d.Unread, d.Checkpoint.Origin = evil, []string{evil}, []tableset.Unread{{Name: evil, Err: errors.New(evil)}}, evil
		d.Findings = []verifier.Finding{{Check: "x", Err: errors.New(evil)}}
		d.Standings = []report.Standing{{Standing: tableset.Standing{Game: evil, Name: evil, Key: evil}}}
		for i := range d.Tables {
			d.Tables[i].Headline, d.Tables[i].Seats = evil, []string{evil}
		}
		for i := range d.Tables[1:] {
			d.Tables[i].Bundle = evil
		}
		obeysNothing(t, pageOfAll(d), d.Text, evil)
	}
}

// The headline on a truncated bundle must itself say that the verdict holds as shown, and by when,
// since a jury reads no further.
func TestHeadlineSaysHowItIsKnown(t *testing.T) {
	s := scenes["waiting"](t)
	rec := report.NewRecording(s.State.ID())
	r := testmust.Have(tableset.VerifyAgainst(context.Background(), rec.RecordFrom(extract{s}), tableset.AgainstOptions{Options: s.options()}))(t)
	r.Cosigned = []tlog.Cosignature{{Cosigner: "a", Time: time.Date(2030, 1, 2, 3, 4, 6, 0, time.UTC)}, {Cosigner: "b", Time: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}, {Cosigner: "c"}}
	for tag, want := range map[string]string{
		"en": "(as shown; in the log by 2030-01-02 03:04:06 UTC)",
		"de": "(wie gezeigt; spätestens am 2030-01-02 03:04:06 UTC im Protokoll)",
		"hu": "(ahogy mutatták; legkésőbb ekkor már a naplóban: 2030-01-02 03:04:06 UTC)",
	} {
		d := testmust.Have(report.BuildDocument(r, rec, s.Catalogue(), language(t, tag)))(t)
		testmust.Holdf(t, strings.Contains(d.Headline, want) && d.Headline == report.Headline(r, language(t, tag)), "%s: %s", tag, d.Headline)
		if whole := s.document(t, tag); strings.Contains(whole.Headline, "(as") || strings.Contains(whole.Headline, "(wie") || strings.Contains(whole.Headline, "(ahogy") {
			t.Errorf("%s: of the whole log: %s", tag, whole.Headline)
		}
	}
	line := verifier.Table{Report: r}.AsLine()
	for _, want := range []string{"as shown", "since entry 45 (in the log by 2030-01-02T03:04:06Z)"} {
		testmust.Hold(t, strings.Contains(line, want), "in short", line)
	}
}

// A Teller must say the same while the table runs as the report says afterwards.
func TestTellerTellsTheTrace(t *testing.T) {
	for _, name := range []string{"tarokk", "foul", "waiting", "peter"} {
		s := scenes[name](t)
		for _, tag := range report.Languages() {
			d := s.document(t, tag)
			teller := report.NewTeller(s.Catalogue(), language(t, tag))
			whole := squeeze(string(written(t, d.Text)))
			for _, want := range d.Trace {
				e := testmust.Have(wire.Parse(s.entries[want.Index]))(t)
				got := testmust.Have(teller.TellNext(want.Index, e))(t)
				testmust.Requiref(t, reflect.DeepEqual(got, want),
					"%s: %s: entry %d is told as\n%+v\nand in the report as\n%+v", name, tag, want.Index, got, want)
				text := squeeze(string(written(t, func(w io.Writer) error { return teller.Text(w, got) })))
				testmust.Requiref(t, text != "" && strings.Contains(whole, text), "%s: %s: entry %d is written as\n%s", name, tag, want.Index, text)
			}
			testmust.Holdf(t, teller.State() != nil && (teller.State().Foul() != nil) == (name == "foul"), "%s ends otherwise than it was verified", name)
		}
	}
	s := scenes["peter"](t)
	e := testmust.Have(wire.Parse(s.entries[1]))(t)
	testmust.Fail(t, testmust.ErrorOf(report.NewTeller(s.Catalogue(), language(t, "en")).TellNext(1, e)), "a table that nothing opened")
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// Reread recordings must be those verified, of at most as many tables as fit; a source that shows
// different entries the second time makes no report.
func TestRereadIsWhatWasVerified(t *testing.T) {
	s := &scene{Table: scenes["foul"](t).Table}
	s.sign(t, slices.Concat(scenes["foul"](t).entries, scenes["waiting"](t).entries))
	ids := []wire.Hash{scenes["foul"](t).State.ID(), scenes["waiting"](t).State.ID()}
	o := s.options()
	for limit, want := range map[int]int{1: 1, 150_000: 1, 1 << 30: 2} {
		list, err := report.RereadTables(t.Context(), s, s.checkpoint, ids, limit)
		testmust.Requiref(t, err == nil && len(list) == want, "room for %d bytes: %d recordings (%v), want %d", limit, len(list), err, want)
		for i, rec := range list {
			o.Table = ids[i]
			r := testmust.Have(verifier.Verify(t.Context(), s, o))(t)
			_, err := report.BuildDocument(r, rec, s.Catalogue(), language(t, "en"))
			testmust.Holdf(t, rec.Table() == ids[i] && err == nil, "room for %d bytes: table %d: %v", limit, i, err)
		}
	}
	list, err := report.RereadTables(t.Context(), extract{s}, s.checkpoint, ids[1:], 1)
	testmust.Holdf(t, err == nil && len(list) == 1 && list[0].Table() == ids[1], "an extract: %d recordings (%v)", len(list), err)
	s.entries[3] = []byte("changed")
	_, err = report.RereadTables(t.Context(), s, s.checkpoint, ids, 1<<30)
	testmust.Fail(t, err, "other entries than were verified are told of")
}
