package httpapi

import (
	"net/http"
	"path"
	"strings"

	"github.com/pakli/pakli/docs"
	"github.com/pakli/pakli/httpapi/client"
)

// getContents serves the contents of the documentation, or what a search in it finds.
func (s *pageAPI) getContents(w http.ResponseWriter, r *http.Request) error {
	words := strings.TrimSpace(r.URL.Query().Get("q"))
	if len(words) > maxSearch {
		return problem(client.MalformedRequest, "search for at most %d bytes, and not for %d", maxSearch, len(words))
	}
	page, err := docs.Page(docs.Contents)
	if words != "" {
		page, err = docs.Search(words)
	}
	if err != nil {
		return err
	}
	return s.serveDocument(w, r, page)
}

const maxSearch = 200 // bytes

// getDocument serves a page of the documentation: to a browser as a page, to a program as it was written.
func (s *pageAPI) getDocument(w http.ResponseWriter, r *http.Request) error {
	name := path.Join(r.PathValue("folder"), r.PathValue("page"))
	source, err := docs.Source(name)
	if err != nil || name == docs.Contents {
		return problem(client.NotFound, "the documentation has no page of this name; /docs lists them")
	}
	media, err := negotiate(w, r, mediaMarkdown, mediaHTML)
	if err != nil {
		return err
	}
	if media == mediaHTML {
		page, err := docs.Page(name)
		if err != nil {
			return err
		}
		return s.serveDocument(w, r, page)
	}
	w.Header().Set("Content-Type", mediaMarkdown)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, source, tagOf(source))
}

// serveDocument serves a page that has no scripts and loads nothing.
func (s *pageAPI) serveDocument(w http.ResponseWriter, r *http.Request, page []byte) error {
	w.Header().Set("Content-Type", mediaHTML)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, page, tagOf(page))
}
