package masking_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha3"
	"encoding/binary"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// at is a place that differs from handtest.Here in one part, or in none.
func at(part string) transcript.Context {
	differs := func(name string) byte {
		if part == name {
			return 2
		}
		return 1
	}
	return transcript.Bind("test", "test",
		transcript.Table{ID: [32]byte{differs("table")}}, transcript.Deck{ID: [32]byte{differs("deck")}},
		transcript.Keys{Hash: [32]byte{differs("keys")}}, transcript.Deal(differs("deal")),
		transcript.Parent{Hash: [32]byte{differs("parent")}}, "test", transcript.Seat(differs("seat"))).Slot(uint16(differs("slot")))
}

var partsOfAPlace = []string{"table", "deck", "keys", "deal", "parent", "seat", "slot"}

// elements of the faces of a deck of n.
func elements(n byte) (list []*group.Element) {
	for i := range n {
		list = append(list, group.HashToElement("face", []byte{i}))
	}
	return list
}

// drawing is all that a shuffle is drawn from, but randomness.
type drawing struct {
	name string
	at   transcript.Context
	by   *masking.Secret
	key  *masking.Key
	in   []masking.Card
}

func (d drawing) shuffle(t testing.TB, rand io.Reader) ([]masking.Card, masking.Opening) {
	t.Helper()
	out, o, err := d.by.Shuffle(d.at, d.key, d.in, rand)
	if err != nil {
		t.Fatal(err)
	}
	return out, o
}

// unhedged is a shuffle by one who draws from the source itself.
func (d drawing) unhedged(t testing.TB, rand io.Reader) ([]masking.Card, masking.Opening) {
	t.Helper()
	p, err := masking.Permutation(len(d.in), rand)
	if err != nil {
		t.Fatal(err)
	}
	factors, err := group.RandomScalars(rand, len(d.in))
	if err != nil {
		t.Fatal(err)
	}
	o := masking.Opening{Permutation: p, Factors: factors}
	return masking.Remask(d.key, d.in, o), o
}

// reads reports whether the attack tells the whole order of a shuffle.
func reads(order map[int]int, o masking.Opening) bool {
	for i, from := range o.Permutation {
		if got, ok := order[i]; !ok || got != int(from) {
			return false
		}
	}
	return true
}

// TestShuffleOfARestoredMachine: a random source that repeats itself gives two
// shuffles one permutation and the same factors, and everybody reads the order
// from the cards before and after. It does, if they are drawn from the source
// itself.
func TestShuffleOfARestoredMachine(t *testing.T) {
	x, y := secret(t), secret(t)
	faces := elements(20)
	in, other := handtest.Mask(t, x.Key(), faces...), handtest.Mask(t, x.Key(), faces...)
	here := drawing{"here", at(""), x, x.Key(), in}
	there := []drawing{
		{"other cards", at(""), x, x.Key(), other},
		{"another key", at(""), x, y.Key(), other},
		{"another secret", at(""), y, x.Key(), other},
	}
	for _, part := range partsOfAPlace {
		there = append(there, drawing{"another " + part, at(part), x, x.Key(), other})
		there = append(there, drawing{"the same cards, another " + part, at(part), x, x.Key(), in})
	}
	for _, d := range there {
		first, o := here.unhedged(t, handtest.Again(1))
		second, _ := d.unhedged(t, handtest.Again(1))
		same := &d.in[0] == &in[0]
		if !same && !reads(handtest.Linked(in, first, d.in, second), o) || same && !slices.EqualFunc(first, second, masking.Card.Equal) {
			t.Errorf("%s: the attack is built wrong: it does not read an unhedged shuffle", d.name)
		}
		first, o = here.shuffle(t, handtest.Again(1))
		second, p := d.shuffle(t, handtest.Again(1))
		if links := handtest.Linked(in, first, d.in, second); len(links) > 0 {
			t.Errorf("%s: the attack reads %d places of a shuffle", d.name, len(links))
		}
		if slices.Equal(o.Permutation, p.Permutation) {
			t.Errorf("%s: one permutation", d.name)
		}
		for i, r := range o.Factors {
			if slices.ContainsFunc(p.Factors, func(s group.Scalar) bool { return bytes.Equal(r.Bytes(), s.Bytes()) }) {
				t.Errorf("%s: factor %d again", d.name, i)
			}
		}
	}
	once, _ := here.shuffle(t, handtest.Again(1))
	again, _ := here.shuffle(t, handtest.Again(1))
	fresh, _ := here.shuffle(t, handtest.Again(2))
	if !slices.EqualFunc(once, again, masking.Card.Equal) {
		t.Error("a shuffle is not a function of secret, place, cards and randomness")
	}
	if len(handtest.Linked(in, once, in, fresh)) > 0 {
		t.Error("other randomness gives the same factors: a shuffle can be foretold")
	}
}

// TestHandOverOfARestoredMachine: two cards handed over are masked by one factor,
// and everybody reads both.
func TestHandOverOfARestoredMachine(t *testing.T) {
	x, y, z := secret(t), secret(t), secret(t)
	faces := elements(12)
	held, other := handtest.Mask(t, x.Key(), faces[3])[0], handtest.Mask(t, x.Key(), faces[8])[0]
	byY := handtest.Mask(t, y.Key(), faces[8])[0]
	over := func(d drawing, snapshot byte) (masking.Card, group.Scalar) {
		t.Helper()
		c, r, err := d.by.Transfer(d.at, d.in[0], d.key, handtest.Again(snapshot))
		if err != nil {
			t.Fatal(err)
		}
		return c, r
	}
	unhedged := func(d drawing) masking.Card {
		r, err := group.RandomScalar(handtest.Again(1))
		if err != nil {
			t.Fatal(err)
		}
		return masking.Mask(d.key, d.by.Unmask(d.in[0]), r)
	}
	here := drawing{"here", at(""), x, z.Key(), []masking.Card{held}}
	there := []drawing{
		{"another card", at(""), x, z.Key(), []masking.Card{other}},
		{"another secret", at(""), y, z.Key(), []masking.Card{byY}},
		{"another key", at(""), x, y.Key(), []masking.Card{other}},
	}
	for _, part := range partsOfAPlace {
		there = append(there, drawing{"another " + part, at(part), x, z.Key(), []masking.Card{other}})
	}
	for _, d := range there {
		f, g, ok := handtest.Read(faces, unhedged(here), unhedged(d))
		if d.key == here.key && (f != 3 || g != 8 || !ok) {
			t.Errorf("%s: the attack is built wrong: it reads %d and %d (%v) from unhedged cards", d.name, f, g, ok)
		}
		first, r := over(here, 1)
		second, s := over(d, 1)
		if _, _, ok := handtest.Read(faces, first, second); ok || first.A.Equal(second.A) || bytes.Equal(r.Bytes(), s.Bytes()) {
			t.Errorf("%s: two cards are masked by one factor", d.name)
		}
	}
	once, _ := over(here, 1)
	again, _ := over(here, 1)
	fresh, _ := over(here, 2)
	if !once.Equal(again) || once.A.Equal(fresh.A) {
		t.Error("a factor is not a function of secret, place, cards and randomness")
	}
}

// BenchmarkShuffle shuffles 42 cards hedged and by the source itself in turn, and
// reports the ratio of their least times.
func BenchmarkShuffle(b *testing.B) {
	x := secret(b)
	d := drawing{"bench", at(""), x, x.Key(), handtest.Mask(b, x.Key(), elements(42)...)}
	least := [2]time.Duration{time.Hour, time.Hour}
	for b.Loop() {
		for i, shuffle := range []func(testing.TB, io.Reader) ([]masking.Card, masking.Opening){d.shuffle, d.unhedged} {
			begin := time.Now()
			shuffle(b, rand.Reader)
			least[i] = min(least[i], time.Since(begin))
		}
	}
	b.ReportMetric(float64(least[0])/float64(least[1]), "hedged/unhedged")
}

// TestMaskStatements: a value that a mask should be hedged by, and is not.
func TestMaskStatements(t *testing.T) {
	draw := func() (*masking.Key, []masking.Card) {
		k := secret(t).Key()
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
	x, y := secret(t), secret(t)
	in := handtest.Mask(t, x.Key(), elements(5)...)
	var fresh [32]byte
	if _, err := io.ReadFull(handtest.Again(1), fresh[:]); err != nil {
		t.Fatal(err)
	}
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
	want, _ := drawing{key: y.Key(), in: in}.unhedged(t, s)
	got, _ := drawing{"", at(""), x, y.Key(), in}.shuffle(t, handtest.Again(1))
	if !slices.EqualFunc(got, want, masking.Card.Equal) {
		t.Error("a shuffle is drawn otherwise than specified")
	}
	s = stream([]byte("statement"), []byte("mask/transfer/v1"), []byte("from"), x.Key().Bytes(), []byte("to"), y.Key().Bytes(), []byte("old"), in[0].Bytes())
	r, err := group.RandomScalar(s)
	if err != nil {
		t.Fatal(err)
	}
	moved, factor, err := x.Transfer(at(""), in[0], y.Key(), handtest.Again(1))
	if err != nil || !bytes.Equal(factor.Bytes(), r.Bytes()) || !moved.Equal(masking.Mask(y.Key(), x.Unmask(in[0]), r)) {
		t.Errorf("a hand-over is drawn otherwise than specified (%v)", err)
	}
}
