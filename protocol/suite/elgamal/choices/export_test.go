package choices

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Doors for tests that prove with nonces that are not hedged or by a witness of their choice, rewind
// a prover, or choose commitments or the challenge.
var (
	ConditionAlgebra     = proveCondition
	SubsetAlgebra        = proveSubset
	SubsetOpening        = SubsetStatement.addOpening
	SubsetOrder          = SubsetStatement.faceOrder
	SubsetFillers        = SubsetStatement.maskFillers
	OpeningSize          = openingSize(handtest.Group)
	ThresholdChallenge   = drawThresholdChallenge
	ThresholdBranches    = ThresholdStatement.splitBranches
	ThresholdCommitments = ThresholdStatement.branchCommitments
	ByClass              = byClass
)

// InequalityClaim is a prover who says what he likes: blinded faces and cards, and the
// scalars for which he proves to have blinded them.
type InequalityClaim struct {
	V, U       []group.Element
	Rho, Sigma group.Scalar
}

// Prove makes the proof under t, which need not have absorbed s.
func (c InequalityClaim) Prove(t *transcript.Transcript, s InequalityStatement, v, w group.Scalar) []byte {
	m := &inequalityProof{faces: c.V, cards: c.U}
	s.prove(t, m, c.Rho, c.Sigma, v, w)
	return m.proofBytes()
}

// EquationsHold checks the equations of a proof and nothing of its form: the
// identity passes, and equal elements.
func EquationsHold(t *transcript.Transcript, s InequalityStatement, bytes []byte, check func(*group.Batch) error) error {
	m, err := read(bytes, s)
	if err != nil {
		return err
	}
	var b group.Batch
	s.verifyEquations(t, m, &b)
	return check(&b)
}

// EquationsHoldUnpinned is EquationsHold by a verifier who weighs V_1 with the
// others, so that nothing fixes ρ before α is drawn.
func EquationsHoldUnpinned(t *transcript.Transcript, s InequalityStatement, bytes []byte, check func(*group.Batch) error) error {
	m, err := read(bytes, s)
	if err != nil {
		return err
	}
	weights := drawInequalityWeights(t, m)
	first, c := FirstWeight(weights), drawInequalityChallenge(t, m)
	var b group.Batch
	b.Add(group.Term{S: m.z1, P: s.Key.Element()}, group.Term{S: m.z2.Neg(), P: handtest.Group.Generator()}, group.Minus(m.t0))
	b.Add(append(s.weightedTerms(m, weights, c),
		group.Term{S: m.z1.Mul(first), P: s.Excluded[0]},
		group.Term{S: first.Neg(), P: m.t1},
		group.Term{S: c.Mul(first).Neg(), P: m.faces[0]})...)
	return check(&b)
}

// FirstWeight is a weight for V_1 that follows all others.
func FirstWeight(weights []group.Scalar) group.Scalar {
	first := handtest.Group.ScalarFromUint64(3)
	for _, w := range weights {
		first = first.Mul(w).Add(w)
	}
	return first
}

// InequalityWeights draws α's powers for blinded faces and cards.
func InequalityWeights(t *transcript.Transcript, v, u []group.Element) []group.Scalar {
	return drawInequalityWeights(t, &inequalityProof{faces: v, cards: u})
}

// read is parse, and takes the identity.
func read(bytes []byte, s InequalityStatement) (*inequalityProof, error) {
	var elements []group.Element
	n := len(s.Excluded) + len(s.Cards) + 3
	for i := range n {
		e, err := handtest.Group.ParseElement(bytes[32*i:][:32])
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	z1, err := handtest.Group.ParseScalar(bytes[32*n:][:32])
	if err != nil {
		return nil, err
	}
	z2, err := handtest.Group.ParseScalar(bytes[32*n+32:])
	e := len(s.Excluded)
	return &inequalityProof{elements[:e], elements[e : n-3], elements[n-3], elements[n-2], elements[n-1], z1, z2}, err
}

// DrawInequality draws α's powers and c of a proof under t.
func DrawInequality(t *transcript.Transcript, s InequalityStatement, bytes []byte) (weights []group.Scalar, c, z1, z2 group.Scalar, t2 group.Element, err error) {
	m, err := read(bytes, s)
	if err != nil {
		return nil, c, z1, z2, nil, err
	}
	weights = drawInequalityWeights(t, m)
	return weights, drawInequalityChallenge(t, m), m.z1, m.z2, m.t2, nil
}

// InequalityAnswer is a proof in its parts, by the letters of docs/spec.
type InequalityAnswer struct {
	V, U       []group.Element
	T0, T1, T2 group.Element
	Z1, Z2     group.Scalar
}

func (a InequalityAnswer) message() *inequalityProof {
	return &inequalityProof{a.V, a.U, a.T0, a.T1, a.T2, a.Z1, a.Z2}
}

// Bytes returns the proof.
func (a InequalityAnswer) Bytes() []byte { return a.message().proofBytes() }

// Equations adds all equations for given weights and c.
func (a InequalityAnswer) Equations(b *group.Batch, s InequalityStatement, weights []group.Scalar, c group.Scalar) {
	s.addEquations(b, a.message(), weights, c)
}

// Sums returns m* + B* and A*.
func (s InequalityStatement) Sums(weights []group.Scalar) (sum, sumA group.Element) {
	return s.weightedSums(weights)
}

// AnswerInequality is the honest prover, who is given the challenges, and draws rho, v, w.
func AnswerInequality(weights []group.Scalar, c group.Scalar, s InequalityStatement, x group.Scalar, opened []group.Element, rho, v, w group.Scalar) InequalityAnswer {
	m := s.blindElements(rho, opened)
	s.commitWeighted(m, weights, v, w)
	m.answerChallenge(c, rho, rho.Mul(x), v, w)
	return answerOf(m)
}

func answerOf(m *inequalityProof) InequalityAnswer {
	return InequalityAnswer{m.faces, m.cards, m.t0, m.t1, m.t2, m.z1, m.z2}
}

// ReadInequality returns a proof in its parts.
func ReadInequality(proof []byte, s InequalityStatement) (InequalityAnswer, error) {
	m, err := parseInequality(handtest.Group, proof, len(s.Cards), len(s.Excluded))
	if err != nil {
		return InequalityAnswer{}, err
	}
	return answerOf(m), nil
}

// SubsetAnswer is an accepted proof in the parts that an extractor needs.
type SubsetAnswer struct {
	Fillers  []masking.Card
	Argument []byte
	Sum      masking.Card
	T1, T2   group.Element
	Z, C     group.Scalar
}

// RewindSubset is the honest prover whose last challenge is another one for another
// number: equal coins give equal first words. It is how he is rewound.
func RewindSubset(number uint64, t *transcript.Transcript, s SubsetStatement, x group.Scalar, pi []uint16, fillers []masking.Card, coins handtest.Stream) (SubsetAnswer, error) {
	w, err := handtest.Group.RandomScalar(coins)
	if err != nil {
		return SubsetAnswer{}, err
	}
	t.Part(s)
	t.Append("fillers", masking.Encode(fillers...))
	a := SubsetAnswer{Fillers: fillers}
	cards := append(s.Cards[:len(s.Cards):len(s.Cards)], fillers...)
	a.Argument, a.C, err = bayergroth.ProveSum(t, s.Key, cards, pi, coins, func(_ []group.Scalar, sum masking.Card) {
		a.Sum, a.T1, a.T2 = sum, handtest.Group.MulBase(w), group.Mul(w, sum.A)
		absorbSum(t, a.Sum, a.T1, a.T2)
		t.Append("rewound", []byte{byte(number)})
	})
	a.Z = w.Add(a.C.Mul(x))
	return a, err
}

// VerifyAgain verifies such a proof.
func (a SubsetAnswer) VerifyAgain(number uint64, t *transcript.Transcript, s SubsetStatement, b *group.Batch) error {
	t.Part(s)
	t.Append("fillers", masking.Encode(a.Fillers...))
	cards := append(s.Cards[:len(s.Cards):len(s.Cards)], a.Fillers...)
	powers, c, err := bayergroth.VerifySum(t, s.Key, cards, a.Sum, a.Argument, b, func() {
		absorbSum(t, a.Sum, a.T1, a.T2)
		t.Append("rewound", []byte{byte(number)})
	})
	if err != nil {
		return err
	}
	s.addOpening(b, powers, c, a.Sum, a.T1, a.T2, a.Z)
	return nil
}

// ThresholdClaim proves s by a prover who takes the first branch of the first cards for
// true ones, whatever they are.
func ThresholdClaim(t *transcript.Transcript, s ThresholdStatement, x group.Scalar, nonces *transcript.Stream) ([]byte, error) {
	cheat := thresholdProver{s: s, x: x}
	for j := range s.Cards {
		hit := make([]int, len(s.Faces))
		real := 0
		if j < s.Need {
			hit[0], real = 1, 1
		}
		cheat.real, cheat.hit = append(cheat.real, real), append(cheat.hit, hit)
	}
	t.Part(s)
	if err := cheat.commitBranches(t, nonces); err != nil {
		return nil, err
	}
	return cheat.answerBranches(), nil
}

// ThresholdScalars returns the scalars of a proof.
func ThresholdScalars(proof []byte) ([]group.Scalar, error) {
	p := handtest.Group.NewParser(proof)
	list := p.Scalars(len(proof) / handtest.Group.ScalarSize)
	return list, p.Close()
}
