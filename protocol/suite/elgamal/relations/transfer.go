package relations

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Transfer is: New under To is the same card as Old under From. It proves that the plaintexts of two
// ElGamal ciphertexts under two keys are equal; the prover owns the first and made the second (a
// conjunction of linear relations in the manner of Maurer, "Unifying Zero-Knowledge Proofs of
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
type Transfer struct {
	From, To *masking.Key
	Old, New masking.Card
}

// Label names the relation.
func (Transfer) Label() string { return "transfer/v1" }

// AppendTo absorbs the statement.
func (s Transfer) AppendTo(b *transcript.Binder) {
	b.Bytes("from", s.From.Bytes())
	b.Bytes("to", s.To.Bytes())
	b.Bytes("old", s.Old.Bytes())
	b.Bytes("new", s.New.Bytes())
}

// Verify checks the form of the statement and of a proof and adds its equations
// to b.
func (s Transfer) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return s.linear().Verify(transcript.New(ctx, s), bytes, b)
}

// linear returns the rows for x and r.
func (s Transfer) linear() Linear {
	g := Only(s.To.Group().Generator())
	return Linear{
		{"T1", []Sum{g, nil}, Only(s.From.Element())},
		{"T2", []Sum{nil, g}, Only(s.New.A)},
		{"T3", []Sum{{group.Minus(s.Old.A)}, Only(s.To.Element())}, Sum{group.Plus(s.New.B), group.Minus(s.Old.B)}},
	}
}

func (s Transfer) checkForm() error {
	return masking.CheckHidden("only hidden cards are handed over", s.Old, s.New)
}
