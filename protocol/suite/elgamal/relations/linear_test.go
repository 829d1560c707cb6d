package relations

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// provable is a statement as the verifier has it.
type provable interface {
	transcript.Statement
	Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error
}

func verify(s provable, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return s.Verify(handtest.Here, proof, b) })
}

// linearCase is a true statement that is proved by rows, and a false one of its kind.
type linearCase struct {
	name              string
	statement, untrue provable
	rows              func(s provable, t *transcript.Transcript) Linear
	prove             func(rand io.Reader) ([]byte, error)
	witness           []group.Scalar
	shown             func(witness []group.Scalar) bool // that a witness is one of the statement
	// determined are the commitments that challenge and responses determine.
	determined func(s provable, t *transcript.Transcript, m LinearProof) []group.Element
}

func linearCases(t *testing.T) []linearCase {
	x, y := handtest.Secret(t), handtest.Secret(t)
	own := Ownership{x.Key()}
	given, r := transferOf(t, x, y.Key(), ace, ace)
	swapped, _ := transferOf(t, y, x.Key(), ace, knave)
	list := []linearCase{
		{
			"ownership", own, Ownership{keyOf(t, handtest.Group.HashToElement("nobody's key"))},
			func(s provable, _ *transcript.Transcript) Linear { return s.(Ownership).linear() },
			func(rand io.Reader) ([]byte, error) { return ProveOwnership(handtest.Here, own, x.Scalar(), rand) },
			[]group.Scalar{x.Scalar()},
			func(w []group.Scalar) bool { return handtest.Group.MulBase(w[0]).Equal(x.Key().Element()) },
			func(s provable, _ *transcript.Transcript, m LinearProof) []group.Element {
				return []group.Element{m.left(s.(Ownership).Key.Element())}
			},
		},
		{
			"transfer", given, swapped,
			func(s provable, _ *transcript.Transcript) Linear { return s.(Transfer).linear() },
			func(rand io.Reader) ([]byte, error) { return ProveTransfer(handtest.Here, given, x.Scalar(), r, rand) },
			[]group.Scalar{x.Scalar(), r},
			func(w []group.Scalar) bool {
				open := given.Old.B.Sub(group.Mul(w[0], given.Old.A))
				return masking.Mask(y.Key(), open, w[1]).Equal(given.New) && handtest.Group.MulBase(w[0]).Equal(x.Key().Element())
			},
			func(p provable, _ *transcript.Transcript, m LinearProof) []group.Element {
				s := p.(Transfer)
				third := group.Mul(m.Z[1], s.To.Element()).Sub(group.Mul(m.Z[0], s.Old.A)).Sub(group.Mul(m.C, s.New.B.Sub(s.Old.B)))
				return []group.Element{m.left(s.From.Element()), handtest.Group.MulBase(m.Z[1]).Sub(group.Mul(m.C, s.New.A)), third}
			},
		},
	}
	for n := 1; n <= 6; n++ {
		list = append(list, revealCase(t, n))
	}
	return list
}

func revealCase(t *testing.T, n int) linearCase {
	x := handtest.Secret(t)
	s, untrue := honestTokens(t, x, n), honestTokens(t, handtest.Secret(t), n)
	untrue.Tokens[0] = masking.Token{S: handtest.Group.HashToElement("no share of anybody's")}
	return linearCase{
		fmt.Sprint("reveal of ", n), s, untrue,
		func(s provable, t *transcript.Transcript) Linear { return s.(Reveal).tokenShares().linear(t) },
		func(rand io.Reader) ([]byte, error) { return ProveReveal(handtest.Here, s, x, rand) },
		[]group.Scalar{x.Scalar()},
		func(w []group.Scalar) bool {
			all := handtest.Group.MulBase(w[0]).Equal(x.Key().Element())
			for j, c := range s.Cards {
				all = all && group.Mul(w[0], c.A).Equal(s.Tokens[j].S)
			}
			return all
		},
		func(p provable, t *transcript.Transcript, m LinearProof) []group.Element {
			s, sum, shares := p.(Reveal), handtest.Group.Identity(), handtest.Group.Identity()
			alpha := handtest.Group.One()
			for j, c := range s.Cards {
				if j > 0 {
					alpha = handtest.Group.ScalarFromUniform(t.Challenge("alpha"))
				}
				sum, shares = sum.Add(group.Mul(alpha, c.A)), shares.Add(group.Mul(alpha, s.Tokens[j].S))
			}
			return []group.Element{m.left(s.Key.Element()), group.Mul(m.Z[0], sum).Sub(group.Mul(m.C, shares))}
		},
	}
}

// left is z·G − c·X.
func (m LinearProof) left(x group.Element) group.Element {
	return handtest.Group.MulBase(m.Z[0]).Sub(group.Mul(m.C, x))
}

// A value of a statement, or a commitment, that can be chosen after the challenge.
func TestLinearBound(t *testing.T) {
	for _, c := range linearCases(t) {
		switch s := c.statement.(type) {
		case Ownership:
			prooftest.Binding(t, s, c.untrue.(Ownership))
		case Reveal:
			prooftest.Binding(t, s, c.untrue.(Reveal))
		case Transfer:
			prooftest.Binding(t, s, c.untrue.(Transfer))
		}
		rows := c.rows(c.statement, transcript.New(handtest.Here, c.statement))
		handtest.CheckBound(t, len(rows), func(e ...group.Element) group.Scalar {
			m := LinearProof{T: e}
			rows.DrawChallenge(transcript.New(handtest.Here, c.statement), &m)
			return m.C
		})
	}
}

// An accepted proof by one who does not know a witness. The extractor takes 2 transcripts: rows that
// are fixed by one list of weights, one T and two answers.
func TestLinearExtract(t *testing.T) {
	for _, c := range linearCases(t) {
		rows := c.rows(c.statement, transcript.New(handtest.Here, c.statement))
		v := handtest.NamedScalars(t, "nonces", len(c.witness))
		found := handtest.ExtractSlopes(t, len(rows), func(slot int) ([]byte, group.Scalar) {
			m := LinearProof{T: rows.Commit(v, nil)}
			rows.DrawChallenge(transcript.New(handtest.SlotContext(uint16(slot)), c.statement), &m)
			m.Answer(v, c.witness)
			handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { rows.AddEquations(b, m) })
			return m.Bytes(), m.C
		})
		for i, w := range c.witness {
			testmust.Hold(t, found[i].Equal(w), c.name, "scalar", i, "that was extracted is not the witness's")
		}
		testmust.Hold(t, c.shown(found), c.name, "what was extracted is no witness")
	}
}

// A proof that tells more than that it is one: challenge and responses are uniform in an honest
// proof, and determine the rest.
func TestLinearSimulate(t *testing.T) {
	for _, c := range linearCases(t) {
		tr := transcript.New(handtest.Here, c.statement)
		rows := c.rows(c.statement, tr)
		honest := testmust.Have(c.prove(handtest.NamedCoins("prover")))(t)
		m := ParseLinear(handtest.Group.NewParser(honest), len(rows), len(c.witness))
		rows.DrawChallenge(tr, &m)
		m.T = c.determined(c.statement, transcript.New(handtest.Here, c.statement), m)
		testmust.Hold(t, bytes.Equal(m.Bytes(), honest), c.name, "challenge and responses do not determine an honest proof")

		v, weak := handtest.NamedScalars(t, "simulator", 1+len(c.witness)), handtest.SlotContext(1)
		forged := LinearProof{C: v[0], Z: v[1:]}
		forged.T = c.determined(c.untrue, transcript.New(weak, c.untrue), forged)
		handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) {
			c.rows(c.untrue, transcript.New(weak, c.untrue)).AddEquations(b, forged)
		})
		testmust.Fail(t, verify(c.untrue, forged.Bytes()), c.name, "a simulated proof under the challenges of the transcript")
	}
}
