package terminal_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
)

// attempts are what somebody may try who does not know the rules well.
func attempts(p terminal.Position) []string {
	list := []string{"pass", "hold", "three", "two", "one", "solo", "annul a", "annul b", "annul c", "annul d", "annul e",
		"call XX", "call XIX", "call XVIII", "call II", "call SKIZ", "count 8", "count 9", "trull", "kings", "double", "volat", "ultimo", "xxi", "compulsory",
		"contra game", "contra game, trull", "contra game, contra game", "ultimo, count 8", "contra ultimo"}
	var hand []string
	for _, c := range p.State.Hand(p.View.Seat) {
		hand = append(hand, p.State.FaceName(p.View.Faces[c]))
	}
	for i, name := range hand {
		list = append(list, "play "+name, "play "+name+" dec", "play "+name+" def", "discard "+name,
			"discard "+name+" "+hand[(i+1)%len(hand)], "discard "+strings.Join([]string{name, hand[(i+1)%len(hand)], hand[(i+2)%len(hand)]}, " "))
	}
	return append(list, "play "+deck.Name(deck.XX), "discard "+deck.Name(deck.XIX))
}

var ruleFirst = regexp.MustCompile(`^((?:R|OPT|BGA)-[A-Z]+(?:-[A-Z0-9]+)*)`)

// What is refused without a rule leaves a person at a loss. Each refusal that
// rests on the own cards must occur, with the rule that stands behind it.
func TestRefusalsNameTheirRule(t *testing.T) {
	seen, random := map[string]int{}, rand.New(rand.NewPCG(3, 4))
	everyQuestion(t, func(face terminal.Face, p terminal.Position) {
		if p.State.Genesis().Game != "tarokk/v1" {
			return
		}
		list := attempts(p)
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, line := range list[:len(list)/2] {
			_, err := face.Read(p, line)
			if err == nil || strings.Contains(err.Error(), "is not understood: you are to ") {
				continue
			}
			m := ruleFirst.FindString(err.Error())
			if m == "" || strings.Contains(err.Error(), "would have to be of") {
				t.Errorf("%q at %q: %v", line, face.Ask(p).Text, err)
			}
			seen[m]++
		}
	})
	t.Log(slices.Sorted(maps.Keys(seen)))
	for _, rule := range []string{"R-BID-4", "R-BID-5", "R-CONV-6", "R-DISC-1", "R-DISC-2", "R-ANN-1", "R-CALL-3", "R-CALL-5", "R-CNT-1", "R-SIDE-7", "R-CON-3", "R-PLAY-1", "R-PLAY-3"} {
		if seen[rule] == 0 {
			t.Errorf("nothing was refused by %s", rule)
		}
	}
}
