package skat_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/citations"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

//go:generate go test -run TestCoverage -update .

// Files of the specification that the coverage is about, and the one that shows it.
const (
	specRules    = "../../../docs/spec/90-skat.md"
	specProofs   = "../../../docs/spec/91-skat-proofs.md"
	specCoverage = "../../../docs/spec/94-skat-coverage.md"
)

// untested are rules of which nothing can be tested, and why.
var untested = map[string]string{
	"SK-R-13":  "says what cannot happen here",
	"SK-R-37":  "allows what nothing could forbid",
	"AMB-S-06": "allows what nothing could forbid",
}

// A rule that no test speaks of may be broken unnoticed, and a table of tests that is
// out of date is a lie.
func TestCoverage(t *testing.T) {
	if !citations.Updating() {
		thorough.Only(t, "plays a hundred deals")
	}
	cited := citations.Of(t, citedIn, []string{"coverage_test.go"}, "*_test.go", "*/*_test.go", "*/*/*_test.go")
	c := coverage{t: t, cited: cited, random: walk(t)}
	citations.Check(t, specCoverage, c.write())
	for _, id := range citations.Defined(t, specRules, `(?m)^\| (SK-R-\d+)`) {
		if len(c.cited[id]) == 0 && untested[id] == "" {
			t.Errorf("%s: no test names this rule", id)
		}
	}
	for _, p := range skat.Proofs() {
		if c.random.proofs[p.ID] == 0 && len(c.cited[p.ID]) == 0 {
			t.Errorf("%s: no deal and no test meets this proof", p.ID)
		}
	}
}

var (
	idPattern    = regexp.MustCompile(`\b(?:SK-R-\d\d|AMB-S-\d\d|OPT-[A-Z]+(?:-[A-Z]+)*|SKIP-\d|RM-\d|[A-Z]-[A-Z]{3,})\b`)
	rangePattern = regexp.MustCompile(`\b(SK-R-|AMB-S-|SKIP-)(\d+) to (?:SK-R-|AMB-S-|SKIP-)(\d+)`)
)

// citedIn are the ids and the files of vectors that a text names.
func citedIn(text string) []string {
	ids := citations.Named(text, idPattern, rangePattern)
	for _, file := range vectorFiles() {
		if strings.Contains(text, `(t, "`+strings.TrimSuffix(file, ".json")+`"`) {
			ids = append(ids, file)
		}
	}
	return ids
}

func vectorFiles() (names []string) {
	files, _ := filepath.Glob(filepath.Join(skattest.Folder(), "*.json"))
	for _, f := range files {
		names = append(names, filepath.Base(f))
	}
	return names
}

// seenInDeals is what random deals met.
type seenInDeals struct {
	lists, deals                int
	proofs, stages, values, how map[string]int
}

// walked are the options of the lists that are counted.
var walked = []tabletest.Config{
	{Seats: 3}, {Seats: 4, Options: options{"score": "seeger-fabian", "concede": "one"}},
	{Seats: 3, Options: options{"early": "prove", "claim": "off", "score": "seeger"}},
	{Seats: 4, Options: options{"early": "prove", "kontra": "any", "bock": "lost60+grandhand+kontra+re"}},
	{Seats: 3, Options: options{"ramsch": "simple", "concede": "off", "seats-draw": "on"}},
	{Seats: 4, Options: options{"ramsch": "schieber", "concede": "off"}},
	{Seats: 3, Options: options{"null-overbid": "lose", "kontra": "bid18", "score": "bierlachs"}},
	{Seats: 4, Options: options{"ramsch": "schieber", "score": "bierlachs", "limit": "401"}},
	{Seats: 3, Options: options{"concede": "off", "null-overbid": "lose", "score": "bierlachs", "limit": "501"}},
}

// walk plays lists in which all moves are drawn by chance, a card nine times of ten
// where one may be played; so the figures do not change with a bot.
func walk(t *testing.T) seenInDeals {
	t.Helper()
	seen := seenInDeals{proofs: map[string]int{}, stages: map[string]int{}, values: map[string]int{}, how: map[string]int{}}
	for i, c := range walked {
		c.Deals = 24
		played := testmust.Have(tabletest.New(game, c, uint64(i)))(t)
		seen.list(t, played, rand.New(rand.NewPCG(uint64(i), 90)))
	}
	return seen
}

func (n *seenInDeals) list(t *testing.T, played *tabletest.Table, r *rand.Rand) {
	t.Helper()
	for duties := played.State.Duties(); len(duties) > 0; duties = played.State.Duties() {
		d, s := duties[0], public(played)
		if d.Kind != table.Move {
			if s.Stage == skat.ShowingSkat {
				n.proofs["E-SKAT"]++
			}
			entry, err := played.Message(d.Seats[0], d, nil)
			if err == nil {
				err = played.Add(entry)
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		seat := d.Seats[r.IntN(len(d.Seats))]
		if s.Stage == skat.Playing && r.IntN(10) > 0 {
			seat = s.Deal.Seats[s.Deal.OnTurn()]
		}
		moves := skat.Rules{}.Moves(s, played.View(seat))
		if plays := slices.DeleteFunc(slices.Clone(moves), func(m skat.Move) bool { return m.Play == nil }); len(plays) > 0 && r.IntN(10) > 0 {
			moves = plays
		}
		if len(moves) == 0 {
			continue
		}
		n.move(t, played, seat, moves[r.IntN(len(moves))])
	}
	s := public(played)
	n.lists++
	n.deals += len(s.Past)
	for _, done := range s.Past {
		n.how[done.How]++
	}
	for _, o := range ruleset.Options() {
		n.values[o.Name+"="+o.Value(s.Rules)] += len(s.Past)
	}
}

func (n *seenInDeals) move(t *testing.T, played *tabletest.Table, seat table.Seat, m skat.Move) {
	t.Helper()
	s := public(played)
	_, terms, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: seat, Move: m})
	if err != nil {
		t.Fatal(err)
	}
	n.stages[string(s.Stage)]++
	for _, c := range terms.Prove {
		n.proofs[c.Claim]++
	}
	for id, opens := range map[string]bool{"O-OPEN": m.Open != nil, "C-OPEN": m.Claim != nil && len(terms.Open) > 0, "E-TWELVE": m.Lay != nil} {
		if opens {
			n.proofs[id]++
		}
	}
	entry, err := played.Message(seat, table.Duty{Kind: table.Move, Seats: []table.Seat{seat}}, encode(t, m))
	if err == nil {
		err = played.Add(entry)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// coverage writes the table.
type coverage struct {
	t      *testing.T
	cited  map[string][]string
	random seenInDeals
	text   strings.Builder
	gaps   []string
}

func (c *coverage) printf(format string, args ...any) { fmt.Fprintf(&c.text, format, args...) }

// mostTests is how many tests a line names.
const mostTests = 4

func (c *coverage) tests(id string) string {
	list := slices.Sorted(slices.Values(c.cited[id]))
	if len(list) == 0 {
		why := untested[id]
		if why == "" {
			why = "no test names it"
		}
		c.gaps = append(c.gaps, id+": "+why+".")
		return "**none**"
	}
	slices.SortStableFunc(list, func(a, b string) int { return strings.Count(a, "_test.go") - strings.Count(b, "_test.go") })
	if more := len(list) - mostTests; more > 0 {
		list = append(list[:mostTests:mostTests], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

func (c *coverage) list(title string, ids []string) {
	c.printf("## %s\n\n%d numbers.\n\n| number | tests |\n|---|---|\n", title, len(ids))
	for _, id := range ids {
		c.printf("| %s | %s |\n", id, c.tests(id))
	}
	c.printf("\n")
}

func (c *coverage) write() string {
	c.printf(`# 94 Which test holds the code of Skat to which rule

Generated by "go generate ./protocol/games/skat" from the tests of that folder, the numbers
of [90-skat](90-skat.md) and [91-skat-proofs](91-skat-proofs.md), and %d random deals of %d
lists. A test holds the code to a rule if it names its number. What is missing is listed in
94.7.

`, c.random.deals, c.random.lists)
	c.list("94.1 Rules", citations.Defined(c.t, specRules, `(?m)^\| (SK-R-\d+)`))
	c.list("94.2 Options", citations.Defined(c.t, specRules, `(?m)^\| (OPT-[A-Z-]+) `))
	c.printf("Random deals by value.\n\n| option | values |\n|---|---|\n")
	for _, o := range ruleset.Options() {
		var values []string
		for _, key := range slices.Sorted(maps.Keys(c.random.values)) {
			if name, value, _ := strings.Cut(key, "="); name == o.Name {
				values = append(values, fmt.Sprintf("`%s` %d", value, c.random.values[key]))
			}
		}
		c.printf("| %s | %s |\n", o.Name, strings.Join(values, ", "))
	}
	c.printf("\n")
	c.list("94.3 Where sources are silent or differ", citations.Defined(c.t, specRules, `(?m)^\| (AMB-S-\d+)`))
	c.proofs()
	c.printf("## 94.5 Test vectors\n\nA test reads all vectors of a file, every field of each.\n\n| file | vectors | tests |\n|---|---|---|\n")
	for _, file := range vectorFiles() {
		ids := citations.Defined(c.t, filepath.Join(skattest.Folder(), file), `"id": "([A-Z-]+-\d+)"`)
		what := "a table"
		if len(ids) > 0 {
			what = fmt.Sprintf("%d: %s to %s", len(ids), ids[0], ids[len(ids)-1])
		}
		c.printf("| %s | %s | %s |\n", file, what, c.tests(file))
	}
	c.counts("94.6 Stages and endings", "stage", c.random.stages)
	c.counts("", "ending", c.random.how)
	c.printf("\n## 94.7 Gaps\n\n")
	for _, gap := range c.gaps {
		c.printf("- %s\n", gap)
	}
	return c.text.String()
}

func (c *coverage) proofs() {
	c.printf("## 94.4 Proofs\n\n| proof | rule | messages in the random deals | cheats that it stops | tests |\n|---|---|---|---|---|\n")
	cheats := skattest.Read[[]struct{ ID, Do, By string }](c.t, "cheats")
	for _, p := range skat.Proofs() {
		var stopped []string
		for _, cheat := range cheats {
			if strings.HasPrefix(cheat.By, p.ID) && !strings.HasPrefix(cheat.By, p.ID+"N") && !strings.HasPrefix(cheat.By, p.ID+"OUT") {
				stopped = append(stopped, cheat.ID)
			}
		}
		c.printf("| %s | %s | %d | %s | %s |\n", p.ID, p.Rule, c.random.proofs[p.ID], strings.Join(stopped, ", "), c.tests(p.ID))
	}
	c.printf("\n")
}

func (c *coverage) counts(title, what string, counts map[string]int) {
	if title != "" {
		c.printf("\n## %s\n", title)
	}
	c.printf("\n| %s | random deals |\n|---|---|\n", what)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		c.printf("| %s | %d |\n", name, counts[name])
	}
}
