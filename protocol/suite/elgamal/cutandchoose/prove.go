package cutandchoose

import (
	"crypto/subtle"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/transcript"
)

// Prover is the argument with its proving side.
type Prover struct{ Argument }

var _ masking.ShuffleProver = Prover{}

// Prove proves s by o. It returns proof.ErrFalse if o does not have the form of a witness. Requires: o
// made the cards of s.
func (Prover) Prove(ctx transcript.Context, s masking.ShuffleStatement, o masking.Opening, rand io.Reader) ([]byte, error) {
	m, err := argument(full).prove(ctx, label, s, o, rand)
	return m.Bytes(), err
}

func (a argument) prove(ctx transcript.Context, label string, s masking.ShuffleStatement, o masking.Opening, rand io.Reader, values ...[]byte) (rounds.Message, error) {
	t, stream, err := masking.BeginProof(ctx, label, s, o, rand)
	if err != nil {
		return rounds.Message{}, err
	}
	seeds := make([]byte, a.Rounds*rounds.SeedSize)
	if _, err := io.ReadFull(stream, seeds); err != nil {
		return rounds.Message{}, err
	}
	return a.answerRounds(t, s, o, slices.Collect(slices.Chunk(seeds, rounds.SeedSize)), values...), nil
}

// answerRounds returns the proof for the given seeds.
func (a argument) answerRounds(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, seeds [][]byte, values ...[]byte) rounds.Message {
	var composed []masking.Opening
	m := rounds.Counts(a).AnswerRounds(t, seeds, seededDigest(s), func(seed []byte) {
		composed = append(composed, composeOpenings(o, expandSeed(s.Key.Group(), seed, len(s.Out))))
	}, values...)
	addCompositions(&m, composed)
	return m
}

func addCompositions(m *rounds.Message, composed []masking.Opening) {
	for _, o := range composed {
		for i, place := range o.Permutation {
			m.Orders = append(m.Orders, byte(place)) // there are at most 256
			m.Rest = o.Factors[i].AppendTo(m.Rest)
		}
	}
}

// composeOpenings returns the opening of o followed by next, in constant time: σ(i) = π(π_k(i)), τ_i =
// r_k,i + ρ_π_k(i).
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

// AskedProver is AskedArgument with its proving side.
type AskedProver struct{ AskedArgument }

// Commit returns C, and Answer the rest of its proof. Both draw the seeds from rand, which must give
// both the same bytes.
func (AskedProver) Commit(ctx transcript.Context, s masking.ShuffleStatement, o masking.Opening, rand io.Reader) ([]byte, error) {
	m, err := argument(rounds.Asked).prove(ctx, askedLabel, s, o, rand)
	return m.Commitment, err
}

// Answer is described at Commit.
func (AskedProver) Answer(ctx transcript.Context, s masking.ShuffleStatement, o masking.Opening, values [][]byte, rand io.Reader) ([]byte, error) {
	m, err := argument(rounds.Asked).prove(ctx, askedLabel, s, o, rand, values...)
	return m.Answer(), err
}
