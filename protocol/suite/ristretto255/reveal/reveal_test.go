package reveal_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/reveal"
	"github.com/pakli/pakli/protocol/transcript"
)

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "deal", 0).Slot(0)

func cards(t testing.TB, k *masking.Key, n int) []masking.Card {
	t.Helper()
	elements := make([]*group.Element, n)
	for i := range elements {
		elements[i] = group.HashToElement("card", []byte{byte(i)})
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
	return handtest.Holds(func(b *group.Batch) error { return reveal.Verify(here, s, proof, b) })
}

// proveFalse runs the prover's algebra without asking whether s holds.
func proveFalse(t *testing.T, s reveal.Statement, x *masking.Secret) []byte {
	t.Helper()
	tr := transcript.New(here, s)
	weights := reveal.Weights(s, tr)
	var as []*group.Element
	for _, c := range s.Cards {
		as = append(as, c.A)
	}
	w := handtest.Must(group.RandomScalar(rand.Reader))
	t1, t2, _, z := reveal.ProveUnder(tr, group.MultiMul(weights, as), x.Scalar(), w)
	return z.AppendTo(t2.AppendTo(t1.Bytes()))
}

// TestErrorsCancel: two wrong tokens whose errors cancel in the sum. With equal
// or predictable weights the aggregated proof would hold.
func TestErrorsCancel(t *testing.T) {
	x := handtest.Secret(t)
	s := honest(t, x, 2)
	e := group.HashToElement("error")
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
	handtest.Bound(t, 2, func(e ...*group.Element) group.Scalar { return reveal.Challenge(transcript.New(here, s), e[0], e[1]) })
}

func TestBinding(t *testing.T) {
	prooftest.Binding(t, honest(t, handtest.Secret(t), 3), honest(t, handtest.Secret(t), 3))
}
