package httpapi_test

import (
	"bytes"
	"html"
	"maps"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
)

// A page that loads something from elsewhere, or leaves out what there is.
func TestDocs(t *testing.T) {
	h := newHouse(t, nil)
	a := h.get("/docs")
	page := string(a.body)
	testmust.Equal(t, regexp.MustCompile(`(?i)<(script|link|img|iframe)|https?://|src=|url\(|@import|no value|%!`).FindString(page), "", "the page")
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	doc := testmust.Have(description())(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for _, want := range []string{"<b>" + method + " " + path + "</b>", html.EscapeString(op.Summary)} {
				if !strings.Contains(page, want) {
					t.Errorf("%q is not on the page", want)
				}
			}
		}
	}
	for status := range doc.Components.Responses {
		if !strings.Contains(page, `<tr id="`+status+`">`) {
			t.Errorf("%s is not on the page", status)
		}
	}
	for name := range doc.Components.Schemas {
		if !strings.Contains(page, `<h3 id="`+name+`">`) {
			t.Errorf("%s is not on the page", name)
		}
	}
	h.unchanged("/docs", "/v1/openapi.json")
}

// A person who opens the address, and a program that does, must each find the way; neither
// must be sent away by a 404.
func TestRoot(t *testing.T) {
	h := newHouse(t, nil)
	for accept, page := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, "text/html": true, "": false, "*/*": false, "application/json": false,
	} {
		a := h.get("/", "Accept", accept)
		if page && (a.status != http.StatusSeeOther || a.header.Get("Location") != "docs") {
			t.Errorf("Accept %q: %d %v", accept, a.status, a.header)
		}
		if page {
			continue
		}
		var root client.Root
		h.decode(a, &root)
		for _, path := range []string{root.Log, root.Tables, root.Checkpoint, root.OpenAPI, root.Docs, root.Specification} {
			h.expect(http.StatusOK, h.get("/"+path))
		}
	}
	h.refusal(client.NotAcceptable, h.get("/", "Accept", "image/png"))
}

// What the description cites must be there for who reads it.
func TestSpecificationIsServed(t *testing.T) {
	h := newHouse(t, nil)
	a := h.get("/docs/spec/70-http.md")
	if want, err := os.ReadFile("../docs/spec/70-http.md"); err != nil || !bytes.Equal(a.body, want) {
		t.Errorf("%d bytes, %v", len(a.body), err)
	}
	h.unchanged("/docs/spec/70-http.md")
	for _, path := range []string{"/docs/spec/99-nothing.md", "/docs/spec/spec.go", "/docs/spec/vectors", "/docs/spec/..", "/docs/spec/"} {
		h.refusal(client.NotFound, h.get(path))
	}
}

// A resource that the specification does not know.
func TestResourcesAreSpecified(t *testing.T) {
	var text []byte
	for _, name := range []string{"../docs/spec/65-log.md", "../docs/spec/70-http.md"} {
		spec := testmust.Have(os.ReadFile(name))(t)
		text = append(text, spec...)
	}
	doc := testmust.Have(description())(t)
	in65 := strings.NewReplacer("{level}", "<L>", "{tile}", "<N>[.p/<W>]", "{hash}", "{sha256}")
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			row := regexp.MustCompile(`(?m)^\|.*\x60(` + method + ` )?` + regexp.QuoteMeta(in65.Replace(path)) + `[?\x60]`)
			if !row.Match(text) {
				t.Errorf("%s %s is in no table", method, path)
			}
		}
	}
}

// A refusal that the specification does not know, or one that it promises and
// nobody gives.
func TestProblemsAreSpecified(t *testing.T) {
	spec := testmust.Have(os.ReadFile("../docs/spec/70-http.md"))(t)
	specified := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `/problems/([a-z-]+)` \\| (\\d+) \\|").FindAllStringSubmatch(string(spec), -1) {
		specified[row[1]], _ = strconv.Atoi(row[2])
	}
	if !maps.Equal(specified, httpapi.Problems()) {
		t.Errorf("specified are %v, given are %v", specified, httpapi.Problems())
	}
}
