package player_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

func create(t *testing.T, path string) *player.Identity {
	t.Helper()
	needsFiles(t)
	return testmust.Have(seatfile.Create(path, "anna", ""))(t)
}

// The card secret of a table must be the same after a restart: a second one
// could not read the hand that was dealt to the first.
func TestSecretIsDrawnOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := create(t, path)
	s, _ := suite.Lookup(suite.Default)
	first := testmust.Have(id.Secret(wire.Hash{1}, s, rand.Reader))(t)
	other, _ := id.Secret(wire.Hash{2}, s, rand.Reader)
	id.Close()
	testmust.Hold(t, !bytes.Equal(first.Bytes(), other.Bytes()), "two tables share a card secret")
	id = openSeat(t, path)
	again, err := id.Secret(wire.Hash{1}, s, rand.Reader)
	testmust.Holdf(t, err == nil && bytes.Equal(first.Bytes(), again.Bytes()), "the secret after a restart is another one (%v)", err)
	testmust.Do(t, id.Forget(wire.Hash{1}))
	testmust.Fail(t, id.Forget(wire.Hash{1}), "what is not there was forgotten")
	id.Close()
	b, _ := os.ReadFile(path)
	testmust.Hold(t, !bytes.Contains(b, []byte(wire.Hash{1}.String())), "a forgotten secret is still in the file")
}

// A machine that is restored from a snapshot, or several of one image, draw the same
// randomness at two tables: with one card secret at both, tokens given at one open
// cards of the other.
func TestCardSecretOfARestoredMachine(t *testing.T) {
	dir := t.TempDir()
	anna, bela := create(t, filepath.Join(dir, "anna.seat")), create(t, filepath.Join(dir, "bela.seat"))
	defer anna.Close()
	defer bela.Close()
	s, _ := suite.Lookup(suite.Default)
	other, _ := suite.Lookup("ristretto255-tereliuswikstrom/v1")
	prover := testmust.Have(proof.ProverOf(s))(t)
	unhedged := testmust.Have(prover.NewSecret(handtest.RestoredRandom(1)))(t)
	seen := map[string]int{string(unhedged.Bytes()): 0}
	for i, c := range []struct {
		id       *player.Identity
		table    wire.Hash
		suite    proof.Suite
		snapshot byte
	}{{anna, wire.Hash{1}, s, 1}, {anna, wire.Hash{2}, s, 1}, {bela, wire.Hash{1}, s, 1}, {anna, wire.Hash{3}, other, 1}, {bela, wire.Hash{4}, s, 2}} {
		x := testmust.Have(c.id.Secret(c.table, c.suite, handtest.RestoredRandom(c.snapshot)))(t)
		j, known := seen[string(x.Bytes())]
		testmust.Holdf(t, !known, "%d and %d have one card secret", j, i+1)
		seen[string(x.Bytes())] = i + 1
	}
}

// What is kept in a journal's place and is none must not be taken for the journal of a seat
// that has signed nothing: the seat would sign twice.
func TestNoJournal(t *testing.T) {
	table := wire.Hash{1}
	for _, text := range []string{"", "null", "{}", `{"pakli":"journal/v1"}`, `{"table":"` + table.String() + `"}`, "[]", "\x00\x00"} {
		path := filepath.Join(t.TempDir(), "anna.seat")
		id := create(t, path)
		testmust.Do(t, os.WriteFile(path+"."+player.JournalRecord(table), []byte(text), 0o600))
		testmust.Fail(t, testmust.ErrorOf(id.BelievedCheckpoint(table)), text, "is a journal")
		id.Close()
	}
}

// A bit that a disk has flipped, or a record that is cut: a journal that has lost its entry, or another
// parent, makes the seat sign twice; another card secret loses its hand.
func TestFlippedBits(t *testing.T) {
	place := new(tabletest.VaultPlace)
	vault := testmust.Have(place.Open())(t)
	table := wire.Hash{1}
	whole := map[string][]byte{
		player.JournalRecord(table): tabletest.SumRecord(fmt.Appendf(nil, `{"pakli":"journal/v1","table":"%s","parent":"%s","entry":"eA==","cards":"%s","left":false,"believed":"eQ==","sum":""}`, table, wire.Hash{2}, wire.Hash{})),
	}
	id := testmust.Have(player.CreateIdentity(vault, "anna"))(t)
	testmust.Have(id.Secret(table, clear.Suite{}, rand.Reader))(t)
	whole[player.SeatRecord] = testmust.Have(vault.ReadRecord(player.SeatRecord))(t)
	read := func() error {
		testmust.Do(t, id.Close())
		vault = testmust.Have(place.Open())(t)
		var err error
		if id, err = player.OpenIdentity(vault); err != nil {
			vault = testmust.Have(place.Open())(t)
			testmust.Do(t, vault.ReplaceRecord(player.SeatRecord, whole[player.SeatRecord]))
			id = testmust.Have(player.OpenIdentity(vault))(t)
			return err
		}
		_, err = id.BelievedCheckpoint(table)
		return err
	}
	for name, record := range whole {
		testmust.Do(t, vault.ReplaceRecord(name, record))
		testmust.Do(t, read())
		for at := range record {
			for bit := range 8 {
				flipped := bytes.Clone(record)
				flipped[at] ^= 1 << bit
				testmust.Do(t, vault.ReplaceRecord(name, flipped))
				testmust.Fail(t, read(), name, string(flipped), "is taken for", string(record))
			}
			testmust.Do(t, vault.ReplaceRecord(name, record[:at]))
			testmust.Fail(t, read(), name, at, "bytes of it are taken for all")
		}
		testmust.Do(t, vault.ReplaceRecord(name, record))
	}
}

// renewing is a suite of which a card key is for one deal.
type renewing struct{ clear.Suite }

func (renewing) KeysPerDeal() bool { return true }

var renewed = table.Catalogue{
	Game:  func(string) (table.Game, bool) { return play.NewGame(tabletest.HighCard{}), true },
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
	testmust.Holdf(t, keys == 4+3*3 && len(posted) == keys,
		"%d keys, %d of them different; want 13: of all seats, then of three for each deal", keys, len(posted))
	forgetsAll(t, paths[0], r)
}

// forgetsAll: a card secret of a later deal that stays when the table's are forgotten.
func forgetsAll(t *testing.T, path string, r *room) {
	t.Helper()
	id := openSeat(t, path)
	defer id.Close()
	testmust.Do(t, id.Forget(r.id))
	for n := 2; n <= r.state.KeyNumber(0); n++ {
		_, err := id.LaterSecret(r.id, n, true, renewing{}, rand.Reader)
		testmust.FailSaying(t, err, "forgotten", "secret", n, "is there after the table was forgotten")
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
		former, repeated := seen[string(x.Bytes())]
		testmust.Holdf(t, !repeated, "secrets %d and %d are one", former, n)
		seen[string(x.Bytes())] = n
		y, err := draw()
		testmust.Holdf(t, err == nil && bytes.Equal(x.Bytes(), y.Bytes()), "secret %d is not the one that was drawn (%v)", n, err)
	}
	if x, err := id.LaterSecret(at, 4, true, renewing{}, rand.Reader); err == nil {
		t.Errorf("a secret is drawn for a key that is posted: %x", x.Bytes())
	}
	testmust.Have(id.Copy(nil))(t, "a seat with secrets of later deals cannot be copied")
}
