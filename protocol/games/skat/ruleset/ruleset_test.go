package ruleset_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

const specRules = "../../../../docs/spec/90-skat.md"

// An option whose name or values differ from those that the specification has, which
// are hashed, or whose default is not its first (90.12).
func TestOptionsAreSpecified(t *testing.T) {
	text := testmust.Have(os.ReadFile(specRules))(t)
	rows := regexp.MustCompile("(?m)^\\| (OPT-[A-Z-]+) \\| `([a-z-]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(text), -1)
	defaults, err := ruleset.Parse(table.Config{Seats: 3, Deals: 1})
	if err != nil || len(rows) != len(ruleset.Options()) {
		t.Fatalf("%d options are specified, there are %d: %v", len(rows), len(ruleset.Options()), err)
	}
	for i, o := range ruleset.Options() {
		var values []string
		for _, v := range regexp.MustCompile("`([^`+]+)`").FindAllStringSubmatch(rows[i][3], -1) {
			values = append(values, v[1])
		}
		if o.Source != rows[i][1] || o.Name != rows[i][2] || o.Name != "bock" && !slices.Equal(o.Values, values) {
			t.Errorf("%s %s %v, specified are %v", o.Source, o.Name, o.Values, rows[i][1:])
		}
		if o.Value(defaults) != o.Values[0] || o.Value(defaults) != values[0] {
			t.Errorf("%s is %s by default", o.Name, o.Value(defaults))
		}
	}
}

// A set of events that reads as another, or that cannot be chosen (OPT-BOCK).
func TestBock(t *testing.T) {
	var bock []string
	for _, o := range ruleset.Options() {
		if o.Name == "bock" {
			bock = o.Values
		}
	}
	if len(bock) != 16 {
		t.Fatalf("%d sets of four events", len(bock))
	}
	for _, v := range bock {
		r := testmust.Have(ruleset.Parse(table.Config{Seats: 4, Deals: 1, Options: map[string]string{"bock": v}}))(t)
		var list []string
		for _, event := range ruleset.Events {
			if r.Bocks(event) {
				list = append(list, event)
			}
		}
		if got := strings.Join(list, "+"); got != strings.TrimPrefix(v, ruleset.Off) {
			t.Errorf("%s is read as %s", v, got)
		}
	}
}
