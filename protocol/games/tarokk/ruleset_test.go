package tarokk_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

type optionValues = map[string]string

func parse(seats int, o optionValues) (tarokk.RuleSet, error) {
	return tarokk.ParseRuleSet(table.Config{Seats: seats, Deals: 1, Options: o})
}

func must(t *testing.T, o optionValues) tarokk.RuleSet { return testmust.Have(parse(5, o))(t) }

// The book is what a table plays that says nothing, and every option has its
// default there (61.13).
func TestBookIsTheDefault(t *testing.T) {
	book := must(t, nil)
	d := tarokk.Diff(book, must(t, optionValues{"preset": "book"}))
	testmust.Holdf(t, len(d) == 0, "%+v", d)
	for _, o := range tarokk.Options() {
		if o.Values != nil && o.Value(book) != o.Values[0] {
			t.Errorf("%s is %s in the book, and %s in the specification", o.Name, o.Value(book), o.Values[0])
		}
	}
}

// Every value of every option can be said, is kept, and is seen in the
// difference to the book: an option that the table forgets, or two that write
// to one place, or that is lost in the public state.
func TestEveryValueIsKept(t *testing.T) {
	book := must(t, nil)
	companions := optionValues{"discard-announce": "free-call=none", "double-volat-same-player": ""}
	for _, o := range tarokk.Options() {
		for _, v := range valuesOf(o, book) {
			given := optionValues{o.Name: v}
			name, value, has := strings.Cut(companions[o.Name], "=")
			if has && v != o.Value(book) {
				given[name] = value
			}
			r := must(t, given)
			var again tarokk.RuleSet
			testmust.Do(t, json.Unmarshal(testmust.Have(json.Marshal(r))(t), &again))
			if got := o.Value(r); got != v || again != r {
				t.Errorf("%s=%s is kept as %s, and read as %s", o.Name, v, got, o.Value(again))
			}
			changed := len(given)
			if v == o.Value(book) {
				changed = 0
			}
			d := tarokk.Diff(book, r)
			testmust.Holdf(t, len(d) == changed, "%v differs from the book in %d options: %+v", given, len(d), d)
		}
	}
}

func valuesOf(o tarokk.Option, book tarokk.RuleSet) []string {
	switch {
	case o.Values != nil && o.Name == "annul-time": // before-discard knows fewer hands
		return o.Values[:1]
	case o.Values != nil:
		return o.Values
	case o.Name == "annul-hands":
		return []string{"", "b", "abc", "abcde"}
	case o.Name == "conventions":
		return []string{"true", "false"}
	case o.Value(book) == "true" || o.Value(book) == "false":
		return []string{"true", "false"}
	case strings.HasSuffix(o.Name, "-silent"):
		return []string{"0", o.Value(book)}
	}
	return []string{o.Value(book), "1000"}
}

// The presets, as a person reads them: what the Kégl variant and the tariff of
// tournaments change.
func TestPresets(t *testing.T) {
	for name, want := range map[string]string{
		"book": "",
		"cup":  "xxi-silent 21 42, xxi-announced 42 84",
		"bga": "trial-pays base two, solo-jump new bga, first-bid invit withdrawn, hold-refuses false true, yield-shows big-honour honour, " +
			"ultimo-duty dealt exchanged, discard-xx allowed uninvited, free-call any none, annul-hands abcde abd, " +
			"annul-time after-discard before-discard, double-kings scored not, ultimo-pool false true",
	} {
		var got []string
		for _, d := range tarokk.Diff(must(t, nil), must(t, optionValues{"preset": name})) {
			got = append(got, d.Name+" "+d.A+" "+d.B)
		}
		testmust.Equal(t, strings.Join(got, ", "), want, "preset", name)
		_, known := tarokk.PresetNamed(name)
		testmust.Holdf(t, known, "preset %s is not known by its name", name)
	}
	testmust.Equal(t, len(tarokk.PresetNames()), 3, tarokk.PresetNames(), "a preset without a test")
	r := must(t, optionValues{"preset": "bga", "free-call": "any"})
	testmust.Hold(t, r.FreeCall == "any" && r.UltimoPool, "an option beside a preset does not count, or takes the preset away")
}

// Rule sets that make no sense are refused before anybody sits down, with the
// option at fault.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		seats int
		o     optionValues
		want  string
	}{
		{3, nil, "R-SEAT-1"}, {6, nil, "R-SEAT-1"},
		{4, optionValues{"preset": "poker"}, "preset=poker"},
		{4, optionValues{"illustrated": "true"}, "unknown option illustrated"},
		{4, optionValues{"contra-tie": "46"}, "one of 47, 48"},
		{4, optionValues{"xxi-silent": "1001"}, "number from 0 to 1000"},
		{4, optionValues{"xxi-silent": "021"}, "number from 0 to 1000"},
		{4, optionValues{"annul-hands": "ba"}, "option annul-hands=ba"},
		{4, optionValues{"conventions": "false", "xvii": "pais"}, "conventions=false leaves nothing"},
		{4, optionValues{"conventions": "false", "discard-xx": "uninvited"}, "knows no invit"},
		{4, optionValues{"preset": "bga", "conventions": "false"}, "conventions=false"},
		{4, optionValues{"hold-refuses": "true", "invit-to": "bidder-hold"}, "leave no answer"},
		{4, optionValues{"hold-refuses": "true", "xvii": "pais"}, "both say what three, two, one shows"},
		{4, optionValues{"discard-announce": "first-turn"}, "free-call must be none"},
		{4, optionValues{"annul-time": "before-discard"}, "a, b and d alone"},
		{4, optionValues{"annul-time": "before-discard", "annul-hands": "b", "annul-after-tarokk": "all"}, "leave out annul-after-tarokk"},
		{4, optionValues{"double-volat-same-turn": "true", "double-volat-same-player": "false"}, "needs double-volat-same-player"},
		{4, optionValues{"kings-silent": "3"}, "kings-announced"},
		{4, optionValues{"ultimo-announced": "4"}, "ultimo-announced"},
		{4, optionValues{"xxi-silent": "43"}, "xxi-announced"},
		{4, optionValues{"talon-fee": "true"}, "five members"},
		{4, optionValues{"dealer-weeps": "true"}, "five members"},
	} {
		testmust.FailSaying(t, testmust.ErrorOf(parse(c.seats, c.o)), c.want, c.seats, "members", c.o, "want an error about")
	}
}

//go:generate go test -run TestSpecification -update .

const (
	specification = "../../../docs/spec/61-tarokk.md"
	begin         = "<!-- Generated by go generate ./protocol/games/tarokk from here -->\n"
	end           = "<!-- to here -->\n"
)

// An option, a value, a default or a preset that the program has and the
// specification does not, or the other way round: two verifiers would open
// different tables.
func TestSpecification(t *testing.T) {
	raw := testmust.Have(os.ReadFile(specification))(t)
	before, rest, ok := strings.Cut(string(raw), begin)
	_, after, closed := strings.Cut(rest, end)
	testmust.Requiref(t, ok && closed, "%s does not say where its tables of options are", specification)
	testmust.Same(t, specification, before+begin+optionTable()+presetTable()+conflictList()+end+after)
}

// A value of which the specification does not say what it does.
func TestEveryValueIsExplained(t *testing.T) {
	for _, o := range tarokk.Options() {
		for _, v := range o.Values {
			testmust.Holdf(t, o.Name == "red-low" || o.Name == "contra-tie" || strings.Contains(o.Meaning, "`"+v+"`"),
				"%s: nothing says what %s does", o.Name, v)
		}
	}
}

func optionTable() string {
	var b strings.Builder
	book, _ := tarokk.PresetNamed("book")
	fmt.Fprintf(&b, "\n| option | values, the book's first | what it does | source |\n|---|---|---|---|\n")
	fmt.Fprintf(&b, "| `preset` | %s | what the other options are that are not given | |\n", code(tarokk.PresetNames()))
	for _, o := range tarokk.Options() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Name, values(o, o.Value(book)), o.Meaning, o.Source)
	}
	return b.String()
}

func values(o tarokk.Option, book string) string {
	switch {
	case o.Values != nil:
		return code(o.Values)
	case book == "true":
		return code([]string{"true", "false"})
	case book == "false":
		return code([]string{"false", "true"})
	case o.Name == "annul-hands":
		return "`" + book + "`, or any of these letters in this order, or none"
	}
	return "`" + book + "`, or any number from 0 to 1000"
}

func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

// presetTable is what presets are but for the book.
func presetTable() string {
	var b strings.Builder
	book, _ := tarokk.PresetNamed("book")
	fmt.Fprintf(&b, "\nA preset is the book with these options:\n\n| preset | options |\n|---|---|\n")
	for _, name := range tarokk.PresetNames() {
		r, _ := tarokk.PresetNamed(name)
		var list []string
		for _, d := range tarokk.Diff(book, r) {
			list = append(list, d.Name+"="+d.B)
		}
		if list != nil {
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, code(list))
		}
	}
	return b.String()
}

func conflictList() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nA table does not open with options, given or by preset, that contradict one of these. An option\nof which it says that there is nothing to change must be as in the book.\n\n")
	for _, why := range tarokk.Conflicts() {
		fmt.Fprintf(&b, "- %s\n", why)
	}
	return b.String() + "\n"
}
