package skat_test

import (
	"encoding/json"
	"reflect"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// fuzzed are the states of some tables in which moves are due, with the moves made there.
var fuzzed = sync.OnceValue(func() (list []*tabletest.Table) {
	for _, o := range []options{
		nil, {"concede": "off", "claim": "off"}, {"early": "prove"}, {"ramsch": "schieber", "concede": "off"},
		{"kontra": "any", "null-overbid": "lose", "bock": "kontra+re"},
	} {
		played, err := tabletest.Play(game, tabletest.Config{Seats: 3, Deals: 3, Options: o, AnySum: true}, 1)
		if err != nil {
			panic(err)
		}
		list = append(list, played)
	}
	return list
})

// A move that a seat signed, whatever is in it, that panics, that changes the state it
// is made in, that stands under no number of the rules, or that leads to a state which
// panics when it is asked what is due.
func FuzzApply(f *testing.F) {
	for which, played := range fuzzed() {
		for i, entry := range played.Entries[1:] {
			e := testmust.Have(wire.Parse(entry))(f)
			var body wire.MoveBody
			if e.Message.Kind == wire.KindMove && json.Unmarshal(e.Message.Body, &body) == nil {
				f.Add(byte(which), uint16(i), byte(e.Message.Seat), []byte(body.Move))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, at uint16, seat byte, move []byte) {
		played := fuzzed()[int(which)%len(fuzzed())]
		state := played.States[int(at)%len(played.States)]
		s, _ := table.Public[skat.State](state)
		var m skat.Move
		due := skat.Rules{}.Duties(s)
		if len(due) == 0 || due[0].Kind != table.Move || wire.DecodeMove(move, &m) != nil {
			return
		}
		by := due[0].Seats[int(seat)%len(due[0].Seats)]
		before := encoded(t, s)
		next, terms, err := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: by, Move: m, Faces: state.Faces()})
		if encoded(t, s) != before {
			t.Fatalf("%s changed the state before it", move)
		}
		if err != nil {
			if !numbered.MatchString(err.Error()) {
				t.Fatalf("%s is refused under no number: %v", move, err)
			}
			return
		}
		for _, c := range terms.Prove {
			if len(c.Cards) == 0 || c.Set.Len() == 0 || c.Min < 0 || c.Min > c.Max || c.Max > len(c.Cards) {
				t.Fatalf("%s is to prove %+v", move, c)
			}
		}
		again, _, _ := skat.Rules{}.Apply(s, table.Input[skat.Move]{Seat: by, Move: m, Faces: state.Faces()})
		if !reflect.DeepEqual(next, again) {
			t.Fatalf("%s leads to two states", move)
		}
		skat.Rules{}.Duties(next)
		if after := len(next.Past); after > len(s.Past) && next.Past[after-1].Declarer == nil && s.Deal.Declarer != auction.Nobody {
			t.Fatalf("%s: a game without its declarer", move)
		}
	})
}

func encoded(t *testing.T, s skat.State) string {
	return string(testmust.Have(json.Marshal(s))(t))
}
