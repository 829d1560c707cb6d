package relations

import (
	"crypto/rand"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
)

var (
	ace   = handtest.Group.HashToElement("ace")
	knave = handtest.Group.HashToElement("knave")
)

// transferOf hands a card that is now before over as after, which are equal in
// an honest game, by a factor.
func transferOf(t testing.TB, from *masking.Secret, to *masking.Key, before, after group.Element) (Transfer, group.Scalar) {
	t.Helper()
	r := handtest.MustHave(handtest.Group.RandomScalar(rand.Reader))
	return Transfer{From: from.Key(), To: to, Old: handtest.Mask(t, from.Key(), before)[0], New: masking.Mask(to, after, r)}, r
}

// TestCardSubstitution: another card than the one held is handed over, under every witness that the
// cheat could use; or the card under the giver's key, or a third seat's, and not the receiver's.
func TestCardSubstitution(t *testing.T) {
	from, to := handtest.Secret(t), handtest.Secret(t).Key()
	x, other := from.Scalar(), handtest.Secret(t).Scalar()
	s, r := transferOf(t, from, to, knave, ace)
	for name, w := range map[string][2]group.Scalar{
		"own": {x, r}, "other factor": {x, other}, "other secret": {other, r}, "nothing at all": {},
	} {
		testmust.Fail(t, verify(s, handtest.MustHave(ProveTransfer(handtest.Here, s, w[0], w[1], rand.Reader))), "witness", name, "another card is handed over")
	}
	for _, k := range []*masking.Key{from.Key(), handtest.Secret(t).Key()} {
		s, r := transferOf(t, from, k, ace, ace)
		s.To = to
		testmust.Fail(t, verify(s, handtest.MustHave(ProveTransfer(handtest.Here, s, x, r, rand.Reader))), "card under another key than the receiver's is accepted")
	}
}
