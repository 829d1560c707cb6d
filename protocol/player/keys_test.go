package player_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/tabletest/sitout"
	"github.com/pakli/pakli/protocol/wire"
)

// renewing is a suite of which a card key is for one deal.
type renewing struct{ clear.Suite }

func (renewing) KeysPerDeal() bool { return true }

var renewed = table.Catalogue{
	Game:  func(string) (table.Game, bool) { return play.Of(sitout.Rules{}), true },
	Suite: func(string) (proof.Suite, bool) { return renewing{}, true },
}

// A player that dies again and again at a table whose card keys are for one deal: it must
// find the secret of the present one, post no key for which it has forgotten the secret,
// none twice, and come to the end.
func TestCrashedSeatKeepsTheSecretOfEachDeal(t *testing.T) {
	paths, list := identities(t, 4)
	r := newRoomFor(t, list, clear.Name, 4, renewed)
	closeAll(list)
	lifetimes(t, paths, r, 6)
	posted, keys := map[string]bool{}, 0
	for _, entry := range r.entries[1:] {
		e := parse(t, entry)
		if e.Message.Kind == table.Key {
			keys++
			posted[string(e.Message.Body)] = true
		}
	}
	if keys != 4+3*3 || len(posted) != keys {
		t.Errorf("%d keys, %d of them different; want 13: of all seats, then of three for each deal", keys, len(posted))
	}
	forgetsAll(t, paths[0], r)
}

// forgetsAll: a card secret of a later deal that stays when the table's are forgotten.
func forgetsAll(t *testing.T, path string, r *room) {
	t.Helper()
	id := openSeat(t, path)
	defer id.Close()
	testmust.Do(t, id.Forget(r.id))
	for n := 2; n <= r.state.KeyNumber(0); n++ {
		if _, err := id.LaterSecret(r.id, n, true, renewing{}, rand.Reader); err == nil || !strings.Contains(err.Error(), "forgotten") {
			t.Errorf("secret %d is there after the table was forgotten (%v)", n, err)
		}
	}
}

// One secret for two deals, which the machine draws that was restored from a snapshot;
// and a secret that is drawn anew where its key is posted already.
func TestSecretsOfDeals(t *testing.T) {
	_, list := identities(t, 1)
	id, at := list[0], wire.Hash{1}
	again := func() *bytes.Reader { return bytes.NewReader(make([]byte, 4096)) }
	seen := map[string]int{}
	for n := 1; n <= 3; n++ {
		draw := func() (proof.Secret, error) {
			if n == 1 {
				return id.Secret(at, renewing{}, again())
			}
			return id.LaterSecret(at, n, false, renewing{}, again())
		}
		x := testmust.Have(draw())(t)
		if former, repeated := seen[string(x.Bytes())]; repeated {
			t.Errorf("secrets %d and %d are one", former, n)
		}
		seen[string(x.Bytes())] = n
		if y, err := draw(); err != nil || !bytes.Equal(x.Bytes(), y.Bytes()) {
			t.Errorf("secret %d is not the one that was drawn (%v)", n, err)
		}
	}
	if x, err := id.LaterSecret(at, 4, true, renewing{}, rand.Reader); err == nil {
		t.Errorf("a secret is drawn for a key that is posted: %x", x.Bytes())
	}
	testmust.Have(id.Copy(nil))(t, "a seat with secrets of later deals cannot be copied")
}
