package scene

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var shown = scene.NewGame(rules.Name(), Presentation{})

type options = map[string]string

// A move that nobody can pick, a card that is shown to whom it is hidden from, words
// that are missing. Without PAKLI_TESTS=thorough, at the table of five, which is asked most, and in one deal of another.
func TestScene(t *testing.T) {
	configs := []tabletest.Config{{Seats: 5, Deals: 2, Options: options{"preset": "bga", "talon-fee": "true", "deal-knock": "true", "ending": "skiz"}}}
	others := []options{
		{},
		{"discard-announce": "first-turn", "free-call": "none", "raise-sole": "true", "invit-commit": "if-other-declares", "red-low": "four"},
		{"count-pais": "true", "forced-contra": "spoken", "pagat-retention": "any-holder"},
	}
	deals := 1
	if testmust.Thorough() {
		deals = 2
	}
	chosen := testmust.SomeOf(t, len(others), 1)
	for i, o := range others {
		if chosen(i) {
			configs = append(configs, tabletest.Config{Seats: 4, Deals: deals, Options: o})
		}
	}
	scenetest.Run(t, play.NewGame(tarokk.Rules{}), shown, configs...)
}

// A text that one language lacks, that is left in English, or that says less; a rule that is named and told nowhere.
func TestTexts(t *testing.T) {
	scenetest.CheckTexts(t, texts.ByTag(), regexp.MustCompile(`^(claim\.has|many\.(hearts|clubs)|contra\..*|figure\..*|level\..*|rule\.R-(TAL|CON)|skiz|pagat|with|item|by|who\.card|of\.tarokks.*|pick\.play\.(dec|def))$`))
	scenetest.CheckRulebook(t, texts.ByTag())
}

func voice(tag string) scene.Voice {
	l, _ := scene.LanguageFor(tag)
	return l.VoiceOf(shown, func(seat table.Seat) string { return string(rune('A' + seat)) })
}

// An id of the catalogue of proofs, a figure, a step, a set or a chapter of the rules
// without words: it would be shown as its key.
func TestEverythingHasWords(t *testing.T) {
	keys := rulesInSpec(t)
	for _, id := range claimIDs(t) {
		keys = append(keys, "claim."+id)
	}
	for _, f := range tarokk.Figures {
		keys = append(keys, "figure."+string(f))
	}
	for i := range tarokk.BaseValue(4) {
		keys = append(keys, "contra."+strconv.Itoa(i+1))
	}
	for _, s := range named {
		keys = append(keys, "none."+s.name, "one."+s.name, "many."+s.name)
	}
	testmust.Requiref(t, len(keys) >= 60, "%d keys: the test tests nothing", len(keys))
	for _, key := range keys {
		testmust.Hold(t, hasText(key), "no words for", key)
	}
}

// claimIDs are those of docs/spec/62-tarokk-proofs.md and of the code.
func claimIDs(t *testing.T) []string {
	t.Helper()
	var ids []string
	id := `[BTDNCAPE]-[A-Za-z0-9-]+`
	code := regexp.MustCompile(`"(` + id + `)"`)
	for _, glob := range []string{"*.go", "*/*.go"} {
		files, _ := filepath.Glob("../" + glob)
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
	for _, row := range spec.FindAllStringSubmatch(string(read(t, "../../../../docs/spec/62-tarokk-proofs.md")), -1) {
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
	for _, m := range regexp.MustCompile(`\*\*(R-[A-Z]+)-[0-9]+`).FindAllStringSubmatch(string(read(t, "../../../../docs/spec/61-tarokk.md")), -1) {
		list = append(list, "rule."+m[1])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A claim about a set that has no name in a language, or words that say another
// set than the condition: of all sets that the rules can make.
func TestClaimsSayTheirSets(t *testing.T) {
	v := voice("en")
	for _, c := range []struct {
		set         card.Set
		n, min, max int
		want        string
	}{
		{tarokk.Honours, 9, 1, 9, "at least one honour"},
		{tarokk.BigHonours, 9, 1, 9, "at least one big honour"},
		{card.SetOf(tarokk.XIX), 9, 1, 9, "XIX"},
		{tarokk.AllBut(card.SetOf(tarokk.XIX)), 9, 9, 9, "no XIX"},
		{tarokk.AllBut(tarokk.Honours), 12, 12, 12, "no honour"},
		{tarokk.TarokkDiscards.Minus(card.SetOf(tarokk.XX)), 2, 2, 2, "no suit card, no honour and no XX"},
		{tarokk.PlainDiscards, 3, 3, 3, "no tarokk and no king"},
		{tarokk.Discardable, 3, 3, 3, "no king and no honour"},
		{tarokk.Kings, 9, 4, 4, "exactly 4 kings"},
		{tarokk.Plain, 9, 8, 9, "at least 8 suit cards"},
		{tarokk.Plain, 9, 9, 9, "no tarokk"},
		{tarokk.Tarokks, 9, 9, 9, "no suit card"},
		{tarokk.Tarokks, 9, 8, 8, "exactly 8 tarokks"},
		{card.SetOf(tarokk.XX, tarokk.XIX, tarokk.XVIII), 9, 3, 9, "XX, XIX and XVIII"},
		{tarokk.AllBut(tarokk.CardsOf(tarokk.Spades)), 7, 7, 7, "no spade"},
		{tarokk.AllBut(tarokk.CardsOf(tarokk.Hearts).Union(tarokk.Tarokks)), 7, 7, 7, "no tarokk and no heart"},
		{tarokk.AllBut(card.SetOf(tarokk.Pagat, tarokk.Skiz)), 2, 2, 2, "no pagát and no skíz"},
		{card.SetOf(tarokk.XXI), 2, 1, 2, "XXI"},
		{tarokk.CardsOf(tarokk.Clubs).Union(tarokk.Kings), 9, 2, 5, "2 to 5 cards of a set of 8"},
	} {
		got := v.Text(conditionNote(table.Condition{Cards: make([]table.Card, c.n), Set: c.set, Min: c.min, Max: c.max}))
		testmust.Equal(t, got, c.want, c.min, "to", c.max, "of", c.n)
	}
}

// Cards of both packs in words and as pictures; a name that is no card is shown as it
// is.
func TestCards(t *testing.T) {
	for _, low := range []string{"ace", "four"} {
		for _, name := range tarokk.FaceNames(tarokk.RedLow(low)) {
			f, known := parseFace(name)
			testmust.Holdf(t, known && f.Suit != "", "%s is no card: %+v", name, f)
			for tag := range texts.ByTag() {
				got := voice(tag).Face(name)
				testmust.Holdf(t, got != "" && !strings.Contains(got, "["), "%s: %s is %q", tag, name, got)
			}
		}
	}
	testmust.Equal(t, voice("en").Face("T23"), "T23", "no card")
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	return testmust.Have(os.ReadFile(file))(t)
}

// An option that a language lacks, or of which it knows other words or other rules than
// the English text: players would agree to terms that say something else.
func TestMeaningsInAllLanguages(t *testing.T) {
	list, err := ruleSet(table.Config{Seats: 5, Deals: 1})
	testmust.Requiref(t, err == nil && len(list) == len(tarokk.Options()) && len(meanings) == len(list),
		"%d meanings of %d options, %v", len(meanings), len(list), err)
	told := regexp.MustCompile("`[^`]*`|[A-Z]+(-[A-Z]+)*-[0-9]+|[0-9]+\\.[0-9.]*[0-9]")
	for _, o := range list {
		want := told.FindAllString(o.Meaning["en"], -1)
		slices.Sort(want)
		for _, tag := range []string{"de", "hu"} {
			got := told.FindAllString(o.Meaning[tag], -1)
			if slices.Sort(got); o.Meaning[tag] == "" || !slices.Equal(slices.Compact(got), slices.Compact(slices.Clone(want))) {
				t.Errorf("%s, %s: tells of %q, in English of %q", o.Name, tag, got, want)
			}
		}
	}
}
