package httpapi

import (
	"io/fs"
	"net/http"

	"github.com/pakli/pakli/docs/spec"
	"github.com/pakli/pakli/httpapi/client"
)

// getRoot leads people to the pages, or to the description in words, and programs to JSON.
func (s *Server) getRoot(w http.ResponseWriter, r *http.Request) error {
	media, err := negotiate(w, r, mediaJSON, mediaHTML)
	if err != nil {
		return err
	}
	if media == mediaHTML && s.pages != nil {
		return s.getPage(w, r)
	}
	if media == mediaHTML {
		w.Header().Set("Location", "docs") // relative: the server may have a prefix
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	return s.show(w, r, func() (any, error) {
		return client.Root{Log: "v1/log", Tables: "v1/tables", Checkpoint: "checkpoint", OpenAPI: "v1/openapi.json", Docs: "docs", Specification: "docs/spec/70-http.md"}, nil
	})
}

// getSpec serves a document of the specification.
func (s *Server) getSpec(w http.ResponseWriter, r *http.Request) error {
	page, err := fs.ReadFile(spec.Pages, r.PathValue("page"))
	if err != nil {
		return problem(client.NotFound, "the specification has no document of this name")
	}
	w.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, page, tagOf(page))
}
