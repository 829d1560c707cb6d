package scene_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/scene"
)

// A message whose rule is not found, or a word of prose that is taken for one: a person
// is told the wrong reason.
func TestRulesIn(t *testing.T) {
	for text, want := range map[string][]string{
		"R-BID-1: a bid is lower":         {"R-BID-1"},
		"by OPT-FREE (see BGA-7, R-A).":   {"OPT-FREE", "BGA-7", "R-A"},
		"the rule R-SEAT-, and no others": {"R-SEAT"},
		"seat B may not, a-b, X-ray":      nil,
		"R--1 R- -R 7-R R_-A":             nil,
		"":                                nil,
	} {
		if got := scene.RulesIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
