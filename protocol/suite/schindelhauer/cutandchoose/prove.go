package cutandchoose

import (
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/blum"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prove proves s by the opening with which it was made. Requires: the cards of s were.
func Prove(ctx transcript.Context, s Statement, o matrix.Opening, rand io.Reader) ([]byte, error) {
	m, err := full.prove(transcript.New(ctx, s), s, o, rand)
	if err != nil {
		return nil, err
	}
	return m.proofBytes(full.shapeOf(s)), nil
}

func (p roundCounts) prove(t *transcript.Transcript, s Statement, o matrix.Opening, rand io.Reader, values ...[]byte) (*message, error) {
	if err := s.CheckForm(); err != nil {
		return nil, err
	}
	stream, err := t.Hedge(secretBytes(o), rand)
	if err != nil {
		return nil, err
	}
	units := matrix.NewUnits(s.Key, s.Out[0].Width())
	if units.AddOpening(o); units.CheckUnits() != nil {
		return nil, fmt.Errorf("%w: whatever is asked, the answer would be refused: %w", proof.ErrFalse, units.CheckUnits())
	}
	seeds, err := p.drawUnitSeeds(s, stream)
	if err != nil {
		return nil, err
	}
	return p.answerRounds(t, s, o, func(k int) []byte { return seeds[k] }, values...), nil
}

// drawUnitSeeds draws one for each round, each anew until all of its factors are units. Then the composed ones
// are too, and any D can be answered.
func (p roundCounts) drawUnitSeeds(s Statement, stream io.Reader) ([][]byte, error) {
	list, left := make([][]byte, p.rounds), make([]int, p.rounds)
	for k := range list {
		list[k], left[k] = make([]byte, seedSize), k
	}
	for len(left) > 0 {
		for _, k := range left {
			if _, err := io.ReadFull(stream, list[k]); err != nil {
				return nil, err
			}
		}
		spoilt := make([]bool, p.rounds)
		blum.RunParallel(len(left), func(i int) {
			units := matrix.NewUnits(s.Key, s.Out[0].Width())
			units.AddOpening(s.expandSeed(list[left[i]]))
			spoilt[left[i]] = units.CheckUnits() != nil
		})
		left = slices.DeleteFunc(left, func(k int) bool { return !spoilt[k] })
	}
	return list, nil
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

// answerRounds returns the proof for given seeds.
func (p roundCounts) answerRounds(t *transcript.Transcript, s Statement, o matrix.Opening, seed func(round int) []byte, values ...[]byte) *message {
	after, m := matrix.NewPile(s.Key, s.Out), new(message)
	m.commitment = p.commitDecks(runtime.GOMAXPROCS(0), func(k int) [][][]uint64 { return after.Remask(s.expandSeed(seed(k))) })
	for k, in := range p.drawComposed(t, m.commitment, values...) {
		if in {
			m.composed = append(m.composed, o.ComposeWith(s.expandSeed(seed(k)), s.Key, s.Out[0].Width()))
		} else {
			m.seeds = append(m.seeds, seed(k))
		}
	}
	return m
}

func (m *message) proofBytes(h proofShape) []byte {
	b := make([]byte, 0, h.proofSize())
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
	b = append(b, matrix.PackBits(bits, h.rows, h.width)...)
	for _, o := range m.composed {
		for _, factors := range o.Factors {
			for _, r := range factors {
				b = modp.AppendTo(b, r)
			}
		}
	}
	return b
}

// Commit returns C, and Answer the rest of its proof. Both draw the seeds from rand, which is to
// give them the same bytes. Requires: the cards of s were made by o.
func Commit(ctx transcript.Context, s AskedStatement, o matrix.Opening, rand io.Reader) ([]byte, error) {
	m, err := forty.prove(transcript.New(ctx, s), s.Statement, o, rand)
	if err != nil {
		return nil, err
	}
	return m.commitment, nil
}

// Answer is said at Commit.
func Answer(ctx transcript.Context, s AskedStatement, o matrix.Opening, values [][]byte, rand io.Reader) ([]byte, error) {
	m, err := forty.prove(transcript.New(ctx, s), s.Statement, o, rand, values...)
	if err != nil {
		return nil, err
	}
	h := forty.shapeOf(s.Statement)
	return slices.Delete(m.proofBytes(h), h.commitmentOffset(), h.commitmentOffset()+sha256.Size), nil
}
