package masking_test

import (
	"bytes"
	"crypto/sha3"
	"encoding/binary"
	"io"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

func deck(t testing.TB, name string, faces ...string) card.Deck {
	t.Helper()
	return handtest.MustHave(card.NewDeck(name, faces))
}

func encoded(t testing.TB, d card.Deck) *masking.Deck {
	t.Helper()
	return handtest.MustHave(masking.NewDeck(g, d))
}

// TestJoint: keys that are missing, repeated, or cancel each other, so that
// somebody reads every card.
func TestJoint(t *testing.T) {
	a, b := handtest.Secret(t).Key(), handtest.Secret(t).Key()
	negative := func(k *masking.Key) *masking.Key {
		return handtest.MustHave(masking.ParseKey(g, g.Identity().Sub(k.Element()).Bytes()))
	}
	sum := handtest.MustHave(masking.ParseKey(g, a.Element().Add(b.Element()).Bytes()))
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
	testmust.Holdf(t, err == nil && joint.Equal(sum), "joint key of two is not their sum: %v", err)
}

// TestDeck: two faces with one element, a face whose element somebody chose, or
// two decks that share elements.
func TestDeck(t *testing.T) {
	d := deck(t, "d", "a", "b", "c")
	id := d.ID()
	for f, c := range encoded(t, d).Cards() {
		want := g.HashToElement("pakli/v1/card", id[:], []byte{0, byte(f)}, []byte(d.FaceName(card.Face(f))))
		testmust.Holdf(t, c.B.Equal(want) && c.IsOpen(), "face %d: element differs from its definition", f)
		got, ok := encoded(t, d).Face(c)
		testmust.Holdf(t, ok && got == card.Face(f), "face %d is read as %d (%v)", f, got, ok)
		for _, other := range []card.Deck{deck(t, "e", "a", "b", "c"), deck(t, "d", "a", "b"), deck(t, "d", "b", "a", "c")} {
			_, ok := encoded(t, other).Face(c)
			testmust.Holdf(t, !ok, "face %d is a face of another deck", f)
		}
	}
	testmust.Fail(t, testmust.ErrorOf(masking.NewDeck(g, card.Deck{})), "the empty deck is encoded")
	e := g.HashToElement("e")
	for name, elements := range map[string][]group.Element{
		"repeated": {e, g.Generator(), g.Identity().Add(e)},
		"identity": {e, g.Identity(), g.Generator()},
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
			got := handtest.MustHave(masking.DrawPermutation(n, &ascending{byte(start)}))
			want := fisherYates(n, &ascending{byte(start)})
			testmust.Holdf(t, slices.Equal(got, want), "%d from %d: got %v, want %v", n, start, got, want)
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

// at is a place with a one in every part.
var at = transcript.Bind("test", "test",
	transcript.Table{ID: [32]byte{1}}, transcript.Deck{ID: [32]byte{1}}, transcript.Keys{Hash: [32]byte{1}}, 1,
	transcript.Parent{Hash: [32]byte{1}}, "test", 1).Slot(1)

// elements of the faces of a deck of n.
func elements(n byte) (list []group.Element) {
	for i := range n {
		list = append(list, g.HashToElement("face", []byte{i}))
	}
	return list
}

// TestMaskStatements: a value that a mask should be hedged by, and is not.
func TestMaskStatements(t *testing.T) {
	draw := func() (*masking.Key, []masking.Card) {
		k := handtest.Secret(t).Key()
		return k, handtest.Mask(t, k, elements(3)...)
	}
	k, in := draw()
	l, out := draw()
	prooftest.Binding(t, masking.ShuffleMask(k, in), masking.ShuffleMask(l, out))
	prooftest.Binding(t, masking.TransferMask(k, l, in[0]), masking.TransferMask(l, k, out[0]))
}

// TestMasksAreAsSpecified draws a shuffle and a hand-over from the words of the
// specification alone.
func TestMasksAreAsSpecified(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	in := handtest.Mask(t, x.Key(), elements(5)...)
	var fresh [32]byte
	testmust.Have(io.ReadFull(handtest.RestoredRandom(1), fresh[:]))(t)
	stream := func(frames ...[]byte) *sha3.SHAKE {
		h := sha3.NewSHAKE256()
		first := func(b byte) []byte { return append([]byte{b}, make([]byte, 31)...) }
		frames = append([][]byte{
			[]byte("version"), []byte("pakli/v1"), []byte("suite"), []byte("test"), []byte("rules"), []byte("test"),
			[]byte("table"), first(1), []byte("deck"), first(1), []byte("keys"), first(1), []byte("deal"), {0, 0, 0, 1},
			[]byte("parent"), first(1), []byte("kind"), []byte("test"), []byte("seat"), {1}, []byte("slot"), {0, 1},
		}, frames...)
		for _, f := range append(frames, []byte("hedge secret"), x.Bytes(), []byte("hedge fresh"), fresh[:]) {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(f))))
			h.Write(f)
		}
		return h
	}
	s := stream([]byte("statement"), []byte("mask/shuffle/v1"), []byte("key"), y.Key().Bytes(), []byte("in"), masking.Encode(in...))
	order := handtest.MustHave(masking.DrawPermutation(len(in), s))
	factors := handtest.MustHave(g.RandomScalars(s, len(in)))
	want := masking.Remask(y.Key(), in, masking.Opening{Permutation: order, Factors: factors})
	got, _, err := x.Shuffle(at, y.Key(), in, handtest.RestoredRandom(1))
	testmust.Hold(t, err == nil && slices.EqualFunc(got, want, masking.Card.Equal), "a shuffle is drawn otherwise than specified")
	s = stream([]byte("statement"), []byte("mask/transfer/v1"), []byte("from"), x.Key().Bytes(), []byte("to"), y.Key().Bytes(), []byte("old"), in[0].Bytes())
	r := handtest.MustHave(g.RandomScalar(s))
	moved, factor, err := x.Transfer(at, in[0], y.Key(), handtest.RestoredRandom(1))
	testmust.Holdf(t, err == nil && bytes.Equal(factor.Bytes(), r.Bytes()) && moved.Equal(masking.Mask(y.Key(), x.Unmask(in[0]), r)),
		"a hand-over is drawn otherwise than specified (%v)", err)
}

// A value of a shuffle that is chosen after the challenge, whatever the argument.
func TestBinding(t *testing.T) {
	a, b := handtest.BindingPair(t)
	prooftest.Binding(t, a.WithLabel("a"), b.WithLabel("a"))
}
