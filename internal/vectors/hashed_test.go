package vectors_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/toolbox"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

const module = "../.."

// specification is the text of docs/spec: its lines, and the words of all its code in backticks,
// quotation marks or blocks.
type specification struct {
	lines []string
	words map[string]bool
	text  string // the words in their order, with one space between them
}

var (
	span   = regexp.MustCompile("`[^`]+`")
	aWord  = regexp.MustCompile(`[\pL\pN_/.+=-]+`)
	quoted = regexp.MustCompile(`"[^"]+"`)
)

func readSpecification(t *testing.T) *specification {
	t.Helper()
	files := testmust.Have(filepath.Glob(module + "/docs/spec/*.md"))(t)
	s := &specification{words: map[string]bool{}}
	var all []string
	for _, name := range files {
		fenced := false
		for line := range strings.Lines(string(testmust.Have(os.ReadFile(name))(t))) {
			s.lines = append(s.lines, line)
			fence := strings.HasPrefix(strings.TrimSpace(line), "```")
			code := append(span.FindAllString(line, -1), quoted.FindAllString(line, -1)...)
			if fenced || strings.HasPrefix(line, "    ") {
				code = append(code, line)
			}
			if fence {
				fenced = !fenced
			}
			for _, c := range code {
				for _, q := range quoted.FindAllString(c, -1) {
					s.words[strings.Trim(q, `"`)] = true
				}
				for _, w := range aWord.FindAllString(c, -1) {
					s.words[w] = true
					all = append(all, w)
				}
			}
		}
	}
	s.text = " " + strings.Join(all, " ") + " "
	return s
}

// has reports a name that is in no code of the specification.
func (s *specification) has(t *testing.T, what, name string) {
	t.Helper()
	testmust.Hold(t, s.words[name], what, name, "stands nowhere in docs/spec")
}

// A name that is hashed into every proof must be in the specification: games, suites, kinds, formats,
// decks with their faces, options with their values. The test takes all names from what the games
// themselves accept.
func TestHashedNames(t *testing.T) {
	s := readSpecification(t)
	for _, name := range suite.Names() {
		s.has(t, "suite", name)
	}
	for _, base := range wholeTables {
		for _, entry := range entriesOf(t, readFile(t, base)) {
			e := testmust.Have(wire.Parse(entry))(t)
			if e.Message != nil {
				s.has(t, "format", e.Message.Format)
				s.has(t, "kind", string(e.Message.Kind))
				continue
			}
			s.has(t, "format", e.Table.Format)
		}
	}
	tried := []string{try(t, s, tarokk.Rules{}), try(t, s, schwarzerpeter.Rules{}), try(t, s, skat.Rules{}), try(t, s, fivecarddraw.Rules{}), try(t, s, toolbox.Rules{}), try(t, s, games.Draw{})}
	for _, g := range games.Catalogue() {
		s.has(t, "game", g.Name())
		testmust.Hold(t, slices.Contains(tried, g.Name()), "the decks and options of", g.Name(), "are not looked at")
	}
}

// try sets up a game with each option and each pair of options, and looks for all their names and
// those of the resulting decks and faces. It returns the game's name.
func try[S, M any](t *testing.T, s *specification, r table.Rules[S, M]) string {
	t.Helper()
	var fit int // the last number of seats that fitted
	setup := func(options map[string]string) (deck card.Deck, err error) {
		for n := range wire.MaxSeats + 1 {
			seats := (fit + n) % (wire.MaxSeats + 1)
			if _, deck, err = r.Setup(table.Config{Seats: seats, Deals: 1, Options: options}); err == nil {
				fit = seats
				break
			}
		}
		return deck, err
	}
	decks := map[string]card.Deck{}
	if deck, err := setup(nil); err == nil {
		decks[deck.Name()] = deck
	}
	list := choices(t, r)
	for i, a := range list {
		s.option(t, a)
		for _, value := range a.values {
			for _, b := range list[i:] {
				for _, other := range b.values {
					if deck, err := setup(map[string]string{a.name: value, b.name: other}); err == nil {
						decks[deck.Name()] = deck
					}
				}
			}
		}
	}
	if len(decks) == 0 {
		t.Fatalf("%s: no deck", r.Name())
	}
	for _, name := range slices.Sorted(maps.Keys(decks)) {
		s.has(t, r.Name()+": deck", name)
		for _, face := range named(decks[name]) {
			s.has(t, name+": face", face)
		}
	}
	first := testmust.Have(setup(nil))(t)
	order := named(first)
	if len(order) > 0 && !strings.Contains(s.text, " "+strings.Join(order, " ")+" ") {
		t.Errorf("%s: the faces of %s do not stand in docs/spec in their order: %v", r.Name(), first.Name(), order)
	}
	return r.Name()
}

// named returns the names of faces in order, without those that are called by their number.
func named(d card.Deck) (list []string) {
	for f := range d.Len() {
		if name := d.FaceName(card.Face(f)); name != fmt.Sprint(f) {
			list = append(list, name)
		}
	}
	return list
}

// choice is an option with its values, or with the limits of their range.
type choice struct {
	name   string
	values []string
}

// choices returns what a game says about its options when it gets an unknown one.
func choices[S, M any](t *testing.T, r table.Rules[S, M]) []choice {
	t.Helper()
	refused := func(options map[string]string, pattern string) []string {
		for seats := range wire.MaxSeats + 1 {
			_, _, err := r.Setup(table.Config{Seats: seats, Deals: 1, Options: options})
			testmust.Fail(t, err, r.Name(), "accepts", options)
			if m := regexp.MustCompile(pattern).FindStringSubmatch(err.Error()); m != nil {
				return m[1:]
			}
		}
		return nil
	}
	known := refused(map[string]string{"?": ""}, `known are (.*)$|has no options$`)
	if known == nil {
		t.Fatalf("%s does not say which options it knows", r.Name())
	}
	var list []choice
	for _, name := range strings.Split(known[0], ", ") {
		given := map[string]string{name: "?"}
		if values := refused(given, `must be one of (.*)$`); values != nil {
			list = append(list, choice{name, few(strings.Split(values[0], ", "))})
		} else {
			list = append(list, choice{name, refused(given, `from (\d+) to (\d+)`)})
		}
	}
	return list
}

// few returns values of an option; of very many, such as all sets of letters, only the default.
func few(values []string) []string {
	if len(values) > 8 {
		return values[:1]
	}
	return values
}

// option reports an option if no line of the specification has it with all its values.
func (s *specification) option(t *testing.T, o choice) {
	t.Helper()
	for _, line := range s.lines {
		if !strings.Contains(line, "`"+o.name+"`") {
			continue
		}
		words := aWord.FindAllString(line, -1)
		if !slices.ContainsFunc(o.values, func(v string) bool { return !slices.Contains(words, v) }) {
			return
		}
	}
	t.Errorf("no line of docs/spec has the option %q and all its values, %v", o.name, o.values)
}

// The program has a frame or a statement that is not in the specification, or has its frames in
// another order. Frames that are drawn and not proved, under masks, are the prover's own.
func TestHashedFrames(t *testing.T) {
	s := readSpecification(t)
	blocks := s.statements()
	hashed := map[string]bool{} // the frames of statements in the program
	absorbs := func(f *ast.FuncDecl) {
		switch {
		case f.Recv != nil && masks(f.Recv.List[0].Type):
		case f.Name.Name == "Label":
			for _, label := range literals(f, "") {
				s.has(t, "statement", label)
			}
		case f.Name.Name == "AppendTo" && takesBinder(f):
			hashed[strings.Join(slices.Compact(literals(f, "")), " ")] = true
		default:
			for _, label := range append(literals(f, "Append"), literals(f, "Challenge")...) {
				s.has(t, "frame", label)
			}
		}
	}
	eachFile(t, "protocol/suite", func(file *ast.File) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				absorbs(f)
			}
		}
	})
	stand := map[string]bool{}
	for label, frames := range blocks {
		stand[frames] = true
		testmust.Hold(t, hashed[frames], "nothing hashes the frames of", label, frames)
	}
	for frames := range hashed {
		testmust.Hold(t, stand[frames], "no statement of docs/spec has the frames", frames)
	}
}

var (
	labelLine = regexp.MustCompile(`^ +label +(\S+)$`)
	frameName = regexp.MustCompile(`(?:frames +|; *)([a-z]+)\*?: `)
	keyword   = regexp.MustCompile(`^ +(?:proof|draw|checks?|form)\b|^\s*$`)
)

// statements returns the names of frames by the label of their statement, in the blocks of 32, 33, 40
// to 43 and 45. Frames of the same name count once.
func (s *specification) statements() map[string]string {
	blocks := map[string]string{}
	for i, line := range s.lines {
		m := labelLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		text := ""
		for _, next := range s.lines[i+1:] {
			if keyword.MatchString(next) {
				break
			}
			text += strings.TrimSpace(next) + " "
		}
		var names []string
		for _, f := range frameName.FindAllStringSubmatch(text, -1) {
			names = append(names, f[1])
		}
		blocks[m[1]] = strings.Join(slices.Compact(names), " ")
	}
	return blocks
}

// masks reports whether a receiver is that of masks.
func masks(receiver ast.Expr) bool {
	name, is := receiver.(*ast.Ident)
	return is && strings.HasSuffix(strings.ToLower(name.Name), "mask")
}

// takesBinder reports whether a method absorbs a statement.
func takesBinder(f *ast.FuncDecl) bool {
	pointer, is := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !is {
		return false
	}
	name, is := pointer.X.(*ast.SelectorExpr)
	return is && name.Sel.Name == "Binder"
}

// eachFile calls do with the source files below a folder, without tests and what only they need.
func eachFile(t *testing.T, below string, do func(*ast.File)) {
	t.Helper()
	testmust.Do(t, filepath.WalkDir(filepath.Join(module, below), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			do(file)
		}
		return err
	}))
}

// literals returns the strings that a function returns, or passes to calls: to methods of this name,
// or to all calls.
func literals(f *ast.FuncDecl, method string) (list []string) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		var given []ast.Expr
		switch n := n.(type) {
		case *ast.ReturnStmt:
			if method == "" {
				given = n.Results
			}
		case *ast.CallExpr:
			if called, is := n.Fun.(*ast.SelectorExpr); method == "" || is && called.Sel.Name == method {
				given = n.Args
			}
		}
		for _, e := range given {
			if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
				list = append(list, strings.Trim(l.Value, `"`))
			}
		}
		return true
	})
	return list
}

// The program has a domain that separates our hashes from others, and the specification does not.
func TestHashedDomains(t *testing.T) {
	s := readSpecification(t)
	found := 0
	eachFile(t, "protocol", func(file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if _, imports := n.(*ast.ImportSpec); imports {
				return false
			}
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && strings.HasPrefix(text, "pakli/v") {
					found++
					s.has(t, "domain", text)
				}
			}
			return true
		})
	})
	testmust.Hold(t, found >= 5, found, "domains found")
}
