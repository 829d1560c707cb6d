package scenetest

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/scene"
)

// rulebook is rules.json of a game's scene (games.Rulebooks).
type rulebook struct {
	Guide [][4]string `json:"guide"` // group, English, German, Hungarian
	Rules [][4]string `json:"rules"` // number, or "" of a heading
}

func openRulebook(t *testing.T) (book rulebook) {
	text, err := os.ReadFile("rules.json")
	if os.IsNotExist(err) {
		return book
	}
	if err == nil {
		err = json.Unmarshal(text, &book)
	}
	if err != nil {
		t.Fatal(err)
	}
	return book
}

// numbered matches the rules of a game; entries about proofs and open questions of its sources have
// other letters.
var numbered = regexp.MustCompile(`^(OPT-.*|(R|SK|FD|SP|BGA|PAK)-.*[0-9])$`)

// CheckRulebook tests the rulebook of the game whose scene is in the test's folder. No language may
// lack a text or cite another rule. It must have every rule that it cites, that a text of the scene
// cites, and that the game can name in an error: those in strings of its sources. Rules that only
// written records can break are shown at no table, and options explain themselves.
func CheckRulebook(t *testing.T, texts map[string]map[string]string) {
	t.Helper()
	book, said := openRulebook(t), scene.Texts{}
	known := map[string]bool{}
	for i, row := range slices.Concat(book.Rules, book.Guide) {
		if row[0] != "" && known[row[0]] {
			t.Errorf("the rulebook has %s twice", row[0])
		}
		known[row[0]] = true
		said[strconv.Itoa(i)+" "+row[0]] = [3]string(row[1:])
	}
	CheckTexts(t, said.ByTag(), regexp.MustCompile(`^\d+ $`))
	cited := citedInSources(t)
	for _, list := range []map[string]string{said.ByTag()["en"], texts["en"]} {
		for key, text := range list {
			cited = append(cited, scene.RulesIn(key+" "+text)...)
		}
	}
	if len(cited) < 8 {
		t.Fatalf("%d rules are cited: the test tests nothing", len(cited))
	}
	for _, number := range cited {
		if numbered.MatchString(number) && !known[number] {
			t.Errorf("the rulebook does not have %s, which the game names", number)
		}
	}
}

// citedInSources are the rules cited in the strings of a game's sources; the rules of options only in
// strings of calls, which make errors.
func citedInSources(t *testing.T) (list []string) {
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "record" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		options := filepath.Base(path) == "ruleset.go"
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				return !options
			case *ast.BasicLit:
				list = append(list, scene.RulesIn(n.Value)...)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
