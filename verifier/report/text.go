package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
)

// width is the length of a line of text, in characters.
const width = 80

// JSON writes the document as one line of JSON (docs/spec/81-reports.md).
func (d *Document) JSON(w io.Writer) error {
	return plain.JSON(w, d)
}

// Text writes the document as lines of at most 80 characters, except words that cannot be broken.
func (d *Document) Text(w io.Writer) error {
	t := &textWriter{l: d.language}
	t.writeVerdict(d.Headline, d.Technical(), d.Notes, slices.Concat(d.Header(), d.Facts()), d.CheckGroups())
	t.writeSheets(d)
	t.writeTrace(d)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// Technical returns the findings in the words of the code that made them, in English.
func (d *Document) Technical() []string { return d.language.technicalTexts(d.Findings, nil) }

func (l Language) technicalTexts(findings []verifier.Finding, others []string) (list []string) {
	for _, f := range findings {
		list = append(list, fmt.Sprintf("%s: %s: %s", l.Say("heading.technical"), f.Check, plain.Text(f.Err.Error())))
	}
	for _, o := range others {
		list = append(list, l.Say("heading.technical")+": "+plain.Text(o))
	}
	return list
}

// Header returns which program wrote the report, when, and from what.
func (d *Document) Header() []string { return d.language.Header(d.Written) }

// CheckGroup is a group of checks about one subject.
type CheckGroup struct {
	About string
	List  []Check
}

// CheckGroups separates the checks of the log and the table from those of single entries. A check
// that the foul entry did not reach was passed by the entries before it.
func (d *Document) CheckGroups() []CheckGroup {
	about := d.language.Say("checks.entries")
	switch d.Verdict {
	case verifier.Foul:
		about = d.language.Say("checks.foul", "entry", *d.Findings[0].Index)
	case verifier.LogBroken:
		about = d.language.Say("checks.none")
	}
	whole := len(d.LogChecks()) + 1 // G1 is the table's
	return []CheckGroup{{d.language.Say("checks.whole"), d.Checks[:whole]}, {about, d.Checks[whole:]}}
}

// manyDeals is the most sentences about deals in a summary, which has to fit on a page.
const manyDeals = 8

// Summary returns the notes without the payments of deals if there are many: the score has them.
func (d *Document) Summary() []string {
	deals := d.ProvedDeals()
	if len(deals) <= manyDeals {
		return d.Notes
	}
	return slices.DeleteFunc(slices.Clone(d.Notes), func(note string) bool { return slices.Contains(deals, note) })
}

// Facts returns what was verified.
func (d *Document) Facts() []string {
	l := d.language
	list := []string{l.Say("fact.table", "id", d.Table)}
	if d.Game != "" {
		seats := make([]string, len(d.Seats))
		for i, name := range d.Seats {
			seats[i] = SeatLetter(table.Seat(i)) + " " + plain.Isolate(plain.Text(name))
		}
		list = append(list, l.Say("fact.game", "game", d.Game, "suite", d.Suite),
			l.Say("fact.seats", "seats", strings.Join(seats, ", ")),
			l.Say("fact.counts", "applied", d.Applied, "void", d.Voided, "bytes", d.Bytes, "deals", l.Count("deals.begun", d.Deals)))
	}
	if d.Acts > 0 || d.Attempted > 0 {
		list = append(list, l.Say("fact.acts", "acts", d.Acts, "attempts", d.Attempted))
	}
	for i, key := range d.Keys {
		list = append(list, l.Say("fact.key", "letter", SeatLetter(table.Seat(i)), "key", plain.Text(key)))
	}
	return append(list, l.logFact(d.Checkpoint))
}

// logFact returns which log it was, at which size.
func (l Language) logFact(c tlog.Checkpoint) string {
	return l.Say("fact.log", "origin", plain.Text(c.Origin), "size", c.Size, "root", c.Root)
}

// Refused returns why a step was not applied: "void: it is of another table (T2-table)".
func (d *Document) Refused(s Step) string { return d.language.refusedText(s) }

func (l Language) refusedText(s Step) string {
	why := s.Why
	if s.Check != "" {
		why += " (" + string(s.Check) + ")"
	}
	return l.Say("refused", "status", l.Say("status."+string(s.Status)), "why", why)
}

type textWriter struct {
	l Language
	b strings.Builder
}

func (t *textWriter) writeHeading(key string) {
	fmt.Fprintf(&t.b, "\n%s\n\n", t.l.Say(key))
}

// writeWrapped writes a paragraph with first before its first line and rest before the others.
func (t *textWriter) writeWrapped(first, rest, s string) {
	line, begun := first, false
	for _, word := range strings.Split(plain.Text(s), " ") {
		if begun && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			t.b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, begun = rest, false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	t.b.WriteString(strings.TrimRight(line, " ") + "\n")
}

func padRight(s string, n int) string { return fmt.Sprintf("%-*s", n, s) }

func padLeft(s string, n int) string { return fmt.Sprintf("%*s", n, s) }

// writeVerdict writes the part above the table or tables.
func (t *textWriter) writeVerdict(headline string, technical, notes, facts []string, checks []CheckGroup) {
	t.writeWrapped("", "", headline)
	for _, f := range technical {
		t.writeWrapped("  ", "    ", f)
	}
	for _, n := range notes {
		t.writeWrapped("", "  ", n)
	}
	t.writeHeading("heading.facts")
	for _, f := range facts {
		t.writeWrapped("  ", "    ", f)
	}
	t.writeHeading("heading.checks")
	for _, g := range checks {
		if g.About != "" {
			t.writeWrapped("  ", "  ", g.About)
		}
		t.writeChecks(g.List)
	}
}

func (t *textWriter) writeChecks(list []Check) {
	widest := 0
	for _, o := range []verifier.Outcome{verifier.Passed, verifier.Failed, verifier.NotReached} {
		widest = max(widest, utf8.RuneCountInString(t.l.Say("outcome."+string(o))))
	}
	for _, c := range list {
		first := fmt.Sprintf("  %-14s %s  ", c.ID, padRight(t.l.Say("outcome."+string(c.Outcome)), widest))
		t.writeWrapped(first, strings.Repeat(" ", widest+19), c.Says)
	}
}

func (t *textWriter) writeSheets(d *Document) {
	list := d.Sheets
	if len(list) == 0 && len(d.Besides) == 0 {
		return
	}
	t.writeHeading("heading.sheets")
	for _, s := range list {
		t.writeWrapped("  ", "    ", t.l.Say("deal", "n", s.Deal)+" "+s.Text)
		for _, line := range s.Lines {
			what := line.Text
			if line.For != "" {
				what += " → " + line.For
			}
			t.writeWrapped("    "+padRight(line.Rule, 10)+padLeft(t.l.Signed(line.Points), 4)+"  ", strings.Repeat(" ", 20), what)
		}
		for _, p := range s.Payments {
			amount := "      " + padRight(plain.Text(p.Name), 32) + padLeft(t.l.Signed(p.Total), 6)
			if p.Other != 0 {
				amount += "  (" + t.l.Signed(p.Game) + ", " + t.l.Signed(p.Other) + ")"
			}
			t.b.WriteString(amount + "\n")
		}
	}
	for _, s := range slices.Concat(d.Sums, d.Besides) {
		t.writeWrapped("  ", "    ", s.Text+": "+strings.Join(d.listEntries(s), ", "))
	}
	if d.HasOther() {
		t.writeWrapped("  ", "    ", d.voice.Say("other.note"))
	}
}

// listEntries returns the amounts of a line below the list with the names of their seats.
func (d *Document) listEntries(s ListSum) (list []string) {
	for i, text := range s.Written(d.language) {
		list = append(list, plain.Isolate(d.SeatNames()[i])+" "+text)
	}
	return list
}

// Written returns the amounts of a line below the list as text.
func (s ListSum) Written(l Language) (list []string) {
	for _, n := range s.Amounts {
		if s.Count {
			list = append(list, l.Number(int64(n)))
		} else {
			list = append(list, l.Signed(n))
		}
	}
	return list
}

// HasOther reports whether somebody was paid anything that the sheets do not show.
func (d *Document) HasOther() bool {
	return slices.ContainsFunc(d.Sheets, func(s Sheet) bool {
		return slices.ContainsFunc(s.Payments, func(p Payment) bool { return p.Other != 0 })
	})
}

// writeTrace writes every step.
func (t *textWriter) writeTrace(d *Document) {
	if len(d.Trace) == 0 {
		return
	}
	t.writeHeading("heading.trace")
	names := 0
	for _, name := range d.Seats {
		names = max(names, len(name))
	}
	for _, s := range d.Trace {
		names = max(names, len(s.Name))
	}
	digits := len(fmt.Sprint(d.Trace[len(d.Trace)-1].Index))
	for _, s := range d.Trace {
		if heading := d.Heading(s); heading != "" {
			t.writeWrapped("  ", "    ", heading)
		}
		t.writeStep(s, digits, names)
	}
	if d.Verdict == verifier.Foul {
		t.b.WriteString("\n")
		t.writeWrapped("", "", t.l.Say("footer"))
	}
}

// writeStep writes a line for an entry, with its index and the seat's name in columns of these
// widths, and below it what was proved about hidden cards.
func (t *textWriter) writeStep(s Step, digits, names int) {
	hang := strings.Repeat(" ", digits+names+8)
	who := "  "
	if s.Seat != nil {
		who = SeatLetter(*s.Seat) + " "
	}
	what := s.Text
	if s.Status != Applied {
		what += " – " + t.l.refusedText(s)
	}
	t.writeWrapped(padLeft(fmt.Sprint(s.Index), digits+2)+"  "+who+padRight(plain.Text(s.Name), names)+"  ", hang, what)
	for _, p := range s.Proofs {
		if p.Claim != "" {
			t.writeWrapped(hang, hang+"  ", t.l.Say("outcome.proof."+string(p.Outcome), "what", p.Text, "id", p.Claim))
		}
	}
}
