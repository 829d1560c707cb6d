package auction_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// FuzzApply makes any calls from any seats, two bytes for each, under any of the
// rule sets: nothing panics, what is refused changes nothing, what is accepted
// was offered, and every state survives JSON.
func FuzzApply(f *testing.F) {
	sets := ruleSets(f)
	names := slices.Sorted(maps.Keys(sets))
	words := append(slices.Clone(allCalls), "", "four", "PASS", "three ")
	f.Add(uint8(0), []byte{0, 2, 1, 3, 2, 0, 3, 0, 0, 0})         // a yielded game
	f.Add(uint8(1), []byte{0, 3, 1, 4, 2, 5, 3, 0, 0, 0, 1, 1})   // an invit, and who is passed over
	f.Add(uint8(7), []byte{9, 9, 255, 2, 4, 2, 0, 7, 0, 2, 0, 2}) // no seats, no calls
	f.Fuzz(func(t *testing.T, set uint8, bytesSaid []byte) {
		r := sets[names[int(set)%len(names)]]
		s := auction.New()
		for i := 0; i+1 < min(len(bytesSaid), 100); i += 2 {
			seat, c := int(int8(bytesSaid[i])), words[int(bytesSaid[i+1])%len(words)]
			before, offered := encode(s), slices.Contains(s.Calls(r, seat), c)
			next, claims, err := s.Apply(r, seat, c)
			if !bytes.Equal(encode(s), before) || (err == nil) != offered {
				t.Fatalf("%s: seat %d says %q: %v; offered: %t", before, seat, c, err, offered)
			}
			if err != nil && (!reflect.DeepEqual(next, s) || claims != nil) {
				t.Fatalf("%s: a refused call gives %+v and %+v", before, next, claims)
			}
			s = next
			_ = s.Outcome(r)
			confirmAny(t, r, s, seat)
		}
		var again auction.State
		if err := json.Unmarshal(encode(s), &again); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%+v comes back as %+v: %v", s, again, err)
		}
	})
}

// confirmAny: only he confirms whom the outcome of an ended auction names.
func confirmAny(t *testing.T, r ruleset.Rules, s auction.State, seat int) {
	before := encode(s)
	_, over := s.Speaker(r)
	due := over && seat != auction.Nobody && s.Outcome(r).Confirm == seat
	next, _, err := s.Confirm(r, seat, seat%2 == 0)
	if (err == nil) != due || !due && !reflect.DeepEqual(next, s) || !bytes.Equal(encode(s), before) {
		t.Fatalf("%s: seat %d confirms: %v; it is due: %t", before, seat, err, due)
	}
}
