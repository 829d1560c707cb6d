package choices_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/choices"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

var inequalityDeck = handtest.Deck(&testing.T{}, "test", 42)

// inequalityHolding is "none of these faces, held by x, is among the first n of the deck".
func inequalityHolding(t testing.TB, x *masking.Secret, n int, faces ...card.Face) choices.InequalityStatement {
	t.Helper()
	return choices.InequalityStatement{
		Key: x.Key(), Cards: handtest.Mask(t, x.Key(), handtest.FaceElements(inequalityDeck, faces...)...),
		Excluded: handtest.FaceElements(inequalityDeck, handtest.FaceRange(0, n)...),
	}
}

func proveInequality(x *masking.Secret, s choices.InequalityStatement) ([]byte, error) {
	return choices.ProveInequality(handtest.TranscriptAt(handtest.Here), s, x.Scalar(), handtest.UnmaskCards(x, s.Cards), handtest.Nonces())
}

func check(b *group.Batch) error { return b.Check(rand.Reader) }

func verifyInequality(s choices.InequalityStatement, bytes []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error {
		return choices.VerifyInequality(handtest.TranscriptAt(handtest.Here), s, bytes, b)
	})
}

func bound(s choices.InequalityStatement) *transcript.Transcript {
	t := handtest.TranscriptAt(handtest.Here)
	t.Part(s)
	return t
}

func random(t testing.TB) group.Scalar { return handtest.Secret(t).Scalar() }

// TestInequalityFalse: an honest prover who is asked to prove what is false, or what would
// show that two cards are equal.
func TestInequalityFalse(t *testing.T) {
	x := handtest.Secret(t)
	for _, faces := range [][]card.Face{{0}, {1}, {5, 6, 1}, {0, 5}, {5, 6, 5}} {
		if b, err := proveInequality(x, inequalityHolding(t, x, 2, faces...)); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("faces %v: %d bytes, %v", faces, len(b), err)
		}
	}
}

// honestly is what an honest prover claims.
func honestly(t testing.TB, x *masking.Secret, s choices.InequalityStatement) choices.InequalityClaim {
	rho := random(t)
	c := choices.InequalityClaim{Rho: rho, Sigma: rho.Mul(x.Scalar())}
	for _, e := range s.Excluded {
		c.V = append(c.V, group.Mul(rho, e))
	}
	for _, e := range handtest.UnmaskCards(x, s.Cards) {
		c.U = append(c.U, group.Mul(rho, e))
	}
	return c
}

// TestInequalityForgeries: a holder of excluded faces, 1 and 0 at first and last place, who
// says otherwise. Each is the honest prover with one change; in the first the
// equations hold, and what shows is that a card equals a face.
func TestInequalityForgeries(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	base := handtest.Group.Generator()
	for _, forgery := range []struct {
		name      string
		equations bool // that hold
		change    func(s choices.InequalityStatement, c *choices.InequalityClaim)
	}{
		{"honest algorithm", true, func(choices.InequalityStatement, *choices.InequalityClaim) {}},
		{"ρ = 0: everything is the identity", true, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.Rho, c.Sigma = group.Scalar{}, group.Scalar{}
			for i := range c.V {
				c.V[i] = handtest.Group.Identity()
			}
			for j := range c.U {
				c.U[j] = handtest.Group.Identity()
			}
		}},
		{"another face in place of the card's", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.U[0], c.U[2] = group.Mul(c.Rho, inequalityDeck.Element(20)), group.Mul(c.Rho, inequalityDeck.Element(21))
		}},
		{"cards blinded by other factors", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.U[0], c.U[2] = group.Mul(random(t), inequalityDeck.Element(1)), group.Mul(random(t), inequalityDeck.Element(0))
		}},
		{"faces blinded by another factor", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			for i := range c.V {
				c.V[i] = group.Mul(y.Scalar(), s.Excluded[i])
			}
		}},
		{"first face blinded by another factor", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.V[0], c.V[1] = group.Mul(y.Scalar(), s.Excluded[0]), group.Mul(y.Scalar(), s.Excluded[1])
		}},
		{"two faces exchanged for others", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.V[0], c.V[1] = group.Mul(c.Rho, inequalityDeck.Element(20)), group.Mul(c.Rho, inequalityDeck.Element(21))
		}},
		{"changes that cancel without weights", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.U[0], c.U[1], c.U[2] = c.U[0].Add(base), c.U[1].Sub(base.Add(base)), c.U[2].Add(base)
		}},
		{"σ of another key", false, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			c.Sigma = c.Rho.Mul(y.Scalar())
			for j, held := range s.Cards {
				c.U[j] = group.Mul(c.Rho, held.B).Sub(group.Mul(c.Sigma, held.A))
			}
		}},
		{"two cards exchanged", true, func(s choices.InequalityStatement, c *choices.InequalityClaim) {
			s.Cards[0], s.Cards[1] = s.Cards[1], s.Cards[0]
			c.U[0], c.U[1] = c.U[1], c.U[0]
		}},
	} {
		s := inequalityHolding(t, x, 3, 1, 7, 0)
		c := honestly(t, x, s)
		forgery.change(s, &c)
		bytes := c.Prove(bound(s), s, random(t), random(t))
		testmust.Equal(t, choices.EquationsHold(bound(s), s, bytes, check) == nil, forgery.equations, forgery.name, "equations hold")
		if verifyInequality(s, bytes) == nil {
			t.Errorf("%s: accepted", forgery.name)
		}
	}
	// The same prover is believed where he says the truth.
	s := inequalityHolding(t, x, 3, 4, 7, 5)
	err := verifyInequality(s, honestly(t, x, s).Prove(bound(s), s, random(t), random(t)))
	testmust.Do(t, err, "the attack is built wrong")
}

// TestUnpinned: a verifier who weighs all equations lets ρ be chosen after the
// weights. The only card is the excluded face; its holder blinds card and face by
// different factors a and b, and proves that ρ is their mean by the weights.
func TestUnpinned(t *testing.T) {
	x := handtest.Secret(t)
	s := inequalityHolding(t, x, 1, 0)
	a, b, one := random(t), random(t), handtest.Group.One()
	c := choices.InequalityClaim{
		V: []group.Element{group.Mul(a, s.Excluded[0])},
		U: []group.Element{group.Mul(b, s.Excluded[0])},
	}
	first := choices.FirstWeight(choices.InequalityWeights(bound(s), c.V, c.U))
	c.Rho = first.Mul(a).Add(b).Mul(first.Add(one).Invert())
	c.Sigma = c.Rho.Mul(x.Scalar())
	bytes := c.Prove(bound(s), s, random(t), random(t))
	testmust.Do(t, choices.EquationsHoldUnpinned(bound(s), s, bytes, check), "the attack is built wrong")
	if verifyInequality(s, bytes) == nil {
		t.Error("a factor chosen after the weights is accepted")
	}
}

// TestInequalityElementsBound: a value of the prover that does not reach the challenges
// after it can be chosen last.
func TestInequalityElementsBound(t *testing.T) {
	x := handtest.Secret(t)
	s := inequalityHolding(t, x, 2, 4, 7)
	honest := handtest.MustHave(proveInequality(x, s))
	handtest.CheckReach(t, honest, func(bytes []byte) [][]group.Scalar {
		weights, c, _, _, _, err := choices.DrawInequality(bound(s), s, bytes)
		testmust.Do(t, err)
		return [][]group.Scalar{{weights[1]}, {c}}
	}, 4, 7)
}

func TestInequalityForm(t *testing.T) {
	x := handtest.Secret(t)
	handtest.CheckFormless(t, map[string]choices.InequalityStatement{
		"no cards": inequalityHolding(t, x, 2),
		"no faces": inequalityHolding(t, x, 0, 3),
	}, func(s choices.InequalityStatement) ([]byte, error) { return proveInequality(x, s) }, verifyInequality)
}

func TestInequalityBinding(t *testing.T) {
	statement := func(first int) transcript.Statement {
		s := inequalityHolding(t, handtest.Secret(t), 2, card.Face(first), card.Face(first+1))
		s.Excluded = handtest.FaceElements(inequalityDeck, card.Face(first+2), card.Face(first+3))
		return s
	}
	prooftest.Binding(t, statement(0), statement(10))
}

// powers returns as many powers of alpha as there are weights.
func powers(alpha group.Scalar, s choices.InequalityStatement) []group.Scalar {
	list := []group.Scalar{handtest.Group.One()}
	for len(list) < len(s.Excluded)-1+len(s.Cards) {
		list = append(list, list[len(list)-1].Mul(alpha))
	}
	return list
}

// TestInequalityExtract: an accepted proof by one who does not know x, or of elements that are
// not blinded by one ρ. The extractor takes 2 transcripts: one list of V and U, one
// α, one T and two answers.
func TestInequalityExtract(t *testing.T) {
	for k := 1; k <= 6; k++ {
		for n := 1; n <= 6; n++ {
			x := handtest.Secret(t)
			s := inequalityHolding(t, x, n, handtest.FaceRange(n, n+k)...)
			v := handtest.NamedScalars(t, "prover", 3)
			chosen := handtest.NamedScalars(t, "challenges", 3)
			weights, challenges := powers(chosen[0], s), chosen[1:]
			var first choices.InequalityAnswer
			line := handtest.ExtractSlopes(t, k+n+3, func(i int) ([]byte, group.Scalar) {
				first = choices.AnswerInequality(weights, challenges[i], s, x.Scalar(), handtest.UnmaskCards(x, s.Cards), v[0], v[1], v[2])
				handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { first.Equations(b, s, weights, challenges[i]) })
				return first.Bytes(), challenges[i]
			})
			holdsFor(t, fmt.Sprint(k, " cards, ", n, " faces"), s, first, line[0], line[1])
			if found := line[1].Mul(line[0].Invert()); !found.Equal(x.Scalar()) {
				t.Errorf("%d cards, %d faces: what was extracted is not the secret", k, n)
			}
		}
	}
}

// holdsFor fails the test if ρ and σ do not show the statement: V and U are the
// excluded faces and the cards, opened by σ/ρ, times ρ.
func holdsFor(t *testing.T, name string, s choices.InequalityStatement, a choices.InequalityAnswer, rho, sigma group.Scalar) {
	t.Helper()
	x := sigma.Mul(rho.Invert())
	testmust.Hold(t, handtest.Group.MulBase(x).Equal(s.Key.Element()), name, "σ/ρ is not the secret of the key")
	for i, face := range s.Excluded {
		testmust.Hold(t, group.Mul(rho, face).Equal(a.V[i]), name, "V_", i+1, "is not ρ·m")
	}
	for j, c := range s.Cards {
		testmust.Hold(t, group.Mul(rho, c.B.Sub(group.Mul(x, c.A))).Equal(a.U[j]), name, "U_", j+1, "is not ρ·M")
	}
}

// simulate returns the proof that V, U, challenges and responses determine.
func simulate(s choices.InequalityStatement, weights []group.Scalar, c group.Scalar, free choices.InequalityAnswer) choices.InequalityAnswer {
	a, rest := free, append(append([]group.Element(nil), free.V[1:]...), free.U...)
	sum, sumA := s.Sums(weights)
	a.T0 = group.Mul(a.Z1, s.Key.Element()).Sub(handtest.Group.MulBase(a.Z2))
	a.T1 = group.Mul(a.Z1, s.Excluded[0]).Sub(group.Mul(c, a.V[0]))
	a.T2 = group.Mul(a.Z1, sum).Sub(group.Mul(a.Z2, sumA)).Sub(group.Mul(c, handtest.Group.MultiMul(weights, rest)))
	return a
}

// TestInequalitySimulate: a proof that tells more than its V and U. Given these, α, c and the
// responses are uniform in an honest proof, and determine the rest. That V and U
// themselves are as good as random is DDH (46.4): the simulator draws them.
func TestInequalitySimulate(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := inequalityHolding(t, x, n, handtest.FaceRange(n, n+3)...)
		proof := handtest.MustHave(proveInequality(x, s))
		weights, c, _, _, _, err := choices.DrawInequality(bound(s), s, proof)
		testmust.Do(t, err)
		honest := handtest.MustHave(choices.ReadInequality(proof, s))
		testmust.Hold(t, bytes.Equal(simulate(s, weights, c, honest).Bytes(), proof), n, "faces: V, U, challenges and responses do not determine an honest proof")

		wrong := inequalityHolding(t, x, n, 0, 10, 11) // the first of them is excluded
		v := handtest.NamedScalars(t, "simulator", 4+n+3)
		free := choices.InequalityAnswer{Z1: v[0], Z2: v[1]}
		for i, e := range v[4:] {
			if i < n {
				free.V = append(free.V, handtest.Group.MulBase(e))
			} else {
				free.U = append(free.U, handtest.Group.MulBase(e))
			}
		}
		forged := simulate(wrong, powers(v[2], wrong), v[3], free)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { forged.Equations(b, wrong, powers(v[2], wrong), v[3]) })
		if verifyInequality(wrong, forged.Bytes()) == nil {
			t.Error("a simulated proof is accepted under the challenges of the transcript")
		}
	}
}
