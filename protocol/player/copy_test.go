package player_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

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
