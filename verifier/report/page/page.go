// Package page writes reports, of one table and of many, as HTML (docs/spec/81-reports.md, 81.3): one
// self-contained page, with no script and with the cards drawn in it. It is apart from package
// report, so that a program that wants only words links no pictures.
package page

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

// WriteDocument writes the report on a table as one page without scripts and resources from
// elsewhere. Pictures are drawn in it. Its policy forbids the browser to run or load anything.
func WriteDocument(w io.Writer, d *report.Document) error {
	v := documentView{Document: d, phrases: phrasesOf(d.Language)}
	v.voice = v.L.VoiceOf(games.Scene(d.Game), nil)
	v.drawn = facePictures(d, v.voice)
	return v.write(w, element(`h1 class="appendix"`, v.say("heading.appendix")), "\n", v.checks(v.CheckGroups()), v.sheets(), v.trace())
}

// WriteSummary writes only the first page of WriteDocument.
func WriteSummary(w io.Writer, d *report.Document) error {
	return documentView{Document: d, phrases: phrasesOf(d.Language)}.write(w)
}

// WriteTables writes the report on many tables as one page, which links only to the files of its
// rows.
func WriteTables(w io.Writer, d *report.TablesDocument) error {
	v := tablesView{d, phrasesOf(d.Language)}
	return v.writeDocument(w, v.L.Say("title.many", "log", d.Checkpoint.Origin), "", "",
		writeHeader(d.Header()), v.headline(v.verdict(), d.Headline), writeEach(d.Notes, paragraph), writeEach(d.Technical(), technical),
		v.section("facts", element("p", code(d.Fact()))), v.standings(), v.tables(), v.checks(d.CheckGroups()))
}

func phrasesOf(tag string) phrases {
	l, _ := report.LanguageOf(tag)
	return phrases{l}
}

// titleOf returns the title of a page about a game, by the game's name without its version.
func titleOf(l report.Language, key, game string) string {
	game, _, _ = strings.Cut(game, "/")
	return strings.TrimSuffix(l.Say(key, "game", game), ", ")
}

// documentView is the material of a table's page.
type documentView struct {
	*report.Document
	phrases
	drawn map[string]markup
	voice scene.Voice
}

// write writes the first page and the appendix.
func (v documentView) write(w io.Writer, appendix ...markup) error {
	title := v.L.Say("title.none")
	if v.Game != "" {
		title = titleOf(v.L, "title", v.Game)
	}
	symbols := writeEach(slices.Sorted(maps.Keys(v.drawn)), func(face string) markup { return v.drawn[face] })
	return v.writeDocument(w, title, "", element(`svg width="0" height="0" aria-hidden="true" style="position:absolute"`, element("defs", symbols))+"\n",
		writeHeader(v.Header()), v.headline(v.Verdict, v.Headline), writeEach(v.Summary(), paragraph), writeEach(v.Technical(), technical),
		v.section("facts", element("ul", writeEach(v.Facts(), func(s string) markup { return element("li", code(s)) }))),
		joinMarkup(appendix), element("p", element("small", v.say("footer"))), "\n")
}

// facePictures returns the symbols of all faces that the trace turns up.
func facePictures(d *report.Document, v scene.Voice) map[string]markup {
	drawn := map[string]markup{}
	for _, s := range d.Trace {
		for _, f := range s.Faces {
			if symbol := scene.FrenchPack.Symbol("card-"+f, v.Game.Face(f)); symbol != "" {
				drawn[f] = markup(symbol) // f names a picture
			}
		}
	}
	return drawn
}

func (v documentView) sheets() markup {
	if len(v.Sheets) == 0 {
		return ""
	}
	signed := func(n int) markup { return number(v.L.Signed(n)) }
	parts := []markup{writeEach(v.Sheets, func(s report.Sheet) markup {
		all := element("h3", text(v.L.Say("deal", "n", s.Deal))) + paragraph(s.Text)
		if len(s.Lines) > 0 {
			all += table(v.columns("rule", "item", "for", "#points"), element("tbody", writeEach(s.Lines, func(l report.Line) markup {
				return element("tr", element("td", code(l.Rule)), element("td", text(l.Text)), element("td", text(l.For)), signed(l.Points)) + "\n"
			})))
		}
		return all + table(v.columns("name", "#game", "#other", "#total"), element("tbody", writeEach(s.Payments, func(p report.Payment) markup {
			return element("tr", element(`th scope="row"`, foreign(p.Name)), signed(p.Game), signed(p.Other), signed(p.Total)) + "\n"
		})))
	})}
	if len(v.Sums) > 0 {
		names := writeEach(v.SeatNames(), func(name string) markup { return element(`th scope="col" class="n"`, foreign(name)) })
		parts = append(parts, table(element("thead", element("tr", element(`th scope="col"`), names, element(`th scope="col"`, v.say("column.rule")))), "\n",
			element("tbody", writeEach(v.Sums, func(s report.ListSum) markup {
				return element("tr", element(`th scope="row"`, text(s.Text)), writeEach(s.Written(v.L), number), element("td", code(s.Rule))) + "\n"
			}))))
	}
	if v.HasOther() {
		parts = append(parts, element("p", text(v.voice.Say("other.note"))))
	}
	return v.section("sheets", parts...)
}

func (v documentView) trace() markup {
	if len(v.Trace) == 0 {
		return ""
	}
	return v.section("trace", element(`table class="trace"`, v.columns("#entry", "seat", "what"), element("tbody", writeEach(v.Trace, func(s report.Step) markup {
		var heading, seat markup
		if above := v.Heading(s); above != "" {
			heading = element("tr", element(`th colspan="3" scope="rowgroup"`, foreign(above))) + "\n"
		}
		if s.Seat != nil {
			seat = text(report.SeatLetter(*s.Seat))
		}
		return heading + element(fmt.Sprintf(`tr id="e%d"`, s.Index), element(`th scope="row" class="n"`, text(fmt.Sprint(s.Index))),
			element("td", seat, " ", foreign(s.Name)), element("td", foreign(s.Text), "\n", v.pictures(s), v.refusal(s), v.proofs(s))) + "\n"
	}))))
}

// pictures returns the drawn cards of a step.
func (v documentView) pictures(s report.Step) (all markup) {
	for i, f := range s.Faces {
		if _, drawn := v.drawn[f]; drawn {
			all += element(`svg class="card" role="img"`+attribute("aria-label", s.Cards[i]), markup("<use"+attribute("href", "#card-"+f)+"/>"))
		}
	}
	return all
}

func (v documentView) refusal(s report.Step) markup {
	if s.Status == report.Applied {
		return ""
	}
	return "\n" + element(fmt.Sprintf(`p class="%s"`, classOf(s.Status)), text(v.Refused(s)))
}

func (v documentView) proofs(s report.Step) markup {
	if len(s.Proofs) == 0 {
		return ""
	}
	open := "details"
	if s.Status == report.Foul {
		open += " open"
	}
	return "\n" + element(open, element("summary", text(v.L.Count("proofs", len(s.Proofs)))), "\n",
		table(v.columns("check", "relation", "statement", "#bytes", "outcome"), element("tbody", writeEach(s.Proofs, func(p report.Proof) markup {
			var claim, why markup
			if p.Claim != "" {
				claim = code(p.Claim) + " "
			}
			if p.Why != "" {
				why = "<br>" + element("small", text(p.Why))
			}
			return element("tr", element("td", code(string(p.Check))), element("td", v.say("relation."+p.Relation)), element("td", claim, text(p.Text), why), number(v.L.Number(int64(p.Bytes))), v.outcome(p.Outcome)) + "\n"
		}))))
}

// tablesView is the material of the page of many tables.
type tablesView struct {
	*report.TablesDocument
	phrases
}

// verdict returns the worst verdict of all tables. An altered bundle is as bad as a foul, though it
// accuses nobody.
func (v tablesView) verdict() verifier.Verdict {
	switch c := v.Counts; {
	case c.Foul > 0, c.Broken > 0, len(v.Findings) > 0, len(v.Unread) > 0:
		return verifier.Foul
	case c.Cannot > 0, c.Unfinished > 0:
		return verifier.Unfinished
	}
	return verifier.Sound
}

// standings returns a table for each game.
func (v tablesView) standings() markup {
	var parts []markup
	for rest := v.Standings; len(rest) > 0; {
		game, n := rest[0].Game, slices.IndexFunc(rest, func(s report.Standing) bool { return s.Game != rest[0].Game })
		if n < 0 {
			n = len(rest)
		}
		parts = append(parts, table(element("caption", text(v.L.Say("standings.game", "game", game))), v.columns("#rank", "name", "#sum", "#tables", "key"), element("tbody", writeEach(rest[:n], func(s report.Standing) markup {
			return element("tr", number(fmt.Sprint(s.Rank)), element(`th scope="row"`, foreign(s.Name)), number(v.L.Signed(s.Sum)), number(v.L.Number(int64(s.Tables))), element("td", code(s.Key), text(v.L.BesidesSum(s)))) + "\n"
		}))))
		rest = rest[n:]
	}
	if parts == nil {
		return ""
	}
	return v.section("standings", parts...)
}

func (v tablesView) tables() markup {
	if len(v.Tables) == 0 {
		return ""
	}
	return v.section("tables", table(v.columns("table", "verdict", "what"), element("tbody", writeEach(v.Tables, func(row report.Row) markup {
		id := fmt.Sprint(row.Table)
		open, name, class := fmt.Sprintf(`tr id="t%s"`, id), code(id), classOf(row.Verdict)
		switch {
		case row.Bundle != "":
			open, name, class = "tr", foreign(row.Label()), "bad"
		case row.File != "":
			name = element("code", element("a"+attribute("href", row.File), text(id)))
		}
		if names := row.Names(); names != "" {
			name += "<br>" + foreign(names)
		}
		return element(open, element(`th scope="row"`, name), element(fmt.Sprintf(`td class="%s"`, class), v.say("verdict."+string(row.Verdict))), element("td", foreign(row.Headline))) + "\n"
	}))))
}
