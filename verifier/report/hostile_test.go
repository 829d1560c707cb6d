package report_test

import (
	"io"
	"slices"
	"testing"

	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
)

// A name or a reason that becomes markup where one page alone has it: at cards that are drawn, a list's sums, an entry that was not
// applied, and what a jury reads.
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
