package bayergroth_test

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/pakli/pakli/protocol/suite/ristretto255/bayergroth"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group/grouptest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

var sizes = []int{20, 32, 42, 52}

var context = transcript.Bind("bench", "bench", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "bench", 0).Slot(0)

func open(n int) []masking.Card {
	cards := make([]masking.Card, n)
	for i := range cards {
		cards[i] = masking.Open(group.HashToElement("bench", []byte{byte(i)}))
	}
	return cards
}

func BenchmarkShuffleAndProve(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := handtest.Secret(b)
			k := x.Key()
			in, _, _ := x.Shuffle(context, k, open(n), rand.Reader)
			grouptest.Measure(b, 1, func() {
				out, o, err := x.Shuffle(context, k, in, rand.Reader)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := (bayergroth.Prover{}).Prove(context, shuffle.Statement{Key: k, In: in, Out: out}, o, rand.Reader); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// link is one shuffle of a chain, on the wire.
type link struct{ cards, proof []byte }

// chain shuffles n cards length times and returns the first deck and the links.
func chain(b *testing.B, x *masking.Secret, n, length int) ([]byte, []link) {
	k := x.Key()
	in, _, _ := x.Shuffle(context, k, open(n), rand.Reader)
	first := masking.Encode(in...)
	links := make([]link, length)
	for i := range links {
		out, o, err := x.Shuffle(context, k, in, rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		proof, err := (bayergroth.Prover{}).Prove(context, shuffle.Statement{Key: k, In: in, Out: out}, o, rand.Reader)
		if err != nil {
			b.Fatal(err)
		}
		links[i] = link{masking.Encode(out...), proof}
		in = out
	}
	return first, links
}

func parse(b *testing.B, bytes []byte) []masking.Card {
	var cards []masking.Card
	for ; len(bytes) > 0; bytes = bytes[masking.CardSize:] {
		c, err := masking.ParseCard(bytes[:masking.CardSize])
		if err != nil {
			b.Fatal(err)
		}
		cards = append(cards, c)
	}
	return cards
}

// verify verifies a chain from bytes: every deck is decoded once.
func verify(b *testing.B, k *masking.Key, in []masking.Card, links []link) {
	var batch group.Batch
	for i, l := range links {
		out := parse(b, l.cards)
		batch.Label(uint64(i))
		if err := (bayergroth.Prover{}).Verify(context, shuffle.Statement{Key: k, In: in, Out: out}, l.proof, &batch); err != nil {
			b.Fatal(err)
		}
		in = out
	}
	if err := batch.Check(rand.Reader); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkVerify: proof and cards after the shuffle come as bytes; those
// before it are known from the entry before. "both" decodes these as well.
func BenchmarkVerify(b *testing.B) {
	for _, n := range sizes {
		x := handtest.Secret(b)
		k := x.Key()
		first, links := chain(b, x, n, 1)
		in := parse(b, first)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			grouptest.Measure(b, 1, func() { verify(b, k, in, links) })
		})
		b.Run(fmt.Sprint(n, "/both"), func(b *testing.B) {
			grouptest.Measure(b, 1, func() { verify(b, k, parse(b, first), links) })
		})
	}
}

// BenchmarkVerifyChain: a chain of 64 shuffles in one batch, from bytes.
func BenchmarkVerifyChain(b *testing.B) {
	const length = 64
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := handtest.Secret(b)
			k := x.Key()
			first, links := chain(b, x, n, length)
			grouptest.Measure(b, length, func() { verify(b, k, parse(b, first), links) })
		})
	}
}
