package docs_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/docs"
	"github.com/pakli/pakli/internal/testmust"
)

// allPages maps the address of each page, below that of a server, to its HTML.
func allPages(t *testing.T) map[string]string {
	pages := map[string]string{}
	for _, name := range docs.Names() {
		address := "docs/" + name
		if name == docs.Contents {
			address = "docs"
		}
		pages[address] = string(testmust.Have(docs.Page(name))(t, name))
	}
	return pages
}

var link = regexp.MustCompile(`<a href="([^"]*)"`)

// A page that no reader finds; a link that leads nowhere, or to a file of the repository that is gone.
func TestLinks(t *testing.T) {
	pages := allPages(t)
	linked := map[string]bool{"docs/design/rooms.md": true} // by the map alone
	for address, page := range pages {
		for _, l := range link.FindAllStringSubmatch(page, -1) {
			if file, ours := strings.CutPrefix(l[1], "https://github.com/pakli/pakli/blob/main/"); ours {
				file, _, _ = strings.Cut(file, "#")
				_, err := os.Stat(path.Join("..", file))
				testmust.Hold(t, err == nil, address, "leads to", l[1])
				continue
			}
			target, fragment, _ := strings.Cut(l[1], "#")
			to := path.Join(path.Dir(address), target)
			switch {
			case strings.Contains(target, ":") || to == "docs/api":
				continue
			case target == "":
				to = address
			}
			other, ok := pages[to]
			testmust.Hold(t, ok, address, "leads to", l[1], "which is", to)
			testmust.Hold(t, fragment == "" || strings.Contains(other, `id="`+fragment+`"`), address, "leads to", l[1], "of which the page is there, and not the place")
			if address == "docs" {
				linked[to] = true
			}
		}
	}
	for address := range pages {
		testmust.Hold(t, address == "docs" || linked[address], address, "is not in the contents")
	}
}

// A page that runs or loads something, by what its author or a stranger wrote.
func TestNothingRuns(t *testing.T) {
	pages := allPages(t)
	for _, query := range []string{`<script>alert(1)</script>`, `"><img src=x>`, "follow suit", "\xc3"} {
		pages[query] = string(testmust.Have(docs.Search(query))(t, query))
	}
	for address, page := range pages {
		page = regexp.MustCompile(`<img src="data:image/png;base64,iVBOR[A-Za-z0-9+/=]+" alt="[^"<>]+">`).ReplaceAllString(page, "")
		testmust.Equal(t, regexp.MustCompile(`(?i)<(script|link|img|iframe)|javascript:|url\(|@import`).FindString(page), "", address)
	}
}

// A search that misses what is there, or puts what only mentions it first.
func TestFind(t *testing.T) {
	testmust.Equal(t, testmust.Have(docs.Find("When  SOMEBODY leaves"))(t)[0].Page, "guide/tournament.md", "the first page about those who leave")
	for _, s := range testmust.Have(docs.Find("backup restore"))(t) {
		testmust.Hold(t, strings.Contains(strings.ToLower(s.Excerpt), "backup"), s, "does not show what was found")
	}
	testmust.Hold(t, len(testmust.Have(docs.Find("the"))(t)) == 40, "a word of every section is not cut off")
	testmust.Hold(t, testmust.Have(docs.Find("nowhere-to-be-found"))(t) == nil && testmust.Have(docs.Find(" "))(t) == nil, "nothing was found and is shown")
	page := string(testmust.Have(docs.Search("nowhere-to-be-found"))(t))
	testmust.Hold(t, strings.Contains(page, "No page has all of these words"), "the reader is left alone with an empty page")
}
