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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// playUntil plays a seat, as one process would, until it has seen the table as
// done wants it, or stops of itself.
func playUntil(t *testing.T, path string, r *room, done func(*table.State) bool) error {
	t.Helper()
	id := openSeat(t, path)
	defer id.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := player.Sit(ctx, id, r, r.id, catalogue, player.Bot(mathrand.New(mathrand.NewPCG(1, 1))), rand.Reader)
	if err != nil {
		return err
	}
	p.Watch = func(s *table.State, _ *wire.Message) {
		if done(s) {
			cancel()
		}
	}
	return p.Play(ctx)
}

// owing waits until a seat, and nobody else, owes something of a kind.
func owing(seat table.Seat, kind table.Kind) func(*table.State) bool {
	return func(s *table.State) bool {
		d := s.Duties()
		return len(d) == 1 && d[0].Kind == kind && d[0].Owes(seat)
	}
}

// opponent makes messages for the other seat of a table of two.
func opponent(t *testing.T, r *room, id *player.Identity) func(*table.State) []byte {
	t.Helper()
	secret := testmust.Have(id.Secret(r.id, clear.Suite{}, rand.Reader))(t)
	h := player.Hand{Seat: 1, Secret: secret, Signer: id.Signer()}
	return func(s *table.State) []byte {
		return testmust.Have(h.SignMessage(s, s.DutiesOf(1)[0], nil, rand.Reader))(t)
	}
}

// The last shuffler makes two decks; a server shows a seat the one, and after a
// restart the other. Tokens for both would open a hand.
func TestRestartedSeatStaysInItsHistory(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	list[0].Close()
	take(t, r, say(r.state))
	playUntil(t, paths[0], r, owing(1, table.Shuffle))
	entries, state := slices.Clone(r.entries), r.state
	one, two := say(state), say(state)
	take(t, r, one)
	playUntil(t, paths[0], r, owing(1, table.Show))
	sent := slices.Clone(r.sent)
	r.entries, r.state = entries, state // the first deck never was
	take(t, r, two)
	testmust.FailSaying(t, playUntil(t, paths[0], r, owing(1, table.Show)), "forked", "in another history")
	if shows := countShows(t, r); shows != 1 || len(signedAnew(r, sent...)) > 0 {
		t.Errorf("tokens for %d decks of one deal, %d messages in the second history", shows, len(signedAnew(r, sent...)))
	}
}

func countShows(t *testing.T, r *room) int {
	t.Helper()
	parents := map[wire.Hash]bool{}
	for _, b := range r.sent {
		e := parse(t, b)
		if e.Message.Kind == wire.KindShow {
			parents[e.Message.Parent] = true
		}
	}
	return len(parents)
}

// A message that could not be written to the journal must not leave, neither
// now nor when the seat plays on.
func TestNothingLeavesBeforeTheJournal(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	p := sit(t, list[0], r, r, nil)
	journal := paths[0] + "." + r.id.String() + ".journal"
	testmust.Do(t, os.Remove(journal))
	testmust.Do(t, os.MkdirAll(filepath.Join(journal, "in the way"), 0o700))
	for range 2 {
		testmust.Fail(t, p.Play(context.Background()), "plays without a journal")
	}
	testmust.Equal(t, len(r.sent), 0, "messages left without being in the journal")
}

// One seat file under two names is one seat: a link must not be a second lock,
// and a file moved away from its journal must not play on.
func TestSeatFileUnderAnotherName(t *testing.T) {
	paths, list := identities(t, 2)
	alias := paths[0] + ".alias"
	testmust.Do(t, os.Symlink(paths[0], alias))
	if id, err := seatfile.Open(alias, ""); err == nil {
		id.Close()
		t.Error("held twice, once through a link")
	}
	r := newRoom(t, list)
	list[0].Close()
	playUntil(t, paths[0], r, owing(1, table.Key))
	testmust.Do(t, os.Rename(paths[0], paths[0]+".moved"))
	testmust.FailSaying(t, playUntil(t, paths[0]+".moved", r, owing(1, table.Shuffle)), "missing", "moved without its journal")
}

// interrupted is a room that has left out an entry, and is away when it is read anew.
type interrupted struct {
	*room
	fails []error // what is answered instead, first to last
}

func (i *interrupted) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if len(i.fails) > 0 {
		err := i.fails[0]
		i.fails = i.fails[1:]
		if err != nil {
			return nil, err
		}
	}
	return untilIdle{i.room}.Messages(ctx, id, n, wait)
}

// A network that fails while a table is read anew: the seat must read it anew when it
// plays on, and not take what it has half read, or has read before, for another history.
func TestReadAnewAfterAnInterruption(t *testing.T) {
	for name, fails := range map[string][]error{
		"before it began": {player.ErrLeftOut, errAway},
		"in the middle":   {player.ErrLeftOut, nil, errAway},
	} {
		paths, list := identities(t, 2)
		r := newRoom(t, list)
		say := opponent(t, r, list[1])
		list[0].Close()
		id := openSeat(t, paths[0])
		source := &interrupted{room: r}
		p := sit(t, id, source, r, nil)
		for range 2 { // the keys, and the first shuffle
			err := p.Play(t.Context())
			testmust.Require(t, errors.Is(err, errIdle), err)
			take(t, r, say(r.state))
		}
		source.fails = fails
		sent := len(r.sent)
		err := p.Play(t.Context())
		testmust.Holdf(t, errors.Is(err, errAway) && !strings.Contains(err.Error(), "forked"), "%s: %v", name, err)
		if err := p.Play(t.Context()); !errors.Is(err, errIdle) || len(r.sent) == sent {
			t.Errorf("%s, played on: %v, and %d messages", name, err, len(r.sent)-sent)
		}
		id.Close()
	}
}

// paged is a room that shows a few entries at a time, as a server does.
type paged struct{ *room }

func (p paged) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	list, err := p.room.Messages(ctx, id, n, wait)
	return list[:min(3, len(list))], err
}

// The entry on which a seat signed last is not on the first page of a long table: its
// seat must not take that for a fork, and must play on.
func TestRestartInALongTable(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	list[0].Close()
	for len(r.state.DutiesOf(1)) == 0 || r.state.DutiesOf(1)[0].Kind != table.Move {
		answer(t, paths[0], r)
		if len(r.state.DutiesOf(1)) > 0 && r.state.DutiesOf(1)[0].Kind != table.Move {
			take(t, r, say(r.state))
		}
		testmust.Require(t, len(r.state.DutiesOf(1)) != 0 || len(r.state.DutiesOf(0)) != 0, "the table is over")
	}
	id := openSeat(t, paths[0])
	defer id.Close()
	p := testmust.Have(player.Sit(context.Background(), id, paged{r}, r.id, catalogue, nil, nil))(t, "after", len(r.entries), "entries")
	testmust.Hold(t, bytes.Equal(p.State().CardKey(0).Bytes(), r.state.CardKey(0).Bytes()), "sat down at another table")
}

var errAway = errors.New("the server is away")

// restored is a device on which a copy of a seat was put, and nothing else.
func restored(t *testing.T, record []byte) *device {
	t.Helper()
	d := &device{place: new(tabletest.VaultPlace), seed: 500}
	v := testmust.Have(d.place.Open())(t)
	defer v.Close()
	testmust.Do(t, v.ReplaceRecord(player.SeatRecord, record))
	return d
}

// copied is a copy of a device's seat: of the room's log, so far was believed.
func (d *device) copied(t *testing.T, r *room, checkpoint string) []byte {
	t.Helper()
	if d.id == nil {
		d.open(t, player.OpenIdentity)
	}
	var believed map[wire.Hash][]byte
	if checkpoint != "" {
		believed = map[wire.Hash][]byte{r.id: []byte(checkpoint)}
	}
	return testmust.Have(d.id.Copy(believed))(t)
}

// begun plays until both have signed.
func begun(t *testing.T, list [2]*device, r *room) {
	t.Helper()
	for len(r.entries) <= 4 {
		turns(t, r, list[:]...)
	}
}

func overWith(t *testing.T, list [2]*device, r *room) {
	t.Helper()
	for over := false; !over; {
		for _, d := range list {
			err := d.play(t, r)
			over = err == nil
			testmust.Require(t, err == nil || errors.Is(err, errIdle), err)
		}
	}
}

// A copy that signs before its owner has said that the other device is gone: what that one
// has signed since may be hidden from it. After that it must play to the end, and be a seat
// like others, whose lost journal is not forgiven.
func TestCopyOfASeat(t *testing.T) {
	list, r := devices(t)
	begun(t, list, r)
	record := list[0].copied(t, r, "a checkpoint")
	for range 2 { // and the seat signs more
		turns(t, r, list[:]...)
	}
	list[0].stop() // and is lost
	list[0] = restored(t, record)
	sent := len(r.sent)
	for range 2 {
		err := list[0].play(t, r)
		testmust.Requiref(t, errors.Is(err, player.ErrCopy), "before it was told to go on: %v", err)
	}
	if believed, err := list[0].id.BelievedCheckpoint(r.id); err != nil || string(believed) != "a checkpoint" {
		t.Errorf("the copy believes %q of the log, %v", believed, err)
	}
	testmust.Require(t, len(r.sent) == sent, "it has signed")
	testmust.Do(t, list[0].seat.PlayHere(t.Context()))
	list[0].stop() // what it was told is in the journal
	overWith(t, list, r)
	sentAgain(t, r)

	list[0].stop()
	v := testmust.Have(list[0].place.Open())(t)
	now, err := v.ReadRecord(player.SeatRecord)
	v.Close()
	testmust.Holdf(t, err == nil && !strings.Contains(string(now), "copied"), "it goes on being a copy: %v", err)
}

// A plain copy of the record, without what was believed of the log, or one that was taken
// before anything was: nothing can be compared, and the seat is refused.
func TestCopyWithoutACheckpoint(t *testing.T) {
	list, r := devices(t)
	begun(t, list, r)
	record := list[0].copied(t, r, "") // a room has no checkpoints
	list[0].stop()
	testmust.FailSaying(t, restored(t, record).play(t, r), "journal of this table is missing", "a copy that knows nothing of the log")
}

// A log that forked, and shows a copy of a seat the table as it was when the seat gave tokens,
// without them: the copy would give them in a second history. Nobody vouches for that history,
// and who asks for it must not be helped by the copy.
func TestCopyInAForkedHistory(t *testing.T) {
	list, r := devices(t)
	begun(t, list, r)
	record := list[0].copied(t, r, "a checkpoint")
	fork := r.copied()
	shown := len(r.entries)
	for len(r.entries) < shown+6 { // the game goes on
		turns(t, r, list[:]...)
	}
	list[0].stop()
	c := restored(t, record)
	err := c.play(t, fork)
	testmust.Requiref(t, errors.Is(err, player.ErrCopy), "in a history that shows nothing of what it signed since: %v", err)
	unseen := errors.New("no cosigner has seen it")
	c.seat.Vouched = func(_ context.Context, head wire.Hash) error {
		testmust.Equal(t, head, fork.state.Head(), "asked for", "which is not the head")
		return unseen
	}
	testmust.FailBy(t, c.seat.PlayHere(t.Context()), unseen, "told to go on where nobody vouches")
	err = c.seat.Play(t.Context())
	testmust.Holdf(t, errors.Is(err, player.ErrCopy) && len(fork.sent) == 0, "after that: %v; %d messages sent", err, len(fork.sent))
	c.stop()
	err = c.play(t, r)
	testmust.Require(t, errors.Is(err, player.ErrCopy), err)
	c.seat.Vouched = func(context.Context, wire.Hash) error { return nil }
	testmust.Do(t, c.seat.PlayHere(t.Context()), "in the history that others vouch for")
	c.stop()
	testmust.FailSaying(t, c.play(t, fork), "forked", "back in the other history")
	c.stop()
	overWith(t, [2]*device{c, list[1]}, r)
}

// A seat that was put back from a copy taken before it sat down at the table: it would draw
// a second card secret.
func TestCopyFromBeforeTheTable(t *testing.T) {
	list, r := devices(t)
	record := list[0].copied(t, r, "a checkpoint")
	begun(t, list, r)
	list[0].stop()
	testmust.FailSaying(t, restored(t, record).play(t, r), "another card secret", "a copy from before")
}

// TestMessagesOfARestoredMachine: a seat makes every message with the same
// randomness, in two deals and at two tables where it has one card secret, and two
// cards are masked alike: the context of a mask is not that of its message.
func TestMessagesOfARestoredMachine(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	seen, kinds := map[string]string{}, map[table.Kind]int{}
	for deals := 1; deals <= 2; deals++ {
		at := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Deals: deals}, 1))(t)
		for len(at.State.Duties()) > 0 {
			at.Random = handtest.RestoredRandom(1)
			testmust.Do(t, at.Play(1))
			e := parse(t, at.Entries[len(at.Entries)-1])
			kind := table.Kind(e.Message.Kind)
			if kind != table.Shuffle && kind != table.Permute && kind != table.Give {
				continue
			}
			kinds[kind]++
			var body wire.CardsBody
			testmust.Do(t, json.Unmarshal(e.Message.Body, &body))
			for i, c := range body.Cards {
				name := fmt.Sprintf("card %d of the %s in message %d at table %d", i, kind, at.State.CountApplied(), deals)
				nonce := string(c[len(c)-32:]) // of the clear suite
				other, ok := seen[nonce]
				testmust.Requiref(t, !ok, "%s is masked as %s", name, other)
				seen[nonce] = name
			}
		}
	}
	testmust.Equal(t, len(kinds), 3, "messages with masks are", kinds)
}
