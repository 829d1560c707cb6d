package scene

import (
	"regexp"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

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
