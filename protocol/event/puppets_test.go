package event_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// Somebody with 24 keys registers with all of them, waits for the draw, and withdraws with all but the
// one that then meets the victim: whoever withdraws, nobody sits elsewhere.
func TestPuppetsWithdrawAfterTheDraw(t *testing.T) {
	const puppets = 24
	var seated [][]int
	for stays := range puppets {
		w := newWorld(t, nil)
		w.enter(9)
		var names []string
		for i := range puppets {
			names = append(names, fmt.Sprintf("puppet-%d", i+1))
		}
		w.register(names...)
		w.roster()
		w.draw()
		for i, name := range names {
			if i != stays {
				w.tell(name, wire.Withdraw, wire.RoundBody{Round: 1})
			}
		}
		w.seat()
		w.departs(w.judge(), event.NotFinal)
		if seated == nil {
			seated = w.h.Rounds[0].Tables
		}
		if !slices.EqualFunc(seated, w.h.Rounds[0].Tables, slices.Equal[[]int]) {
			t.Fatalf("with puppet %d alone they sit as %v, with another as %v", stays+1, w.h.Rounds[0].Tables, seated)
		}
	}
}

// Somebody who has seen the draw, and registers with as many keys as it takes until one of them has
// the lot that he wants.
func TestRegistersAfterTheDraw(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	w.register("puppet-1", "puppet-2", "puppet-3")
	w.roster()
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	if all := append(slices.Concat(w.h.Rounds[0].Tables...), w.h.Rounds[0].Byes...); len(all) != 8 {
		t.Errorf("%v have lots, and 8 were there", all)
	}
	w.play()
	w.seat()
	w.departs(w.judge(), event.NotFinal)
	if all := append(slices.Concat(w.h.Rounds[1].Tables...), w.h.Rounds[1].Byes...); len(all) != 11 {
		t.Errorf("%v have lots in the next round, and 11 are there", all)
	}
}

// Lots of a later round that somebody knows when it can still be chosen who plays it.
func TestSeedOfEachRound(t *testing.T) {
	w := newWorld(t, nil)
	w.drawn(8)
	if _, drawn := w.judge().Draws[2]; drawn {
		t.Error("round 2 is drawn before round 1 is seated")
	}
	seeds := map[event.Seed]bool{}
	for range 3 {
		w.round()
		testmust.Fail(t, testmust.ErrorOf(event.NextRound(w.h, w.tables)), "a round without a draw")
	}
	for _, d := range w.judge().Draws {
		seeds[d.Seed] = true
	}
	if len(seeds) != 3 {
		t.Errorf("%d seeds for three rounds", len(seeds))
	}
}
