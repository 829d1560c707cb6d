package choices

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
)

// claim proves s by a prover who takes the first branch of the first cards for
// true ones, whatever they are.
func (s threshold) claim(x group.Scalar) ([]byte, error) {
	cheat := thresholdProver{s: s, x: x}
	for j := range s.Cards {
		hit := make([]int, len(s.Faces))
		real := 0
		if j < s.Need {
			hit[0], real = 1, 1
		}
		cheat.real, cheat.hit = append(cheat.real, real), append(cheat.hit, hit)
	}
	if err := cheat.commitBranches(bound(s), freshNonces()); err != nil {
		return nil, err
	}
	return cheat.answerBranches(), nil
}

// TestFalseClaim: a prover who says that cards have the faces that have not, and
// runs the honest algorithm.
func TestFalseClaim(t *testing.T) {
	x := handtest.Secret(t)
	claim := func(s threshold) error {
		bytes, err := s.claim(x.Scalar())
		testmust.Requiref(t, err == nil && len(bytes) == thresholdSize(handtest.Group, len(s.Cards), len(s.Faces), s.Need),
			"the attack is built wrong: %d bytes, %v", len(bytes), err)
		return verifyPart(s, bytes)
	}
	for _, s := range []threshold{
		haveNeed(t, x, 1, 1, 3),
		haveNeed(t, x, 2, 1, 3, 4, 5),
		haveNeed(t, x, 2, 2, 0, 3), // one of two
		haveNeed(t, x, 3, 3, 0, 5, 1),
	} {
		testmust.Fail(t, claim(s), s.Need, "of", len(s.Cards), "cards: false claim is accepted")
	}
	// The claim is accepted where it is true, so the attack is built right.
	testmust.Do(t, claim(haveNeed(t, x, 1, 1, 0, 7)), "true claim is refused")
}

// TestThresholdForeignCard: a card under another key, whose face is right for its own
// holder.
func TestThresholdForeignCard(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	s := haveNeed(t, y, 1, 1, 0)
	s.Key = x.Key()
	for _, witness := range []group.Scalar{x.Scalar(), y.Scalar()} {
		bytes := handtest.MustHave(s.claim(witness))
		testmust.Fail(t, verifyPart(s, bytes), "claim on another seat's card is accepted")
	}
}

func TestCommitmentsBound(t *testing.T) {
	handtest.CheckBound(t, 4, func(e ...group.Element) group.Scalar {
		return relations.DrawPairs(at(), e)
	})
}

// answer is an accepted proof by branches.
type answer struct {
	first []byte // all T1 and T2
	all   group.Scalar
	c, z  [][]group.Scalar
}

func read(t *testing.T, s threshold, proof []byte) answer {
	t.Helper()
	sent := handtest.Group.NewParser(proof).Scalars(len(proof) / handtest.Group.ScalarSize)
	c, z := s.splitBranches(sent)
	return answer{group.Encode(s.branchCommitments(c, z)...), sent[0], c, z}
}

// extract computes x from two answers, and how many cards it opens to a face of
// the set.
func extract(t *testing.T, s threshold, a, b answer) (x group.Scalar, cards int) {
	t.Helper()
	for j, card := range s.Cards {
		found := 0
		for m, face := range s.Faces {
			if a.c[j][m].Equal(b.c[j][m]) {
				continue
			}
			found++
			x = handtest.PolynomialThrough(t, []group.Scalar{a.c[j][m], b.c[j][m]}, []group.Scalar{a.z[j][m], b.z[j][m]})[1]
			testmust.Holdf(t, handtest.Group.MulBase(x).Equal(s.Key.Element()) && card.B.Sub(group.Mul(x, card.A)).Equal(face),
				"card %d has not face %d, of which it has two answers", j, m)
		}
		cards += min(found, 1)
	}
	return x, cards
}

// TestThresholdExtract: an accepted proof by one who does not know x, or of less cards. The
// extractor takes 2 transcripts: one list of T1 and T2 and two answers.
func TestThresholdExtract(t *testing.T) {
	chosen := testmust.SomeOf(t, 5, 5)
	for k := 2; k <= 6; k++ {
		for need := 1; chosen(k-2) && need <= k; need++ {
			t.Run(fmt.Sprint(need, " of ", k), func(t *testing.T) {
				x := handtest.Secret(t)
				faces := handtest.FaceRange(6-need, 6-need+k) // need of them are among the first 6
				s := haveNeed(t, x, 6, need, faces...)
				var answers []answer
				for slot := range uint16(2) {
					at := handtest.SlotContext(slot)
					proof := handtest.MustHave(s.prove(handtest.TranscriptAt(at), x.Scalar(), unmaskCards(x, s.Cards), handtest.NamedCoins("prover")))
					testmust.Do(t, s.verify(handtest.TranscriptAt(at), proof, nil), "an answer is refused")
					answers = append(answers, read(t, s, proof))
				}
				testmust.Require(t, bytes.Equal(answers[0].first, answers[1].first) && !answers[0].all.Equal(answers[1].all), "first words depend on c")
				found, cards := extract(t, s, answers[0], answers[1])
				if !found.Equal(x.Scalar()) || cards != need {
					t.Errorf("extracted the secret: %v; %d cards, want %d", found.Equal(x.Scalar()), cards, need)
				}
			})
		}
	}
}

// TestThresholdSimulate: a proof that tells which branches are true. c, the other
// coefficients, all challenges but the last of each card and all responses are
// uniform in an honest proof; they are the proof, and determine T1 and T2.
func TestThresholdSimulate(t *testing.T) {
	for k := 2; k <= 6; k++ {
		x := handtest.Secret(t)
		s := haveNeed(t, x, 3, 2, handtest.FaceRange(6, 6+k)...) // none of them is
		simulated := handtest.NamedScalars(t, "simulator", thresholdSize(handtest.Group, k, 3, 2)/32)
		c, z := s.splitBranches(simulated)
		for j, card := range s.Cards {
			for m, face := range s.Faces {
				place := 2 * (3*j + m)
				first := s.branchCommitments(c, z)[place : place+2]
				holds(t, first[0], z[j][m], handtest.Group.Generator(), c[j][m], s.Key.Element())
				holds(t, first[1], z[j][m], card.A, c[j][m], card.B.Sub(face))
			}
		}
		meet(t, simulated[0], c, s.Need)
		var proof []byte
		for _, scalar := range simulated {
			proof = scalar.AppendTo(proof)
		}
		testmust.Fail(t, verifyPart(s, proof), "a simulated proof is accepted under the challenge of the transcript")
	}
}

// holds fails the test if z·p − T − c·q ≠ 0.
func holds(t *testing.T, first group.Element, z group.Scalar, p group.Element, c group.Scalar, q group.Element) {
	t.Helper()
	handtest.ExpectAccepted(t, "a simulated branch", func(b *group.Batch) {
		b.Add(group.Term{S: z, P: p}, group.Minus(first), group.Term{S: c.Neg(), P: q})
	})
}

// meet fails the test if no polynomial of degree k − need goes through c at 0 and
// the sum of each card j at j.
func meet(t *testing.T, all group.Scalar, c [][]group.Scalar, need int) {
	t.Helper()
	at, values := []group.Scalar{{}}, []group.Scalar{all}
	for j, challenges := range c {
		sum := group.Scalar{}
		for _, challenge := range challenges {
			sum = sum.Add(challenge)
		}
		at, values = append(at, handtest.Group.ScalarFromUint64(uint64(j+1))), append(values, sum)
	}
	for _, coefficient := range handtest.PolynomialThrough(t, at, values)[len(c)-need+1:] {
		testmust.Hold(t, coefficient.IsZero(), "challenges are on no polynomial of their degree")
	}
}
