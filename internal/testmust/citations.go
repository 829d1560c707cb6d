package testmust

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestsByID lists the tests in files that match patterns, except without, by the ids that they name:
// a test by its name with its folder, and any other declaration by its file.
func TestsByID(t testing.TB, named func(text string) []string, without []string, patterns ...string) map[string][]string {
	t.Helper()
	cited := map[string][]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !slices.Contains(without, file) {
				cite(t, cited, file, named)
			}
		}
	}
	return cited
}

func cite(t testing.TB, cited map[string][]string, file string, named func(text string) []string) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		name, begin := citing(file, d)
		for _, id := range named(string(source[set.Position(begin).Offset:set.Position(d.End()).Offset])) {
			if !slices.Contains(cited[id], name) {
				cited[id] = append(cited[id], name)
			}
		}
	}
}

// citing returns the name of a declaration and where it begins.
func citing(file string, d ast.Decl) (name string, begin token.Pos) {
	name, begin = file, d.Pos()
	var doc *ast.CommentGroup
	switch d := d.(type) {
	case *ast.FuncDecl:
		doc = d.Doc
		if d.Recv == nil && (strings.HasPrefix(d.Name.Name, "Test") || strings.HasPrefix(d.Name.Name, "Fuzz")) {
			name = strings.TrimPrefix(filepath.Dir(file)+".", "..") + d.Name.Name
		}
	case *ast.GenDecl:
		doc = d.Doc
	}
	if doc != nil {
		begin = doc.Pos()
	}
	return name, begin
}

// FindIDs returns the ids in a text: those that match id, and those in ranges that match span, whose
// groups are the prefix, the first and the last number.
func FindIDs(text string, id, span *regexp.Regexp) []string {
	text = strings.ReplaceAll(text, "\n// ", " ")
	ids := id.FindAllString(text, -1)
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for n := from; n <= to; n++ {
			ids = append(ids, fmt.Sprintf("%s%0*d", m[1], len(m[2]), n))
		}
	}
	return ids
}

// DefinedIDs returns the ids that the first group of a pattern finds in a file, in their order, each
// once.
func DefinedIDs(t testing.TB, file, pattern string) (ids []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		if !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

// CitationSection is a section of a page with its numbers.
type CitationSection struct {
	Title string
	IDs   []string
}

// CitationPage returns a page of the specification that lists, in numbered sections, the tests that
// name each number. A number without a test fails the test, unless untested says why nothing can be
// tested.
func CitationPage(t testing.TB, number int, head string, cited map[string][]string, untested map[string]string, sections ...CitationSection) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for i, s := range sections {
		fmt.Fprintf(&b, "\n## %d.%d %s\n\n| number | tests |\n|---|---|\n", number, i+1, s.Title)
		for _, id := range s.IDs {
			tests := strings.Join(slices.Sorted(slices.Values(cited[id])), ", ")
			if tests == "" {
				tests = "none: it " + untested[id]
				if untested[id] == "" {
					t.Errorf("%s: no test names it", id)
				}
			}
			fmt.Fprintf(&b, "| %s | %s |\n", id, tests)
		}
	}
	return b.String()
}
