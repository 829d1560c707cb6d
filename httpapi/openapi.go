package httpapi

import (
	"bytes"
	_ "embed"
	"net/http"
)

// written describes the whole surface, in OpenAPI 3.1. It is written first, and every
// answer in the tests of this package is held against it. What the games' public states
// look like is generated from their types.
//
//go:embed openapi.json
var written []byte

//go:embed public.json
var publicStates []byte

// openAPI is the two together: the states are further schemas.
var openAPI = bytes.Replace(written, []byte("\"schemas\": {"), append([]byte("\"schemas\": {"), members(publicStates)...), 1)

// members are those of a JSON object, to be put before others.
func members(object []byte) []byte {
	inner := bytes.TrimSpace(object)
	return append(bytes.TrimRight(inner[1:len(inner)-1], "\n"), ',')
}

var openAPITag = tagOf(openAPI)

// getOpenAPI serves the description for programs.
func (s *Server) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, openAPI, openAPITag)
}
