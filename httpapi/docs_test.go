package httpapi_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// A page that loads something from elsewhere, or leaves out what there is.
func TestDocs(t *testing.T) {
	h := newHouse(t, nil)
	a := h.get("/docs")
	page := string(a.body)
	if bad := regexp.MustCompile(`(?i)<(script|link|img|iframe)|https?://|src=|url\(|@import|no value|%!`).FindString(page); bad != "" {
		t.Errorf("the page has %q", bad)
	}
	if policy := a.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q", policy)
	}
	doc, err := description()
	if err != nil {
		t.Fatal(err)
	}
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
	for _, path := range []string{"/docs", "/v1/openapi.json"} {
		if same := h.get(path, "If-None-Match", h.get(path).header.Get("ETag")); same.status != http.StatusNotModified {
			t.Errorf("%s asked again: %d", path, same.status)
		}
	}
}
