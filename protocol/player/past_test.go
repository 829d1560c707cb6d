package player_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
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
	p, err := player.Sit(context.Background(), id, paged{r}, r.id, catalogue, nil, nil)
	testmust.Do(t, err, "after", len(r.entries), "entries")
	testmust.Hold(t, bytes.Equal(p.State().CardKey(0).Bytes(), r.state.CardKey(0).Bytes()), "sat down at another table")
}

var errAway = errors.New("the server is away")
