package relations_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

func cards(t testing.TB, k *masking.Key, n int) []masking.Card {
	t.Helper()
	elements := make([]group.Element, n)
	for i := range elements {
		elements[i] = handtest.Group.HashToElement("card", []byte{byte(i)})
	}
	return handtest.Mask(t, k, elements...)
}

// honest is a statement of n tokens by x.
func honest(t testing.TB, x *masking.Secret, n int) relations.RevealStatement {
	s := relations.RevealStatement{Key: x.Key(), Cards: cards(t, x.Key(), n)}
	for _, c := range s.Cards {
		s.Tokens = append(s.Tokens, x.Token(c))
	}
	return s
}

func verifyReveal(s relations.RevealStatement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return relations.VerifyReveal(handtest.Here, s, proof, b) })
}

// proveFalse runs the prover's algebra without asking whether s holds.
func proveFalse(t *testing.T, s relations.RevealStatement, x *masking.Secret) []byte {
	t.Helper()
	tr := transcript.New(handtest.Here, s)
	weights := relations.RevealWeights(s, tr)
	var as []group.Element
	for _, c := range s.Cards {
		as = append(as, c.A)
	}
	w := handtest.MustHave(handtest.Group.RandomScalar(rand.Reader))
	t1, t2, _, z := relations.RevealAlgebra(tr, handtest.Group.MultiMul(weights, as), x.Scalar(), w)
	return z.AppendTo(t2.AppendTo(t1.Bytes()))
}

// TestErrorsCancel: two wrong tokens whose errors cancel in the sum. With equal
// or predictable weights the aggregated proof would hold.
func TestErrorsCancel(t *testing.T) {
	x := handtest.Secret(t)
	s := honest(t, x, 2)
	e := handtest.Group.HashToElement("error")
	s.Tokens[0] = masking.Token{S: s.Tokens[0].S.Add(e)}
	s.Tokens[1] = masking.Token{S: s.Tokens[1].S.Sub(e)}
	if verifyReveal(s, proveFalse(t, s, x)) == nil {
		t.Error("errors that cancel with equal weights are accepted")
	}
	// Errors made for the weights of the statement as it was before: they change
	// the weights.
	s = honest(t, x, 2)
	weights := relations.RevealWeights(s, transcript.New(handtest.Here, s))
	s.Tokens[0] = masking.Token{S: s.Tokens[0].S.Add(group.Mul(weights[1], e))}
	s.Tokens[1] = masking.Token{S: s.Tokens[1].S.Sub(group.Mul(weights[0], e))}
	if verifyReveal(s, proveFalse(t, s, x)) == nil {
		t.Error("errors that cancel with the former weights are accepted")
	}
}

func TestRevealCommitmentsBound(t *testing.T) {
	s := honest(t, handtest.Secret(t), 2)
	handtest.CheckBound(t, 2, func(e ...group.Element) group.Scalar {
		return relations.RevealChallenge(transcript.New(handtest.Here, s), e[0], e[1])
	})
}

func TestRevealBinding(t *testing.T) {
	prooftest.Binding(t, honest(t, handtest.Secret(t), 3), honest(t, handtest.Secret(t), 3))
}

// TestRevealExtract: accepted tokens by one who does not know x, or that are not all
// multiples by x. The extractor takes 2 transcripts: one list of weights, one
// commitment and two answers.
func TestRevealExtract(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := honest(t, x, n)
		weights := relations.RevealWeights(s, transcript.New(handtest.Here, s))
		sum, w := relations.RevealSum(s, weights), handtest.NamedScalars(t, "nonce", 1)[0]
		found := handtest.ExtractSlopes(t, 2, func(slot int) ([]byte, group.Scalar) {
			t1, t2, c, z := relations.RevealAlgebra(transcript.New(handtest.SlotContext(uint16(slot)), s), sum, x.Scalar(), w)
			handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { relations.RevealEquations(s, b, weights, t1, t2, c, z) })
			return z.AppendTo(group.Encode(t1, t2)), c
		})[0]
		testmust.Hold(t, found.Equal(x.Scalar()), n, "cards: what was extracted is not the secret")
		for j, c := range s.Cards {
			testmust.Hold(t, group.Mul(found, c.A).Equal(s.Tokens[j].S), n, "cards: token", j, "is not the share of what was extracted")
		}
	}
}

// simulateReveal returns the commitments that weights, a challenge and a response
// determine.
func simulateReveal(s relations.RevealStatement, weights []group.Scalar, c, z group.Scalar) (t1, t2 group.Element) {
	var tokens []group.Element
	for _, token := range s.Tokens {
		tokens = append(tokens, token.S)
	}
	return handtest.Group.MulBase(z).Sub(group.Mul(c, s.Key.Element())),
		group.Mul(z, relations.RevealSum(s, weights)).Sub(group.Mul(c, handtest.Group.MultiMul(weights, tokens)))
}

// TestRevealSimulate: a proof that tells more than that it is one. c and z are uniform
// in an honest proof, and determine the rest.
func TestRevealSimulate(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := honest(t, x, n)
		proof := handtest.MustHave(relations.ProveReveal(handtest.Here, s, x, handtest.NamedCoins("prover")))
		p := handtest.Group.NewParser(proof)
		t1, t2, z := p.Element(), p.Element(), p.Scalar()
		tr := transcript.New(handtest.Here, s)
		weights := relations.RevealWeights(s, tr)
		s1, s2 := simulateReveal(s, weights, relations.RevealChallenge(tr, t1, t2), z)
		testmust.Hold(t, bytes.Equal(z.AppendTo(group.Encode(s1, s2)), proof), "challenges and response do not determine an honest proof")

		s.Tokens[0] = masking.Token{S: handtest.Group.HashToElement("no share of anybody's")}
		v := handtest.NamedScalars(t, "simulator", 2+n)
		weights = v[2:]
		weights[0] = handtest.Group.One()
		t1, t2 = simulateReveal(s, weights, v[0], v[1])
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { relations.RevealEquations(s, b, weights, t1, t2, v[0], v[1]) })
		if verifyReveal(s, v[1].AppendTo(group.Encode(t1, t2))) == nil {
			t.Error("a simulated proof is accepted under the challenges of the transcript")
		}
	}
}
