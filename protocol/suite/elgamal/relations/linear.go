package relations

import (
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Linear is: there are scalars w_i, the witness, with Σ w_i·P_ri = Y_r for every row r (Maurer,
// "Unifying Zero-Knowledge Proofs of Knowledge", Africacrypt 2009). Every argument about secrets
// multiplied with public elements consists of such rows: those of ownership, of tokens and of
// transfers, and the last part of an inequality and of a subset.
//
//	commitment  T_r = Σ v_i·P_ri
//	challenge   c = H(…, T_1, T_2, …)
//	responses   z_i = v_i + c·w_i
//	checks      Σ z_i·P_ri − T_r − c·Y_r = 0
//	proof       T_1 ‖ T_2 ‖ … ‖ z_1 ‖ z_2 ‖ …
//
// It promises completeness, special soundness (two answers to one commitment give w) and
// perfect honest-verifier zero knowledge (c and z are uniform, and determine T), for rows that
// are fixed by what the transcript has absorbed. The prover takes constant time in w and v.
type Linear []Row

// Row is one equation.
type Row struct {
	Name  string // of its commitment in the transcript
	Bases []Sum  // P_ri, for every i
	Image Sum    // Y_r
}

// Sum is Σ S·P of public values; without terms it is 0.
type Sum []group.Term

// Only returns the sum of one element.
func Only(p group.Element) Sum { return Sum{group.Plus(p)} }

// LinearSize returns the length of a proof, in bytes.
func LinearSize(g *group.Group, rows, scalars int) int {
	return g.ElementSize*rows + g.ScalarSize*scalars
}

// LinearProof is a proof, and its challenge once drawn.
type LinearProof struct {
	T []group.Element
	C group.Scalar
	Z []group.Scalar
}

// ParseLinear reads a proof from p.
func ParseLinear(p *group.Parser, rows, scalars int) LinearProof {
	return LinearProof{T: p.Elements(rows), Z: p.Scalars(scalars)}
}

// Verify checks the form of a proof, and adds its equations to b.
func (l Linear) Verify(t *transcript.Transcript, bytes []byte, b *group.Batch) error {
	g := l.group()
	p := g.NewSizedParser(bytes, LinearSize(g, len(l), len(l[0].Bases)))
	m := ParseLinear(p, len(l), len(l[0].Bases))
	if err := p.Close(); err != nil {
		return err
	}
	l.DrawChallenge(t, &m)
	l.AddEquations(b, m)
	return nil
}

// AbsorbCommitments absorbs the commitments of a proof.
func (l Linear) AbsorbCommitments(t *transcript.Transcript, m LinearProof) {
	for r, row := range l {
		t.Append(row.Name, m.T[r].Bytes())
	}
}

// DrawChallenge absorbs the commitments of a proof and draws its challenge.
func (l Linear) DrawChallenge(t *transcript.Transcript, m *LinearProof) {
	l.AbsorbCommitments(t, *m)
	m.C = l.group().ScalarFromUniform(t.Challenge("c"))
}

// AddEquations adds Σ z_i·P_ri − T_r − c·Y_r = 0 for every row.
func (l Linear) AddEquations(b *group.Batch, m LinearProof) {
	for r, row := range l {
		b.Add(append(row.answerTerms(m), group.Minus(m.T[r]))...)
	}
}

// answerTerms returns Σ z_i·P_ri − c·Y_r.
func (r Row) answerTerms(m LinearProof) Sum {
	size := 1 + len(r.Image) // one for the commitment
	for _, base := range r.Bases {
		size += len(base)
	}
	terms := make(Sum, 0, size)
	for i, base := range r.Bases {
		terms = terms.plus(m.Z[i], base)
	}
	return terms.plus(m.C.Neg(), r.Image)
}

// plus returns s + by·other, in the memory of s if it has room.
func (s Sum) plus(by group.Scalar, other Sum) Sum {
	for _, term := range other {
		s = append(s, group.Term{S: by.Mul(term.S), P: term.P})
	}
	return s
}

// group returns the group of the elements; the first base of the first row must not be empty.
func (l Linear) group() *group.Group { return l[0].Bases[0][0].P.Group() }
