package cutandchoose

import (
	"io"
	"runtime"

	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prove proves s by the opening with which it was made. Requires: the cards of s were.
func Prove(ctx transcript.Context, s Statement, o matrix.Opening, rand io.Reader) ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	t := transcript.New(ctx, s)
	stream, err := t.Hedge(secretBytes(o), rand)
	if err != nil {
		return nil, err
	}
	seeds := make([]byte, rounds*seedSize)
	if _, err := io.ReadFull(stream, seeds); err != nil {
		return nil, err
	}
	return s.answer(t, o, func(k int) []byte { return seeds[k*seedSize:][:seedSize] }), nil
}

// secretBytes returns a witness as bytes, for hedged seeds.
func secretBytes(o matrix.Opening) (b []byte) {
	for i, place := range o.Permutation {
		b = append(b, byte(place))
		for _, r := range o.Factors[i] {
			b = modp.AppendTo(b, r)
		}
		for _, bit := range o.Bits[i] {
			b = append(b, byte(bit))
		}
	}
	return b
}

// answer returns the proof for given seeds.
func (s Statement) answer(t *transcript.Transcript, o matrix.Opening, seed func(round int) []byte) []byte {
	after, m := matrix.NewPile(s.Key, s.Out), new(message)
	m.commitment = commit(runtime.GOMAXPROCS(0), func(k int) [][][]uint64 { return after.Remask(s.expand(seed(k))) })
	for k, in := range chosen(t, m.commitment) {
		if in {
			m.composed = append(m.composed, o.After(s.expand(seed(k)), s.Key, s.Out[0].Width()))
		} else {
			m.seeds = append(m.seeds, seed(k))
		}
	}
	return m.bytes(s)
}

func (m *message) bytes(s Statement) []byte {
	h := s.shape()
	b := make([]byte, 0, h.size())
	var bits [][]uint64
	for _, o := range m.composed {
		for _, place := range o.Permutation[:h.places] {
			b = append(b, byte(place)) // there are at most 256
		}
		bits = append(bits, o.Bits...)
	}
	b = append(b, m.commitment...)
	for _, seed := range m.seeds {
		b = append(b, seed...)
	}
	b = append(b, matrix.Pack(bits, h.rows, h.width)...)
	for _, o := range m.composed {
		for _, factors := range o.Factors {
			for _, r := range factors {
				b = modp.AppendTo(b, r)
			}
		}
	}
	return b
}
