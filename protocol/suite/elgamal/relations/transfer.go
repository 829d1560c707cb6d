package relations

import (
	"errors"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// TransferStatement is: New under To is the same card as Old under From. What is handed
// over is what was held: equality of the plaintexts of two ElGamal ciphertexts under two keys, by the
// owner of the first and maker of the second (a conjunction of linear
// relations in the manner of Maurer, "Unifying Zero-Knowledge Proofs of
// Knowledge", 2009).
//
//	statement   keys X (from) and K (to); old card (A, B), new card (A', B')
//	witness     x, r with X = x·G, A' = r·G, B' − B = r·K − x·A
//	commitment  T1 = v·G, T2 = w·G, T3 = w·K − v·A
//	challenge   c = H(context, statement, T1, T2, T3)
//	responses   z1 = v + c·x, z2 = w + c·r
//	checks      z1·G − T1 − c·X = 0
//	            z2·G − T2 − c·A' = 0
//	            z2·K − z1·A − T3 − c·(B' − B) = 0
//	proof       T1 ‖ T2 ‖ T3 ‖ z1 ‖ z2, 160 bytes
//
// The old card masks M = B − x·A under X alone, the new card masks B' − r·K
// under K alone, and the third relation says that these are equal.
//
// Normative text: docs/spec/40-proofs.md, 40.4.
//
// It promises completeness, special soundness (two answers to one commitment
// give x and r) and perfect honest-verifier zero knowledge. All equations are
// linear between elements on the wire and go into a batch. The prover takes
// constant time in x, r, v and w.
type TransferStatement struct {
	From, To *masking.Key
	Old, New masking.Card
}

// Label names the relation.
func (TransferStatement) Label() string { return "transfer/v1" }

// AppendTo absorbs the statement.
func (s TransferStatement) AppendTo(b *transcript.Binder) {
	b.Bytes("from", s.From.Bytes())
	b.Bytes("to", s.To.Bytes())
	b.Bytes("old", s.Old.Bytes())
	b.Bytes("new", s.New.Bytes())
}

// linearImage returns b·K − a·A.
func (s TransferStatement) linearImage(a, b group.Scalar) group.Element {
	return s.To.Group().MultiMul([]group.Scalar{b, a.Neg()}, []group.Element{s.To.Element(), s.Old.A})
}

// VerifyTransfer checks the form of the statement and of a proof and adds its equations
// to b.
func VerifyTransfer(ctx transcript.Context, s TransferStatement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verifyTransfer(transcript.New(ctx, s), s, bytes, b)
}

func verifyTransfer(t *transcript.Transcript, s TransferStatement, bytes []byte, b *group.Batch) error {
	p := s.To.Group().NewParser(bytes)
	t1, t2, t3 := p.Element(), p.Element(), p.Element()
	z1, z2 := p.Scalar(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	s.addEquations(b, t1, t2, t3, drawTransferChallenge(t, t1, t2, t3), z1, z2)
	return nil
}

func (s TransferStatement) addEquations(b *group.Batch, t1, t2, t3 group.Element, c, z1, z2 group.Scalar) {
	g := s.To.Group()
	b.Add( // z1·G − T1 − c·X = 0
		group.Term{S: z1, P: g.Generator()},
		group.Minus(t1),
		group.Term{S: c.Neg(), P: s.From.Element()},
	)
	b.Add( // z2·G − T2 − c·A' = 0
		group.Term{S: z2, P: g.Generator()},
		group.Minus(t2),
		group.Term{S: c.Neg(), P: s.New.A},
	)
	b.Add( // z2·K − z1·A − T3 − c·B' + c·B = 0
		group.Term{S: z2, P: s.To.Element()},
		group.Term{S: z1.Neg(), P: s.Old.A},
		group.Minus(t3),
		group.Term{S: c.Neg(), P: s.New.B},
		group.Term{S: c, P: s.Old.B},
	)
}

func (s TransferStatement) checkForm() error {
	if err := masking.CheckHidden(s.Old, s.New); err != nil {
		return errors.Join(errors.New("only hidden cards are handed over"), err)
	}
	return nil
}

func drawTransferChallenge(t *transcript.Transcript, t1, t2, t3 group.Element) group.Scalar {
	t.Append("T1", t1.Bytes())
	t.Append("T2", t2.Bytes())
	t.Append("T3", t3.Bytes())
	return t1.Group().ScalarFromUniform(t.Challenge("c"))
}
