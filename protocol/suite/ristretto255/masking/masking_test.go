package masking_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
)

func deck(t testing.TB, name string, faces ...string) card.Deck {
	t.Helper()
	return handtest.Must(card.NewDeck(name, faces))
}

func encoded(t testing.TB, d card.Deck) *masking.Deck {
	t.Helper()
	return handtest.Must(masking.NewDeck(d))
}

// TestJoint: keys that are missing, repeated, or cancel each other, so that
// somebody reads every card.
func TestJoint(t *testing.T) {
	a, b := handtest.Secret(t).Key(), handtest.Secret(t).Key()
	negative := func(k *masking.Key) *masking.Key {
		return handtest.Must(masking.ParseKey(group.Identity().Sub(k.Element()).Bytes()))
	}
	sum := handtest.Must(masking.ParseKey(a.Element().Add(b.Element()).Bytes()))
	for name, keys := range map[string][]*masking.Key{
		"none":          nil,
		"repeated":      {a, b, a},
		"cancel":        {a, negative(a)},
		"three cancel":  {a, b, negative(sum)},
		"repeated last": {b, a, a},
	} {
		if k, err := masking.Joint(keys); err == nil {
			t.Errorf("%s: joint key %x", name, k.Bytes())
		}
	}
	joint, err := masking.Joint([]*masking.Key{a, b})
	if err != nil || !joint.Equal(sum) {
		t.Errorf("joint key of two is not their sum: %v", err)
	}
}

// TestDeck: two faces with one element, a face whose element somebody chose, or
// two decks that share elements.
func TestDeck(t *testing.T) {
	d := deck(t, "d", "a", "b", "c")
	id := d.ID()
	for f, c := range encoded(t, d).Cards() {
		want := group.HashToElement("pakli/v1/card", id[:], []byte{0, byte(f)}, []byte(d.FaceName(card.Face(f))))
		if !c.B.Equal(want) || !c.IsOpen() {
			t.Errorf("face %d: element differs from its definition", f)
		}
		got, ok := encoded(t, d).Face(c)
		if !ok || got != card.Face(f) {
			t.Errorf("face %d is read as %d (%v)", f, got, ok)
		}
		for _, other := range []card.Deck{deck(t, "e", "a", "b", "c"), deck(t, "d", "a", "b"), deck(t, "d", "b", "a", "c")} {
			if _, ok := encoded(t, other).Face(c); ok {
				t.Errorf("face %d is a face of another deck", f)
			}
		}
	}
	testmust.Fail(t, testmust.ErrorOf(masking.NewDeck(card.Deck{})), "the empty deck is encoded")
	e := group.HashToElement("e")
	for name, elements := range map[string][]*group.Element{
		"repeated": {e, group.Generator(), group.Identity().Add(e)},
		"identity": {e, group.Identity(), group.Generator()},
	} {
		testmust.Fail(t, testmust.ErrorOf(masking.DeckOf(d, elements)), "deck with", name, "elements is accepted")
	}
}

// ascending gives 0, 0, 0, 0, 1, 0, 2, 0, … to read.
type ascending struct{ n byte }

func (a *ascending) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 0
		if i%2 == 0 {
			b[i] = a.n
			a.n++
		}
	}
	return len(b), nil
}

// TestPermutationIsFisherYates: numbers out of range are reduced, which prefers
// some orders, and not thrown away. Two bytes are read for every draw, the
// lower first, and masked to the bits of the range.
func TestPermutationIsFisherYates(t *testing.T) {
	for start := range 256 {
		for _, n := range []int{0, 1, 2, 3, 5, 33, 52, 256} {
			got := handtest.Must(masking.Permutation(n, &ascending{byte(start)}))
			if want := fisherYates(n, &ascending{byte(start)}); !slices.Equal(got, want) {
				t.Errorf("%d from %d: got %v, want %v", n, start, got, want)
			}
		}
	}
}

// fisherYates is the textbook's, with branches and indices.
func fisherYates(n int, source *ascending) []uint16 {
	p := make([]uint16, n)
	for i := range p {
		p[i] = uint16(i)
	}
	for i := n - 1; i > 0; {
		mask := 1
		for mask < i+1 {
			mask *= 2
		}
		b := make([]byte, 2)
		source.Read(b)
		j := (int(b[0]) | int(b[1])<<8) & (mask - 1)
		if j > i {
			continue
		}
		p[i], p[j] = p[j], p[i]
		i--
	}
	return p
}
