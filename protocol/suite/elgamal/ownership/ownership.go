// Package ownership proves knowledge of the secret of a card key (Schnorr,
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
package ownership

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Size returns the length of a proof, in bytes.
func Size(g *group.Group) int { return g.ElementSize + g.ScalarSize }

// Statement is X: the prover knows its secret.
type Statement struct{ Key *masking.Key }

// Label names the relation.
func (Statement) Label() string { return "ownership/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) { b.Bytes("key", s.Key.Bytes()) }

// Verify checks the form of a proof and adds its equation to b.
func Verify(ctx transcript.Context, s Statement, bytes []byte, b *group.Batch) error {
	return verify(transcript.New(ctx, s), s, bytes, b)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	p := s.Key.Group().NewParser(bytes)
	commitment, z := p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	s.addEquation(b, commitment, drawChallenge(t, commitment), z)
	return nil
}

// addEquation adds z·G − T − c·X = 0.
func (s Statement) addEquation(b *group.Batch, commitment group.Element, c, z group.Scalar) {
	b.Add(
		group.Term{S: z, P: s.Key.Group().Generator()},
		group.Minus(commitment),
		group.Term{S: c.Neg(), P: s.Key.Element()},
	)
}

func drawChallenge(t *transcript.Transcript, commitment group.Element) group.Scalar {
	t.Append("T", commitment.Bytes())
	return commitment.Group().ScalarFromUniform(t.Challenge("c"))
}
