package choices

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
)

// inequalityClaim is a prover who says what he likes: blinded faces and cards, and the
// scalars for which he proves to have blinded them.
type inequalityClaim struct {
	inequalityProof
	rho, sigma group.Scalar
}

// prove makes the proof of s, which is bound.
func (c *inequalityClaim) prove(t testing.TB, s inequality) []byte {
	s.answer(bound(s), &c.inequalityProof, []group.Scalar{c.rho, c.sigma}, []group.Scalar{random(t), random(t)})
	return c.proofBytes()
}

// honestly is what an honest prover claims.
func honestly(t testing.TB, x *masking.Secret, s inequality) *inequalityClaim {
	rho := random(t)
	c := &inequalityClaim{rho: rho, sigma: rho.Mul(x.Scalar())}
	c.faces, c.cards = scaleElements(rho, s.Excluded), scaleElements(rho, unmaskCards(x, s.Cards))
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
		change    func(s inequality, c *inequalityClaim)
	}{
		{"honest algorithm", true, func(inequality, *inequalityClaim) {}},
		{"ρ = 0: everything is the identity", true, func(s inequality, c *inequalityClaim) {
			c.rho, c.sigma = group.Scalar{}, group.Scalar{}
			for i := range c.faces {
				c.faces[i] = handtest.Group.Identity()
			}
			for j := range c.cards {
				c.cards[j] = handtest.Group.Identity()
			}
		}},
		{"another face in place of the card's", false, func(s inequality, c *inequalityClaim) {
			c.cards[0], c.cards[2] = group.Mul(c.rho, deck.Element(20)), group.Mul(c.rho, deck.Element(21))
		}},
		{"cards blinded by other factors", false, func(s inequality, c *inequalityClaim) {
			c.cards[0], c.cards[2] = group.Mul(random(t), deck.Element(1)), group.Mul(random(t), deck.Element(0))
		}},
		{"faces blinded by another factor", false, func(s inequality, c *inequalityClaim) {
			for i := range c.faces {
				c.faces[i] = group.Mul(y.Scalar(), s.Excluded[i])
			}
		}},
		{"first face blinded by another factor", false, func(s inequality, c *inequalityClaim) {
			c.faces[0], c.faces[1] = group.Mul(y.Scalar(), s.Excluded[0]), group.Mul(y.Scalar(), s.Excluded[1])
		}},
		{"two faces exchanged for others", false, func(s inequality, c *inequalityClaim) {
			c.faces[0], c.faces[1] = group.Mul(c.rho, deck.Element(20)), group.Mul(c.rho, deck.Element(21))
		}},
		{"changes that cancel without weights", false, func(s inequality, c *inequalityClaim) {
			c.cards[0], c.cards[1], c.cards[2] = c.cards[0].Add(base), c.cards[1].Sub(base.Add(base)), c.cards[2].Add(base)
		}},
		{"σ of another key", false, func(s inequality, c *inequalityClaim) {
			c.sigma = c.rho.Mul(y.Scalar())
			for j, held := range s.Cards {
				c.cards[j] = group.Mul(c.rho, held.B).Sub(group.Mul(c.sigma, held.A))
			}
		}},
		{"two cards exchanged", true, func(s inequality, c *inequalityClaim) {
			s.Cards[0], s.Cards[1] = s.Cards[1], s.Cards[0]
			c.cards[0], c.cards[1] = c.cards[1], c.cards[0]
		}},
	} {
		s := haveNone(t, x, 3, 1, 7, 0)
		c := honestly(t, x, s)
		forgery.change(s, c)
		bytes := c.prove(t, s)
		holds := handtest.CheckEquations(func(b *group.Batch) error { s.addEquations(bound(s), &c.inequalityProof, b); return nil })
		testmust.Equal(t, holds == nil, forgery.equations, forgery.name, "equations hold")
		testmust.Fail(t, verifyPart(s, bytes), forgery.name, "accepted")
	}
	// The same prover is believed where he says the truth.
	s := haveNone(t, x, 3, 4, 7, 5)
	testmust.Do(t, verifyPart(s, honestly(t, x, s).prove(t, s)), "the attack is built wrong")
}

// TestUnpinned: a verifier who weighs all equations lets ρ be chosen after the
// weights. The only card is the excluded face; its holder blinds card and face by
// different factors a and b, and proves that ρ is their mean by the weights.
func TestUnpinned(t *testing.T) {
	x := handtest.Secret(t)
	s := haveNone(t, x, 1, 0)
	a, b, one := random(t), random(t), handtest.Group.One()
	c := new(inequalityClaim)
	c.faces, c.cards = scaleElements(a, s.Excluded), scaleElements(b, s.Excluded)
	weights := c.drawWeights(bound(s))
	first := firstWeight(weights)
	c.rho = first.Mul(a).Add(b).Mul(first.Add(one).Invert())
	c.sigma = c.rho.Mul(x.Scalar())
	bytes := c.prove(t, s)
	// The verifier who weighs V_1 with the others has the last row and first times the one before it.
	rows, m := s.linear(&c.inequalityProof, weights), c.LinearProof
	for i := range rows[2].Bases {
		rows[2].Bases[i] = append(rows[2].Bases[i], scaled(first, rows[1].Bases[i])...)
	}
	rows[2].Image = append(rows[2].Image, scaled(first, rows[1].Image)...)
	m.T = []group.Element{m.T[0], m.T[2].Add(group.Mul(first, m.T[1]))}
	expectHolds(t, "the attack is built wrong: what it proves", relations.Linear{rows[0], rows[2]}, m)
	testmust.Fail(t, verifyPart(s, bytes), "a factor chosen after the weights is accepted")
}

// firstWeight is a weight for V_1 that follows all others.
func firstWeight(weights []group.Scalar) group.Scalar {
	first := handtest.Group.ScalarFromUint64(3)
	for _, w := range weights {
		first = first.Mul(w).Add(w)
	}
	return first
}

func scaled(by group.Scalar, s relations.Sum) (all relations.Sum) {
	for _, term := range s {
		all = append(all, group.Term{S: by.Mul(term.S), P: term.P})
	}
	return all
}

// TestInequalityElementsBound: a value of the prover that does not reach the challenges
// after it can be chosen last.
func TestInequalityElementsBound(t *testing.T) {
	x := handtest.Secret(t)
	s := haveNone(t, x, 2, 4, 7)
	handtest.CheckReach(t, handtest.MustHave(provePart(x, s)), func(bytes []byte) [][]group.Scalar {
		weights, m := challengesOf(t, s, bytes)
		return [][]group.Scalar{{weights[1]}, {m.C}}
	}, 4, 7)
}

// challengesOf draws α's powers and c of a proof.
func challengesOf(t testing.TB, s inequality, bytes []byte) ([]group.Scalar, *inequalityProof) {
	t.Helper()
	m := handtest.MustHave(parseInequality(handtest.Group, bytes, len(s.Cards), len(s.Excluded)))
	tr := bound(s)
	weights := m.drawWeights(tr)
	s.linear(m, weights).DrawChallenge(tr, &m.LinearProof)
	return weights, m
}

// powers returns as many powers of alpha as there are weights.
func powers(alpha group.Scalar, s inequality) []group.Scalar {
	return group.Powers(handtest.Group.One(), alpha, len(s.Excluded)-1+len(s.Cards))
}

// TestInequalityExtract: an accepted proof by one who does not know x, or of elements that are
// not blinded by one ρ. The extractor takes 2 transcripts: one list of V and U, one
// α, one T and two answers.
func TestInequalityExtract(t *testing.T) {
	for k := 1; k <= 6; k++ {
		for n := 1; n <= 6; n++ {
			x := handtest.Secret(t)
			s := haveNone(t, x, n, handtest.FaceRange(n, n+k)...)
			v := handtest.NamedScalars(t, "prover", 3)
			chosen := handtest.NamedScalars(t, "challenges", 3)
			m := &inequalityProof{faces: scaleElements(v[0], s.Excluded), cards: scaleElements(v[0], unmaskCards(x, s.Cards))}
			rows := s.linear(m, powers(chosen[0], s))
			line := handtest.ExtractSlopes(t, k+n+3, func(i int) ([]byte, group.Scalar) {
				m.LinearProof = answerAt(rows, chosen[1+i], v[1:], []group.Scalar{v[0], v[0].Mul(x.Scalar())})
				expectHolds(t, "an answer", rows, m.LinearProof)
				return m.proofBytes(), m.C
			})
			showsInequality(t, fmt.Sprint(k, " cards, ", n, " faces"), s, m, line[0], line[1])
			found := line[1].Mul(line[0].Invert())
			testmust.Holdf(t, found.Equal(x.Scalar()), "%d cards, %d faces: what was extracted is not the secret", k, n)
		}
	}
}

// showsInequality fails the test if ρ and σ do not show the statement: V and U are the
// excluded faces and the cards, opened by σ/ρ, times ρ.
func showsInequality(t *testing.T, name string, s inequality, m *inequalityProof, rho, sigma group.Scalar) {
	t.Helper()
	x := sigma.Mul(rho.Invert())
	testmust.Hold(t, handtest.Group.MulBase(x).Equal(s.Key.Element()), name, "σ/ρ is not the secret of the key")
	for i, face := range s.Excluded {
		testmust.Hold(t, group.Mul(rho, face).Equal(m.faces[i]), name, "V_", i+1, "is not ρ·m")
	}
	for j, c := range s.Cards {
		testmust.Hold(t, group.Mul(rho, c.B.Sub(group.Mul(x, c.A))).Equal(m.cards[j]), name, "U_", j+1, "is not ρ·M")
	}
}

// determined returns the commitments that V, U, challenges and responses determine.
func (s inequality) determined(weights []group.Scalar, m *inequalityProof) []group.Element {
	as, bs := masking.CardColumns(s.Cards)
	sum := func(elements ...[]group.Element) group.Element {
		return handtest.Group.MultiMul(weights[len(weights)-len(slices.Concat(elements...)):], slices.Concat(elements...))
	}
	minus := func(p group.Element, factor group.Scalar, q group.Element) group.Element {
		return p.Sub(group.Mul(factor, q))
	}
	return []group.Element{
		minus(group.Mul(m.Z[0], s.Key.Element()), m.Z[1], handtest.Group.Generator()),
		minus(group.Mul(m.Z[0], s.Excluded[0]), m.C, m.faces[0]),
		minus(minus(group.Mul(m.Z[0], sum(s.Excluded[1:], bs)), m.Z[1], sum(as)), m.C, sum(m.faces[1:], m.cards)),
	}
}

// TestInequalitySimulate: a proof that tells more than its V and U. Given these, α, c and the
// responses are uniform in an honest proof, and determine the rest. That V and U
// themselves are as good as random is DDH (46.4): the simulator draws them.
func TestInequalitySimulate(t *testing.T) {
	for n := 1; n <= 6; n++ {
		x := handtest.Secret(t)
		s := haveNone(t, x, n, handtest.FaceRange(n, n+3)...)
		proof := handtest.MustHave(provePart(x, s))
		weights, m := challengesOf(t, s, proof)
		m.T = s.determined(weights, m)
		testmust.Hold(t, bytes.Equal(m.proofBytes(), proof), n, "faces: V, U, challenges and responses do not determine an honest proof")

		wrong := haveNone(t, x, n, 0, 10, 11) // the first of them is excluded
		v := handtest.NamedScalars(t, "simulator", 4+n+3)
		forged := new(inequalityProof)
		for i, e := range v[4:] {
			if i < n {
				forged.faces = append(forged.faces, handtest.Group.MulBase(e))
			} else {
				forged.cards = append(forged.cards, handtest.Group.MulBase(e))
			}
		}
		rows := wrong.linear(forged, powers(v[2], wrong))
		forged.C, forged.Z = v[3], v[:2]
		forged.T = wrong.determined(powers(v[2], wrong), forged)
		expectHolds(t, "a simulated proof", rows, forged.LinearProof)
		testmust.Fail(t, verifyPart(wrong, forged.proofBytes()), "a simulated proof is accepted under the challenges of the transcript")
	}
}
