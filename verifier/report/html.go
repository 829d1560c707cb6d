package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
)

//go:embed page.html
var pageText string

// page escapes by context whatever is put into it (html/template).
var page = template.Must(template.New("page").Parse(pageText))

// HTML writes the document as one page: no script, no resource from elsewhere,
// pictures drawn in it. Its policy forbids a reader's browser all of these.
func (d *Document) HTML(w io.Writer) error {
	drawn := d.pictures()
	return write(w, page, view{Document: d, phrases: phrases{d.language}, Symbols: symbols(drawn), drawn: drawn})
}

// write writes a page, line by line as plain text writes it.
func write(w io.Writer, page *template.Template, view any) error {
	var b strings.Builder
	if err := page.Execute(&b, view); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, plain.Text(strings.TrimSuffix(line, "\n"))+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// phrases are what all pages say alike.
type phrases struct{ L Language }

// Say is a text of the page's language.
func (w phrases) Say(key string) string { return w.L.Say(key) }

// Signed is an amount.
func (w phrases) Signed(n int) string { return w.L.Signed(n) }

// Number is a number.
func (w phrases) Number(n int) string { return w.L.Number(int64(n)) }

// view is what the page is made of.
type view struct {
	*Document
	phrases
	Symbols []template.HTML
	drawn   map[string]template.HTML
}

// Title is the page's.
func (v view) Title() string {
	if v.Game == "" {
		return v.L.Say("title.none")
	}
	return v.L.Say("title", "game", v.Game)
}

// Mark is a class of the verdict, a check, a proof or a step.
func (phrases) Mark(of any) string {
	switch fmt.Sprint(of) {
	case string(verifier.Sound), string(verifier.Passed):
		return "good"
	case string(verifier.Foul), string(verifier.LogBroken), string(verifier.Failed):
		return "bad"
	case string(Applied):
		return ""
	}
	return "open"
}

// Picture is a card of a step: drawn, or in words alone.
type Picture struct {
	Face, Words string
	Drawn       bool
}

// Pictures are the cards of a step.
func (v view) Pictures(s Step) []Picture {
	list := make([]Picture, len(s.Faces))
	for i, f := range s.Faces {
		_, drawn := v.drawn[f]
		list[i] = Picture{f, s.Cards[i], drawn}
	}
	return list
}

// Letter is a seat's.
func (view) Letter(s *table.Seat) string {
	if s == nil {
		return ""
	}
	return letter(*s)
}

// ProofCount says how many proofs a step has.
func (v view) ProofCount(s Step) string { return v.L.Count("proofs", len(s.Proofs)) }

// Deal is the heading of a deal.
func (v view) Deal(n int) string { return v.L.Say("deal", "n", n) }

// HasOther reports whether somebody was paid besides what the sheets say.
func (v view) HasOther() bool { return hasOther(v.Sheets) }

// OtherNote says what that is.
func (v view) OtherNote() string { return v.voice.Say("other.note") }
