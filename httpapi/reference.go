package httpapi

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/pakli/pakli/httpapi/client"
)

// The page for people is made from the description, so that it says the same.
//
//go:embed reference.html
var referencePage string

// apiDescription is what the page shows of an OpenAPI document.
type apiDescription struct {
	Info       struct{ Title, Summary, Description string }
	Tags       []struct{ Name, Description string }
	Paths      map[string]map[string]operation
	Components struct {
		Schemas    map[string]schema
		Parameters map[string]parameter
		Responses  map[string]response
	}
}

type operation struct {
	Tags                 []string
	OperationID          string
	Summary, Description string
	Parameters           []parameter
	Responses            map[string]response
	Path, Method         string `json:"-"`
	RequestBody          struct{ Description string }
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name, In    string
	Description string
	Required    bool
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Content     map[string]struct{ Schema schema }
}

type schema struct {
	Ref         string `json:"$ref"`
	Type        any    // one, or a list
	Description string
	Enum        []any
	Items       *schema
	Properties  map[string]schema
	Required    []string
}

// Operations lists the operations with a tag, by path.
func (d apiDescription) Operations(tag string) []operation {
	var list []operation
	for _, p := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[p])) {
			o := d.Paths[p][method]
			if o.Path, o.Method = p, strings.ToUpper(method); slices.Contains(o.Tags, tag) {
				list = append(list, o)
			}
		}
	}
	return list
}

// Parameter follows a reference.
func (d apiDescription) Parameter(p parameter) parameter {
	if p.Ref != "" {
		return d.Components.Parameters[path.Base(p.Ref)]
	}
	return p
}

// Kind says what a schema allows, in a word or two.
func (s schema) Kind() string {
	switch {
	case s.Ref != "":
		return path.Base(s.Ref)
	case s.Items != nil:
		return "list of " + s.Items.Kind()
	case len(s.Enum) > 0:
		return strings.Trim(fmt.Sprint(s.Enum), "[]")
	case s.Type == nil:
		return "any"
	}
	return strings.Trim(fmt.Sprint(s.Type), "[]")
}

var renderedReference = sync.OnceValues(func() ([]byte, error) {
	var d apiDescription
	if err := json.Unmarshal(openAPI(), &d); err != nil {
		return nil, err
	}
	page, err := template.New("reference").Parse(referencePage)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, d)
	return b.Bytes(), err
})

// getReference serves the description for people.
func (s *pageAPI) getReference(w http.ResponseWriter, r *http.Request) error {
	page, err := renderedReference()
	if err != nil {
		return err
	}
	return s.serveDocument(w, r, page)
}

// written describes the whole surface, in OpenAPI 3.1. It is written first, and every
// answer in the tests of this package is held against it. What the games' public states
// look like is generated from their types.
//
//go:embed openapi.json
var written []byte

//go:embed public.json
var publicStates []byte

// openAPI is the two together: the states are further schemas.
var openAPI = sync.OnceValue(func() []byte {
	return bytes.Replace(written, []byte("\"schemas\": {"), append([]byte("\"schemas\": {"), memberPrefix(publicStates)...), 1)
})

// memberPrefix are those of a JSON object, to be put before others.
func memberPrefix(object []byte) []byte {
	inner := bytes.TrimSpace(object)
	return append(bytes.TrimRight(inner[1:len(inner)-1], "\n"), ',')
}

var openAPITag = sync.OnceValue(func() string { return tagOf(openAPI()) })

// getOpenAPI serves the description for programs.
func (s *pageAPI) getOpenAPI(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", mediaJSON)
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serveTagged(w, r, openAPI(), openAPITag())
}

// getRoot leads people to the pages, or to the description in words, and programs to JSON.
func (s *pageAPI) getRoot(w http.ResponseWriter, r *http.Request) error {
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
	return s.showDocument(w, r, func() (any, error) {
		return client.Root{Log: "v1/log", Tables: "v1/tables", Checkpoint: "checkpoint", OpenAPI: "v1/openapi.json", Docs: "docs", Specification: "docs/spec/70-http.md"}, nil
	})
}
