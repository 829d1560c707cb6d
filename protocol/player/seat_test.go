package player_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

var errCrash = errors.New("the process died")

// room is a log of one table that remembers everything it was ever sent, and
// makes posts die before or after they arrive.
type room struct {
	id      wire.Hash
	mu      sync.Mutex
	entries [][]byte
	more    chan struct{} // closed with the next entry
	state   *table.State
	games   table.Catalogue
	sent    [][]byte
	crash   func() (before, after bool)
}

func newRoom(t *testing.T, players []*player.Identity) *room {
	t.Helper()
	return newRoomOf(t, players, clear.Name, catalogue)
}

func newRoomOf(t *testing.T, players []*player.Identity, suite string, c table.Catalogue) *room {
	t.Helper()
	return newRoomFor(t, players, suite, 1, c)
}

func newRoomFor(t *testing.T, players []*player.Identity, suite string, deals int, c table.Catalogue) *room {
	t.Helper()
	signer, vkey := organiser(t)
	return newRoomBy(t, players, signer, &wire.Genesis{Format: wire.TableFormat, Game: "schwarzer-peter/v1", Suite: suite, Options: map[string]string{},
		Deals: deals, Fouls: wire.RefuseFouls, Organiser: vkey, Nonce: make([]byte, wire.NonceBytes)}, c)
}

func organiser(t *testing.T) (s note.Signer, vkey string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.Reader, "organiser")
	if err == nil {
		s, err = note.NewSigner(skey)
	}
	testmust.Do(t, err)
	return s, vkey
}

func newRoomBy(t *testing.T, players []*player.Identity, signer note.Signer, g *wire.Genesis, c table.Catalogue) *room {
	t.Helper()
	for _, p := range players {
		g.Seats = append(g.Seats, p.VerifierKey())
	}
	entry := signed(t, g, signer)
	e := parse(t, entry)
	s := testmust.Have(table.Open(e, c))(t)
	return &room{id: e.Hash, entries: [][]byte{entry}, more: make(chan struct{}), state: s, games: c, crash: func() (bool, bool) { return false, false }}
}

func (r *room) Messages(ctx context.Context, _ wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	for end := time.After(wait); ; {
		r.mu.Lock()
		news, more := r.entries[n:], r.more
		r.mu.Unlock()
		if len(news) > 0 || wait == 0 || ctx.Err() != nil {
			return news, ctx.Err()
		}
		select {
		case <-more:
		case <-end:
			return nil, nil
		case <-ctx.Done():
		}
	}
}

func (r *room) Post(_ context.Context, _ wire.Hash, entry []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, entry)
	before, after := r.crash()
	if before {
		return errCrash
	}
	if err := r.take(entry); err != nil {
		return err
	}
	if after {
		return errCrash
	}
	return nil
}

func (r *room) take(entry []byte) error {
	for _, e := range r.entries {
		if bytes.Equal(e, entry) {
			return nil
		}
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	if e.Parent() != r.state.Head() {
		return player.ErrStale
	}
	next, err := r.state.Apply(e, table.Facts{})
	if err != nil {
		return err
	}
	r.state, r.entries = next, append(r.entries, entry)
	close(r.more)
	r.more = make(chan struct{})
	return nil
}

func (r *room) BelievedCheckpoint() []byte { return nil }

// needsFiles skips a test of seats in files where nothing locks a file.
func needsFiles(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("files are not locked on js")
	}
}

func identities(t *testing.T, n int) (paths []string, list []*player.Identity) {
	t.Helper()
	needsFiles(t)
	dir := t.TempDir()
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("%d.seat", i))
		id := testmust.Have(seatfile.Create(path, fmt.Sprintf("player%d", i), ""))(t)
		paths, list = append(paths, path), append(list, id)
	}
	return paths, list
}

func closeAll(list []*player.Identity) {
	for _, id := range list {
		id.Close()
	}
}

// openSeat opens a seat file.
func openSeat(t *testing.T, path string) *player.Identity {
	t.Helper()
	return testmust.Have(seatfile.Open(path, ""))(t)
}

// sit sits down at the table of a room as src shows it.
func sit(t *testing.T, id *player.Identity, src player.Source, r *room, choose player.Choose) *player.Seat {
	t.Helper()
	return testmust.Have(player.Sit(t.Context(), id, src, r.id, r.games, choose, rand.Reader))(t)
}

func bot(seed uint64) player.Choose { return player.Bot(mathrand.New(mathrand.NewPCG(seed, 0))) }

// lifetime is one process of a player, from its seat file to its death or the
// end of the game.
func lifetime(path string, r *room, src player.Source, seed uint64) error {
	id, err := seatfile.Open(path, "")
	if err != nil {
		return err
	}
	defer id.Close()
	p, err := player.Sit(context.Background(), id, src, r.id, r.games, bot(seed), rand.Reader)
	if err != nil {
		return err
	}
	return p.Play(context.Background())
}

// lifetimes has each seat play in one process after another, until one of them comes to the end.
// They die at one of every few posts, before the log has the entry or after.
func lifetimes(t *testing.T, paths []string, r *room, few int) {
	t.Helper()
	random := mathrand.New(mathrand.NewPCG(1, 2))
	var deaths atomic.Int64
	r.crash = func() (bool, bool) { n := random.IntN(few); return n == 0, n == 1 }
	var group sync.WaitGroup
	for seat, path := range paths {
		group.Go(func() {
			for n := 0; ; n++ {
				err := lifetime(path, r, r, uint64(seat*1000+n))
				testmust.Holdf(t, err == nil || errors.Is(err, errCrash), "seat %d: %v", seat, err)
				if !errors.Is(err, errCrash) {
					return
				}
				deaths.Add(1)
			}
		})
	}
	group.Wait()
	_, over := r.state.Result()
	testmust.Holdf(t, over && deaths.Load() >= 5, "over: %t, after %d deaths", over, deaths.Load())
}

// sentAgain checks that no seat signed two messages on one parent, and counts those that
// were sent more than once.
func sentAgain(t *testing.T, r *room) (again int) {
	t.Helper()
	type place struct {
		by     string
		parent wire.Hash
	}
	signed := map[place][]byte{}
	for _, entry := range r.sent {
		e := parse(t, entry)
		by := ""
		if e.Act != nil {
			by = e.Act.By
		} else {
			by = r.state.Genesis().Seats[e.Message.Seat]
		}
		at := place{by, e.Parent()}
		if before, known := signed[at]; known {
			again++
			testmust.Hold(t, bytes.Equal(before, entry), at.by, "signed two things on", at.parent)
		}
		signed[at] = entry
	}
	return again
}

// A seat file from before the card key was posted must not play on with another
// secret: its hand would be unreadable, and its tokens wrong.
func TestOldSeatFileIsRefused(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	closeAll(list)
	ctx, cancel := context.WithCancel(context.Background())
	old := func() *player.Identity {
		return openSeat(t, paths[0])
	}
	id := old()
	p := testmust.Have(player.Sit(ctx, id, r, r.id, catalogue, nil, rand.Reader))(t)
	p.Watch = func(*table.State, *wire.Message) { cancel() } // the own key is in the log
	if err := p.Play(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("play: %v", err)
	}
	testmust.Do(t, id.Forget(r.id))
	id.Close()
	id = old()
	defer id.Close()
	_, err := player.Sit(context.Background(), id, r, r.id, catalogue, nil, rand.Reader)
	testmust.FailSaying(t, err, "old copy", "a seat file without the table's secret sits down")
}

// liar shows a table that is not the one asked for.
type liar struct{ *room }

func (l liar) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	list, err := l.room.Messages(ctx, id, n, wait)
	if n == 0 && err == nil {
		list = append([][]byte{[]byte("no genesis")}, list...)
	}
	return list, err
}

// A server that shows another table must not get a signature.
func TestOtherTableIsRefused(t *testing.T) {
	_, list := identities(t, 2)
	r := newRoom(t, list)
	_, err := player.Sit(context.Background(), list[0], liar{r}, r.id, catalogue, nil, rand.Reader)
	testmust.Fail(t, err, "sat down at a table that the log does not show")
	_, strangers := identities(t, 1)
	_, err = player.Sit(context.Background(), strangers[0], r, r.id, catalogue, nil, rand.Reader)
	testmust.FailSaying(t, err, "has no seat", "a stranger sat down")
}

// A message that another seat has signed on an entry which this player was not shown
// means that the other has seen another history: the player must hear of it. What
// nobody of the table has signed means nothing.
func TestStrayMessagesAreTold(t *testing.T) {
	_, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	signed := func(parent wire.Hash, by *player.Identity) []byte {
		e := parse(t, say(r.state))
		e.Message.Parent = parent
		return signed(t, e.Message, by.Signer())
	}
	p := sit(t, list[0], untilIdle{r}, r, nil)
	var told []bool
	p.Stray = func(m *wire.Message, known bool) {
		testmust.Equal(t, m.Seat, 1, "told of seat")
		told = append(told, known)
	}
	unknown, forged := signed(wire.Hash{1}, list[1]), signed(wire.Hash{2}, list[0])
	key := say(r.state)
	take(t, r, key)
	r.entries = append(r.entries, unknown, forged, moved(t, key, r.id, list[1]))
	err := p.Play(context.Background())
	testmust.Require(t, errors.Is(err, errIdle), err)
	testmust.Holdf(t, len(told) == 2 && !told[0] && told[1], "told %v, want an unknown parent and a known one", told)
}

// moved is a message once more, on another parent.
func moved(t *testing.T, entry []byte, parent wire.Hash, by *player.Identity) []byte {
	t.Helper()
	e := parse(t, entry)
	e.Message.Parent, e.Message.Kind = parent, table.Show
	return signed(t, e.Message, by.Signer())
}

var errNobody = errors.New("nobody vouches")

// A seat that nobody vouches to must give no token, must not have signed one either, so
// that it can still go another way, and must give it when somebody does.
func TestNoTokensUnvouched(t *testing.T) {
	paths, list := identities(t, 2)
	r := newRoom(t, list)
	say := opponent(t, r, list[1])
	list[0].Close()
	id := openSeat(t, paths[0])
	defer id.Close()
	thinks := func(context.Context, *table.State, table.View) (json.RawMessage, error) { return nil, nil }
	p := sit(t, id, untilIdle{r}, r, thinks)
	vouched, asked := errNobody, wire.Hash{}
	p.Vouched = func(_ context.Context, head wire.Hash) error { asked = head; return vouched }
	play := func() error {
		for {
			err := p.Play(context.Background())
			if !errors.Is(err, errIdle) || len(r.state.DutiesOf(1)) == 0 || r.state.DutiesOf(1)[0].Kind == table.Move {
				return err
			}
			take(t, r, say(r.state))
		}
	}
	for range 2 {
		if err := play(); !errors.Is(err, errNobody) || asked != r.state.Head() {
			t.Fatalf("%v; asked for %s, the head is %s", err, asked, r.state.Head())
		}
	}
	testmust.Equal(t, countShows(t, r), 0, "tokens that nobody vouches for")
	vouched = nil
	err := play()
	testmust.Require(t, errors.Is(err, errIdle), err)
	testmust.Hold(t, countShows(t, r) != 0, "no tokens")
}

// endingRoom is a room of a table/v2, and its organiser.
func endingRoom(t *testing.T, players []*player.Identity, deals int, change ...func(*wire.Genesis)) (*room, note.Signer) {
	t.Helper()
	signer, vkey := organiser(t)
	g := &wire.Genesis{Format: wire.TableFormat2, Game: "schwarzer-peter/v1", Suite: clear.Name, Options: map[string]string{},
		Deals: deals, Fouls: wire.RefuseFouls, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Ends: wire.Ends{Late: wire.LateUndo, Resign: true, Agree: true}, Organiser: vkey, Arbiters: []string{},
		Names: make([]wire.Text, len(players)), Nonce: make([]byte, wire.NonceBytes)}
	for _, c := range change {
		c(g)
	}
	return newRoomBy(t, players, signer, g, catalogue), signer
}

// doing makes an act of a seat.
func doing(kind wire.Kind, body any) player.Act {
	return player.Act{Kind: kind, Body: func() (any, error) { return body, nil }}
}

// A seat that dies before, while or after it posts an act, and signs an act and a message
// on one parent, or two acts; and one that cannot play on after it has acted, after a deal
// was undone, and after it has left and come back.
func TestCrashedSeatActsOnce(t *testing.T) {
	paths, list := identities(t, 2)
	r, _ := endingRoom(t, list, 2)
	random := mathrand.New(mathrand.NewPCG(3, 4))
	r.crash = func() (bool, bool) { n := random.IntN(5); return n == 0, n == 1 }
	closeAll(list)
	acts := []struct {
		kind wire.Kind
		body any
	}{
		{wire.KindBack, wire.EmptyBody{}}, {wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}}, {wire.KindResign, wire.ResignBody{Scope: wire.ResignDeal}},
		{wire.KindAgree, wire.AgreeBody{To: wire.AgreeUndo}}, {wire.KindAgree, wire.AgreeBody{To: ""}}, {wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}},
	}
	done := map[wire.Kind]int{}
	crashes := 0
	for n := 0; !r.state.IsOver() && n < 400; n++ {
		id := openSeat(t, paths[n%2])
		p := sit(t, id, untilIdle{r}, r, bot(uint64(n)))
		a := acts[2+random.IntN(len(acts)-2)]
		if _, stopped := p.State().GoneSeat(); stopped {
			a = acts[0]
		} else if n < 4 || n == 20 {
			a = acts[1]
		}
		var err error
		if n < 30 || a.kind == wire.KindBack {
			err = p.PostAct(context.Background(), doing(a.kind, a.body))
			if err == nil {
				done[a.kind]++
			}
		}
		if !errors.Is(err, errCrash) {
			err = p.Play(context.Background())
		}
		if errors.Is(err, errCrash) {
			crashes++
		}
		id.Close()
	}
	testmust.Holdf(t, crashes >= 20 && done[wire.KindAgree] != 0 && done[wire.KindResign] != 0 && done[wire.KindBack] != 0,
		"%d crashes, acts done %v: the test tests nothing", crashes, done)
	testmust.Hold(t, r.state.IsOver(), "the table is not over after", len(r.entries), "entries")
	testmust.Hold(t, sentAgain(t, r) != 0, "nothing was sent twice: the journal was never used")
}

// A seat whose answer to a question dies with its program, and that takes it back: what it had signed is posted as if it were what is wanted
// now, and the seat is told that it is done.
func TestActIsTakenBackAfterACrash(t *testing.T) {
	paths, list := identities(t, 2)
	r, _ := endingRoom(t, list, 2)
	closeAll(list)
	for _, to := range []string{wire.AgreeEnd, ""} {
		r.crash = func() (before, after bool) { return to != "", false }
		id := openSeat(t, paths[0])
		p := sit(t, id, untilIdle{r}, r, bot(1))
		err := p.PostAct(t.Context(), doing(wire.KindAgree, wire.AgreeBody{To: to}))
		testmust.Hold(t, errors.Is(err, errCrash) == (to != ""), err)
		id.Close()
	}
	e := testmust.Have(wire.Parse(r.entries[len(r.entries)-1]))(t)
	testmust.Holdf(t, e.Act != nil && string(e.Act.Body) == `{"to":""}`, "the last entry is %s", r.entries[len(r.entries)-1])
}

// A substitute who cannot play on, and whom the journal of another or the card secret of
// who was there before stand in the way; and a player who was replaced and plays on.
func TestSubstitutePlaysOn(t *testing.T) {
	paths, list := identities(t, 3)
	r, organiser := endingRoom(t, list[:2], 2)
	closeAll(list)
	play := func(path string) error { return lifetime(path, r, r, 7) }
	until := func(paths []string, n int) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{}, len(paths))
		for _, path := range paths {
			go func() {
				defer func() { ended <- struct{}{} }()
				_ = playUntil(t, path, r, func(s *table.State) bool { return s.CountApplied() >= n || ctx.Err() != nil })
			}()
		}
		for range paths {
			<-ended
		}
		cancel()
	}
	until(paths[:2], 12)
	if err := play(paths[2]); err == nil {
		t.Fatal("a stranger plays")
	}
	id := openSeat(t, paths[2])
	r.mu.Lock()
	accept := testmust.Have(wire.SignAccept(id.Signer(), r.id, r.state.Head(), 1))(t)
	entry, err := player.SignAct(r.state, r.state.Genesis().Organiser, organiser, wire.KindReseat, wire.ReseatBody{Seat: 1, Key: id.VerifierKey(), Accept: accept})
	if err == nil {
		err = r.take(entry)
	}
	r.mu.Unlock()
	id.Close()
	testmust.Do(t, err)
	testmust.FailBy(t, play(paths[1]), player.ErrReseated, "who was replaced")
	other := make(chan error)
	go func() { other <- play(paths[0]) }()
	if err := errors.Join(play(paths[2]), <-other); err != nil || !r.state.IsOver() || !r.state.IsAdjudicated() {
		t.Errorf("%v, over %t", err, r.state.IsOver())
	}
	testmust.Equal(t, r.state.KeyNumber(1), 1, "the substitute has posted card key", "its own first is number 1")
}
