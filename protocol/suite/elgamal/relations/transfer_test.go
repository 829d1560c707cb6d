package relations_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

func mask(t testing.TB, k *masking.Key, m group.Element) (masking.Card, group.Scalar) {
	t.Helper()
	r := handtest.MustHave(handtest.Group.RandomScalar(rand.Reader))
	return masking.Mask(k, m, r), r
}

// transferOf hands a card that is now before over as after, which are equal in
// an honest game.
func transferOf(t testing.TB, from *masking.Secret, to *masking.Key, before, after group.Element) (relations.TransferStatement, relations.TransferWitness) {
	t.Helper()
	held, _ := mask(t, from.Key(), before)
	given, r := mask(t, to, after)
	s := relations.TransferStatement{From: from.Key(), To: to, Old: held, New: given}
	return s, relations.TransferWitness{Secret: from.Scalar(), Factor: r}
}

func verifyTransfer(s relations.TransferStatement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return relations.VerifyTransfer(handtest.Here, s, proof, b) })
}

var (
	ace  = handtest.Group.HashToElement("ace")
	knav = handtest.Group.HashToElement("knave")
)

// TestCardSubstitution: another card than the one held is handed over, under every witness that the
// cheat could use; or the card under the giver's key, or a third seat's, and not the receiver's.
func TestCardSubstitution(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t).Key()
	s, w := transferOf(t, from, to, knav, ace)
	for name, witness := range map[string]relations.TransferWitness{
		"own":            w,
		"other factor":   {Secret: w.Secret, Factor: handtest.Secret(t).Scalar()},
		"other secret":   {Secret: handtest.Secret(t).Scalar(), Factor: w.Factor},
		"nothing at all": {},
	} {
		if verifyTransfer(s, handtest.MustHave(relations.ProveTransfer(handtest.Here, s, witness, rand.Reader))) == nil {
			t.Errorf("witness %q: another card is handed over", name)
		}
	}
	for _, k := range []*masking.Key{from.Key(), handtest.Secret(t).Key()} {
		s, w := transferOf(t, from, k, ace, ace)
		s.To = to
		if verifyTransfer(s, handtest.MustHave(relations.ProveTransfer(handtest.Here, s, w, rand.Reader))) == nil {
			t.Error("card under another key than the receiver's is accepted")
		}
	}
}

func TestTransferCommitmentsBound(t *testing.T) {
	s, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	handtest.CheckBound(t, 3, func(e ...group.Element) group.Scalar {
		return relations.TransferChallenge(transcript.New(handtest.Here, s), e[0], e[1], e[2])
	})
}

func TestTransferBinding(t *testing.T) {
	a, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	b, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	prooftest.Binding(t, a, b)
}

// message is a proof in its parts.
type message struct {
	t1, t2, t3 group.Element
	z1, z2     group.Scalar
}

func readTransfer(t *testing.T, proof []byte) message {
	t.Helper()
	p := handtest.Group.NewParser(proof)
	m := message{p.Element(), p.Element(), p.Element(), p.Scalar(), p.Scalar()}
	testmust.Do(t, p.Close())
	return m
}

func (m message) bytes() []byte {
	return m.z2.AppendTo(m.z1.AppendTo(group.Encode(m.t1, m.t2, m.t3)))
}

func (m message) holds(s relations.TransferStatement, c group.Scalar) func(*group.Batch) {
	return func(b *group.Batch) { relations.TransferEquations(s, b, m.t1, m.t2, m.t3, c, m.z1, m.z2) }
}

// TestTransferExtract: an accepted hand-over by one who does not know x and r, or of
// another card. The extractor takes 2 transcripts.
func TestTransferExtract(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t)
	s, w := transferOf(t, from, to.Key(), ace, ace)
	v := handtest.NamedScalars(t, "nonces", 2)
	witness := handtest.ExtractSlopes(t, 3, func(slot int) ([]byte, group.Scalar) {
		under := func() *transcript.Transcript { return transcript.New(handtest.SlotContext(uint16(slot)), s) }
		m := readTransfer(t, relations.TransferAlgebra(under(), s, w, v[0], v[1]))
		c := relations.TransferChallenge(under(), m.t1, m.t2, m.t3)
		handtest.ExpectAccepted(t, "an answer", m.holds(s, c))
		return m.bytes(), c
	})
	if !witness[0].Equal(w.Secret) || !witness[1].Equal(w.Factor) {
		t.Error("what was extracted is not the witness")
	}
	x, r := witness[0], witness[1]
	image := masking.Card{A: handtest.Group.MulBase(r), B: s.Old.B.Add(group.Mul(r, to.Key().Element())).Sub(group.Mul(x, s.Old.A))}
	if !image.Equal(s.New) || !handtest.Group.MulBase(x).Equal(from.Key().Element()) {
		t.Error("what was extracted is no witness")
	}
}

// simulateTransfer returns the proof that a challenge and responses determine.
func simulateTransfer(s relations.TransferStatement, c, z1, z2 group.Scalar) message {
	minus := func(p, q group.Element) group.Element { return p.Sub(group.Mul(c, q)) }
	return message{
		minus(handtest.Group.MulBase(z1), s.From.Element()), minus(handtest.Group.MulBase(z2), s.New.A),
		minus(group.Mul(z2, s.To.Element()).Sub(group.Mul(z1, s.Old.A)), s.New.B.Sub(s.Old.B)),
		z1, z2,
	}
}

// TestTransferSimulate: a proof that tells more than that it is one. c, z1 and z2 are
// uniform in an honest proof, and determine the rest.
func TestTransferSimulate(t *testing.T) {
	s, w := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	honest := handtest.MustHave(relations.ProveTransfer(handtest.Here, s, w, handtest.NamedCoins("prover")))
	m := readTransfer(t, honest)
	c := relations.TransferChallenge(transcript.New(handtest.Here, s), m.t1, m.t2, m.t3)
	testmust.Hold(t, bytes.Equal(simulateTransfer(s, c, m.z1, m.z2).bytes(), honest), "challenge and responses do not determine an honest proof")
	wrong, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, knav)
	v := handtest.NamedScalars(t, "simulator", 3)
	forged := simulateTransfer(wrong, v[0], v[1], v[2])
	handtest.ExpectAccepted(t, "a simulated proof", forged.holds(wrong, v[0]))
	if verifyTransfer(wrong, forged.bytes()) == nil {
		t.Error("a simulated proof is accepted under the challenge of the transcript")
	}
}
