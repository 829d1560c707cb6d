package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/verifier/report"
	"github.com/pakli/pakli/verifier/report/page"
)

// goldenPage and goldenSheet are the scenes whose page and score sheet are compared byte by byte, in
// English. TestPages compares the others.
const goldenPage, goldenSheet = "waiting", "tarokk"

// A sentence changes unnoticed in some language, or a key that programs read changes.
func TestGolden(t *testing.T) {
	for name, make := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := make(t)
			var text bytes.Buffer
			for _, tag := range report.Languages() {
				fmt.Fprintf(&text, "———— %s\n", tag)
				write(t, &text, s.document(t, tag).Text)
			}
			testmust.Same(t, "testdata/"+name+".txt", text.Bytes())
			fitsEightyColumns(t, text.String())
			d := s.document(t, "en")
			testmust.Same(t, "testdata/"+name+".json", written(t, d.JSON))
			if name == goldenPage {
				testmust.Same(t, "testdata/"+name+".html", written(t, pageOf(d)))
			}
			if name == goldenSheet {
				testmust.Same(t, "testdata/"+name+".sheet.html", written(t, sheetOf(d)))
			}
		})
	}
}

func pageOf(d *report.Document) func(io.Writer) error {
	return func(w io.Writer) error { return page.WriteDocument(w, d) }
}

func sheetOf(d *report.Document) func(io.Writer) error {
	return func(w io.Writer) error { return page.WriteSheet(w, d) }
}

func pageOfAll(d *report.TablesDocument) func(io.Writer) error {
	return func(w io.Writer) error { return page.WriteTables(w, d) }
}

func write(t *testing.T, w io.Writer, what func(io.Writer) error) {
	t.Helper()
	testmust.Do(t, what(w))
}

func written(t *testing.T, what func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	write(t, &b, what)
	return b.Bytes()
}

// fitsEightyColumns reports lines longer than 80 characters, except for words that cannot be broken.
func fitsEightyColumns(t *testing.T, text string) {
	t.Helper()
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > 80 && len(strings.Fields(line)) > 2 {
			t.Errorf("line %d has %d characters: %s", i+1, utf8.RuneCountInString(line), line)
		}
	}
}

// elements and attributes that a page may have; none loads or runs anything.
var (
	elements = strings.Fields("html head meta title style body svg defs symbol rect path circle ellipse text g use main h1 h2 h3 p bdi section ul li code " +
		"div table thead tbody tr th td caption details summary small br a u strong")
	attributes = strings.Fields("lang charset http-equiv content name width height aria-hidden style id viewBox x y cx cy r rx ry fill stroke stroke-width stroke-linecap stroke-linejoin " +
		"d transform font-size font-weight font-family text-anchor class aria-labelledby aria-label scope role href open colspan")
)

// pointsHere are the places that a page may link to: its own cards, and the report of a table beside
// it.
var pointsHere = regexp.MustCompile(`^(#card-.*|[0-9a-f]{64}\.html)$`)

// parsedPage is a page as a reader sees it.
type parsedPage struct {
	shape []string // elements, and attributes without words
	words []string // texts between elements, and texts of drawings
}

// alone parses a page and requires that it needs no other file.
func alone(t *testing.T, html func(io.Writer) error) parsedPage {
	t.Helper()
	page := written(t, html)
	for _, bad := range []string{"url(", "@import", "http:", "https:", "<script", "javascript:"} {
		testmust.Hold(t, !bytes.Contains(bytes.ToLower(page), []byte(bad)), "the page contains", bad)
	}
	return parsed(t, page)
}

// parsed reads a page token by token.
func parsed(t *testing.T, page []byte) (p parsedPage) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		testmust.Do(t, err, "the page does not parse")
		switch token := token.(type) {
		case xml.StartElement:
			p.element(t, token)
		case xml.CharData:
			if text := squeeze(string(token)); text != "" && p.shape[len(p.shape)-1] != "style" {
				p.words = append(p.words, text)
			}
		}
	}
}

func (p *parsedPage) element(t *testing.T, e xml.StartElement) {
	t.Helper()
	testmust.Hold(t, slices.Contains(elements, e.Name.Local), "the page has an element", e.Name.Local)
	shape := e.Name.Local
	for _, a := range e.Attr {
		testmust.Holdf(t, slices.Contains(attributes, a.Name.Local) && (a.Name.Local != "href" || pointsHere.MatchString(a.Value)),
			"%s has the attribute %s=%q", e.Name.Local, a.Name.Local, a.Value)
		switch a.Name.Local {
		case "lang":
		case "aria-label":
			p.words = append(p.words, squeeze(a.Value))
		default:
			shape += " " + a.Name.Local + "=" + a.Value
		}
	}
	p.shape = append(p.shape, shape)
}

// says requires texts on the page, in order, and no key without words or unfilled placeholder.
func (p parsedPage) says(t *testing.T, texts []string) {
	t.Helper()
	all := strings.Join(p.words, " ")
	testmust.Equal(t, regexp.MustCompile(`\[[a-z]+\.[a-z.]+|\{[a-z]+\}|%!|<nil>|&lt;no value`).FindString(all), "", "a reader sees")
	for _, text := range texts {
		before, after, ok := strings.Cut(all, squeeze(text))
		if !ok {
			t.Fatalf("the page does not say %q, after …%s", text, before[max(0, len(before)-60):])
		}
		all = after
	}
}

// inEnglish reports words of a translated page that are left in English. It skips words of the page's
// text form, which TestGolden keeps.
func (p parsedPage) inEnglish(t *testing.T, english parsedPage, text string) {
	t.Helper()
	testmust.Requiref(t, slices.Equal(p.shape, english.shape) && len(p.words) == len(english.words),
		"%d elements and %d words, in English %d and %d", len(p.shape), len(p.words), len(english.shape), len(english.words))
	for i, word := range p.words {
		testmust.Holdf(t, word != english.words[i] || !strings.ContainsFunc(word, unicode.IsLower) || strings.Contains(text, word) || slices.Contains(alike, word),
			"%q is left in English", word)
	}
}

// alike are words that are the same in English.
var alike = []string{"Name", "Bytes"}

// A page must tell its whole report, in order, with the same numbers and in one language. It must not
// load or run anything, or link to anything outside.
func TestPages(t *testing.T) {
	for name, make := range scenes {
		d := make(t).document(t, "en")
		english, sheet := alone(t, pageOf(d)), alone(t, sheetOf(d))
		for _, tag := range report.Languages() {
			t.Run(name+"/"+tag, func(t *testing.T) {
				d := make(t).document(t, tag)
				p, s := alone(t, pageOf(d)), alone(t, sheetOf(d))
				p.says(t, textsOf(d, language(t, tag)))
				s.says(t, append([]string{d.Headline}, d.Facts()...))
				if text := squeeze(string(written(t, d.Text))); tag != "en" {
					p.inEnglish(t, english, text)
					s.inEnglish(t, sheet, text)
				}
			})
		}
		cards := strings.Count(strings.Join(english.shape, "\n"), "use href")
		testmust.Holdf(t, name != "tarokk" || cards >= 30, "%d pictures", cards)
	}
}

// textsOf returns the texts and numbers of a report, in the order of its JSON.
func textsOf(d *report.Document, l report.Language) []string {
	list := slices.Concat(d.Header(), []string{d.Headline}, d.Notes, d.Technical(), d.Facts())
	add := func(texts ...string) { list = append(list, texts...) }
	for _, g := range d.CheckGroups() {
		add(g.About)
		for _, c := range g.List {
			add(string(c.ID), l.Say("outcome."+string(c.Outcome)), c.Says)
		}
	}
	for _, s := range d.Sheets {
		add(l.Say("deal", "n", s.Deal), s.Text)
		for _, line := range s.Lines {
			add(line.Rule, line.Text, line.For, l.Signed(line.Points))
		}
		for _, p := range s.Payments {
			add(p.Name, l.Signed(p.Game), l.Signed(p.Other), l.Signed(p.Total))
		}
	}
	for _, sum := range d.Sums {
		add(sum.Text)
		add(sum.Written(l)...)
		add(sum.Rule)
	}
	for _, s := range d.Trace {
		add(d.Heading(s), fmt.Sprint(s.Index), s.Name, s.Text)
		if s.Status != report.Applied {
			add(d.Refused(s))
		}
		for _, p := range s.Proofs {
			add(string(p.Check), p.Claim, p.Text, p.Why, l.Number(int64(p.Bytes)), l.Say("outcome."+string(p.Outcome)))
		}
	}
	return list
}
