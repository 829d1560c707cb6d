package player_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
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

// device is one process after another that plays a seat from a vault.
type device struct {
	place  *tabletest.VaultPlace
	seed   uint64
	choose player.Choose // nil: of the seed
	id     *player.Identity
	seat   *player.Seat
}

func (d *device) open(t *testing.T, open func(player.Vault) (*player.Identity, error)) {
	t.Helper()
	v := testmust.Have(d.place.Open())(t)
	d.id = testmust.Have(open(v))(t)
}

// play plays until the seat waits for others, or dies.
func (d *device) play(t *testing.T, r *room) (err error) {
	if d.id == nil {
		d.open(t, player.OpenIdentity)
	}
	if d.seat == nil {
		d.seed++
		choose := d.choose
		if choose == nil {
			choose = player.Random(mathrand.New(mathrand.NewPCG(d.seed, 0)))
		}
		d.seat, err = player.Sit(t.Context(), d.id, untilIdle{r}, r.id, catalogue, choose, rand.Reader)
	}
	if err == nil {
		err = d.seat.Play(t.Context())
	}
	if errors.Is(err, tabletest.ErrCrash) {
		d.id, d.seat = nil, nil
	}
	return err
}

// turns has each device play until it waits for others.
func turns(t *testing.T, r *room, list ...*device) {
	t.Helper()
	for _, d := range list {
		err := d.play(t, r)
		testmust.Require(t, errors.Is(err, errIdle), err)
	}
}

// devices are two seats, whose holders may die at a write of the first.
func devices(t *testing.T) (list [2]*device, r *room) {
	t.Helper()
	var ids []*player.Identity
	for i := range list {
		list[i] = &device{place: new(tabletest.VaultPlace)}
		list[i].open(t, func(v player.Vault) (*player.Identity, error) { return player.CreateIdentity(v, string(rune('a'+i))) })
		ids = append(ids, list[i].id)
	}
	return list, newRoom(t, ids)
}

// A seat that dies at any of its writes, before it or after, must sign one message on one
// parent, and come to the end of the game with the card secret it began with. One of the two is tried
// at each write, by chance, and every other write without PAKLI_TESTS=thorough.
func TestCrashAtEveryWrite(t *testing.T) {
	first, step := 0, 1
	if !testmust.Thorough() {
		first, step = mathrand.IntN(2), 2
	}
	for n, most := first, first+1; n < most; n += step {
		for _, after := range beforeAndAfter() {
			list, r := devices(t)
			writes := 0
			list[0].place.Crash = func() (bool, bool) {
				writes++
				return writes-1 == n && !after, writes-1 == n && after
			}
			for over := 0; over < len(list); {
				over = 0
				for _, d := range list {
					switch err := d.play(t, r); {
					case err == nil:
						over++
					case !errors.Is(err, errIdle) && !errors.Is(err, tabletest.ErrCrash):
						t.Fatalf("death at write %d, after it: %v: %v", n, after, err)
					}
				}
			}
			sentAgain(t, r)
			most = max(most, writes)
		}
	}
}

func beforeAndAfter() []bool {
	if testmust.Thorough() {
		return []bool{false, true}
	}
	return []bool{mathrand.IntN(2) == 0}
}

// copyOf is a device with a copy of what another one keeps.
func copyOf(t *testing.T, d *device) *device {
	t.Helper()
	copied := &device{place: new(tabletest.VaultPlace), seed: d.seed + 1000}
	from := testmust.Have(d.place.Open())(t)
	defer from.Close()
	to := testmust.Have(copied.place.Open())(t)
	defer to.Close()
	for _, name := range d.place.Records() {
		b, err := from.ReadRecord(name)
		if err == nil {
			err = to.ReplaceRecord(name, b)
		}
		testmust.Do(t, err)
	}
	return copied
}

func (d *device) stop() {
	d.id.Close()
	d.id, d.seat, d.choose = nil, nil, nil
}

// onTurn plays both until the first has several moves to choose from, and makes none.
func onTurn(t *testing.T, list [2]*device, r *room) {
	t.Helper()
	reached := false
	list[0].choose = func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		moves, err := play.Moves(s, v)
		if reached = len(moves) > 1; reached || err != nil {
			return nil, err
		}
		return moves[0], nil
	}
	for i := 0; !reached; i = 1 - i {
		turns(t, r, list[i])
	}
}

// A seat file on two machines, or one that was restored: each of the two would give tokens
// in whatever history it is shown, and both are blamed for what one did. Who sees the
// other's message must stop, until its owner says that the other is gone.
func TestSeatThatPlaysElsewhere(t *testing.T) {
	list, r := devices(t)
	for range 3 { // both keys, at least
		turns(t, r, list[:]...)
		if len(r.entries) > 4 {
			break
		}
	}
	list[0].stop()
	other := copyOf(t, list[0])
	rounds := 0
	for sent := len(r.sent); len(r.sent) == sent || rounds < 2; rounds++ { // the copy plays on
		turns(t, r, other, list[1])
	}
	sent := len(r.sent)
	for range 2 {
		err := list[0].play(t, r)
		testmust.Requiref(t, errors.Is(err, player.ErrElsewhere), "while the copy plays: %v", err)
	}
	m := list[0].seat.EntryElsewhere()
	testmust.Requiref(t, len(r.sent) == sent && m != nil && m.Message.Seat == 0, "%d messages sent; elsewhere: %+v", len(r.sent)-sent, m)
	testmust.Do(t, list[0].seat.PlayHere(t.Context()))
	list[0].stop() // what it was told is in the journal
	overWith(t, list, r)
	testmust.Do(t, other.play(t, r), "the copy, when the table is over")
	sentAgain(t, r)
}

// A device that lost the race for a parent, and sees it, must not sign on what the other
// has made of the game.
func TestLostRace(t *testing.T) {
	list, r := devices(t)
	onTurn(t, list, r)
	list[0].stop()
	other := copyOf(t, list[0])
	turn := len(r.entries)
	list[0].open(t, player.OpenIdentity)
	seat := sit(t, list[0].id, untilIdle{r}, r, thinking(t, other, r))
	testmust.FailBy(t, seat.Play(t.Context()), player.ErrElsewhere, "after a lost race")
	testmust.Hold(t, len(r.entries) != turn, "there was no race")
}

// thinking is a person who takes so long that another device moves first, another way.
func thinking(t *testing.T, other *device, r *room) player.Choose {
	return func(_ context.Context, s *table.State, v table.View) (json.RawMessage, error) {
		moves, err := play.Moves(s, v)
		testmust.Requiref(t, err == nil && len(moves) >= 2, "%d moves to choose from, %v", len(moves), err)
		other.choose = func(context.Context, *table.State, table.View) (json.RawMessage, error) { return moves[0], nil }
		turns(t, r, other)
		return moves[1], nil
	}
}

// A page that is closed, or a person who leaves, while a move is asked for: Play must
// return, and what is answered too late must not be signed.
func TestChooseIsCancelled(t *testing.T) {
	list, r := devices(t)
	onTurn(t, list, r)
	list[0].stop()
	list[0].open(t, player.OpenIdentity)
	errLeft := errors.New("the page was closed")
	var cancel context.CancelCauseFunc
	for name, answer := range map[string]player.Choose{
		"returns": func(ctx context.Context, _ *table.State, _ table.View) (json.RawMessage, error) {
			cancel(errLeft)
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"answers all the same": func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
			cancel(errLeft)
			<-ctx.Done()
			return player.Random(mathrand.New(mathrand.NewPCG(1, 1)))(ctx, s, v)
		},
	} {
		var ctx context.Context
		ctx, cancel = context.WithCancelCause(t.Context())
		defer cancel(nil)
		seat := testmust.Have(player.Sit(ctx, list[0].id, untilIdle{r}, r.id, catalogue, answer, rand.Reader))(t)
		sent := len(r.sent)
		testmust.FailBy(t, seat.Play(ctx), errLeft, name)
		testmust.Equal(t, len(r.sent), sent, name, "a move was sent")
	}
	err := list[0].play(t, r)
	testmust.Holdf(t, errors.Is(err, errIdle) || err == nil, "when the person is back: %v", err)
}

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
