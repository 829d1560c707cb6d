package reveal_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/reveal"
	"github.com/pakli/pakli/protocol/suite/elgamal/rewind"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "deal", 0).Slot(0)

func cards(t testing.TB, k *masking.Key, n int) []masking.Card {
	t.Helper()
	elements := make([]group.Element, n)
	for i := range elements {
		elements[i] = g.HashToElement("card", []byte{byte(i)})
	}
	return handtest.Mask(t, k, elements...)
}

// honest is a statement of n tokens by x.
func honest(t testing.TB, x *masking.Secret, n int) reveal.Statement {
	s := reveal.Statement{Key: x.Key(), Cards: cards(t, x.Key(), n)}
	for _, c := range s.Cards {
		s.Tokens = append(s.Tokens, x.Token(c))
	}
	return s
}

func verify(s reveal.Statement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return reveal.Verify(here, s, proof, b) })
}

// proveFalse runs the prover's algebra without asking whether s holds.
func proveFalse(t *testing.T, s reveal.Statement, x *masking.Secret) []byte {
	t.Helper()
	tr := transcript.New(here, s)
	weights := reveal.Weights(s, tr)
	var as []group.Element
	for _, c := range s.Cards {
		as = append(as, c.A)
	}
	w := handtest.MustHave(g.RandomScalar(rand.Reader))
	t1, t2, _, z := reveal.ProveUnder(tr, g.MultiMul(weights, as), x.Scalar(), w)
	return z.AppendTo(t2.AppendTo(t1.Bytes()))
}

// TestErrorsCancel: two wrong tokens whose errors cancel in the sum. With equal
// or predictable weights the aggregated proof would hold.
func TestErrorsCancel(t *testing.T) {
	x := handtest.Secret(t)
	s := honest(t, x, 2)
	e := g.HashToElement("error")
	s.Tokens[0] = masking.Token{S: s.Tokens[0].S.Add(e)}
	s.Tokens[1] = masking.Token{S: s.Tokens[1].S.Sub(e)}
	if verify(s, proveFalse(t, s, x)) == nil {
		t.Error("errors that cancel with equal weights are accepted")
	}
	// Errors made for the weights of the statement as it was before: they change
	// the weights.
	s = honest(t, x, 2)
	weights := reveal.Weights(s, transcript.New(here, s))
	s.Tokens[0] = masking.Token{S: s.Tokens[0].S.Add(group.Mul(weights[1], e))}
	s.Tokens[1] = masking.Token{S: s.Tokens[1].S.Sub(group.Mul(weights[0], e))}
	if verify(s, proveFalse(t, s, x)) == nil {
		t.Error("errors that cancel with the former weights are accepted")
	}
}

func TestCommitmentsBound(t *testing.T) {
	s := honest(t, handtest.Secret(t), 2)
	handtest.CheckBound(t, 2, func(e ...group.Element) group.Scalar { return reveal.Challenge(transcript.New(here, s), e[0], e[1]) })
}

func TestBinding(t *testing.T) {
	prooftest.Binding(t, honest(t, handtest.Secret(t), 3), honest(t, handtest.Secret(t), 3))
}

// TestExtract: accepted tokens by one who does not know x, or that are not all
// multiples by x. The extractor takes 2 transcripts: one list of weights, one
// commitment and two answers.
func TestExtract(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := honest(t, x, n)
		weights := reveal.Weights(s, transcript.New(handtest.Here, s))
		sum, w := reveal.SumOfCards(s, weights), rewind.NamedScalars(t, "nonce", 1)[0]
		found := rewind.ExtractSlopes(t, 2, func(slot int) ([]byte, group.Scalar) {
			t1, t2, c, z := reveal.ProveUnder(transcript.New(handtest.SlotContext(uint16(slot)), s), sum, x.Scalar(), w)
			rewind.ExpectAccepted(t, "an answer", func(b *group.Batch) { reveal.Equations(s, b, weights, t1, t2, c, z) })
			return z.AppendTo(group.Encode(t1, t2)), c
		})[0]
		testmust.Hold(t, found.Equal(x.Scalar()), n, "cards: what was extracted is not the secret")
		for j, c := range s.Cards {
			testmust.Hold(t, group.Mul(found, c.A).Equal(s.Tokens[j].S), n, "cards: token", j, "is not the share of what was extracted")
		}
	}
}

// simulate returns the commitments that weights, a challenge and a response
// determine.
func simulate(s reveal.Statement, weights []group.Scalar, c, z group.Scalar) (t1, t2 group.Element) {
	var tokens []group.Element
	for _, token := range s.Tokens {
		tokens = append(tokens, token.S)
	}
	return g.MulBase(z).Sub(group.Mul(c, s.Key.Element())),
		group.Mul(z, reveal.SumOfCards(s, weights)).Sub(group.Mul(c, g.MultiMul(weights, tokens)))
}

// TestSimulate: a proof that tells more than that it is one. c and z are uniform
// in an honest proof, and determine the rest.
func TestSimulate(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := honest(t, x, n)
		proof := handtest.MustHave(reveal.Prove(handtest.Here, s, x, rewind.NamedCoins("prover")))
		p := g.NewParser(proof)
		t1, t2, z := p.Element(), p.Element(), p.Scalar()
		tr := transcript.New(handtest.Here, s)
		weights := reveal.Weights(s, tr)
		s1, s2 := simulate(s, weights, reveal.Challenge(tr, t1, t2), z)
		testmust.Hold(t, bytes.Equal(z.AppendTo(group.Encode(s1, s2)), proof), "challenges and response do not determine an honest proof")

		s.Tokens[0] = masking.Token{S: g.HashToElement("no share of anybody's")}
		v := rewind.NamedScalars(t, "simulator", 2+n)
		weights = v[2:]
		weights[0] = g.One()
		t1, t2 = simulate(s, weights, v[0], v[1])
		rewind.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { reveal.Equations(s, b, weights, t1, t2, v[0], v[1]) })
		if verify(s, v[1].AppendTo(group.Encode(t1, t2))) == nil {
			t.Error("a simulated proof is accepted under the challenges of the transcript")
		}
	}
}
