package player_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	mathrand "math/rand/v2"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
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
	if m := list[0].seat.EntryElsewhere(); len(r.sent) != sent || m == nil || m.Message.Seat != 0 {
		t.Fatalf("%d messages sent; elsewhere: %+v", len(r.sent)-sent, m)
	}
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
