package page

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/report"
)

// markup is HTML. Text from a report enters it only through [text] or [attribute], which escape it;
// all else is written here. A template of html/template would be as safe, but makes a module for a
// browser larger by a quarter: it looks methods up by name, so the linker keeps those of all types.
type markup string

func text(s string) markup { return markup(html.EscapeString(s)) }

func attribute(name, value string) string { return fmt.Sprintf(` %s="%s"`, name, text(value)) }

// element returns an element. open is its tag and attributes.
func element(open string, inside ...markup) markup {
	name, _, _ := strings.Cut(open, " ")
	return markup("<"+open+">") + joinMarkup(inside) + markup("</"+name+">")
}

func joinMarkup(parts []markup) markup {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(string(part))
	}
	return markup(b.String())
}

func writeEach[T any](list []T, write func(T) markup) markup {
	parts := make([]markup, len(list))
	for i, one := range list {
		parts[i] = write(one)
	}
	return joinMarkup(parts)
}

// foreign isolates other people's text, which may run from right to left.
func foreign(s string) markup {
	if s == "" {
		return ""
	}
	return element("bdi", text(s))
}

func code(s string) markup      { return element("code", text(s)) }
func paragraph(s string) markup { return element("p", foreign(s)) + "\n" }
func smallLine(s string) markup { return element("small", foreign(s)) + "<br>" }
func listItem(s string) markup  { return element("li", foreign(s)) + "\n" }
func number(s string) markup    { return element(`td class="n"`, text(s)) }

// phrases are the parts that all pages share.
type phrases struct{ L report.Language }

func (w phrases) say(key string) markup { return text(w.L.Say(key)) }

// columns returns a table's head. A key that begins with # heads a column of numbers.
func (w phrases) columns(keys ...string) markup {
	return element("thead", element("tr", writeEach(keys, func(key string) markup {
		if key, numbers := strings.CutPrefix(key, "#"); numbers {
			return element(`th scope="col" class="n"`, w.say("column."+key))
		}
		return element(`th scope="col"`, w.say("column."+key))
	}))) + "\n"
}

// table returns a table that scrolls by itself in a narrow window.
func table(parts ...markup) markup {
	return element(`div class="fold"`, element("table", parts...)) + "\n"
}

// section returns a section named after its heading.
func (w phrases) section(name string, inside ...markup) markup {
	heading := element(fmt.Sprintf(`h2 id="%s"`, name), w.say("heading."+name)) + "\n"
	return element(fmt.Sprintf(`section aria-labelledby="%s"`, name), heading, joinMarkup(inside)) + "\n"
}

// classOf returns the class of a verdict, check, proof or step.
func classOf(of any) string {
	class := "open"
	switch fmt.Sprint(of) {
	case string(verifier.Sound), string(verifier.Passed):
		class = "good"
	case string(verifier.Foul), string(verifier.LogBroken), string(verifier.Failed):
		class = "bad"
	}
	return class
}

func (w phrases) headline(verdict verifier.Verdict, said string) markup {
	return element(fmt.Sprintf(`p class="headline %s"`, classOf(verdict)), foreign(said)) + "\n"
}

func (w phrases) outcome(o verifier.Outcome) markup {
	return element(fmt.Sprintf(`td class="%s"`, classOf(o)), w.say("outcome."+string(o)))
}

func technical(said string) markup {
	return element("p", element(`code lang="en"`, foreign(said))) + "\n"
}

// writeHeader writes the provenance of a report.
func writeHeader(header []string) markup {
	if len(header) == 0 {
		return ""
	}
	return element(`p class="written"`, separateBy(header, "<br>")) + "\n"
}

func separateBy(list []string, by markup) (all markup) {
	for i, s := range list {
		if i > 0 {
			all += by
		}
		all += foreign(s)
	}
	return all
}

func (w phrases) checks(groups []report.CheckGroup) markup {
	return w.section("checks", writeEach(groups, func(g report.CheckGroup) markup {
		var about markup
		if g.About != "" {
			about = element("caption", text(g.About))
		}
		return table(about, w.columns("check", "outcome", "says"), element("tbody", writeEach(g.List, func(c report.Check) markup {
			return element("tr", element(`th scope="row"`, code(string(c.ID))), w.outcome(c.Outcome), element("td", text(c.Says))) + "\n"
		})))
	}))
}

//go:embed page.css
var style markup

// writeDocument writes a page line by line as plain text. The page forbids the browser to run or load
// anything.
func (w phrases) writeDocument(to io.Writer, title, styles string, before markup, main ...markup) error {
	return WriteLines(to, string("<!DOCTYPE html>\n<html"+markup(attribute("lang", w.L.Tag))+`>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
`+element("title", text(title))+"\n"+element("style", "\n"+style+markup(styles))+"\n</head>\n<body>\n"+before+
		element("main", "\n", element("h1", text(title)), "\n", joinMarkup(main))+"\n</body>\n</html>\n"))
}

// WriteLines writes a page line by line as plain text.
func WriteLines(to io.Writer, page string) error {
	for line := range strings.Lines(page) {
		if _, err := io.WriteString(to, plain.Text(strings.TrimSuffix(line, "\n"))+"\n"); err != nil {
			return err
		}
	}
	return nil
}
