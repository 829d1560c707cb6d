package httpapi

import (
	_ "embed"
	"net/http"
)

// openAPI describes the whole surface, in OpenAPI 3.1. It is written first, and
// every answer in the tests of this package is held against it.
//
//go:embed openapi.json
var openAPI []byte

var openAPITag = tagOf(openAPI)

// getOpenAPI serves the description for programs.
func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, openAPI, openAPITag)
}
