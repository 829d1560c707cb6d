package inequality_test

import (
	"crypto/rand"
	"errors"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/inequality"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

var deck = handtest.Deck(&testing.T{}, "test", 42)

// holding is "none of these faces, held by x, is among the first n of the deck".
func holding(t testing.TB, x *masking.Secret, n int, faces ...card.Face) inequality.Statement {
	t.Helper()
	return inequality.Statement{
		Key: x.Key(), Cards: handtest.Mask(t, x.Key(), handtest.Elements(deck, faces...)...),
		Excluded: handtest.Elements(deck, handtest.Faces(0, n)...),
	}
}

func prove(x *masking.Secret, s inequality.Statement) ([]byte, error) {
	return inequality.Prove(handtest.Transcript(handtest.Here), s, x.Scalar(), handtest.Opened(x, s.Cards), handtest.Nonces())
}

func check(b *group.Batch) error { return b.Check(rand.Reader) }

func verify(s inequality.Statement, bytes []byte) error {
	return handtest.Holds(func(b *group.Batch) error { return inequality.Verify(handtest.Transcript(handtest.Here), s, bytes, b) })
}

func bound(s inequality.Statement) *transcript.Transcript {
	t := handtest.Transcript(handtest.Here)
	t.Part(s)
	return t
}

func random(t testing.TB) group.Scalar { return handtest.Secret(t).Scalar() }

// TestFalse: an honest prover who is asked to prove what is false, or what would
// show that two cards are equal.
func TestFalse(t *testing.T) {
	x := handtest.Secret(t)
	for _, faces := range [][]card.Face{{0}, {1}, {5, 6, 1}, {0, 5}, {5, 6, 5}} {
		if b, err := prove(x, holding(t, x, 2, faces...)); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("faces %v: %d bytes, %v", faces, len(b), err)
		}
	}
}

// honestly is what an honest prover claims.
func honestly(t testing.TB, x *masking.Secret, s inequality.Statement) inequality.Claim {
	rho := random(t)
	c := inequality.Claim{Rho: rho, Sigma: rho.Mul(x.Scalar())}
	for _, e := range s.Excluded {
		c.V = append(c.V, group.Mul(rho, e))
	}
	for _, e := range handtest.Opened(x, s.Cards) {
		c.U = append(c.U, group.Mul(rho, e))
	}
	return c
}

// TestForgeries: a holder of excluded faces, 1 and 0 at first and last place, who
// says otherwise. Each is the honest prover with one change; in the first the
// equations hold, and what shows is that a card equals a face.
func TestForgeries(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	g := group.Generator()
	for _, forgery := range []struct {
		name      string
		equations bool // that hold
		change    func(s inequality.Statement, c *inequality.Claim)
	}{
		{"honest algorithm", true, func(inequality.Statement, *inequality.Claim) {}},
		{"ρ = 0: everything is the identity", true, func(s inequality.Statement, c *inequality.Claim) {
			c.Rho, c.Sigma = group.Scalar{}, group.Scalar{}
			for i := range c.V {
				c.V[i] = group.Identity()
			}
			for j := range c.U {
				c.U[j] = group.Identity()
			}
		}},
		{"another face in place of the card's", false, func(s inequality.Statement, c *inequality.Claim) {
			c.U[0], c.U[2] = group.Mul(c.Rho, deck.Element(20)), group.Mul(c.Rho, deck.Element(21))
		}},
		{"cards blinded by other factors", false, func(s inequality.Statement, c *inequality.Claim) {
			c.U[0], c.U[2] = group.Mul(random(t), deck.Element(1)), group.Mul(random(t), deck.Element(0))
		}},
		{"faces blinded by another factor", false, func(s inequality.Statement, c *inequality.Claim) {
			for i := range c.V {
				c.V[i] = group.Mul(y.Scalar(), s.Excluded[i])
			}
		}},
		{"first face blinded by another factor", false, func(s inequality.Statement, c *inequality.Claim) {
			c.V[0], c.V[1] = group.Mul(y.Scalar(), s.Excluded[0]), group.Mul(y.Scalar(), s.Excluded[1])
		}},
		{"two faces exchanged for others", false, func(s inequality.Statement, c *inequality.Claim) {
			c.V[0], c.V[1] = group.Mul(c.Rho, deck.Element(20)), group.Mul(c.Rho, deck.Element(21))
		}},
		{"changes that cancel without weights", false, func(s inequality.Statement, c *inequality.Claim) {
			c.U[0], c.U[1], c.U[2] = c.U[0].Add(g), c.U[1].Sub(g.Add(g)), c.U[2].Add(g)
		}},
		{"σ of another key", false, func(s inequality.Statement, c *inequality.Claim) {
			c.Sigma = c.Rho.Mul(y.Scalar())
			for j, held := range s.Cards {
				c.U[j] = group.Mul(c.Rho, held.B).Sub(group.Mul(c.Sigma, held.A))
			}
		}},
		{"two cards exchanged", true, func(s inequality.Statement, c *inequality.Claim) {
			s.Cards[0], s.Cards[1] = s.Cards[1], s.Cards[0]
			c.U[0], c.U[1] = c.U[1], c.U[0]
		}},
	} {
		s := holding(t, x, 3, 1, 7, 0)
		c := honestly(t, x, s)
		forgery.change(s, &c)
		bytes := c.Prove(bound(s), s, random(t), random(t))
		if holds := inequality.EquationsHold(bound(s), s, bytes, check) == nil; holds != forgery.equations {
			t.Errorf("%s: equations hold: %v, want %v", forgery.name, holds, forgery.equations)
		}
		if verify(s, bytes) == nil {
			t.Errorf("%s: accepted", forgery.name)
		}
	}
	// The same prover is believed where he says the truth.
	s := holding(t, x, 3, 4, 7, 5)
	if err := verify(s, honestly(t, x, s).Prove(bound(s), s, random(t), random(t))); err != nil {
		t.Errorf("the attack is built wrong: %v", err)
	}
}

// TestUnpinned: a verifier who weighs all equations lets ρ be chosen after the
// weights. The only card is the excluded face; its holder blinds card and face by
// different factors a and b, and proves that ρ is their mean by the weights.
func TestUnpinned(t *testing.T) {
	x := handtest.Secret(t)
	s := holding(t, x, 1, 0)
	a, b, one := random(t), random(t), group.ScalarFromUint64(1)
	c := inequality.Claim{
		V: []*group.Element{group.Mul(a, s.Excluded[0])},
		U: []*group.Element{group.Mul(b, s.Excluded[0])},
	}
	first := inequality.FirstWeight(inequality.Weights(bound(s), c.V, c.U))
	c.Rho = first.Mul(a).Add(b).Mul(first.Add(one).Invert())
	c.Sigma = c.Rho.Mul(x.Scalar())
	bytes := c.Prove(bound(s), s, random(t), random(t))
	testmust.Do(t, inequality.EquationsHoldUnpinned(bound(s), s, bytes, check), "the attack is built wrong")
	if verify(s, bytes) == nil {
		t.Error("a factor chosen after the weights is accepted")
	}
}

// TestElementsBound: a value of the prover that does not reach the challenges
// after it can be chosen last.
func TestElementsBound(t *testing.T) {
	x := handtest.Secret(t)
	s := holding(t, x, 2, 4, 7)
	honest := handtest.Must(prove(x, s))
	handtest.Reach(t, honest, func(bytes []byte) [][]group.Scalar {
		weights, c, _, _, _, err := inequality.Draw(bound(s), s, bytes)
		testmust.Do(t, err)
		return [][]group.Scalar{{weights[1]}, {c}}
	}, 4, 7)
}

func TestForm(t *testing.T) {
	x := handtest.Secret(t)
	handtest.Formless(t, map[string]inequality.Statement{
		"no cards": holding(t, x, 2),
		"no faces": holding(t, x, 0, 3),
	}, func(s inequality.Statement) ([]byte, error) { return prove(x, s) }, verify)
}

func TestBinding(t *testing.T) {
	statement := func(first int) transcript.Statement {
		s := holding(t, handtest.Secret(t), 2, card.Face(first), card.Face(first+1))
		s.Excluded = handtest.Elements(deck, card.Face(first+2), card.Face(first+3))
		return s
	}
	prooftest.Binding(t, statement(0), statement(10))
}
