package httpapi_test

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// apiDocument is what the description uses of OpenAPI 3.1, references to anything but schemas followed.
type apiDocument struct {
	OpenAPI string
	Info    struct {
		Title, Version, Summary, Description string
		License                              struct{ Name, Identifier string }
	}
	ExternalDocs  struct{ URL, Description string }
	Servers, Tags []struct{ URL, Name, Description string }
	Security      []any
	Paths         map[string]map[string]*apiOperation
	Components    struct {
		Schemas             map[string]json.RawMessage
		Parameters, Headers map[string]apiParameter
		Responses           map[string]*apiResponse
	}

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema // by their text: most stand in many places
}

type apiOperation struct {
	OperationID, Summary, Description string
	Tags                              []string
	Parameters                        []apiParameter
	RequestBody                       *struct {
		Description string
		Required    bool
		Content     map[string]apiMedia
	}
	Responses map[string]*apiResponse
}

type apiResponse struct {
	Description string
	Headers     map[string]apiParameter
	Content     map[string]apiMedia
}

// apiParameter is also a header, whose name is where it stands.
type apiParameter struct {
	Name, In, Description string
	Required              bool
	Schema                json.RawMessage
}

type apiMedia struct{ Schema json.RawMessage }

// description is the document that the server serves, stricter in one point:
// what clients must ignore, fields that are not in it, is an error here.
var description = sync.OnceValues(func() (*apiDocument, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(httpapi.OpenAPI()))
	if err != nil {
		return nil, err
	}
	closed(document)
	document = followed(document.(map[string]any), document)
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	d := &apiDocument{compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	return d, errors.Join(strict.Decode(d), d.compiler.AddResource("api.json", document))
})

// followed puts what references name in their places, but for schemas, which may contain themselves.
func followed(root map[string]any, v any) any {
	switch v := v.(type) {
	case map[string]any:
		name, _ := v["$ref"].(string)
		if parts := strings.Split(name, "/"); len(parts) == 4 && parts[2] != "schemas" {
			return followed(root, root[parts[1]].(map[string]any)[parts[2]].(map[string]any)[parts[3]])
		}
		for key, inner := range v {
			v[key] = followed(root, inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = followed(root, inner)
		}
	}
	return v
}

// operations are all, by method and path.
func (d *apiDocument) operations() map[string]*apiOperation {
	all := map[string]*apiOperation{}
	for path, item := range d.Paths {
		for method, op := range item {
			all[strings.ToUpper(method)+" "+path] = op
		}
	}
	return all
}

// compile returns the schema that stands at the end of a way through the document.
func (d *apiDocument) compile(text json.RawMessage, way ...string) (*jsonschema.Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if schema := d.compiled[string(text)]; schema != nil {
		return schema, nil
	}
	var pointer strings.Builder
	for _, part := range way {
		pointer.WriteString("/" + url.PathEscape(strings.NewReplacer("~", "~0", "/", "~1").Replace(part)))
	}
	schema, err := d.compiler.Compile("api.json#" + pointer.String())
	d.compiled[string(text)] = schema
	return schema, err
}

// check holds a value against a schema.
func (d *apiDocument) check(v any, text json.RawMessage, way ...string) error {
	schema, err := d.compile(text, way...)
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

func (d *apiDocument) checkNamed(v any, name string) error {
	return d.check(v, d.Components.Schemas[name], "components", "schemas", name)
}

// checkText holds a parameter or a header against its schema: a text, or the number that it writes.
func (d *apiDocument) checkText(p apiParameter, text []string, way ...string) error {
	if len(text) == 0 {
		if p.Required {
			return fmt.Errorf("%v is missing", way)
		}
		return nil
	}
	err := d.check(text[0], p.Schema, way...)
	if number, no := jsonschema.UnmarshalJSON(strings.NewReader(text[0])); err != nil && no == nil {
		err = d.check(number, p.Schema, way...)
	}
	return err
}

// closed forbids fields of objects that are not described.
func closed(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, open := v["additionalProperties"]; v["type"] == "object" && v["properties"] != nil && !open {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			closed(inner)
		}
	case []any:
		for _, inner := range v {
			closed(inner)
		}
	}
}

// answers are what tests have seen: operation and status.
var answers sync.Map

// TestMain runs the tests and, if it were all of them, says what is described
// and was never seen: the description of an answer that nobody has had is a
// guess.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	for _, name := range []string{"run", "skip", "fuzz", "bench", "list"} {
		if flag.Lookup("test."+name).Value.String() != "" {
			os.Exit(code)
		}
	}
	doc := testmust.Need(description())
	for route, op := range doc.operations() {
		for status := range op.Responses {
			answer := route + ": " + status
			if _, seen := answers.Load(answer); !seen && status < "500" {
				fmt.Println("no test has seen", answer)
				code = max(code, 1)
			}
		}
	}
	os.Exit(code)
}

// newServer returns a server whose answers are held against their
// description. Tests have no other: see TestEveryServerIsWatched.
func newServer(t testing.TB, o httpapi.Options) *httpapi.Server {
	t.Helper()
	s := httpapi.New(o)
	s.Watch(func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen := &witness{ResponseWriter: w}
			inner.ServeHTTP(seen, r)
			if err := described(r, seen.status, w.Header(), seen.body.Bytes()); err != nil {
				t.Errorf("%s %s is answered otherwise than described: %v\n%d %v\n%.300q", r.Method, r.URL, err, seen.status, w.Header(), seen.body.Bytes())
			}
		})
	})
	return s
}

// witness keeps a copy of an answer.
type witness struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *witness) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *witness) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}

func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// described returns how an answer differs from its description.
func described(r *http.Request, status int, header http.Header, body []byte) error {
	doc, err := description()
	if err != nil {
		return err
	}
	code := fmt.Sprint(status)
	response, way := doc.Components.Responses[code], []string{"components", "responses", code}
	path, method, values := routeOf(doc, r)
	operation := doc.Paths[path][method]
	if operation != nil {
		response, way = operation.Responses[code], []string{"paths", path, method, "responses", code}
		answers.Store(fmt.Sprintf("%s %s: %d", strings.ToUpper(method), path, status), true)
	}
	if response == nil || operation == nil && !slices.Contains([]int{404, 405, 429, 503}, status) {
		return fmt.Errorf("status %d is not described", status)
	}
	silent := r.Method == http.MethodHead || status == http.StatusNotModified
	if silent && len(body) > 0 {
		return fmt.Errorf("%d bytes for nobody", len(body))
	}
	var errs []error
	for i := 0; status/100 == 2 && i < len(operation.Parameters); i++ {
		p := operation.Parameters[i]
		text := map[string][]string{"query": r.URL.Query()[p.Name], "header": r.Header.Values(p.Name), "path": values[p.Name]}[p.In]
		errs = append(errs, doc.checkText(p, text, "paths", path, method, "parameters", fmt.Sprint(i), "schema"))
	}
	for name, h := range response.Headers {
		errs = append(errs, doc.checkText(h, header.Values(name), slices.Concat(way, []string{"headers", name, "schema"})...))
	}
	media, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	if content, is := response.Content[media]; !is && len(response.Content) > 0 {
		errs = append(errs, fmt.Errorf("%q is not described", media))
	} else if is && !silent && header.Get("Content-Encoding") == "" {
		var v any = string(body)
		if strings.HasSuffix(media, "json") {
			if v, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
				return err
			}
		}
		errs = append(errs, doc.check(v, content.Schema, slices.Concat(way, []string{"content", media, "schema"})...))
	}
	return errors.Join(append(errs, describedEvents(doc, r, media, body))...)
}

// describedEvents checks what a stream carries: the type of its events is that
// of the resource beside it.
func describedEvents(doc *apiDocument, r *http.Request, media string, body []byte) error {
	if media != "text/event-stream" {
		return nil
	}
	usual := "Message"
	if strings.Contains(r.URL.Path, "checkpoint") {
		usual = "Checkpoint"
	} else if strings.HasPrefix(r.URL.Path, "/v1/events/") {
		usual = "EventEntry"
	}
	schema := usual
	for line := range strings.Lines(string(body)) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			schema = map[string]string{"table": "EventPlace", "tables": "TableList", "offers": "OfferList"}[strings.TrimSpace(name)]
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
		if err != nil {
			return err
		}
		if err := doc.checkNamed(v, schema); err != nil {
			return err
		}
		schema = usual
	}
	return nil
}

// routeOf finds the operation of a request. OpenAPI has no parameters with
// slashes; the last of a tile's is one.
func routeOf(doc *apiDocument, r *http.Request) (path, method string, values url.Values) {
	method = strings.ToLower(r.Method)
	if r.Method == http.MethodHead {
		method = "get"
	}
	paths := slices.Sorted(maps.Keys(doc.Paths))
	slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
	for _, path := range paths {
		values, ok := match(path, r.URL.EscapedPath())
		if ok && doc.Paths[path][method] != nil {
			return path, method, values
		}
	}
	return "", "", nil
}

func match(template, path string) (values url.Values, ok bool) {
	values = url.Values{}
	names := strings.Split(template, "/")
	parts := strings.SplitN(path, "/", len(names))
	if len(parts) != len(names) {
		return nil, false
	}
	for i, name := range names {
		if strings.HasPrefix(name, "{") {
			values.Set(strings.Trim(name, "{}"), parts[i])
		} else if name != parts[i] {
			return nil, false
		}
		if strings.Contains(parts[i], "/") && name != "{tile}" {
			return nil, false
		}
	}
	return values, true
}

// A document that other people's generators do not take: with a field that OpenAPI does not have there, without one that it wants,
// or with a schema that is none.
func TestDescriptionIsOpenAPI31(t *testing.T) {
	doc := testmust.Have(description())(t)
	testmust.Equal(t, doc.OpenAPI, "3.1.0", "version")
	ids := map[string]bool{}
	for route, op := range doc.operations() {
		testmust.Holdf(t, op.OperationID != "" && op.Summary != "" && !ids[op.OperationID], "%s: id %q, summary %q", route, op.OperationID, op.Summary)
		ids[op.OperationID] = true
		method, path, _ := strings.Cut(route, " ")
		way := []string{"paths", path, strings.ToLower(method)}
		compiled := func(schema json.RawMessage, further ...string) {
			testmust.Have(doc.compile(schema, slices.Concat(way, further, []string{"schema"})...))(t, route, further)
		}
		var inPath []string
		for i, p := range op.Parameters {
			compiled(p.Schema, "parameters", fmt.Sprint(i))
			testmust.Holdf(t, slices.Contains([]string{"path", "query", "header"}, p.In) && p.Name != "" && (p.In != "path" || p.Required), "%s: %+v", route, p)
			if p.In == "path" {
				inPath = append(inPath, "{"+p.Name+"}")
			}
		}
		slices.Sort(inPath)
		want := slices.Sorted(slices.Values(regexp.MustCompile(`{\w+}`).FindAllString(path, -1)))
		testmust.Hold(t, slices.Equal(inPath, want), route, "has in its path", inPath)
		if op.RequestBody != nil {
			for media, content := range op.RequestBody.Content {
				compiled(content.Schema, "requestBody", "content", media)
			}
		}
		for status, response := range op.Responses {
			testmust.Hold(t, response.Description != "", route, status, "has no description")
			for name, header := range response.Headers {
				compiled(header.Schema, "responses", status, "headers", name)
			}
			for media, content := range response.Content {
				compiled(content.Schema, "responses", status, "content", media)
			}
		}
	}
	for name, schema := range doc.Components.Schemas {
		testmust.Have(doc.compile(schema, "components", "schemas", name))(t, name)
	}
	h := newHouse(t, nil)
	testmust.Hold(t, bytes.Equal(h.get("/v1/openapi.json").body, httpapi.OpenAPI()), "another one is served")
}

// A route that nobody is told of, or one that is told of and not there.
func TestEveryRouteIsDescribed(t *testing.T) {
	doc := testmust.Have(description())(t)
	described := map[string]bool{}
	for route := range doc.operations() {
		method, path, _ := strings.Cut(route, " ")
		if strings.HasPrefix(path, "/tile/") {
			path = "/tile/*"
		}
		described[method+" "+path] = true
		if method == http.MethodGet {
			described["HEAD "+path] = true
		}
	}
	served := map[string]bool{}
	for _, route := range newHouse(t, nil).server.Routes() {
		served[route] = true
	}
	if !maps.Equal(served, described) {
		t.Errorf("served are\n%v, described are\n%v", slices.Sorted(maps.Keys(served)), slices.Sorted(maps.Keys(described)))
	}
}

// A type of problem that programs do not learn of, or with another status.
func TestEveryProblemIsDescribed(t *testing.T) {
	doc := testmust.Have(description())(t)
	types := func(schema json.RawMessage) []string {
		var problem struct {
			Properties struct{ Type struct{ Enum []string } }
		}
		testmust.Do(t, json.Unmarshal(schema, &problem))
		return slices.Sorted(slices.Values(problem.Properties.Type.Enum))
	}
	var all []string
	for slug, status := range httpapi.Problems() {
		all = append(all, "/problems/"+slug)
		response := doc.Components.Responses[fmt.Sprint(status)]
		if response == nil {
			t.Errorf("%d is not described", status)
			continue
		}
		got := types(response.Content["application/problem+json"].Schema)
		testmust.Holdf(t, slices.Contains(got, "/problems/"+slug), "%s (%d) is not among %s", slug, status, got)
	}
	slices.Sort(all)
	listed := types(doc.Components.Schemas["Problem"])
	testmust.Hold(t, slices.Equal(all, listed), "given are", all, "described are", listed)
}

// A check that lets everything pass.
func TestWatcherSees(t *testing.T) {
	id := strings.Repeat("0", 64)
	good := `{"type":"/problems/unknown-table","title":"x","status":404,"request":"r"}`
	for name, c := range map[string]struct {
		method, path string
		status       int
		media, body  string
		ok           bool
	}{
		"a problem":             {"GET", "/v1/tables/" + id, 404, "application/problem+json", good, true},
		"of another status":     {"GET", "/v1/tables/" + id, 404, "application/problem+json", strings.Replace(good, "404", "400", 1), false},
		"of another type":       {"GET", "/v1/tables/" + id, 404, "application/problem+json", strings.Replace(good, "unknown-table", "busy", 1), false},
		"with a field":          {"GET", "/v1/tables/" + id, 404, "application/problem+json", strings.Replace(good, "{", `{"x":1,`, 1), false},
		"without a field":       {"GET", "/v1/tables/" + id, 404, "application/problem+json", strings.Replace(good, `"title":"x",`, "", 1), false},
		"in JSON":               {"GET", "/v1/tables/" + id, 404, "application/json", good, false},
		"not for this":          {"GET", "/v1/log", 404, "application/problem+json", good, false},
		"teapot":                {"GET", "/v1/log", 418, "application/json", "{}", false},
		"at no path":            {"GET", "/v2", 200, "application/json", "{}", false},
		"at a tile's path":      {"GET", "/tile/0/x001/000", 200, "text/plain", "", false},
		"HEAD with a body":      {"HEAD", "/livez", 200, "text/plain; charset=utf-8", "alive", false},
		"HEAD of another media": {"HEAD", "/v1/tables/" + id, 418, "application/json", "", false},
		"a parameter":           {"GET", "/v1/tables?limit=0", 200, "application/json", `{"tables":[]}`, false},
		"a list":                {"GET", "/v1/tables?limit=1", 200, "application/json", `{"tables":[]}`, true},
		"a wrong list":          {"GET", "/v1/tables?limit=1", 200, "application/json", `{"tables":[{"id":"x"}]}`, false},
		"an event":              {"GET", "/v1/checkpoint/events", 200, "text/event-stream", "data: {}\n\n", false},
	} {
		header := http.Header{"Content-Type": {c.media}, "X-Request-Id": {"r"}, "Etag": {`"00000000000000000000000000000000"`}}
		err := described(httptest.NewRequest(c.method, c.path, nil), c.status, header, []byte(c.body))
		testmust.Holdf(t, (err == nil) == c.ok, "%s: %v", name, err)
	}
	header := http.Header{"Content-Type": {"application/problem+json"}}
	testmust.Fail(t, described(httptest.NewRequest("GET", "/v1/tables/"+id, nil), 404, header, []byte(good)), "an answer without a name")
}

// A test whose server nobody watches.
func TestEveryServerIsWatched(t *testing.T) {
	files := testmust.Have(filepath.Glob("*_test.go"))(t)
	made := 0
	for _, name := range files {
		source := testmust.Have(os.ReadFile(name))(t)
		made += strings.Count(string(source), "httpapi."+"New(")
	}
	testmust.Equal(t, made, 1, "places at which tests make servers")
}

//go:generate go test -run TestPublicSchemas -update .

// The description of a game's public state must be that of the state: a client that was
// generated from another one fails in the middle of a deal.
func TestPublicSchemas(t *testing.T) {
	all, one := map[string]any{}, []any{}
	for _, game := range games.Catalogue() {
		public, ok := table.Public[any](played(t, game.Rules, nil))
		testmust.Requiref(t, ok, "%s has no public state", game.Name())
		schema := schemaOf(reflect.TypeOf(public))
		schema["title"] = game.Name()
		name := "Public-" + strings.ReplaceAll(game.Name(), "/", "-")
		all[name], one = schema, append(one, map[string]string{"$ref": "#/components/schemas/" + name})
	}
	all["Public"] = map[string]any{"anyOf": one, "description": "Public state of the game, how it stands (docs/spec/60-games.md)."}
	want := testmust.Have(json.MarshalIndent(all, "", "\t"))(t)
	testmust.Same(t, "public.json", append(want, '\n'))
}

// And every state of a deal must be as described.
func TestPublicStatesAreDescribed(t *testing.T) {
	doc := testmust.Have(description())(t)
	for _, game := range games.Catalogue() {
		played(t, game.Rules, func(s *table.State) {
			public := testmust.Have(jsonschema.UnmarshalJSON(bytes.NewReader(testmust.Have(s.Public())(t))))(t)
			testmust.Do(t, doc.checkNamed(public, "Public-"+strings.ReplaceAll(game.Name(), "/", "-")), game.Name())
		})
	}
}

// played plays a game to its end.
func played(t *testing.T, game table.Game, each func(*table.State)) *table.State {
	t.Helper()
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 4, Deals: 2}, 1))(t)
	for len(p.State.Duties()) > 0 && each != nil {
		each(p.State)
		next(t, p)
	}
	return p.State
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// schemaOf is the JSON Schema of what encoding/json makes of a type.
func schemaOf(t reflect.Type) map[string]any {
	if t.Implements(textMarshaler) && t.Kind() != reflect.Pointer { // one that is nil is null
		return map[string]any{"type": "string"}
	}
	if t.Implements(marshaler) {
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{schemaOf(t.Elem()), map[string]any{"type": "null"}}}
	case reflect.Slice:
		return map[string]any{"type": []string{"array", "null"}, "items": schemaOf(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": []string{"object", "null"}, "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	}
	return map[string]any{"type": "integer"}
}

func structSchema(t reflect.Type) map[string]any {
	fields, required := map[string]any{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if fields[name] = schemaOf(f.Type); !strings.Contains(rest, "omit") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": fields, "required": required}
}
