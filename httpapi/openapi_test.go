package httpapi_test

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// description is the document that the server serves, stricter in one point:
// what clients must ignore, fields that are not in it, is an error here.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	for _, media := range []string{"text/event-stream", "text/html", "text/markdown"} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.PlainBodyDecoder)
	}
	var document any
	if err := json.Unmarshal(httpapi.OpenAPI(), &document); err != nil {
		return nil, err
	}
	closed(document)
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(data)
})

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
	doc, err := description()
	if err != nil {
		panic(err)
	}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				answer := fmt.Sprintf("%s %s: %s", method, path, status)
				if _, seen := answers.Load(answer); !seen && status < "500" {
					fmt.Println("no test has seen", answer)
					code = max(code, 1)
				}
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
			if !compared(r, seen.status) {
				return
			}
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

// alike counts the answers to an operation with a status.
var alike sync.Map

// compared chooses the answers that are held against their description, for which the library compiles the schemas
// each time: the first sixteen that are alike, and one in ten after that; all with PAKLI_TESTS=thorough.
func compared(r *http.Request, status int) bool {
	kind := fmt.Sprint(r.Method, status)
	if doc, err := description(); err == nil {
		if route, _ := routeOf(doc, r); route != nil {
			kind += route.Path
		}
	}
	count, _ := alike.LoadOrStore(kind, new(atomic.Int64))
	n := count.(*atomic.Int64).Add(1)
	return n <= 16 || n%10 == 0 || thorough.Tests()
}

// described returns how an answer differs from its description.
func described(r *http.Request, status int, header http.Header, body []byte) error {
	doc, err := description()
	if err != nil {
		return err
	}
	route, values := routeOf(doc, r)
	response := doc.Components.Responses[fmt.Sprint(status)]
	if route != nil {
		response = route.Operation.Responses.Value(fmt.Sprint(status))
	}
	if route != nil {
		answers.Store(fmt.Sprintf("%s %s: %d", route.Method, route.Path, status), true)
	}
	if response == nil || route == nil && !slices.Contains([]int{404, 405, 429, 503}, status) {
		return fmt.Errorf("status %d is not described", status)
	}
	silent := r.Method == http.MethodHead || status == http.StatusNotModified
	if silent && len(body) > 0 {
		return fmt.Errorf("%d bytes for nobody", len(body))
	}
	request := &openapi3filter.RequestValidationInput{Request: r, PathParams: values, QueryParams: r.URL.Query(), Route: route}
	if status/100 == 2 {
		request.Options = &openapi3filter.Options{ExcludeRequestBody: true}
		if err := openapi3filter.ValidateRequest(r.Context(), request); err != nil {
			return fmt.Errorf("what was asked for: %w", err)
		}
	}
	// The library looks at no answers to HEAD, and at no 304.
	asked, shown := r.Clone(r.Context()), header.Clone()
	asked.Method = http.MethodGet
	request.Request = asked
	operation := openapi3.NewOperation()
	operation.Responses = openapi3.NewResponses(openapi3.WithStatus(http.StatusOK, response))
	request.Route = &routers.Route{Spec: doc, Operation: operation}
	plain := shown.Get("Content-Encoding") == ""
	return errors.Join(
		openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: request, Status: http.StatusOK, Header: shown, Body: io.NopCloser(bytes.NewReader(body)),
			Options: &openapi3filter.Options{ExcludeResponseBody: silent || !plain},
		}),
		describedEvents(doc, r, shown, body))
}

// describedEvents checks what a stream carries: the type of its events is that
// of the resource beside it.
func describedEvents(doc *openapi3.T, r *http.Request, header http.Header, body []byte) error {
	if header.Get("Content-Type") != "text/event-stream" {
		return nil
	}
	schema := doc.Components.Schemas["Message"]
	if strings.Contains(r.URL.Path, "checkpoint") {
		schema = doc.Components.Schemas["Checkpoint"]
	} else if strings.HasPrefix(r.URL.Path, "/v1/events/") {
		schema = doc.Components.Schemas["EventEntry"]
	}
	usual := schema
	for line := range strings.Lines(string(body)) {
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			schema = doc.Components.Schemas[map[string]string{"table": "EventPlace", "tables": "TableList", "offers": "OfferList"}[strings.TrimSpace(name)]]
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var v any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			return err
		}
		if err := schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020()); err != nil {
			return err
		}
		schema = usual
	}
	return nil
}

// routeOf finds the operation of a request. OpenAPI has no parameters with
// slashes; the last of a tile's is one.
func routeOf(doc *openapi3.T, r *http.Request) (*routers.Route, map[string]string) {
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	paths := slices.Sorted(maps.Keys(doc.Paths.Map()))
	slices.SortStableFunc(paths, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
	for _, path := range paths {
		values, ok := match(path, r.URL.EscapedPath())
		if item := doc.Paths.Value(path); ok && item.GetOperation(method) != nil {
			return &routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)}, values
		}
	}
	return nil, nil
}

func match(template, path string) (values map[string]string, ok bool) {
	values = map[string]string{}
	names := strings.Split(template, "/")
	parts := strings.SplitN(path, "/", len(names))
	if len(parts) != len(names) {
		return nil, false
	}
	for i, name := range names {
		if strings.HasPrefix(name, "{") {
			values[strings.Trim(name, "{}")] = parts[i]
		} else if name != parts[i] {
			return nil, false
		}
		if strings.Contains(parts[i], "/") && name != "{tile}" {
			return nil, false
		}
	}
	return values, true
}

// A document that other people's generators do not take.
func TestDescriptionIsOpenAPI31(t *testing.T) {
	h := newHouse(t, nil)
	doc := testmust.Have(openapi3.NewLoader().LoadFromData(h.get("/v1/openapi.json").body))(t)
	if err := doc.Validate(t.Context()); err != nil || doc.OpenAPI != "3.1.0" {
		t.Errorf("version %s: %v", doc.OpenAPI, err)
	}
	ids := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			testmust.Holdf(t, op.OperationID != "" && op.Summary != "" && !ids[op.OperationID],
				"%s %s: id %q, summary %q", method, path, op.OperationID, op.Summary)
			ids[op.OperationID] = true
		}
	}
}

// A route that nobody is told of, or one that is told of and not there.
func TestEveryRouteIsDescribed(t *testing.T) {
	doc := testmust.Have(description())(t)
	described := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		if strings.HasPrefix(path, "/tile/") {
			path = "/tile/*"
		}
		for method := range item.Operations() {
			described[method+" "+path] = true
			if method == http.MethodGet {
				described["HEAD "+path] = true
			}
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
	var all []string
	for slug, status := range httpapi.Problems() {
		all = append(all, "/problems/"+slug)
		response := doc.Components.Responses[fmt.Sprint(status)]
		if response == nil {
			t.Errorf("%d is not described", status)
			continue
		}
		schema := response.Value.Content["application/problem+json"].Schema.Value
		got := fmt.Sprint(schema.Properties["type"].Value.Enum)
		testmust.Holdf(t, strings.Contains(got, "/problems/"+slug), "%s (%d) is not among %s", slug, status, got)
	}
	var listed []string
	for _, v := range doc.Components.Schemas["Problem"].Value.Properties["type"].Value.Enum {
		listed = append(listed, v.(string))
	}
	slices.Sort(all)
	slices.Sort(listed)
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
	testfile.Same(t, "public.json", append(want, '\n'))
}

// And every state of a deal must be as described.
func TestPublicStatesAreDescribed(t *testing.T) {
	doc := testmust.Have(description())(t)
	for _, game := range games.Catalogue() {
		schema := doc.Components.Schemas["Public-"+strings.ReplaceAll(game.Name(), "/", "-")]
		testmust.Requiref(t, schema != nil, "%s is not described", game.Name())
		var states []any
		played(t, game.Rules, func(s *table.State) {
			var public any
			testmust.Do(t, json.Unmarshal(testmust.Have(s.Public())(t), &public))
			states = append(states, public)
		})
		// Together: a schema is compiled for each call.
		list := openapi3.NewArraySchema()
		list.Items = schema
		testmust.Do(t, list.VisitJSON(states, openapi3.EnableJSONSchema2020()), game.Name(), "of", len(states), "states")
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
