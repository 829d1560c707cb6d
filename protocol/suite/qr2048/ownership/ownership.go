// Code generated from ristretto255/ownership/ownership.go by go generate ./protocol/suite; DO NOT EDIT.

// Package ownership is protocol/suite/ristretto255/ownership over the classes of squares modulo the 2048-bit
// prime of RFC 3526 (package protocol/suite/qr2048/group) in place of ristretto255.
package ownership

import (
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Size is the length of a proof, in bytes.
const Size = group.ElementSize + group.ScalarSize

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
	p := group.NewParser(bytes)
	commitment, z := p.Element(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	s.addEquation(b, commitment, drawChallenge(t, commitment), z)
	return nil
}

// addEquation adds z·G − T − c·X = 0.
func (s Statement) addEquation(b *group.Batch, commitment *group.Element, c, z group.Scalar) {
	b.Add(
		group.Term{S: z, P: group.Generator()},
		group.Minus(commitment),
		group.Term{S: c.Neg(), P: s.Key.Element()},
	)
}

func drawChallenge(t *transcript.Transcript, commitment *group.Element) group.Scalar {
	t.Append("T", commitment.Bytes())
	return group.ScalarFromUniform(t.Challenge("c"))
}
