package transfer_test

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/transfer"
	"github.com/pakli/pakli/protocol/transcript"
)

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "hand over", 0).Slot(0)

func mask(t testing.TB, k *masking.Key, m *group.Element) (masking.Card, group.Scalar) {
	t.Helper()
	r := handtest.Must(group.RandomScalar(rand.Reader))
	return masking.Mask(k, m, r), r
}

// transferOf hands a card that is now before over as after, which are equal in
// an honest game.
func transferOf(t testing.TB, from *masking.Secret, to *masking.Key, before, after *group.Element) (transfer.Statement, transfer.Witness) {
	t.Helper()
	held, _ := mask(t, from.Key(), before)
	given, r := mask(t, to, after)
	s := transfer.Statement{From: from.Key(), To: to, Old: held, New: given}
	return s, transfer.Witness{Secret: from.Scalar(), Factor: r}
}

func verify(s transfer.Statement, proof []byte) error {
	return handtest.Holds(func(b *group.Batch) error { return transfer.Verify(here, s, proof, b) })
}

var (
	ace  = group.HashToElement("ace")
	knav = group.HashToElement("knave")
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
		if verify(s, handtest.Must(transfer.Prove(here, s, witness, rand.Reader))) == nil {
			t.Errorf("witness %q: another card is handed over", name)
		}
	}
	for _, k := range []*masking.Key{from.Key(), handtest.Secret(t).Key()} {
		s, w := transferOf(t, from, k, ace, ace)
		s.To = to
		if verify(s, handtest.Must(transfer.Prove(here, s, w, rand.Reader))) == nil {
			t.Error("card under another key than the receiver's is accepted")
		}
	}
}

// TestPartAfterChallenge: a part that is left out of the hash is computed last,
// from the equations, for a challenge drawn before. The weak transcript has none.
func TestPartAfterChallenge(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t).Key()
	s, _ := transferOf(t, from, to, knav, ace)
	v, w := handtest.Secret(t).Scalar(), handtest.Secret(t).Scalar()
	t1, t2, t3 := group.MulBase(v), group.MulBase(w), group.HashToElement("anything")
	z2 := handtest.Secret(t).Scalar()
	c := transfer.Challenge(handtest.Transcript(here), t1, t2, t3)
	z1 := v.Add(c.Mul(from.Scalar()))
	// Δ = (z2·K − z1·A − T3)/c is B' − B.
	delta := func() *group.Element {
		d := group.Mul(z2, to.Element()).Sub(group.Mul(z1, s.Old.A)).Sub(t3)
		return group.Mul(c.Invert(), d)
	}
	proof := func() []byte {
		return z2.AppendTo(z1.AppendTo(t3.AppendTo(t2.AppendTo(t1.Bytes()))))
	}
	// New card last: A' = (z2·G − T2)/c, B' = B + Δ.
	{
		f := s
		f.New = masking.Card{A: group.Mul(c.Invert(), group.MulBase(z2).Sub(t2)), B: s.Old.B.Add(delta())}
		expectWeak(t, "new card", f, proof())
	}
	// Old card last: B = B' − Δ, with a new card of known factor.
	{
		f := s
		r := handtest.Secret(t).Scalar()
		f.New = masking.Card{A: group.MulBase(r), B: s.New.B}
		z2 = w.Add(c.Mul(r))
		f.Old = masking.Card{A: s.Old.A, B: f.New.B.Sub(delta())}
		expectWeak(t, "old card", f, proof())
	}
	// Receiver's key last: K = (z1·A + T3 + c·(B' − B))/z2.
	{
		f := s
		r := handtest.Secret(t).Scalar()
		f.New = masking.Card{A: group.MulBase(r), B: s.New.B}
		z2 = w.Add(c.Mul(r))
		k := group.Mul(z1, f.Old.A).Add(t3).Add(group.Mul(c, f.New.B.Sub(f.Old.B)))
		f.To, _ = masking.ParseKey(group.Mul(z2.Invert(), k).Bytes())
		expectWeak(t, "receiver's key", f, proof())
	}
}

// expectWeak fails if the forgery does not work under the weak transcript, or
// works under the real one.
func expectWeak(t *testing.T, part string, forged transfer.Statement, proof []byte) {
	t.Helper()
	handtest.AfterChallenge(t, part, handtest.Holds(func(b *group.Batch) error {
		return transfer.VerifyUnder(handtest.Transcript(here), forged, proof, b)
	}), verify(forged, proof))
}

func TestCommitmentsBound(t *testing.T) {
	s, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	handtest.Bound(t, 3, func(e ...*group.Element) group.Scalar {
		return transfer.Challenge(transcript.New(here, s), e[0], e[1], e[2])
	})
}

func TestBinding(t *testing.T) {
	a, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	b, _ := transferOf(t, handtest.Secret(t), handtest.Secret(t).Key(), ace, ace)
	prooftest.Binding(t, a, b)
}
