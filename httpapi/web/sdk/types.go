package sdk

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// sources are the Go files whose exported types the module returns in JSON.
var sources = []string{"cmd/pakli-web/desk/view.go", "cmd/pakli-web/desk/history.go", "cmd/pakli-web/desk/seats.go", "cmd/pakli-web/judge/judge.go"}

// others are the types of other packages, and unexported ones of this package.
var others = map[string]string{
	"string": "string", "bool": "boolean", "int": "number",
	"wire.Hash": "string", "verifier.Verdict": "string", "scene.Pick": "string", "table.Card": "number",
}

// renamed are types whose names mean something larger in the interface.
var renamed = map[string]string{"Replay": "ReplayInfo"}

// Types returns index.d.ts: the handwritten interface followed by Go's types.
func Types(root string) ([]byte, error) {
	head, err := os.ReadFile(filepath.Join(root, folder, "api.d.ts"))
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(head)
	for _, name := range sources {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			if err := declareType(b, d); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return b.Bytes(), nil
}

// declareType writes the exported struct of a declaration, if it has a JSON form.
func declareType(b *bytes.Buffer, d ast.Decl) error {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.TYPE || len(g.Specs) != 1 {
		return nil
	}
	spec := g.Specs[0].(*ast.TypeSpec)
	s, ok := spec.Type.(*ast.StructType)
	if !ok || !spec.Name.IsExported() {
		return nil
	}
	fmt.Fprintf(b, "\n/** %s */\nexport interface %s {\n", commentText(g.Doc), typeName(spec.Name.Name))
	for _, f := range s.Fields.List {
		if err := declareField(b, f); err != nil {
			return fmt.Errorf("%s: %w", spec.Name, err)
		}
	}
	b.WriteString("}\n")
	return nil
}

func declareField(b *bytes.Buffer, f *ast.Field) error {
	if len(f.Names) == 1 && !f.Names[0].IsExported() {
		return nil // not in JSON
	}
	if f.Tag == nil || len(f.Names) != 1 {
		return fmt.Errorf("a field has no name of its own in JSON")
	}
	tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
	name, options, _ := strings.Cut(tag, ",")
	if options == "omitempty" {
		name += "?"
	}
	typ, err := typeOf(f.Type)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if f.Comment != nil {
		fmt.Fprintf(b, "  /** %s */\n", commentText(f.Comment))
	}
	fmt.Fprintf(b, "  %s: %s;\n", name, typ)
	return nil
}

func commentText(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.TrimSpace(c.Text()), "\n", "\n * ")
}

func typeName(name string) string {
	if n, ok := renamed[name]; ok {
		return n
	}
	return name
}

// typeOf returns a type in TypeScript. Lists are never null: the desk makes them empty.
func typeOf(e ast.Expr) (string, error) {
	switch e := e.(type) {
	case *ast.Ident:
		if t, ok := others[e.Name]; ok {
			return t, nil
		}
		if e.IsExported() {
			return typeName(e.Name), nil
		}
	case *ast.SelectorExpr:
		if t, ok := others[fmt.Sprintf("%s.%s", e.X, e.Sel)]; ok {
			return t, nil
		}
	case *ast.StarExpr:
		t, err := typeOf(e.X)
		return t + " | null", err
	case *ast.ArrayType:
		t, err := typeOf(e.Elt)
		return t + "[]", err
	case *ast.MapType:
		key, err := typeOf(e.Key)
		if err != nil {
			return "", err
		}
		t, err := typeOf(e.Value)
		return fmt.Sprintf("Record<%s, %s>", key, t), err
	}
	return "", fmt.Errorf("there is no word of TypeScript for this type")
}
