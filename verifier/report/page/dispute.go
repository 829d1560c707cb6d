package page

import (
	_ "embed"
	"html/template"
	"io"
	"sync"

	"github.com/pakli/pakli/verifier/report"
)

//go:embed dispute.html
var disputeText string

var disputePage = sync.OnceValue(func() *template.Template { return furtherPage("dispute", disputeText) })

// WriteDispute writes the page that a jury reads of a table: what is proved, by whose word the rest
// is, and what nobody can know from the log.
func WriteDispute(w io.Writer, d *report.Document) error {
	return WritePage(w, disputePage(), disputeView{d, phrases{languageOf(d.Language)}})
}

// disputeView is what the page of a dispute is made of.
type disputeView struct {
	*report.Document
	phrases
}

// Title is the page's.
func (v disputeView) Title() string { return pageTitle(v.L, "title.dispute", v.Game) }

// Facts are what is proved: the deals that are over, and what seats have signed.
func (v disputeView) Facts() []string {
	list := append(v.ProvedDeals(), v.Breaches()...)
	if len(list) == 0 {
		list = []string{v.L.Say("dispute.proved.none")}
	}
	return list
}

// Words are what rests on somebody's word.
func (v disputeView) Words() []string {
	if v.Place == nil {
		return v.EndedTexts()
	}
	return append(v.EndedTexts(), v.Place.Rulings...)
}

// Asked are appeals and calls.
func (v disputeView) Asked() []string {
	if v.Place == nil {
		return nil
	}
	return v.Place.Said
}
