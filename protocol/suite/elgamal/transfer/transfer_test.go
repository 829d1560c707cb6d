package transfer_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/rewind"
	"github.com/pakli/pakli/protocol/suite/elgamal/transfer"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "hand over", 0).Slot(0)

func mask(t testing.TB, k *masking.Key, m group.Element) (masking.Card, group.Scalar) {
	t.Helper()
	r := handtest.MustHave(g.RandomScalar(rand.Reader))
	return masking.Mask(k, m, r), r
}

// transferOf hands a card that is now before over as after, which are equal in
// an honest game.
func transferOf(t testing.TB, from *masking.Secret, to *masking.Key, before, after group.Element) (transfer.Statement, transfer.Witness) {
	t.Helper()
	held, _ := mask(t, from.Key(), before)
	given, r := mask(t, to, after)
	s := transfer.Statement{From: from.Key(), To: to, Old: held, New: given}
	return s, transfer.Witness{Secret: from.Scalar(), Factor: r}
}

func verify(s transfer.Statement, proof []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return transfer.Verify(here, s, proof, b) })
}

var (
	ace  = g.HashToElement("ace")
	knav = g.HashToElement("knave")
)

// TestCardSubstitution: another card than the one held is handed over, under every witness that the
// cheat could use; or the card under the giver's key, or a third seat's, and not the receiver's.
func TestCardSubstitution(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t).Key()
	s, w := transferOf(t, from, to, knav, ace)
	for name, witness := range map[string]transfer.Witness{
		"own":            w,
		"other factor":   {Secret: w.Secret, Factor: handtest.Secret(t).Scalar()},
		"other secret":   {Secret: handtest.Secret(t).Scalar(), Factor: w.Factor},
		"nothing at all": {},
	} {
		if verify(s, handtest.MustHave(transfer.Prove(here, s, witness, rand.Reader))) == nil {
			t.Errorf("witness %q: another card is handed over", name)
		}
	}
	for _, k := range []*masking.Key{from.Key(), handtest.Secret(t).Key()} {
		s, w := transferOf(t, from, k, ace, ace)
		s.To = to
		if verify(s, handtest.MustHave(transfer.Prove(here, s, w, rand.Reader))) == nil {
			t.Error("card under another key than the receiver's is accepted")
		}
	}
}

func TestCommitmentsBound(t *testing.T) {
	s, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	handtest.CheckBound(t, 3, func(e ...group.Element) group.Scalar {
		return transfer.Challenge(transcript.New(here, s), e[0], e[1], e[2])
	})
}

func TestBinding(t *testing.T) {
	a, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	b, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	prooftest.Binding(t, a, b)
}

// message is a proof in its parts.
type message struct {
	t1, t2, t3 group.Element
	z1, z2     group.Scalar
}

func read(t *testing.T, proof []byte) message {
	t.Helper()
	p := g.NewParser(proof)
	m := message{p.Element(), p.Element(), p.Element(), p.Scalar(), p.Scalar()}
	testmust.Do(t, p.Close())
	return m
}

func (m message) bytes() []byte {
	return m.z2.AppendTo(m.z1.AppendTo(group.Encode(m.t1, m.t2, m.t3)))
}

func (m message) holds(s transfer.Statement, c group.Scalar) func(*group.Batch) {
	return func(b *group.Batch) { transfer.Equations(s, b, m.t1, m.t2, m.t3, c, m.z1, m.z2) }
}

// TestExtract: an accepted hand-over by one who does not know x and r, or of
// another card. The extractor takes 2 transcripts.
func TestExtract(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t)
	s, w := transferOf(t, from, to.Key(), ace, ace)
	v := rewind.NamedScalars(t, "nonces", 2)
	witness := rewind.ExtractSlopes(t, 3, func(slot int) ([]byte, group.Scalar) {
		under := func() *transcript.Transcript { return transcript.New(handtest.SlotContext(uint16(slot)), s) }
		m := read(t, transfer.ProveUnder(under(), s, w, v[0], v[1]))
		c := transfer.Challenge(under(), m.t1, m.t2, m.t3)
		rewind.ExpectAccepted(t, "an answer", m.holds(s, c))
		return m.bytes(), c
	})
	if !witness[0].Equal(w.Secret) || !witness[1].Equal(w.Factor) {
		t.Error("what was extracted is not the witness")
	}
	x, r := witness[0], witness[1]
	image := masking.Card{A: g.MulBase(r), B: s.Old.B.Add(group.Mul(r, to.Key().Element())).Sub(group.Mul(x, s.Old.A))}
	if !image.Equal(s.New) || !g.MulBase(x).Equal(from.Key().Element()) {
		t.Error("what was extracted is no witness")
	}
}

// simulate returns the proof that a challenge and responses determine.
func simulate(s transfer.Statement, c, z1, z2 group.Scalar) message {
	minus := func(p, q group.Element) group.Element { return p.Sub(group.Mul(c, q)) }
	return message{
		minus(g.MulBase(z1), s.From.Element()), minus(g.MulBase(z2), s.New.A),
		minus(group.Mul(z2, s.To.Element()).Sub(group.Mul(z1, s.Old.A)), s.New.B.Sub(s.Old.B)),
		z1, z2,
	}
}

// TestSimulate: a proof that tells more than that it is one. c, z1 and z2 are
// uniform in an honest proof, and determine the rest.
func TestSimulate(t *testing.T) {
	s, w := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	honest := handtest.MustHave(transfer.Prove(handtest.Here, s, w, rewind.NamedCoins("prover")))
	m := read(t, honest)
	c := transfer.Challenge(transcript.New(handtest.Here, s), m.t1, m.t2, m.t3)
	testmust.Hold(t, bytes.Equal(simulate(s, c, m.z1, m.z2).bytes(), honest), "challenge and responses do not determine an honest proof")
	wrong, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, knav)
	v := rewind.NamedScalars(t, "simulator", 3)
	forged := simulate(wrong, v[0], v[1], v[2])
	rewind.ExpectAccepted(t, "a simulated proof", forged.holds(wrong, v[0]))
	if verify(wrong, forged.bytes()) == nil {
		t.Error("a simulated proof is accepted under the challenge of the transcript")
	}
}
