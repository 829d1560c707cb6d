package vectors_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/draw"
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

// specification is the text of docs/spec: its lines, and the words of all code in it,
// between backticks, in quotation marks or in blocks.
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
	files := got[[]string](t)(filepath.Glob(module + "/docs/spec/*.md"))
	s := &specification{words: map[string]bool{}}
	var all []string
	for _, name := range files {
		fenced := false
		for line := range strings.Lines(string(got[[]byte](t)(os.ReadFile(name)))) {
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

// has complains of a name that no code of the specification has.
func (s *specification) has(t *testing.T, what, name string) {
	t.Helper()
	if !s.words[name] {
		t.Errorf("%s %q stands nowhere in docs/spec", what, name)
	}
}

// A name that is hashed into every proof, and that only the program knows: games, suites,
// kinds, formats, decks with their faces, options with their values. All are taken from
// what the games themselves accept.
func TestHashedNames(t *testing.T) {
	s := readSpecification(t)
	for _, name := range suite.Names() {
		s.has(t, "suite", name)
	}
	for _, base := range wholeTables {
		for _, entry := range entriesOf(t, readFile(t, base)) {
			e := got[*wire.Entry](t)(wire.Parse(entry))
			if e.Message != nil {
				s.has(t, "format", e.Message.Format)
				s.has(t, "kind", string(e.Message.Kind))
				continue
			}
			s.has(t, "format", e.Table.Format)
		}
	}
	tried := []string{try(t, s, tarokk.Rules{}), try(t, s, schwarzerpeter.Rules{}), try(t, s, skat.Rules{}), try(t, s, fivecarddraw.Rules{}), try(t, s, toolbox.Rules{}), try(t, s, draw.Rules{})}
	for _, g := range games.All() {
		s.has(t, "game", g.Name())
		if !slices.Contains(tried, g.Name()) {
			t.Errorf("the decks and options of %s are not looked at", g.Name())
		}
	}
}

// try sets up a game with each option and with each two of them, and looks for all their
// names, and for those of all decks and faces that come of it. It returns its name.
func try[S, M any](t *testing.T, s *specification, r table.Rules[S, M]) string {
	t.Helper()
	var fit int // the number of seats that fitted last
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
	first, err := setup(nil)
	check(t, err)
	order := named(first)
	if len(order) > 0 && !strings.Contains(s.text, " "+strings.Join(order, " ")+" ") {
		t.Errorf("%s: the faces of %s do not stand in docs/spec in their order: %v", r.Name(), first.Name(), order)
	}
	return r.Name()
}

// named are the names of faces in their order, but of those that are called by their
// number.
func named(d card.Deck) (list []string) {
	for f := range d.Len() {
		if name := d.FaceName(card.Face(f)); name != fmt.Sprint(f) {
			list = append(list, name)
		}
	}
	return list
}

// choice is an option with its values, or with the ends of their range.
type choice struct {
	name   string
	values []string
}

// choices are what a game says of its options when it is given what it does not know.
func choices[S, M any](t *testing.T, r table.Rules[S, M]) []choice {
	t.Helper()
	refused := func(options map[string]string, pattern string) []string {
		for seats := range wire.MaxSeats + 1 {
			_, _, err := r.Setup(table.Config{Seats: seats, Deals: 1, Options: options})
			if err == nil {
				t.Fatalf("%s accepts %v", r.Name(), options)
			}
			if m := regexp.MustCompile(pattern).FindStringSubmatch(err.Error()); m != nil {
				return m[1:]
			}
		}
		return nil
	}
	known := refused(map[string]string{"?": ""}, `known are (.*)$`)
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

// few are values of an option: of a great many, such as all sets of letters, the default.
func few(values []string) []string {
	if len(values) > 8 {
		return values[:1]
	}
	return values
}

// option complains if no line of the specification has an option and all its values.
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

// A frame that only the program knows, and a statement whose frames stand in the
// specification in another order or number. What is looked at is what is hashed while
// the proofs of all suites are made and verified: the program runs with a package
// transcript that tells.
func TestHashedFrames(t *testing.T) {
	thorough.Only(t, "compiles everything anew")
	s := readSpecification(t)
	statements := map[string]bool{}
	for _, line := range observed(t) {
		what, names, _ := strings.Cut(line, " ")
		switch what {
		case "statement":
			statements[names] = true
		default:
			s.has(t, what, names)
		}
	}
	blocks, rows := s.statements()
	hashed := map[string]bool{}
	for _, line := range slices.Sorted(maps.Keys(statements)) {
		label, frames, _ := strings.Cut(line, " ")
		if !fits(blocks[label], frames) && rows[label] != frames {
			t.Errorf("the frames of %s are %q, and stand as %q", label, frames, blocks[label]+rows[label])
		}
		hashed[label] = true
	}
	for label := range blocks {
		if hashed[label] {
			continue
		}
		t.Errorf("nothing hashes a statement %s", label)
	}
}

var (
	labelLine = regexp.MustCompile(`^ +label +(\S+)$`)
	frameName = regexp.MustCompile(`(?:frames +|; *)([a-z]+\*?): `)
	keyword   = regexp.MustCompile(`^ +(?:proof|draw|checks?|form)\b|^\s*$`)
	labelRow  = regexp.MustCompile("^\\|.*`([a-z/-]+/v[0-9]+)` \\|.*=.*\\|$")
	rowFrame  = regexp.MustCompile("`([a-z]+)` =")
)

// statements are the names of frames by the label of their statement: in the blocks of
// 40, 41 and 45, and in rows of tables, of what is not proved but drawn.
func (s *specification) statements() (blocks, rows map[string]string) {
	blocks, rows = map[string]string{}, map[string]string{}
	for i, line := range s.lines {
		line = strings.TrimRight(line, "\n")
		if m := labelRow.FindStringSubmatch(line); m != nil {
			rows[m[1]] = joined(rowFrame.FindAllStringSubmatch(line, -1))
		}
		m := labelLine.FindStringSubmatch(line)
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
		blocks[m[1]] = joined(frameName.FindAllStringSubmatch(text, -1))
	}
	return blocks, rows
}

// fits reports whether frames are those that stand in a block, where a name with * is one of
// several frames, or of one.
func fits(block, frames string) bool {
	list := strings.Fields(frames)
	for _, name := range strings.Fields(block) {
		name, several := strings.CutSuffix(name, "*")
		if len(list) == 0 || list[0] != name {
			return false
		}
		for list = list[1:]; several && len(list) > 0 && list[0] == name; {
			list = list[1:]
		}
	}
	return len(list) == 0 && block != ""
}

// joined are the names that an expression found.
func joined(found [][]string) string {
	var names []string
	for _, f := range found {
		names = append(names, f[1])
	}
	return strings.Join(names, " ")
}

// telling are functions that are given a line more, at their beginning.
var telling = []struct{ file, function, line string }{
	{"protocol/transcript/transcript.go", "func (b *Binder) Bytes(label string, data []byte) {", `observe("bound", b.state, label, data)`},
	{"protocol/transcript/transcript.go", "func (t *Transcript) Append(label string, data []byte) {", `observe("said", t.state, label, data)`},
	{"protocol/transcript/transcript.go", "func (t *Transcript) Challenge(label string) [64]byte {", `observe("drawn", t.state, label, nil)`},
	{"protocol/transcript/transcript.go", "func frame(b []byte, label string, data []byte) []byte {", `observe("frame", nil, label, data)`},
	{"protocol/suite/ristretto255/group/hash.go", "func HashToElement(domain string, parts ...[]byte) *Element {", `observe("domain", nil, domain, nil)`},
}

// observer is what such a package is given besides.
const observer = `package %s

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

var (
	observing sync.Mutex
	told      = map[string]bool{}
	bound     = map[any][]string{} // by transcript: the frames of a statement
)

func observe(what string, state any, label string, data []byte) {
	observing.Lock()
	defer observing.Unlock()
	tell(what + " " + label)
	switch {
	case what == "bound":
		bound[state] = append(bound[state], label)
	case what == "said" || what == "drawn":
		if list := bound[state]; len(list) > 1 {
			tell("statement " + strings.Join(list, " "))
		}
		delete(bound, state)
		if label == "statement" {
			bound[state] = []string{string(data)}
		}
	}
}

func tell(line string) {
	if told[line] {
		return
	}
	told[line] = true
	f, err := os.OpenFile(os.Getenv("PAKLI_OBSERVED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, line)
	f.Close()
}
`

// observed lists what is hashed when the vectors of proofs are made and read.
func observed(t *testing.T) []string {
	t.Helper()
	dir, here := t.TempDir(), got[string](t)(filepath.Abs(module))
	replaced := map[string]string{}
	for _, f := range telling {
		path := filepath.Join(here, f.file)
		copied, again := replaced[path]
		if !again {
			copied = path
		}
		text := string(got[[]byte](t)(os.ReadFile(copied)))
		if strings.Count(text, f.function+"\n") != 1 {
			t.Fatalf("%s has no %q", f.file, f.function)
		}
		replaced[path] = filepath.Join(dir, filepath.Base(f.file))
		check(t, os.WriteFile(replaced[path], []byte(strings.Replace(text, f.function, f.function+"\n\t"+f.line, 1)), 0o600))
		name := filepath.Base(filepath.Dir(path))
		extra := filepath.Join(dir, name+"_observer.go")
		check(t, os.WriteFile(extra, fmt.Appendf(nil, observer, name), 0o600))
		replaced[filepath.Join(filepath.Dir(path), "observer.go")] = extra
	}
	overlay := filepath.Join(dir, "overlay.json")
	check(t, os.WriteFile(overlay, got[[]byte](t)(json.Marshal(map[string]any{"Replace": replaced})), 0o600))
	run := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-overlay", overlay, "-run", "^TestVectors$", "./protocol/suite")
	lines := filepath.Join(dir, "observed")
	run.Dir, run.Env = here, append(os.Environ(), "PAKLI_TESTS=", "PAKLI_OBSERVED="+lines) // the long form says nothing else
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.Split(strings.TrimSpace(string(got[[]byte](t)(os.ReadFile(lines)))), "\n")
}

// A domain that separates hashes of ours from others, in the program alone.
func TestHashedDomains(t *testing.T) {
	s := readSpecification(t)
	found := 0
	check(t, filepath.WalkDir(module+"/protocol", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
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
		return nil
	}))
	if found < 5 {
		t.Errorf("%d domains found", found)
	}
}
