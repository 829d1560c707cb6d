package report

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

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier"
)

var placeholder = regexp.MustCompile(`\{[a-z]+\}`)

// article before a value is Hungarian, and says nothing else.
var withArticle = regexp.MustCompile(`\{[Aa]z:`)

func placeholders(text string) []string {
	list := placeholder.FindAllString(withArticle.ReplaceAllString(text, "{"), -1)
	slices.Sort(list)
	return slices.Compact(list)
}

// A text that one language lacks, that is empty, or that drops a value which the
// others show: it would be shown as a key, or say less.
func TestLanguagesSayTheSame(t *testing.T) {
	en := languages["en"]
	for tag, words := range languages {
		for key, text := range words {
			if _, ok := en[key]; !ok {
				t.Errorf("%s has %q, which English lacks", tag, key)
			}
			if text == "" {
				t.Errorf("%s: %q is empty", tag, key)
			}
		}
		for key, text := range en {
			if got, want := placeholders(words[key]), placeholders(text); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the values %v, in English %v", tag, key, got, want)
			}
		}
	}
}

// same are texts that are the same word in two languages, or no words at all.
var same = regexp.MustCompile(`^(thousands|quote|claim\.has|suit\..*|many\.(hearts|clubs)|contra\..*|figure\..*|level\..*|` +
	`column\.(name|bytes)|refused|rule\.R-(TAL|CON)|skiz|pagat|with|deal|heading\..*)$`)

// English where German or Hungarian is wanted.
func TestNothingIsLeftInEnglish(t *testing.T) {
	for _, tag := range []string{"de", "hu"} {
		for key, text := range languages[tag] {
			if text == languages["en"][key] && !same.MatchString(key) {
				t.Errorf("%s: %q is %q as in English", tag, key, text)
			}
		}
	}
}

// The number of a rule must be the same in all languages.
func TestRulesAreCitedAlike(t *testing.T) {
	number := regexp.MustCompile(`\b(R|OPT|PAK|BGA)-[A-Z0-9-]+`)
	for key, text := range languages["en"] {
		for tag, words := range languages {
			if got, want := number.FindAllString(words[key], -1), number.FindAllString(text, -1); !slices.Equal(got, want) {
				t.Errorf("%s: %q cites %v, in English %v", tag, key, got, want)
			}
		}
	}
}

// needed are the keys that the code makes of what the protocol, the rules and
// their catalogue contain.
func needed(t *testing.T) []string {
	t.Helper()
	var keys []string
	add := func(prefix string, names ...string) {
		for _, n := range names {
			keys = append(keys, prefix+n)
		}
	}
	log := []table.Check{verifier.CheckSignature, verifier.CheckTree, verifier.CheckHistory, verifier.CheckCosigners}
	for _, c := range slices.Concat(log, []table.Check{verifier.CheckGenesis}, table.Checks()) {
		add("check.", string(c))
		switch c[0] {
		case 'T':
			add("void.", string(c))
		case 'E', 'P':
			add("foul.", string(c))
		}
	}
	for _, c := range []table.Check{verifier.CheckTree, verifier.CheckHistory} {
		add("broken.", string(c), string(c)+".note")
	}
	for _, o := range []verifier.Outcome{verifier.Passed, verifier.Failed, verifier.NotReached} {
		add("outcome.", string(o))
		add("outcome.proof.", string(o))
	}
	for _, k := range []table.Kind{table.Key, table.Shuffle, table.Show, table.Give, table.Permute, table.Move} {
		add("owes.", string(k))
		if k != table.Move {
			add("did.", string(k))
		}
	}
	add("did.", "show.0")
	for relation := range checks {
		add("relation.", relation)
		add("proves.", relation)
	}
	for _, f := range score.Figures {
		add("figure.", string(f))
	}
	for i := range score.Base(4) {
		add("contra.", strconv.Itoa(i+1))
	}
	for how := range hows {
		add("", hows[how])
	}
	add("claim.", claimIDs(t)...)
	return append(keys, rulesInSpec(t)...)
}

// claimIDs are those of docs/spec/62-tarokk-proofs.md and of the code.
func claimIDs(t *testing.T) []string {
	t.Helper()
	var ids []string
	id := `[BTDNCAPE]-[A-Za-z0-9-]+`
	code := regexp.MustCompile(`"(` + id + `)"`)
	for _, glob := range []string{"*.go", "*/*.go"} {
		files, _ := filepath.Glob("../../protocol/games/tarokk/" + glob)
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			for _, m := range code.FindAllStringSubmatch(string(read(t, f)), -1) {
				ids = append(ids, m[1])
			}
		}
	}
	spec := regexp.MustCompile(`(?m)^\| ([^|]*) \|`)
	for _, row := range spec.FindAllStringSubmatch(string(read(t, "../../docs/spec/62-tarokk-proofs.md")), -1) {
		for _, m := range regexp.MustCompile(`\b[BTDNCAPE]-[A-Z][A-Z0-9-]*`).FindAllString(row[1], -1) {
			ids = append(ids, strings.TrimSuffix(m, "-"))
		}
	}
	for _, n := range []string{"17", "18", "19"} {
		ids = append(ids, "B-INV"+n+"-FAIL")
	}
	for _, h := range "abcde" {
		ids = append(ids, "N-"+string(h))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return slices.DeleteFunc(ids, func(id string) bool { return id == "N-" || id == "B-INV" })
}

// rulesInSpec are the chapters of rules that an error may cite.
func rulesInSpec(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, m := range regexp.MustCompile(`\*\*(R-[A-Z]+)-[0-9]+`).FindAllStringSubmatch(string(read(t, "../../docs/spec/61-tarokk.md")), -1) {
		list = append(list, "rule."+m[1])
	}
	for _, m := range regexp.MustCompile(`\*\*(SP-[SC])[0-9]`).FindAllStringSubmatch(string(read(t, "../../docs/spec/60-games.md")), -1) {
		list = append(list, "rule."+m[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A check, an id of the catalogue or a text of the code for which a language has
// no words.
func TestEverythingHasWords(t *testing.T) {
	keys := append(needed(t), literals(t)...)
	if len(keys) < 150 {
		t.Fatalf("%d keys: the test tests nothing", len(keys))
	}
	for tag, words := range languages {
		for _, key := range keys {
			_, one := words[key+".1"]
			_, many := words[key+".n"]
			if _, ok := words[key]; !ok && !(one && many) {
				t.Errorf("%s has no words for %q", tag, key)
			}
		}
	}
}

// literals are the keys that stand in the code and on the page.
func literals(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if lit, isLit := call.Args[0].(*ast.BasicLit); ok && isLit && slices.Contains([]string{"say", "count", "heading"}, sel.Sel.Name) {
				key, _ := strconv.Unquote(lit.Value)
				keys = append(keys, key)
			}
			return true
		})
	}
	for _, m := range regexp.MustCompile(`\.Say "([^"]+)"`).FindAllStringSubmatch(pageText+tournamentText, -1) {
		keys = append(keys, m[1])
	}
	return keys
}

// A text that nothing can show is one that nobody keeps true.
func TestEveryTextIsUsed(t *testing.T) {
	used := map[string]bool{}
	for _, k := range append(needed(t), literals(t)...) {
		used[k], used[k+".1"], used[k+".n"] = true, true, true
	}
	dynamic := regexp.MustCompile(`^(status\..*|verdict\..*|did\.(call|annul|wish|knock|confirm|trial|claim)\..*|rank\..|french\..|` +
		`suit\..*|side\..*|level\..|contra\..|figure\..*|hand\..|group\..*|(none|one|many)\..*|says\.count\..|rule\.OPT|did\.turn.*)$`)
	code := ""
	files, _ := filepath.Glob("*.go")
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			code += string(read(t, f))
		}
	}
	for key := range languages["en"] {
		if !used[key] && !strings.Contains(code, strconv.Quote(key)) && !dynamic.MatchString(key) {
			t.Errorf("%q is never shown", key)
		}
	}
}

// A game of the catalogue whose moves would be shown as JSON.
func TestEveryGameHasWords(t *testing.T) {
	for _, g := range games.All() {
		if _, unknown := gameOf(g.Name()).(anyGame); unknown {
			t.Errorf("%s has no words", g.Name())
		}
	}
}

// A claim about a set that has no name in a language, or words that say another
// set than the condition: of all sets that the rules can make.
func TestClaimsSayTheirSets(t *testing.T) {
	l, _ := In("en")
	for _, c := range []struct {
		set         card.Set
		n, min, max int
		want        string
	}{
		{deck.Honours, 9, 1, 9, "at least one honour"},
		{deck.BigHonours, 9, 1, 9, "at least one big honour"},
		{card.SetOf(deck.XIX), 9, 1, 9, "XIX"},
		{deck.Not(card.SetOf(deck.XIX)), 9, 9, 9, "no XIX"},
		{deck.Not(deck.Honours), 12, 12, 12, "no honour"},
		{deck.TarokkDiscards.Without(card.SetOf(deck.XX)), 2, 2, 2, "no suit card, no honour and no XX"},
		{deck.PlainDiscards, 3, 3, 3, "no tarokk and no king"},
		{deck.Discardable, 3, 3, 3, "no king and no honour"},
		{deck.Kings, 9, 4, 4, "exactly 4 kings"},
		{deck.Plain, 9, 8, 9, "at least 8 suit cards"},
		{deck.Plain, 9, 9, 9, "no tarokk"},
		{deck.Tarokks, 9, 9, 9, "no suit card"},
		{deck.Tarokks, 9, 8, 8, "exactly 8 tarokks"},
		{card.SetOf(deck.XX, deck.XIX, deck.XVIII), 9, 3, 9, "XX, XIX and XVIII"},
		{deck.Not(deck.Of(deck.Spades)), 7, 7, 7, "no spade"},
		{deck.Not(deck.Of(deck.Hearts).Union(deck.Tarokks)), 7, 7, 7, "no tarokk and no heart"},
		{deck.Not(card.SetOf(deck.Pagat, deck.Skiz)), 2, 2, 2, "no pagát and no skíz"},
		{card.SetOf(deck.XXI), 2, 1, 2, "XXI"},
		{deck.Of(deck.Clubs).Union(deck.Kings), 9, 2, 5, "2 to 5 cards of a set of 8"},
	} {
		got := tarokkWords{}.short(l, table.Condition{Cards: make([]table.Card, c.n), Set: c.set, Min: c.min, Max: c.max})
		if got != c.want {
			t.Errorf("%d to %d of %d: %q, want %q", c.min, c.max, c.n, got, c.want)
		}
	}
	for tag := range languages {
		l, _ := In(tag)
		for _, s := range named {
			for _, form := range []string{"none.", "one.", "many."} {
				if !l.knows(form + s.name) {
					t.Errorf("%s has no words for %s%s", tag, form, s.name)
				}
			}
		}
	}
}

// Cards of both packs in words and as pictures; a name that is no card is shown
// as it is and never drawn.
func TestCards(t *testing.T) {
	for _, low := range []string{"ace", "four"} {
		for _, name := range deck.Names(low) {
			for tag := range languages {
				l, _ := In(tag)
				if got := (tarokkWords{}).Card(l, name); got == "" || strings.Contains(got, "[") {
					t.Errorf("%s: %s is %q", tag, name, got)
				}
			}
			if draw("tarokk/v1", name) == "" {
				t.Errorf("%s has no picture", name)
			}
		}
	}
	for _, rank := range []string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"} {
		for _, suit := range "CSHD" {
			inside := draw("schwarzer-peter/v1", rank+string(suit))
			if strings.Count(inside, "<path") == 0 && rank != "A" {
				t.Errorf("%s%c has no picture", rank, suit)
			}
		}
	}
	for _, bad := range []string{"", "0", "T23", "XX\"", "<b>", "H", "7H>", "ZZ", "<b>H", "\">H", "0H"} {
		if got := draw("tarokk/v1", bad); got != "" {
			t.Errorf("%q is drawn: %s", bad, got)
		}
		if got := draw("schwarzer-peter/v1", bad); got != "" {
			t.Errorf("%q is drawn: %s", bad, got)
		}
	}
}

// Numbers and lists as each language writes them.
func TestNumbers(t *testing.T) {
	for tag, want := range map[string]string{"en": "1,234,567 −1,000 +42 0 999", "de": "1.234.567 −1.000 +42 0 999", "hu": "1\u00a0234\u00a0567 −1\u00a0000 +42 0 999"} {
		l, _ := In(tag)
		got := fmt.Sprint(l.number(1234567), " ", l.signed(-1000), " ", l.signed(42), " ", l.signed(0), " ", l.number(999))
		if got != want {
			t.Errorf("%s: %s, want %s", tag, got, want)
		}
	}
	for spoken, want := range map[string]string{"1": "az", "10": "a", "100": "a", "1\u00a0000": "az", "10\u00a0000": "a", "5": "az", "58": "az", "5\u00a0000": "az",
		"4": "a", "0": "a", "1\u00a0000\u00a0000": "az", "A": "az", "B": "a", "E": "az", "XX": "a", "": "a"} {
		if got := article(spoken); got != want {
			t.Errorf("%s %s, want %s", got, spoken, want)
		}
	}
	l, _ := In("en")
	if got := l.list([]string{"a", "b", "c"}); got != "a, b and c" {
		t.Error(got)
	}
}
