package httpapi_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var update = flag.Bool("update", false, "write public.json anew")

//go:generate go test -run TestPublicSchemas -update .

// The description of a game's public state must be that of the state: a client that was
// generated from another one fails in the middle of a deal.
func TestPublicSchemas(t *testing.T) {
	all, one := map[string]any{}, []any{}
	for _, game := range games.All() {
		public, ok := table.Public[any](played(t, game, nil))
		if !ok {
			t.Fatalf("%s has no public state", game.Name())
		}
		schema := schemaOf(reflect.TypeOf(public))
		schema["title"] = game.Name()
		name := "Public-" + strings.ReplaceAll(game.Name(), "/", "-")
		all[name], one = schema, append(one, map[string]string{"$ref": "#/components/schemas/" + name})
	}
	all["Public"] = map[string]any{"anyOf": one, "description": "Public state of the game, how it stands (docs/spec/60-games.md)."}
	want := testmust.Have(json.MarshalIndent(all, "", "\t"))(t)
	want = append(want, '\n')
	if *update {
		testmust.Do(t, os.WriteFile("public.json", want, 0o644))
	}
	if have, err := os.ReadFile("public.json"); err != nil || !bytes.Equal(have, want) {
		t.Errorf("public.json is not of these games (go generate ./httpapi): %v", err)
	}
}

// And every state of a deal must be as described.
func TestPublicStatesAreDescribed(t *testing.T) {
	doc := testmust.Have(description())(t)
	for _, game := range games.All() {
		schema := doc.Components.Schemas["Public-"+strings.ReplaceAll(game.Name(), "/", "-")]
		if schema == nil {
			t.Fatalf("%s is not described", game.Name())
		}
		var states []any
		played(t, game, func(s *table.State) {
			var public any
			testmust.Do(t, json.Unmarshal(testmust.Have(s.Public())(t), &public))
			states = append(states, public)
		})
		// Together: a schema is compiled for each call.
		list := openapi3.NewArraySchema()
		list.Items = schema
		if err := list.VisitJSON(states, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s, of %d states: %v", game.Name(), len(states), err)
		}
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
