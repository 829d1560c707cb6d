package tarokk_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

//go:generate go test -run TestCoverage -update .

// Files of the specification that the coverage is about, and the one that shows
// it.
const (
	specRules    = "../../../docs/spec/61-tarokk.md"
	specProofs   = "../../../docs/spec/62-tarokk-proofs.md"
	specCoverage = "../../../docs/spec/64-tarokk-coverage.md"

	vectorsFolder = "../../../docs/spec/vectors/tarokk"
)

// A rule that no test speaks of may be broken unnoticed, and a table of tests
// that is out of date is a lie.
func TestCoverage(t *testing.T) {
	thorough.Only(t, "plays a hundred deals")
	c := coverage{t: t, cited: citations(t), seen: counted(t)}
	got := c.write()
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(specCoverage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(specCoverage)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not current: go generate writes it", specCoverage)
	}
	for _, id := range idsOf(t, specRules, `(?m)^\*\*(R-[A-Z]+-\d+)`) {
		if len(c.cited[id]) == 0 {
			t.Errorf("%s: no test names this rule", id)
		}
	}
}

// idsOf are the ids that a pattern finds in a file, in order, each once.
func idsOf(t *testing.T, file, pattern string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		if !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

var (
	idPattern    = regexp.MustCompile(`\b(?:R|OPT|AMB|BGA|PAK|SK|CH|OK|B|T|D|N|C|A|P|E|S)-[A-Z0-9][A-Za-z0-9]*(?:-[A-Z0-9]+)*|\bN-[a-e]\b`)
	rangePattern = regexp.MustCompile(`\b((?:R-[A-Z]+|AMB|BGA|CH|OK|SK)-)(\d+) to (?:R-[A-Z]+-|AMB-|BGA-|CH-|OK-|SK-)(\d+)`)
)

// citations lists, by id, the tests that name it; and by name of a file of
// vectors, the tests that read it.
func citations(t *testing.T) map[string][]string {
	t.Helper()
	cited := map[string][]string{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	below, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, below...) {
		if slices.Contains([]string{"coverage_test.go", "catalogue_test.go", "deals_test.go"}, file) {
			continue // they name proofs to count them
		}
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
			text := string(source[set.Position(begin).Offset:set.Position(d.End()).Offset])
			for _, id := range named(text) {
				if !slices.Contains(cited[id], name) {
					cited[id] = append(cited[id], name)
				}
			}
		}
	}
	return cited
}

// citing is how a declaration is called, and where it begins: a test by its
// name, anything else by its file.
func citing(file string, d ast.Decl) (name string, begin token.Pos) {
	folder := filepath.Dir(file) + "."
	if folder == ".." {
		folder = ""
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if name, begin = d.Name.Name, d.Pos(); d.Doc != nil {
			begin = d.Doc.Pos()
		}
		if d.Recv == nil && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz")) {
			return folder + name, begin
		}
		return file, begin
	case *ast.GenDecl:
		if begin = d.Pos(); d.Doc != nil {
			begin = d.Doc.Pos()
		}
	}
	return file, begin
}

// named are the ids and the files of vectors that a text names.
func named(text string) []string {
	ids := idPattern.FindAllString(text, -1)
	for _, m := range rangePattern.FindAllStringSubmatch(text, -1) {
		from, _ := strconv.Atoi(m[2])
		to, _ := strconv.Atoi(m[3])
		for n := from; n <= to; n++ {
			ids = append(ids, m[1]+pad(m[1], n))
		}
	}
	for _, file := range vectorFiles() {
		if name := strings.TrimSuffix(file, ".json"); strings.Contains(text, `t, "`+name) || strings.Contains(text, "vectors/"+file) || strings.Contains(text, `"`+file+`"`) {
			ids = append(ids, file)
		}
	}
	return ids
}

func pad(prefix string, n int) string {
	if strings.HasPrefix(prefix, "R-") || prefix == "BGA-" || prefix == "SK-" {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%02d", n)
}

var vectorFiles = sync.OnceValue(func() []string {
	files, _ := filepath.Glob(vectorsFolder + "/*.json")
	for i, f := range files {
		files[i] = filepath.Base(f)
	}
	return files
})

// sessionsCounted are the sessions of which the deals are counted: those of
// TestDeals in which all moves are drawn by chance, so that the figures do not
// change with the bot.
const sessionsCounted = 48

func counted(t *testing.T) seen {
	t.Helper()
	all := newSeen()
	for first := 0; first < sessionsCounted; first += batch {
		for _, s := range playSessions(first) {
			if s.err != nil {
				t.Fatalf("session %d: %v", s.number, s.err)
			}
			if s.number%2 == 0 {
				all.deals += s.deals
				all.sessions++
				all.add(s.seen)
			}
		}
	}
	return all
}

// coverage writes the table.
type coverage struct {
	t     *testing.T
	cited map[string][]string
	seen  seen
	text  strings.Builder
	gaps  []string
	rare  []string // proofs that no counted deal met
}

func (c *coverage) printf(format string, args ...any) { fmt.Fprintf(&c.text, format, args...) }

// explained are gaps that are meant to be.
var explained = map[string]string{
	"OPT-ILLUSTRATED": "Its figures are outside the sources, and pakli does not have it.",
	"S-KEY":           "The kernel's, for every game: protocol/table.",
	"S-SHUF":          "The kernel's, for every game: protocol/table.",
	"S-SHARE":         "The kernel's, for every game: protocol/table.",
}

// mostTests is how many tests a line names.
const mostTests = 4

// tests are those that name an id.
func (c *coverage) tests(id string) string {
	list := slices.Sorted(slices.Values(c.cited[id]))
	if len(list) == 0 {
		c.gaps = append(c.gaps, strings.TrimSuffix(id+": no test names it. "+explained[id], " "))
		return "**none**"
	}
	slices.SortStableFunc(list, func(a, b string) int { // tests first, then files
		return strings.Count(a, "_test.go") - strings.Count(b, "_test.go")
	})
	if more := len(list) - mostTests; more > 0 {
		list = append(list[:mostTests:mostTests], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

func (c *coverage) write() string {
	c.printf(`# 64. Which test holds the code to which rule

Generated by "go generate ./protocol/games/tarokk" from the tests of that folder, the
numbers of [61-tarokk](61-tarokk.md) and [62-tarokk-proofs](62-tarokk-proofs.md), and
%d random deals. A test holds the code to a rule if it names its number; referee_*.go
is the second implementation of the rules, which judges every move and payment of every
deal that is played. Counts are of the %d sessions of TestDeals in which all moves are
drawn by chance; PAKLI_DEALS=1000 go test -run TestDeals ./protocol/games/tarokk plays a
thousand deals. What is missing is listed in 64.7.

`, c.seen.deals, c.seen.sessions)
	c.list("64.1 Rules", idsOf(c.t, specRules, `(?m)^\*\*(R-[A-Z]+-\d+)`))
	c.options()
	c.list("64.3 Where the sources leave it open, and what pakli decides", slices.Concat(
		idsOf(c.t, specRules, `(?m)^\| (AMB-\d+)`), idsOf(c.t, specRules, `(?m)^\| (BGA-\d+)`), idsOf(c.t, specRules, `(?m)^- \*\*(PAK-\d+)`)))
	c.proofs()
	c.vectors()
	c.stages()
	c.printf("## 64.7 Gaps\n\n")
	for _, gap := range c.gaps {
		c.printf("- %s\n", gap)
	}
	c.printf("- None of the deals counted here met %s; the tests of 64.4 do, with stacked decks.\n", strings.Join(c.rare, ", "))
	return c.text.String()
}

func (c *coverage) list(title string, ids []string) {
	c.printf("## %s\n\n%d numbers.\n\n| number | tests |\n|---|---|\n", title, len(ids))
	for _, id := range ids {
		c.printf("| %s | %s |\n", id, c.tests(id))
	}
	c.printf("\n")
}

// options are those of the specification, then their values in the sessions.
func (c *coverage) options() {
	c.list("64.2 Options", idsOf(c.t, specRules, `\b(OPT-[A-Z0-9]+(?:-[A-Z0-9]+)*)`))
	c.printf("Random sessions by value; a value of none is played with bots, or in the long form of TestDeals.\n\n| option | values |\n|---|---|\n")
	for _, o := range ruleset.Options() {
		var values []string
		for _, key := range slices.Sorted(maps.Keys(c.seen.options)) {
			if name, value, _ := strings.Cut(key, "="); name == o.Name {
				values = append(values, fmt.Sprintf("`%s` %d", value, c.seen.options[key]))
			}
		}
		for _, v := range o.Values {
			if c.seen.options[o.Name+"="+v] == 0 {
				values = append(values, fmt.Sprintf("`%s` 0", v))
			}
		}
		c.printf("| %s | %s |\n", o.Name, strings.Join(values, ", "))
	}
	c.printf("\n")
}

// proofIDs are the proofs of 62.4 and their foundations.
var proofIDs = strings.Fields(`S-KEY S-SHUF S-SHARE S-LINK S-REMASK S-ORIGIN
	B-HON B-INV19 B-INV18 B-INV17 B-INV19-FAIL B-INV18-FAIL B-INV17-FAIL B-YIELD T-TRIAL-OK T-TRIAL-FAIL D-CLASS D-OPEN N-a N-b N-c N-d N-e
	C-BELOW C-XX C-FREE C-FORCED A-PART A-OPP A-8 A-9 A-LE7 A-ULTI A-DCONTRA
	P-VOID P-VOIDNT P-NOTAR P-PAG-T P-PAG-S E-OPEN E-SIDE E-LATE E-FEE E-SKIZ E-VOIDED`)

// unproved are entries of the catalogue that are no messages: what is public, or
// what the kernel holds for every game.
var unproved = []string{"S-LINK", "S-ORIGIN", "C-XX", "C-FREE", "C-FORCED", "E-SIDE", "E-LATE", "E-SKIZ", "E-VOIDED"}

func (c *coverage) proofs() {
	c.printf("## 64.4 Proofs\n\n| proof | messages in the random deals | cheats that it stops | tests |\n|---|---|---|---|\n")
	for _, id := range proofIDs {
		n := strconv.Itoa(c.seen.proofs[id])
		if slices.Contains(unproved, id) {
			n = "no message"
		} else if n == "0" {
			c.rare = append(c.rare, id)
		}
		cheats := c.stopped(id)
		if len(c.cited[id]) == 0 && len(cheats) > 0 {
			c.cited[id] = []string{"TestCheats"}
		}
		c.printf("| %s | %s | %s | %s |\n", id, n, strings.Join(cheats, ", "), c.tests(id))
	}
	for _, id := range slices.Sorted(maps.Keys(c.seen.proofs)) {
		if !slices.Contains(proofIDs, id) {
			c.printf("| %s | %d | | |\n", id, c.seen.proofs[id])
		}
	}
	c.printf("\n")
}

// stopped are the cheats of the specification that a proof must stop; they are
// built as messages and refused.
func (c *coverage) stopped(id string) []string {
	type cheat struct{ ID, Do, By string }
	var ids []string
	for _, v := range vectorsOf[cheat](c.t, "cheats.json") {
		if by := strings.Fields(v.By)[0]; by == id || strings.HasPrefix(by, "P-PAG") && strings.HasPrefix(id, by) {
			ids = append(ids, v.ID)
		}
	}
	return ids
}

func (c *coverage) vectors() {
	c.printf("## 64.5 Test vectors\n\nA test reads all vectors of a file.\n\n| file | vectors | tests |\n|---|---|---|\n")
	for _, file := range vectorFiles() {
		ids := idsOf(c.t, filepath.Join(vectorsFolder, file), `"id": "([A-Za-z0-9-]+)"`)
		what := "a table"
		if len(ids) > 0 {
			what = fmt.Sprintf("%d: %s to %s", len(ids), ids[0], ids[len(ids)-1])
		}
		c.printf("| %s | %s | %s |\n", file, what, c.tests(file))
	}
	c.printf("\n")
}

func (c *coverage) stages() {
	c.printf("## 64.6 Stages\n\n| stage | moves in the random deals |\n|---|---|\n")
	for _, stage := range slices.Sorted(maps.Keys(c.seen.stages)) {
		c.printf("| %s | %d |\n", stage, c.seen.stages[stage])
	}
	c.printf("\n")
}
