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
