package announce_test

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// Turns of arbitrary strings, each on a line and its statements with commas
// between: no panic, nothing half done, and what is accepted was on offer.
func FuzzTurn(f *testing.F) {
	f.Add(uint64(0), "call:T20\ncontra:game,fig:trull\n\n\ncontra:game")
	f.Add(uint64(1), "count:8,call:T20,fig:pagat_ultimo\ncontra:DEC.pagat_ultimo\ncompulsory:game\n")
	f.Add(uint64(2), "call:XX\ncall:T020\ncall:\ncall\n:")
	f.Add(uint64(3), "count:9\nfig:game\ncontra:DEC.game\ncontra:.trull\ncompulsory:\xff")
	f.Add(uint64(4), strings.Repeat("count:8,", 30))
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		random := rand.New(rand.NewPCG(seed, 6))
		r := anyRules(random)
		s := announce.New(anyDeal(random, r).public)
		for _, line := range strings.Split(text, "\n") {
			say := []string{}
			if line != "" {
				say = strings.Split(line, ",")
			}
			s = hear(t, s, r, say)
		}
	})
}

// cites is how an error names the rule that is broken.
var cites = regexp.MustCompile(`^(R|OPT)-[A-Z]+-`)

// hear gives a turn to whoever is to speak.
func hear(t *testing.T, s announce.State, r ruleset.Rules, say []string) announce.State {
	seat, _ := s.Speaker()
	was := s
	was.Items = slices.Clone(s.Items)
	next, _, err := s.Turn(r, seat, say)
	if !reflect.DeepEqual(s, was) {
		t.Fatalf("%q changed the state before it", say)
	}
	if err != nil {
		if !reflect.DeepEqual(next, s) || !cites.MatchString(err.Error()) || len(err.Error()) > 300 {
			t.Fatalf("%q: refused badly: %v", say, err)
		}
		return s
	}
	offered(t, s, r, seat, say)
	possible(t, next)
	return next
}

// offered checks that each statement of an accepted turn was among those on
// offer before it.
func offered(t *testing.T, s announce.State, r ruleset.Rules, seat int, say []string) {
	for i, text := range say {
		if list := s.Statements(r, seat, say[:i]...); !slices.Contains(list, text) {
			t.Fatalf("%q was accepted after %q and not on offer: %q", text, say[:i], list)
		}
	}
}
