// Code generated from ristretto255/threshold/threshold.go by go generate ./protocol/suite; DO NOT EDIT.

// Package threshold is protocol/suite/ristretto255/threshold over the classes of squares modulo the 3072-bit
// prime of RFC 3526 (package protocol/suite/qr3072/group) in place of ristretto255.
package threshold

import (
	"fmt"

	"github.com/pakli/pakli/protocol/suite/qr3072/group"
	"github.com/pakli/pakli/protocol/suite/qr3072/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Statement is: at least Need of Cards, masked under Key alone, have a face
// whose element is in Faces.
type Statement struct {
	Key   *masking.Key
	Cards []masking.Card
	Faces []*group.Element
	Need  int
}

// Label names the relation.
func (Statement) Label() string { return "condition/threshold/v1" }

// AppendTo absorbs the statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", masking.Encode(s.Cards...))
	b.Bytes("faces", group.Encode(s.Faces...))
	b.Uint64("need", uint64(int64(s.Need)))
}

// Size returns the length of a proof that need of so many cards have one of so
// many faces, in bytes.
func Size(cards, faces, need int) int {
	return group.ScalarSize * (cards - need + 1 + cards*(2*faces-1))
}

func (s Statement) checkForm() error {
	if s.Need < 1 || s.Need > len(s.Cards) || len(s.Faces) == 0 {
		return fmt.Errorf("%d of %d cards with one of %d faces", s.Need, len(s.Cards), len(s.Faces))
	}
	return nil
}

// drawChallenge draws the challenge after all commitments.
func drawChallenge(t *transcript.Transcript, commitments []*group.Element) group.Scalar {
	for i := 0; i < len(commitments); i += 2 {
		t.Append("T1", commitments[i].Bytes())
		t.Append("T2", commitments[i+1].Bytes())
	}
	return group.ScalarFromUniform(t.Challenge("c"))
}

// interpolate returns p(0), p(1), …, p(k) for the polynomial p of degree below
// len(nodes) with p(nodes[q]) = values[q] (Lagrange). Requires: distinct nodes.
// It takes constant time in nodes and values.
func interpolate(nodes, values []group.Scalar, k int) []group.Scalar {
	scaled := make([]group.Scalar, len(nodes)) // values[q] / Π_{l≠q} (u_q − u_l)
	for q, u := range nodes {
		scaled[q] = values[q]
		if len(nodes) > 1 {
			scaled[q] = values[q].Mul(nodeProduct(u, nodes, q).Invert())
		}
	}
	points := make([]group.Scalar, k+1)
	for j := range points {
		at := group.ScalarFromUint64(uint64(j))
		for q := range nodes {
			points[j] = points[j].Add(scaled[q].Mul(nodeProduct(at, nodes, q)))
		}
	}
	return points
}

// nodeProduct returns Π_{l≠q} (u − nodes[l]).
func nodeProduct(u group.Scalar, nodes []group.Scalar, q int) group.Scalar {
	p := group.ScalarFromUint64(1)
	for l, node := range nodes {
		if l != q {
			p = p.Mul(u.Sub(node))
		}
	}
	return p
}
