// Package docs is the documentation: guides, specification and design, as they were written, as pages for people, and
// to be searched. A page is named by its path in this folder. Links between pages stay relative, so that a server may
// have a prefix; those to other files of the repository lead to its forge.
package docs

import (
	"bytes"
	"embed"
	"encoding/base64"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Contents is the page that leads to all others.
const Contents = "README.md"

//go:embed *.md guide/*.md guide/*.png spec/*.md design/*.md
var pages embed.FS

//go:embed page.html
var layout string

var page = template.Must(template.New("page").Parse(layout))

const forge = "https://github.com/pakli/pakli/blob/main/"

// markdown is CommonMark with tables. Raw HTML is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(
	parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(linker{}, 0))))

// pageView is what the layout shows: a page, or what was found. Root leads from its address to that of the contents.
type pageView struct {
	Title, Root, Query string
	Body               template.HTML
	Chapters, Found    []Section
}

// Source returns a page as it was written.
func Source(name string) ([]byte, error) { return fs.ReadFile(pages, name) }

// Page returns a page as HTML, without scripts and without anything from elsewhere, or an error that is fs.ErrNotExist.
// The contents are shown at the folder's address, without a slash at its end, and every other page below it.
func Page(name string) ([]byte, error) {
	whole, err := wholeSite()
	if page, ok := whole.pages[name]; ok || err != nil {
		return page, err
	}
	return nil, fs.ErrNotExist
}

// site is all that is shown and searched: the pages as HTML, and the sections of all but the contents, in the order of Names.
type site struct {
	pages    map[string][]byte
	sections []Section
}

// wholeSite reads each page once, since that takes milliseconds and whoever asks pays nothing.
var wholeSite = sync.OnceValues(func() (site, error) {
	all := site{pages: map[string][]byte{}}
	for _, name := range Names() {
		page, sections, err := readPage(name)
		if err != nil {
			return site{}, err
		}
		all.pages[name] = page
		if name != Contents {
			all.sections = append(all.sections, sections...)
		}
	}
	return all, nil
})

// readPage returns a page as HTML, and its sections.
func readPage(name string) ([]byte, []Section, error) {
	source, err := Source(name)
	if err != nil {
		return nil, nil, err
	}
	context := parser.NewContext()
	context.Set(named, name)
	document := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	var body bytes.Buffer
	if err := markdown.Renderer().Render(&body, source, document); err != nil {
		return nil, nil, err
	}
	sections := sectionsOf(name, source, document)
	chapters := slices.DeleteFunc(slices.Clone(sections), func(s Section) bool { return s.level != 2 })
	page, err := executeLayout(pageView{Title: sections[0].Title, Root: root(name), Body: template.HTML(body.String()), Chapters: chapters})
	return page, sections, err
}

// Search returns a page of the sections in which all words of a query stand.
func Search(query string) ([]byte, error) {
	sections, err := Find(query)
	if err != nil {
		return nil, err
	}
	return executeLayout(pageView{Title: query, Root: root(Contents), Query: query, Found: sections})
}

func executeLayout(s pageView) ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, s)
	return b.Bytes(), err
}

// root is the way from a page's address to that of the contents.
func root(name string) string {
	if name == Contents {
		return "docs"
	}
	return strings.Repeat("../", strings.Count(name, "/")+1) + "docs"
}

// Section is what stands below one title.
type Section struct {
	Page, Title, ID, Excerpt string
	level                    int
	text, words              string // words is the text in lower case
}

const (
	maxFound = 40 // sections
	maxWords = 8  // of a query: further ones are passed over
)

// Find returns the sections in which all words of a query stand, those first whose titles have most of them, or
// where they follow each other.
func Find(query string) ([]Section, error) {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return nil, nil
	}
	whole, err := wholeSite()
	if err != nil {
		return nil, err
	}
	words = words[:min(len(words), maxWords)]
	var all []Section
	for _, s := range whole.sections {
		if countWords(s.words, words) == len(words) {
			all = append(all, s)
		}
	}
	phrase := strings.Join(words, " ")
	rank := func(s Section) int {
		n := countWords(strings.ToLower(s.Title), words)
		if strings.Contains(s.words, phrase) {
			n += 2
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b Section) int { return rank(b) - rank(a) })
	all = all[:min(len(all), maxFound)]
	for i := range all {
		all[i].Excerpt = excerpt(all[i].text, words)
	}
	return all, nil
}

func countWords(text string, words []string) (n int) {
	for _, w := range words {
		if strings.Contains(text, w) {
			n++
		}
	}
	return n
}

// excerpt is some of a text about words that stand in it, best where they follow each other, cut at spaces.
func excerpt(text string, words []string) string {
	at := 0
	for _, w := range []string{strings.Join(words, " "), words[0]} {
		if place := regexp.MustCompile("(?i)" + regexp.QuoteMeta(w)).FindStringIndex(text); place != nil {
			at = place[0]
			break
		}
	}
	from := strings.LastIndexByte(text[:max(0, at-80)], ' ') + 1
	to := len(text)
	if far := min(len(text), at+160); strings.IndexByte(text[far:], ' ') >= 0 {
		to = far + strings.IndexByte(text[far:], ' ')
	}
	return text[from:to]
}

// Names lists the pages, guides first.
func Names() []string {
	var names []string
	for _, pattern := range []string{"guide/*.md", "spec/*.md", "*.md", "design/*.md"} {
		matching, _ := fs.Glob(pages, pattern) // the patterns are well-formed
		names = append(names, matching...)
	}
	return names
}

// sectionsOf cuts a page at its titles. Each page begins with one.
func sectionsOf(name string, source []byte, document ast.Node) []Section {
	var all []Section
	var words strings.Builder
	end := func() {
		if len(all) > 0 {
			s := &all[len(all)-1]
			s.text = strings.Join(strings.Fields(words.String()), " ")
			s.words = strings.ToLower(s.text)
		}
		words.Reset()
	}
	for block := document.FirstChild(); block != nil; block = block.NextSibling() {
		if title, ok := block.(*ast.Heading); ok {
			end()
			id, _ := title.AttributeString("id")
			all = append(all, Section{Page: name, Title: wordsOf(block, source), ID: string(id.([]byte)), level: title.Level})
		}
		words.WriteString(wordsOf(block, source))
		words.WriteByte(' ')
	}
	end()
	return all
}

// wordsOf is the text of a node without its marks.
func wordsOf(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing below fails
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			if entering {
				b.Write(n.Lines().Value(source))
			}
		default:
			if !entering && n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// named is where the name of the page is that is parsed.
var named = parser.NewContextKey()

// linker leads links to where a page is shown, and those to files that are none to the forge. Pictures are put into the page, which so loads nothing.
type linker struct{}

func (linker) Transform(document *ast.Document, _ text.Reader, context parser.Context) {
	name, _ := context.Get(named).(string)
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing below fails
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(destination(name, string(link.Destination)))
		}
		if picture, ok := n.(*ast.Image); ok && entering {
			png, _ := fs.ReadFile(pages, path.Join(path.Dir(name), string(picture.Destination))) // a test sees that it is there
			picture.Destination = append([]byte("data:image/png;base64,"), base64.StdEncoding.EncodeToString(png)...)
		}
		return ast.WalkContinue, nil
	})
}

func destination(name, link string) string {
	target, fragment, _ := strings.Cut(link, "#")
	if target == "" || strings.Contains(target, ":") {
		return link
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	file := path.Join("docs", path.Dir(name), target)
	inside, ours := strings.CutPrefix(file, "docs/")
	if _, err := fs.Stat(pages, inside); !ours || err != nil || path.Ext(file) != ".md" {
		return forge + file + fragment
	}
	if inside == Contents {
		return root(name) + fragment
	}
	return strings.TrimSuffix(root(name), "docs") + file + fragment
}
