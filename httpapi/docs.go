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
)

// The page for people is made from the description, so that it says the same.
//
//go:embed docs.html
var docsPage string

// described is what the page shows of an OpenAPI document.
type described struct {
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
func (d described) Operations(tag string) []operation {
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
func (d described) Parameter(p parameter) parameter {
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

var renderedDocs = sync.OnceValues(func() ([]byte, error) {
	var d described
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, err
	}
	page, err := template.New("docs").Parse(docsPage)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = page.Execute(&b, d)
	return b.Bytes(), err
})

// getDocs serves the description for people.
func (s *Server) getDocs(w http.ResponseWriter, r *http.Request) error {
	page, err := renderedDocs()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaHTML)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-cache")
	return s.reads.serve(w, r, page, tagOf(page))
}
