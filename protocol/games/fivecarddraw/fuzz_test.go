package fivecarddraw_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// numbered is how an error begins: with the number of a rule.
var numbered = regexp.MustCompile(`^(FD-R-\d\d|92\.\d+): `)

// A move that a seat signed, whatever is in it, that panics, that changes the state it is
// made in, that stands under no number of the rules, that makes or loses a chip, or that
// leads to a state which panics when it is asked what is due.
func FuzzApply(f *testing.F) {
	for which := range mixtures {
		b := begin(f, mixtures[which].Seats, 3, mixtures[which].Options, random(rand.New(rand.NewPCG(1, 1))))
		r := rand.New(rand.NewPCG(2, 2))
		for at := byte(0); at < 40; at++ {
			seat, due := b.mover()
			if !due {
				break
			}
			moves := b.Moves(b.s, b.view(seat))
			m := moves[r.IntN(len(moves))]
			raw, err := wire.EncodeBody(m)
			if err == nil {
				err = b.move(seat, m)
			}
			testmust.Do(f, err)
			f.Add(byte(which), at, uint64(2), []byte(raw))
		}
	}
	f.Fuzz(func(t *testing.T, which, at byte, seed uint64, move []byte) {
		c := mixtures[int(which)%len(mixtures)]
		b := begin(t, c.Seats, 3, c.Options, random(rand.New(rand.NewPCG(1, 1))))
		r := rand.New(rand.NewPCG(seed, 2))
		for ; at > 0; at-- {
			seat, due := b.mover()
			if !due {
				return
			}
			moves := b.Moves(b.s, b.view(seat))
			testmust.Do(t, b.move(seat, moves[r.IntN(len(moves))]))
		}
		var m fivecarddraw.Move
		seat, due := b.mover()
		if !due || wire.DecodeMove(json.RawMessage(move), &m) != nil {
			return
		}
		before := b.s
		printed, _ := json.Marshal(before)
		next, _, err := b.Apply(b.s, table.Input[fivecarddraw.Move]{Seat: seat, Move: m, Faces: b.open})
		if after, _ := json.Marshal(before); string(after) != string(printed) || !reflect.DeepEqual(before, b.s) {
			t.Error("the state before has changed")
		}
		if err != nil {
			if !numbered.MatchString(err.Error()) {
				t.Errorf("no rule has the number of: %v", err)
			}
			return
		}
		testmust.Do(t, chips(next))
		b.s = next
		b.steps()
	})
}
