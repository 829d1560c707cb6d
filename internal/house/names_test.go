package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// bareWords are participles, pronouns and words like them, which say nothing of a function, a method or a type when they stand alone.
var (
	bareWords = strings.Fields(`kept shown told held made asked begun known seen said own taken given left lost found drawn sent read put laid met gone done
dealt hidden born worn won paid meant heard thought bought brought caught taught built felt fed led lain risen chosen spoken written broken
stuck lent spent sold sat stood understood wrong whole least most whom who whose what which such said must may might alike apart away
still yet none nobody somebody again besides lately soon sooner others other all both each every anew of at in on by with without from to into`)
	pastTense = regexp.MustCompile(`^[a-z]{3,}ed$`)
)

// bareNames may be bare: what others ask for by that name, pages or the module of TypeScript.
var bareNames = strings.Fields(`Read Enabled cmd/pakli/cosign.Listed cmd/pakli-web/desk.Shown verifier/events/results.Shown protocol/scene.Signed
verifier/report.Refused verifier/report.Written`)

// A name that is one bare word, and has to be looked up wherever it is used.
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
