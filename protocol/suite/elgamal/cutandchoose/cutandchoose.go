// Package cutandchoose proves a shuffle by cut-and-choose (Goldreich, Micali and Wigderson, "Proofs
// that Yield Nothing but their Validity", 1991; for cards Barnett and Smart, "Mental Poker Revisited",
// 2003). It is the oldest, longest and slowest argument, and the only one that assumes nothing but
// properties of hashes and needs no algebra to understand.
//
// In every round the prover makes a third deck L, by a permutation and factors derived from a seed, and
// commits to all of these decks (package rounds). Letters and checks are those of the normative text,
// docs/spec/41-shuffles.md, 41.2.
//
// s = 134 and w = 58, so that (s over w) > 2^128: a forger who tries offline until the hash asks for
// the set prepared for, which nobody can prevent, needs as many tries as breaking anything else here.
// One bit of challenge for each of 128 rounds would do as well. But its proofs would vary in length and
// be longer by a tenth, since a permutation and its factors cost forty times as much as a seed, and
// half of the rounds would need them.
//
// It promises completeness, computational soundness (collisions of SHA-256) and honest-verifier zero
// knowledge (SHAKE256 on seeds is pseudorandom); under Fiat–Shamir in the random oracle model. The
// prover takes constant time, and its memory accesses do not depend on a permutation that is not shown.
// Verify checks everything at once and adds nothing to a batch.
package cutandchoose

import (
	"cmp"
	"crypto/sha256"
	"fmt"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the verifying side of the argument. It has no state.
type Argument struct{}

var full = rounds.Counts{Rounds: 134, Composed: 58}

// Size returns the package's Size.
func (Argument) Size(g *group.Group, n int) int { return Size(g, n) }

// Size returns the length of a proof for n cards, in bytes.
func Size(g *group.Group, n int) int { return argument(full).layoutOf(g, n).Size() }

// argument is the argument with so many rounds.
type argument rounds.Counts

func (a argument) layoutOf(g *group.Group, n int) rounds.Layout {
	return rounds.Layout{Counts: rounds.Counts(a), Cards: n, Order: n, Rest: a.Composed * n * g.ScalarSize}
}

// Verify checks the form of s and of a proof, and then the proof.
func (Argument) Verify(ctx transcript.Context, s masking.ShuffleStatement, bytes []byte, _ *group.Batch) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return argument(full).verify(transcript.New(ctx, s.WithLabel(label)), s, bytes)
}

// label names the relation and this argument.
const label = "shuffle/cut-and-choose/v1"

func (a argument) verify(t *transcript.Transcript, s masking.ShuffleStatement, b []byte, values ...[]byte) error {
	g, n := s.Key.Group(), len(s.In)
	m, err := a.layoutOf(g, n).Parse(b)
	if err != nil {
		return err
	}
	composed, err := a.parseCompositions(g, m, n)
	if err != nil {
		return err
	}
	return a.checkDecks(rounds.Counts(a).DrawComposed(t, m.Commitment, values...), s, m, composed)
}

// parseCompositions reads σ_k and τ_k of the rounds in D.
func (a argument) parseCompositions(g *group.Group, m rounds.Message, n int) ([]masking.Opening, error) {
	list, factors := make([]masking.Opening, a.Composed), g.NewParser(m.Rest)
	for k := range list {
		order, err := rounds.ParseOrder(m.Orders[k*n : (k+1)*n])
		if err != nil {
			return nil, fmt.Errorf("composition %d: %w", k, err)
		}
		list[k] = masking.Opening{Permutation: order, Factors: factors.Scalars(n)}
	}
	return list, factors.Close()
}

func (a argument) checkDecks(in []bool, s masking.ShuffleStatement, m rounds.Message, composed []masking.Opening) error {
	return rounds.Counts(a).CheckDecks(in, m, func(i int) [32]byte { return deckDigest(masking.Remask(s.Key, s.In, composed[i])) }, seededDigest(s))
}

// seededDigest returns a function from a seed to the digest of its third deck.
func seededDigest(s masking.ShuffleStatement) func([]byte) [32]byte {
	return func(seed []byte) [32]byte {
		return deckDigest(masking.Remask(s.Key, s.Out, expandSeed(s.Key.Group(), seed, len(s.Out))))
	}
}

func deckDigest(deck []masking.Card) [32]byte { return sha256.Sum256(masking.Encode(deck...)) }

// expandSeed returns the permutation and factors derived from a seed.
func expandSeed(g *group.Group, seed []byte, n int) masking.Opening {
	stream := rounds.SeedStream(seed)
	return masking.Opening{Permutation: rounds.MustDraw(masking.DrawPermutation(n, stream)), Factors: rounds.MustDraw(g.RandomScalars(stream, n))}
}

// AskedArgument is the argument in which C is sent first, and the rest after others have revealed the
// values that D is drawn from.
type AskedArgument struct{}

var _ masking.AskedArgument = AskedArgument{}

// ErrorBits implements masking.AskedArgument.
func (AskedArgument) ErrorBits() int { return rounds.AskedBits }

// askedLabel names the relation and this argument.
const askedLabel = "shuffle/cut-and-choose-asked/v1"

// Size implements masking.AskedArgument.
func (AskedArgument) Size(g *group.Group, n int) int {
	return argument(rounds.Asked).layoutOf(g, n).AnswerSize()
}

// CheckCommitment checks the form of s and of C.
func (AskedArgument) CheckCommitment(s masking.ShuffleStatement, commitment []byte) error {
	return cmp.Or(s.CheckForm(), rounds.CheckCommitment(commitment))
}

// VerifyAnswer checks the proof of s made of C and an answer to values, as Verify does.
func (a AskedArgument) VerifyAnswer(ctx transcript.Context, s masking.ShuffleStatement, commitment []byte, values [][]byte, answer []byte) error {
	if err := a.CheckCommitment(s, commitment); err != nil {
		return err
	}
	by := argument(rounds.Asked)
	whole, err := by.layoutOf(s.Key.Group(), len(s.In)).WholeProof(commitment, answer)
	if err != nil {
		return err
	}
	return by.verify(transcript.New(ctx, s.WithLabel(askedLabel)), s, whole, values...)
}
