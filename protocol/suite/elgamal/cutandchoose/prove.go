package cutandchoose

import (
	"crypto/sha256"
	"crypto/subtle"
	"io"
	"runtime"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prover is the argument with its proving side.
type Prover struct{ Argument }

var _ shuffle.Prover = Prover{}

// Prove proves s by o. It returns proof.ErrFalse if o has not the form of a
// witness. Requires: the cards of s were made by o.
func (Prover) Prove(ctx transcript.Context, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	m, err := full.prove(ctx, label, s, o, rand)
	if err != nil {
		return nil, err
	}
	return m.proofBytes(), nil
}

func (p roundCounts) prove(ctx transcript.Context, label string, s shuffle.Statement, o masking.Opening, rand io.Reader, values ...[]byte) (*message, error) {
	t, stream, err := shuffle.BeginProof(ctx, label, s, o, rand)
	if err != nil {
		return nil, err
	}
	seeds := make([]byte, p.rounds*seedSize)
	if _, err := io.ReadFull(stream, seeds); err != nil {
		return nil, err
	}
	return p.answerRounds(t, s, o, func(k int) []byte { return seeds[k*seedSize:][:seedSize] }, values...), nil
}

// answerRounds returns the proof for given seeds.
func (p roundCounts) answerRounds(t *transcript.Transcript, s shuffle.Statement, o masking.Opening, seed func(round int) []byte, values ...[]byte) *message {
	m := new(message)
	m.commitment = p.commitDecks(runtime.GOMAXPROCS(0), func(k int) []masking.Card {
		return masking.Remask(s.Key, s.Out, expandSeed(s.Key.Group(), seed(k), len(s.Out)))
	})
	for k, in := range p.drawComposed(t, m.commitment, values...) {
		if in {
			m.composed = append(m.composed, composeOpenings(o, expandSeed(s.Key.Group(), seed(k), len(s.Out))))
		} else {
			m.seeds = append(m.seeds, seed(k))
		}
	}
	return m
}

// composeOpenings returns the opening of first o and then next, in constant time:
// σ(i) = π(π_k(i)), τ_i = r_k,i + ρ_π_k(i).
func composeOpenings(o, next masking.Opening) masking.Opening {
	all := masking.Opening{Factors: group.ScalarsAt(o.Factors, next.Permutation)}
	for i, place := range next.Permutation {
		all.Factors[i] = all.Factors[i].Add(next.Factors[i])
		from := 0
		for j, p := range o.Permutation {
			from = subtle.ConstantTimeSelect(subtle.ConstantTimeEq(int32(j), int32(place)), int(p), from)
		}
		all.Permutation = append(all.Permutation, uint16(from))
	}
	return all
}

func (m *message) proofBytes() []byte {
	var b []byte
	for _, o := range m.composed {
		for _, place := range o.Permutation {
			b = append(b, byte(place)) // there are at most 256
		}
	}
	b = append(b, m.commitment...)
	for _, seed := range m.seeds {
		b = append(b, seed...)
	}
	for _, o := range m.composed {
		for _, factor := range o.Factors {
			b = factor.AppendTo(b)
		}
	}
	return b
}

// AskedProver is AskedArgument with its proving side.
type AskedProver struct{ AskedArgument }

// Commit returns C, and Answer the rest of its proof. Both draw the seeds from rand, which is
// to give them the same bytes.
func (AskedProver) Commit(ctx transcript.Context, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	m, err := forty.prove(ctx, askedLabel, s, o, rand)
	if err != nil {
		return nil, err
	}
	return m.commitment, nil
}

// Answer is said at Commit.
func (AskedProver) Answer(ctx transcript.Context, s shuffle.Statement, o masking.Opening, values [][]byte, rand io.Reader) ([]byte, error) {
	m, err := forty.prove(ctx, askedLabel, s, o, rand, values...)
	if err != nil {
		return nil, err
	}
	at := forty.composed * len(s.In)
	return slices.Delete(m.proofBytes(), at, at+sha256.Size), nil
}
