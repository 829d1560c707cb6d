package cutandchoose

import (
	"fmt"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prove proves s by the opening o. Requires: o made the cards of s.
func Prove(ctx transcript.Context, s Statement, o matrix.Opening, rand io.Reader) ([]byte, error) {
	m, err := s.prove(full, transcript.New(ctx, s), o, rand)
	return m.Bytes(), err
}

func (s Statement) prove(c rounds.Counts, t *transcript.Transcript, o matrix.Opening, rand io.Reader, values ...[]byte) (m rounds.Message, err error) {
	if err := s.CheckForm(); err != nil {
		return m, err
	}
	stream, err := t.Hedge(secretBytes(o), rand)
	if err != nil {
		return m, err
	}
	units := matrix.NewUnits(s.Key, s.Out[0].Width())
	if units.AddOpening(o); units.CheckUnits() != nil {
		return m, fmt.Errorf("%w: whatever is asked, the answer would be refused: %w", proof.ErrFalse, units.CheckUnits())
	}
	seeds, err := s.drawUnitSeeds(c.Rounds, stream)
	if err != nil {
		return m, err
	}
	return s.answerRounds(c, t, o, seeds, values...), nil
}

// drawUnitSeeds draws a seed for each round, and draws again until all its factors are units. Then the
// composed factors are units too, and any D can be answered.
func (s Statement) drawUnitSeeds(n int, stream io.Reader) ([][]byte, error) {
	list, left := make([][]byte, n), make([]int, n)
	for k := range list {
		list[k], left[k] = make([]byte, rounds.SeedSize), k
	}
	for len(left) > 0 {
		for _, k := range left {
			if _, err := io.ReadFull(stream, list[k]); err != nil {
				return nil, err
			}
		}
		spoilt := make([]bool, n)
		matrix.RunParallel(len(left), func(i int) {
			units := matrix.NewUnits(s.Key, s.Out[0].Width())
			units.AddOpening(s.expandSeed(list[left[i]]))
			spoilt[left[i]] = units.CheckUnits() != nil
		})
		left = slices.DeleteFunc(left, func(k int) bool { return !spoilt[k] })
	}
	return list, nil
}

// secretBytes encodes a witness, for hedging seeds.
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

// answerRounds returns the proof for the given seeds.
func (s Statement) answerRounds(c rounds.Counts, t *transcript.Transcript, o matrix.Opening, seeds [][]byte, values ...[]byte) rounds.Message {
	var composed []matrix.Opening
	after, h := matrix.NewPile(s.Key, s.Out), shapeOf(c, s)
	m := c.AnswerRounds(t, seeds, func(seed []byte) [32]byte { return deckDigest(after.Remask(s.expandSeed(seed))) }, func(seed []byte) {
		composed = append(composed, o.ComposeWith(s.expandSeed(seed), s.Key, h.width))
	}, values...)
	var bits [][]uint64
	var factors []byte
	for _, o := range composed {
		for _, place := range o.Permutation[:h.places] {
			m.Orders = append(m.Orders, byte(place)) // there are at most 256
		}
		bits = append(bits, o.Bits...)
		for _, r := range slices.Concat(o.Factors...) {
			factors = modp.AppendTo(factors, r)
		}
	}
	m.Rest = append(matrix.PackBits(bits, h.rows, h.width), factors...)
	return m
}

// Commit returns C, and Answer the rest of its proof. Both draw the seeds from rand, which must give
// both the same bytes. Requires: o made the cards of s.
func Commit(ctx transcript.Context, s AskedStatement, o matrix.Opening, rand io.Reader) ([]byte, error) {
	m, err := s.prove(rounds.Asked, transcript.New(ctx, s), o, rand)
	return m.Commitment, err
}

// Answer is described at Commit.
func Answer(ctx transcript.Context, s AskedStatement, o matrix.Opening, values [][]byte, rand io.Reader) ([]byte, error) {
	m, err := s.prove(rounds.Asked, transcript.New(ctx, s), o, rand, values...)
	return m.Answer(), err
}
