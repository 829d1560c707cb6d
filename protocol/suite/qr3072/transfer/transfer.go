// Code generated from ristretto255/transfer/transfer.go by go generate ./protocol/suite; DO NOT EDIT.

// Package transfer is protocol/suite/ristretto255/transfer over the classes of squares modulo the 3072-bit
// prime of RFC 3526 (package protocol/suite/qr3072/group) in place of ristretto255.
package transfer

import (
	"errors"

	"github.com/pakli/pakli/protocol/suite/qr3072/group"
	"github.com/pakli/pakli/protocol/suite/qr3072/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: New under To is the same card as Old under From.
type Statement struct {
	From, To *masking.Key
	Old, New masking.Card
}

// Label names the relation.
func (Statement) Label() string { return "transfer/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("from", s.From.Bytes())
	b.Bytes("to", s.To.Bytes())
	b.Bytes("old", s.Old.Bytes())
	b.Bytes("new", s.New.Bytes())
}

// linearImage returns b·K − a·A.
func (s Statement) linearImage(a, b group.Scalar) *group.Element {
	return group.MultiMul([]group.Scalar{b, a.Neg()}, []*group.Element{s.To.Element(), s.Old.A})
}

// Verify checks the form of the statement and of a proof and adds its equations
// to b.
func Verify(ctx transcript.Context, s Statement, bytes []byte, b *group.Batch) error {
	if err := s.checkForm(); err != nil {
		return err
	}
	return verify(transcript.New(ctx, s), s, bytes, b)
}

func verify(t *transcript.Transcript, s Statement, bytes []byte, b *group.Batch) error {
	p := group.NewParser(bytes)
	t1, t2, t3 := p.Element(), p.Element(), p.Element()
	z1, z2 := p.Scalar(), p.Scalar()
	if err := p.Close(); err != nil {
		return err
	}
	s.addEquations(b, t1, t2, t3, drawChallenge(t, t1, t2, t3), z1, z2)
	return nil
}

func (s Statement) addEquations(b *group.Batch, t1, t2, t3 *group.Element, c, z1, z2 group.Scalar) {
	b.Add( // z1·G − T1 − c·X = 0
		group.Term{S: z1, P: group.Generator()},
		group.Minus(t1),
		group.Term{S: c.Neg(), P: s.From.Element()},
	)
	b.Add( // z2·G − T2 − c·A' = 0
		group.Term{S: z2, P: group.Generator()},
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

func (s Statement) checkForm() error {
	if err := masking.CheckHidden(s.Old, s.New); err != nil {
		return errors.Join(errors.New("only hidden cards are handed over"), err)
	}
	return nil
}

func drawChallenge(t *transcript.Transcript, t1, t2, t3 *group.Element) group.Scalar {
	t.Append("T1", t1.Bytes())
	t.Append("T2", t2.Bytes())
	t.Append("T3", t3.Bytes())
	return group.ScalarFromUniform(t.Challenge("c"))
}
