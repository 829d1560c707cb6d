package games_test

import (
	"regexp"
	"testing"

	"github.com/pakli/pakli/protocol/games"
)

// A game that a genesis entry cannot name, or names in two ways.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range games.All() {
		name := g.Name()
		if !regexp.MustCompile(`^[a-z-]+/v[1-9][0-9]*$`).MatchString(name) || seen[name] {
			t.Errorf("name %q is taken or not of the form <game>/v<N>", name)
		}
		seen[name] = true
		if found, ok := games.Lookup(name); !ok || found.Name() != name {
			t.Errorf("Lookup(%q) finds %v", name, found)
		}
	}
	if _, ok := games.Lookup("schwarzer-peter"); ok {
		t.Error("a name without version is found")
	}
	if len(seen) == 0 {
		t.Error("no games")
	}
}
