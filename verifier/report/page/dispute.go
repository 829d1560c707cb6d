package page

import (
	"io"

	"github.com/pakli/pakli/verifier/report"
)

// WriteDispute writes the page about a table for a jury: what is proved, who decided the rest, and
// what nobody can know from the log.
func WriteDispute(w io.Writer, d *report.Document) error {
	v := phrasesOf(d.Language)
	var rulings, asked []string
	if d.Place != nil {
		rulings, asked = d.Place.Rulings, d.Place.Said
	}
	proved := append(d.ProvedDeals(), d.Breaches()...)
	if len(proved) == 0 {
		proved = []string{v.L.Say("dispute.proved.none")}
	}
	said := append(d.EndedTexts(), rulings...)
	word := element("p", v.say("dispute.word.none"))
	if len(said) > 0 {
		word = element("ul", writeEach(said, listItem))
	}
	if len(asked) > 0 {
		word += "\n" + v.writePart("dispute.said", element("ul", writeEach(asked, listItem)))
	}
	title := titleOf(v.L, "title.dispute", d.Game)
	return v.writeDocument(w, title, "p,li{overflow-wrap:anywhere}", "", placeOf(d.Place), writeHeader(d.Header()), v.headline(d.Verdict, d.Headline),
		v.writePart("dispute.proved", v.note("dispute.proved.note"), element("ul", writeEach(proved, listItem))), v.writePart("dispute.word", v.note("dispute.word.note"), word),
		v.writePart("dispute.unknown", v.note("dispute.unknown.note"), element("p", writeEach(d.Facts(), smallLine))))
}

func (w phrases) writePart(key string, parts ...markup) markup {
	return element("h2", w.say(key)) + "\n" + joinMarkup(parts) + "\n"
}

func (w phrases) note(key string) markup { return element("p", w.say(key)) + "\n" }

// placeOf writes a table's place in its event.
func placeOf(p *report.Place) markup {
	if p == nil {
		return ""
	}
	var times markup
	if p.Times != "" {
		times = "<br>" + text(p.Times)
	}
	return element("p", element("strong", foreign(p.Event)), ": ", text(p.Title), "<br>", separateBy(p.Players, " · "), times) + "\n"
}
