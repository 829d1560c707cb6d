// Package page writes reports, of one table and of many, as HTML (docs/spec/81-reports.md, 81.3): one page
// that needs nothing else, with no script and with the cards drawn in it. It is apart from
// package report, so that who wants the words alone links no templates.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

//go:embed page.html
var documentText string

//go:embed tables.html
var tablesText string

// The templates escape by context whatever is put into them (html/template). Each is parsed when it
// is first used, since every start of a program that can write pages would wait for all of them.
var (
	documentPage = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(documentText)) })
	tablesPage   = sync.OnceValue(func() *template.Template { return furtherPage("tables", tablesText) })
)

// furtherPage uses the parts of a document's page. They are parsed again, since what was executed cannot be cloned.
func furtherPage(name, text string) *template.Template {
	return template.Must(template.Must(template.New("page").Parse(documentText)).New(name).Parse(text))
}

// WriteDocument writes the report on a table as one page: no script, no resource from elsewhere,
// pictures drawn in it. Its policy forbids a reader's browser all of these.
func WriteDocument(w io.Writer, d *report.Document) error {
	p := phrases{languageOf(d.Language)}
	voice := p.L.VoiceOf(games.Scene(d.Game), nil)
	drawn := facePictures(d, voice)
	return WritePage(w, documentPage(), documentView{Document: d, phrases: p, Whole: true, Symbols: sortedSymbols(drawn), drawn: drawn, voice: voice})
}

// WriteSummary writes the first page of that alone.
func WriteSummary(w io.Writer, d *report.Document) error {
	return WritePage(w, documentPage(), documentView{Document: d, phrases: phrases{languageOf(d.Language)}})
}

// WriteTables writes the report on many tables as one page. It points to the files of its
// rows and to nothing else.
func WriteTables(w io.Writer, d *report.TablesDocument) error {
	return WritePage(w, tablesPage(), tablesView{d, phrases{languageOf(d.Language)}})
}

func languageOf(tag string) report.Language {
	l, _ := report.LanguageOf(tag)
	return l
}

// WritePage writes a page of a template, line by line as plain text writes it.
func WritePage(w io.Writer, page *template.Template, view any) error {
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
type phrases struct{ L report.Language }

// Say is a text of the page's language.
func (w phrases) Say(key string) string { return w.L.Say(key) }

// Signed is an amount.
func (w phrases) Signed(n int) string { return w.L.Signed(n) }

// Number is a number.
func (w phrases) Number(n int) string { return w.L.Number(int64(n)) }

// documentView is what the page of a table is made of.
type documentView struct {
	*report.Document
	phrases
	Whole   bool // with the appendix
	Symbols []template.HTML
	drawn   map[string]template.HTML
	voice   words.Voice
}

// pageTitle is the title of a page about a game, by the name that people know: without its version.
func pageTitle(l report.Language, key, game string) string {
	game, _, _ = strings.Cut(game, "/")
	return strings.TrimSuffix(l.Say(key, "game", game), ", ")
}

// Title is the page's.
func (v documentView) Title() string {
	if v.Game == "" {
		return v.L.Say("title.none")
	}
	return pageTitle(v.L, "title", v.Game)
}

// Mark is a class of the verdict, a check, a proof or a step.
func (phrases) Mark(of any) string {
	switch fmt.Sprint(of) {
	case string(verifier.Sound), string(verifier.Passed):
		return "good"
	case string(verifier.Foul), string(verifier.LogBroken), string(verifier.Failed):
		return "bad"
	case string(report.Applied):
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
func (v documentView) Pictures(s report.Step) []Picture {
	list := make([]Picture, len(s.Faces))
	for i, f := range s.Faces {
		_, drawn := v.drawn[f]
		list[i] = Picture{f, s.Cards[i], drawn}
	}
	return list
}

// Letter is a seat's.
func (documentView) Letter(s *table.Seat) string {
	if s == nil {
		return ""
	}
	return report.SeatLetter(*s)
}

// ProofCount says how many proofs a step has.
func (v documentView) ProofCount(s report.Step) string { return v.L.Count("proofs", len(s.Proofs)) }

// Deal is the heading of a deal.
func (v documentView) Deal(n int) string { return v.L.Say("deal", "n", n) }

// OtherNote says what somebody was paid besides what the sheets say.
func (v documentView) OtherNote() string { return v.voice.Say("other.note") }

// tablesView is what the page of many tables is made of.
type tablesView struct {
	*report.TablesDocument
	phrases
}

// Title is the page's.
func (v tablesView) Title() string { return v.L.Say("title.many", "log", v.Checkpoint.Origin) }

// Verdict is that of all: what is worst. A bundle that was altered is as bad as a foul, though
// it accuses nobody.
func (v tablesView) Verdict() verifier.Verdict {
	switch c := v.Counts; {
	case c.Foul > 0, c.Broken > 0, len(v.Findings) > 0, len(v.Unread) > 0:
		return verifier.Foul
	case c.Cannot > 0, c.Unfinished > 0:
		return verifier.Unfinished
	}
	return verifier.Sound
}

// Besides is what a standing has apart from its sum.
func (v tablesView) Besides(s report.Standing) string { return v.L.BesidesSum(s) }

// New reports whether a standing is the first of its game.
func (v tablesView) New(i int) bool {
	return i == 0 || v.Standings[i].Game != v.Standings[i-1].Game
}

// Group heads the standings of a game.
func (v tablesView) Group(game string) string { return v.L.Say("standings.game", "game", game) }
