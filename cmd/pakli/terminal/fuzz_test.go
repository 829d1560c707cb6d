package terminal_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// positions are one question of every stage of a game of tarokk.
var positions = sync.OnceValues(func() ([]terminal.Position, error) {
	var list []terminal.Position
	var seen []string
	for seed := range uint64(3) {
		played, err := tabletest.Play(play.Of(tarokk.Rules{}), tabletest.Config{Seats: 5, Deals: 1, Options: options{"deal-knock": "true", "talon-fee": "true"}}, seed)
		if err != nil {
			return nil, err
		}
		for _, s := range played.States {
			for seat := range table.Seat(s.Seats()) {
				if !owes(s, seat) {
					continue
				}
				v, _ := play.See(s, seat, played.Hands[seat].Secret)
				p := terminal.Position{State: s, View: v}
				text := terminal.For("tarokk/v1", terminal.Style{}).Table(p)
				if _, task, _ := strings.Cut(text, " to "); !slices.Contains(seen, task) {
					seen, list = append(seen, task), append(list, p)
				}
			}
		}
	}
	return list, nil
})

// FuzzRead types anything at every stage: no panic, and what is read as a move
// is one that the rules take and the seat can prove.
func FuzzRead(f *testing.F) {
	for _, line := range []string{"", ",", "pass", "three", "hold", "packet 2", "packet x", "knock", "annul d", "annul ", "play", "play ,", "play I dec", "dec",
		"discard", "discard HQ HQ", "♥Q ♦R", "discard 10", "call", "call XX", "call 10, trull", "count 8 ultimo", "contra", "contra game trull", "contra dec",
		"contra def xxi", "contra , ,", "compulsory", "SKIZ", "Skíz", "pagát", "kh", "hk", "open", "pay", "go", "1", "ſ", "İ"} {
		f.Add(line)
	}
	face := terminal.For("tarokk/v1", terminal.Style{})
	f.Fuzz(func(t *testing.T, line string) {
		list, err := positions()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			move, err := face.Read(p, line)
			if err != nil {
				continue
			}
			if _, err := p.State.Turned(p.View.Seat, move); err != nil {
				t.Fatalf("%q is read as %s, which the rules refuse: %v", line, move, err)
			}
			if again, err := face.Read(p, face.Say(p, move)); err != nil || string(again) != string(move) {
				t.Fatalf("%q is read as %s, in words %q, and that as %s, %v", line, move, face.Say(p, move), again, err)
			}
		}
	})
}
