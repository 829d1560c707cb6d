package house_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// root is the repository, relative to this folder.
const root = "../../"

// The list of rooms lacks a package or one of its imports.
func TestRooms(t *testing.T) {
	const rooms = "docs/design/rooms.md"
	testmust.Same(t, root+rooms, between(t, read(t, rooms), packageTable(all(t))))
}

// The map names a folder, a file, or a name in a file that does not exist any more.
func TestMap(t *testing.T) {
	const place = "`((?:protocol|ledger|httpapi|verifier|cmd|internal|docs)(?:/[\\w.*/-]+)?)`"
	document := read(t, "docs/design/architecture.md")
	places := regexp.MustCompile(place).FindAllStringSubmatch(document, -1)
	testmust.Holdf(t, len(places) >= 60, "the map names %d places", len(places))
	for _, named := range places {
		found := testmust.Have(filepath.Glob(root + named[1]))(t)
		testmust.Holdf(t, len(found) != 0, "the map leads to %s, which is not there", named[1])
	}
	names := regexp.MustCompile("(?:`(\\w+)` and )?`(\\w+)` in "+place).FindAllStringSubmatch(document, -1)
	testmust.Holdf(t, len(names) >= 12, "the map names %d functions with their files", len(names))
	for _, named := range names {
		file := read(t, named[3])
		for _, name := range named[1:3] {
			testmust.Holdf(t, regexp.MustCompile(`\b`+name+`\b`).MatchString(file), "the map looks for %s in %s, which does not have it", name, named[3])
		}
	}
}

// arrowsOf returns the imports among our packages, in order.
func arrowsOf(packages []pkg) map[string][]string {
	to := map[string][]string{}
	for _, p := range packages {
		if len(p.GoFiles) == 0 {
			continue // nothing but tests
		}
		from := strings.TrimPrefix(p.ImportPath, module)
		to[from] = nil
		for _, i := range p.Imports {
			if name, ours := strings.CutPrefix(i, module); ours {
				to[from] = append(to[from], name)
			}
		}
	}
	return to
}

// between replaces the text between the two marks of the generated part.
func between(t *testing.T, document, generated string) string {
	t.Helper()
	const begin, end = "<!-- packages: go generate ./internal/house -->\n", "<!-- end of packages -->\n"
	before, rest, ok := strings.Cut(document, begin)
	_, after, ok2 := strings.Cut(rest, end)
	testmust.Requiref(t, ok && ok2, "no %q or %q", begin, end)
	return before + begin + "\n" + generated + "\n" + end + after
}

// packageTable returns a table with a row for each package: its summary and its imports.
func packageTable(packages []pkg) string {
	to := arrowsOf(packages)
	says := map[string]string{}
	for _, p := range packages {
		says[strings.TrimPrefix(p.ImportPath, module)] = summary(p)
	}
	var b strings.Builder
	b.WriteString("| package | | imports |\n|---|---|---|\n")
	for _, name := range inOrder(to) {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, says[name], strings.Join(shortened(name, to), ", "))
	}
	return b.String()
}

// inOrder returns all packages, each after those that it imports. Among the possible next ones it
// takes one of the lowest floor, and of these the one nearest to the last.
func inOrder(to map[string][]string) []string {
	order := []string{""}
	left := slices.Sorted(maps.Keys(to))
	for len(left) > 0 {
		ready := slices.DeleteFunc(slices.Clone(left), func(name string) bool {
			return slices.ContainsFunc(to[name], func(i string) bool { return !slices.Contains(order, i) })
		})
		last := order[len(order)-1]
		next := slices.MinFunc(ready, func(a, b string) int {
			return cmp.Or(floor(a)-floor(b), shared(b, last)-shared(a, last))
		})
		order = append(order, next)
		left = slices.DeleteFunc(left, func(name string) bool { return name == next })
	}
	return order[1:]
}

// floor returns how high a package stands, by its first folder.
func floor(name string) int {
	first, _, _ := strings.Cut(name, "/")
	return slices.Index([]string{"internal", "protocol", "ledger", "httpapi", "verifier", "cmd"}, first)
}

// shared returns how many folders two paths have in common.
func shared(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// shortened returns the imports of a package, in order, without the folder that they share with it.
func shortened(name string, to map[string][]string) (list []string) {
	folder := path.Dir(name) + "/"
	for _, i := range to[name] {
		if below, ok := strings.CutPrefix(i, name+"/"); ok {
			i = "./" + below
		} else if beside, ok := strings.CutPrefix(i, folder); ok && folder != "./" {
			i = "../" + beside
		}
		list = append(list, i)
	}
	return list
}

var asides = regexp.MustCompile(`\s*\([^()]*\)|\[|\]|\.$`)

// summary returns the first sentence of a package comment without asides and the text after a colon.
func summary(p pkg) string {
	text, _, _ := strings.Cut(asides.ReplaceAllString(p.Doc, ""), ": ")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "Package "), "Command ")
	return strings.ReplaceAll(strings.TrimPrefix(text, p.name()+" "), "|", "\\|")
}

func (p pkg) name() string {
	if p.Name == "main" {
		return path.Base(p.ImportPath)
	}
	return p.Name
}

// No document leads to a room: README does not name a folder of code, or the ledger's package comment
// does not name a room of it.
func TestEveryRoomIsOnADoorPlate(t *testing.T) {
	readme, ledger := read(t, "README.md"), read(t, "ledger/doc.go")
	for _, p := range all(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		first, rest, _ := strings.Cut(name, "/")
		testmust.Holdf(t, strings.Contains(readme, "\n| `"+first), "README's table does not lead to %s", name)
		room, _, _ := strings.Cut(rest, "/")
		testmust.Holdf(t, first != "ledger" || room == "" || strings.Contains(ledger, "\n//   - "+room+":"), "ledger/doc.go does not name %s", room)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	return string(testmust.Have(os.ReadFile(root + file))(t))
}

// bareWords are participles, pronouns and similar words that say nothing when one of them alone names
// a function, method or type.
var (
	bareWords = strings.Fields(`kept shown told held made asked begun known seen said own taken given left lost found drawn sent read put laid met gone done
dealt hidden born worn won paid meant heard thought bought brought caught taught built felt fed led lain risen chosen spoken written broken
stuck lent spent sold sat stood understood wrong whole least most whom who whose what which such said must may might alike apart away
still yet none nobody somebody again besides lately soon sooner others other all both each every anew of at in on by with without from to into`)
	pastTense = regexp.MustCompile(`^[a-z]{3,}ed$`)
)

// bareNames may be bare, since others require them: pages or the TypeScript module.
var bareNames = strings.Fields(`Read Enabled cmd/pakli/cosign.Listed cmd/pakli-web/desk.Shown verifier/events/results.Shown protocol/scene.Signed
verifier/report.Refused verifier/report.Written`)

// A name is one bare word, which a reader has to look up wherever it is used.
func TestNamesSayWhatTheyName(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && (d.Name() == "testdata" || d.Name() == ".git") {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		look := func(name string) {
			low := strings.ToLower(name)
			bare := low[1:] == name[1:] && (slices.Contains(bareWords, low) || pastTense.MatchString(low))
			testmust.Holdf(t, !bare || slices.Contains(bareNames, name) || slices.Contains(bareNames, folder+"."+name), "%s: %s is a bare word", path, name)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				look(d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						look(s.Name.Name)
					}
				}
			}
		}
		return nil
	})
	testmust.Hold(t, err == nil, err)
}
