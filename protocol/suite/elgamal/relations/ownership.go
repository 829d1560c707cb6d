package relations

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// OwnershipStatement is X: the prover knows its secret (Schnorr,
// "Efficient Signature Generation by Smart Cards", 1991).
//
//	statement   X ≠ 0
//	witness     x with X = x·G
//	commitment  T = w·G
//	challenge   c = H(context, X, T)
//	response    z = w + c·x
//	check       z·G − T − c·X = 0
//	proof       T ‖ z, 64 bytes
//
// Normative text: docs/spec/40-proofs.md, 40.2.
//
// It promises completeness, special soundness (two answers to one T give x)
// and perfect honest-verifier zero knowledge; under Fiat–Shamir in the random
// oracle model a proof of knowledge. The prover takes constant time.
//
// It is what makes joint keys safe: a seat that chose its key to cancel those
// of the others does not know its secret. Bound to its context, a proof is
// worth nothing at another table or for another seat.
type OwnershipStatement struct{ Key *masking.Key }

// OwnershipSize returns the length of a proof, in bytes.
func OwnershipSize(g *group.Group) int { return g.ElementSize + g.ScalarSize }

// Label names the relation.
func (OwnershipStatement) Label() string { return "ownership/v1" }

// AppendTo absorbs the statement.
func (s OwnershipStatement) AppendTo(b *transcript.Binder) { b.Bytes("key", s.Key.Bytes()) }

// VerifyOwnership checks the form of a proof and adds its equation to b.
func VerifyOwnership(ctx transcript.Context, s OwnershipStatement, bytes []byte, b *group.Batch) error {
	return verifyOwnership(transcript.New(ctx, s), s, bytes, b)
}

func verifyOwnership(t *transcript.Transcript, s OwnershipStatement, bytes []byte, b *group.Batch) error {
	p := s.Key.Group().NewParser(bytes)
	commitment, z := p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	s.addEquation(b, commitment, drawOwnershipChallenge(t, commitment), z)
	return nil
}

// addEquation adds z·G − T − c·X = 0.
func (s OwnershipStatement) addEquation(b *group.Batch, commitment group.Element, c, z group.Scalar) {
	b.Add(
		group.Term{S: z, P: s.Key.Group().Generator()},
		group.Minus(commitment),
		group.Term{S: c.Neg(), P: s.Key.Element()},
	)
}

func drawOwnershipChallenge(t *transcript.Transcript, commitment group.Element) group.Scalar {
	t.Append("T", commitment.Bytes())
	return commitment.Group().ScalarFromUniform(t.Challenge("c"))
}
