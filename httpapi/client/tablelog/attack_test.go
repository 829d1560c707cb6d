package tablelog_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// cheat is the seat that shuffles last.
const cheat = 2

// playing is a seat that plays in the background.
type playing struct {
	told
	seat  *player.Seat
	ended chan error
}

func (w *world) play(ctx context.Context, seat int, url string, o tablelog.Options) *playing {
	w.t.Helper()
	p := &playing{ended: make(chan error, 1)}
	o.Tell = p.tell
	var err error
	p.seat, _, err = w.sit(ctx, seat, url, o)
	testmust.Require(w.t, err == nil, err)
	go func() { p.ended <- p.seat.Play(ctx) }()
	return p
}

// rivals makes two honest seats play, each at a server of its own, until the last shuffler signs two
// shuffles on one parent. Both shuffles are in the one log; each server shows one of them, and the
// first server the first.
func rivals(t *testing.T, ctx context.Context, against bool) (w *world, views [2]*view, honest [2]*playing, h player.Hand) {
	w = newWorld(t, "schwarzer-peter/v1", clear.Name, 3, map[string]string{})
	common := newView(w.log)
	w.append(w.first, common)
	url := w.serve(common)
	h = w.hand(cheat)
	w.append(w.say(h, common.State()), common)
	begin, stop := context.WithCancel(ctx)
	early := [2]*playing{w.play(begin, 0, url, tablelog.Options{}), w.play(begin, 1, url, tablelog.Options{})}
	testmust.Until(t, "the last shuffle", func() bool { return owes(common.State(), cheat, table.Shuffle) })
	stop()
	for _, p := range early {
		<-p.ended
	}
	parent := common.State()
	views = [2]*view{common.fork(), common.fork()}
	for i, v := range views {
		w.append(w.say(h, parent), v)
		w.append([]byte(strings.Repeat("x", i+1))) // of nobody
	}
	urls := [2]string{w.serve(views[0]), w.serve(views[1])}
	for i := range honest {
		o := tablelog.Options{Patience: 20 * time.Millisecond}
		if against {
			o.Others = []tablelog.Place{w.at(urls[1-i])}
		}
		honest[i] = w.play(ctx, i, urls[i], o)
	}
	return w, views, honest, h
}

// shows counts the messages with tokens that honest seats have signed in a view, after the entries
// common to all views.
func shows(t *testing.T, v *view) map[int]int {
	t.Helper()
	v.mu.Lock()
	defer v.mu.Unlock()
	found := map[int]int{}
	for _, logged := range v.entries {
		e := testmust.Have(wire.Parse(logged.Bytes))(t)
		var body wire.TokensBody
		if e.Message != nil && e.Message.Seat != cheat && e.Message.Kind == table.Show && wire.DecodeBody(e.Message.Body, &body) == nil && len(body.Tokens) > 0 {
			found[e.Message.Seat]++
		}
	}
	return found
}

// A cheating last shuffler signs two decks, and the servers of one log show a different one to each
// player. Players who read only their table cannot see that. They must not give tokens for both
// decks, since these together would open hands.
func TestHiddenRivalOpensNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w, views, _, h := rivals(t, ctx, false)
	do := func() { // the cheat does everything possible in both views
		for _, v := range views {
			if s := v.State(); owes(s, cheat, table.Show) {
				w.append(w.say(h, s), v)
			}
		}
	}
	testmust.Until(t, "tokens in one of them", func() bool { do(); return len(shows(t, views[0]))+len(shows(t, views[1])) > 0 })
	for range 40 { // time to do it wrong
		do()
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	one, two := shows(t, views[0]), shows(t, views[1])
	if len(one) > 0 && len(two) > 0 {
		t.Errorf("tokens of honest seats in both decks: of seats %v, and of %v", slices.Collect(maps.Keys(one)), slices.Collect(maps.Keys(two)))
	}
}

// Each player asks the other's server after a while. The player who was shown the void rival is told
// so, and the game continues on the other.
func TestHiddenRivalIsTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w, views, honest, h := rivals(t, ctx, true)
	for len(views[0].State().Duties()) > 0 {
		if s := views[0].State(); owes(s, cheat, table.Show) {
			w.append(w.say(h, s), views[0])
		} else if len(s.DutiesOf(cheat)) > 0 {
			break // the deal is dealt
		}
		select {
		case err := <-honest[0].ended:
			t.Fatalf("seat A: %v", err)
		case err := <-honest[1].ended:
			t.Fatalf("seat B: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
	if len(shows(t, views[0])) != 2 || len(shows(t, views[1])) != 0 {
		t.Errorf("tokens in the history that counts %v, in the other %v", shows(t, views[0]), shows(t, views[1]))
	}
	dead := func(f tablelog.Finding) bool {
		return f.Kind == tablelog.LeftOut && strings.Contains(f.Text, "dead branch") && strings.Contains(f.Text, "a shuffle of seat C (player2)")
	}
	honest[1].mu.Lock()
	defer honest[1].mu.Unlock()
	testmust.Hold(t, slices.ContainsFunc(honest[1].list, dead), "seat B is told", honest[1].list)
}

// A player who signed on the void rival must not sign on the other, since its tokens would be for two
// decks. The player must be told, and must stop.
func TestSignedOnADeadBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "schwarzer-peter/v1", clear.Name, 3, map[string]string{})
	common := newView(w.log)
	w.append(w.first, common)
	hands := []player.Hand{{}, w.hand(1), w.hand(cheat)}
	for _, seat := range []int{1, cheat} {
		w.append(w.say(hands[seat], common.State()), common)
	}
	url := w.serve(common)
	ctx, cancel := context.WithCancel(t.Context())
	early := w.play(ctx, 0, url, tablelog.Options{})
	for !owes(common.State(), cheat, table.Shuffle) {
		if s := common.State(); owes(s, 1, table.Shuffle) {
			w.append(w.say(hands[1], s), common)
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-early.ended
	parent, honest, lying := common.State(), common.fork(), common.fork()
	w.append(w.say(hands[cheat], parent), honest)
	w.append(w.say(hands[cheat], parent), lying)
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	victim := w.play(ctx, 0, w.serve(lying), tablelog.Options{
		Patience: 50 * time.Millisecond, Others: []tablelog.Place{w.at(w.serve(honest))},
		Now: func() time.Time { // it asks nobody before it has signed
			if len(shows(t, lying)) == 0 {
				return began
			}
			return time.Now()
		},
	})
	err := <-victim.ended
	testmust.Holdf(t, err != nil && strings.Contains(err.Error(), "not in this history") && victim.has(tablelog.LeftOut), "%v; told %+v", err, victim.list)
	if len(shows(t, lying)) != 1 || len(shows(t, honest)) != 0 {
		t.Errorf("tokens on the dead branch %v, and in the history that counts %v", shows(t, lying), shows(t, honest))
	}
}

// reader is a seat that only reads.
func (w *world) reader(t *testing.T, url string, o tablelog.Options) (*tablelog.Source, *told) {
	t.Helper()
	l := new(told)
	o.Server, o.Tell = w.client(url, nil), l.tell
	if o.Patience == 0 {
		o.Patience = time.Nanosecond
	}
	return tablelog.New(w.id, o), l
}

// read continues after n known entries.
func read(t *testing.T, src *tablelog.Source, n int) (int, error) {
	t.Helper()
	list, err := src.Messages(t.Context(), wire.Hash{}, n, 0)
	return len(list), err
}

// begun is a table with its genesis entry and three keys, and other entries between.
func begun(t *testing.T) (*world, *view) {
	w := newWorld(t, "schwarzer-peter/v1", clear.Name, 3, map[string]string{})
	v := newView(w.log)
	w.append([]byte("of nobody"))
	w.append(w.first, v)
	for seat := range 3 {
		w.append([]byte(strings.Repeat("y", seat+1)))
		w.append(w.say(w.hand(seat), v.State()), v)
	}
	return w, v
}

// part returns a view without some entries of another.
func part(v *view, without ...int) *view {
	p := newView(v.log)
	for _, e := range v.entries {
		if !slices.Contains(without, e.N) {
			p.show(e.Index, e.Bytes)
		}
	}
	return p
}

// A server omits an entry or the end, and other servers and mirrors show it. A server that omits the
// beginning of a table must not be believed at all.
func TestHiddenEntries(t *testing.T) {
	t.Parallel()
	w, whole := begun(t)
	dir := t.TempDir()
	testmust.Have(tiles.CopyLog(t.Context(), w.log, dir, func([]byte) [][32]byte { return nil }))(t)
	url := w.serve(whole)
	for name, other := range map[string]tablelog.Place{"server": w.at(url), "mirror": tablelog.Mirror{Directory: tiles.Directory(dir), Keys: verifiers(w)}} {
		src, l := w.reader(t, w.serve(part(whole, 3)), tablelog.Options{Others: []tablelog.Place{other}})
		n, err := read(t, src, 0)
		testmust.Requiref(t, n == 3 && err == nil, "%s: %d entries, %v", name, n, err)
		if n, err := read(t, src, 3); n != 1 || err != nil || !l.has(tablelog.Hidden) || l.has(tablelog.LeftOut) {
			t.Errorf("%s: the end hidden: %d entries, %v, told %+v", name, n, err, l.list)
		}
		src, l = w.reader(t, w.serve(part(whole, 2)), tablelog.Options{Others: []tablelog.Place{other}})
		n, err = read(t, src, 0)
		testmust.Requiref(t, n == 3 && err == nil, "%s: %d entries, %v", name, n, err)
		_, err = read(t, src, 3)
		testmust.Holdf(t, errors.Is(err, player.ErrLeftOut) && l.has(tablelog.LeftOut), "%s: an entry left out: %v, told %+v", name, err, l.list)
		n, err = read(t, src, 0)
		testmust.Holdf(t, n == 4 && err == nil, "%s: read anew: %d entries, %v", name, n, err)
		src, l = w.reader(t, url, tablelog.Options{Others: []tablelog.Place{other}})
		read(t, src, 0)
		if n, err := read(t, src, 4); n != 0 || err != nil || !l.has(tablelog.Waiting) || len(l.list) != 1 {
			t.Errorf("%s: nothing hidden: %d entries, %v, told %+v", name, n, err, l.list)
		}
	}
	later := newView(w.log)
	later.state = whole.State()
	for i, e := range whole.entries[1:] {
		e.N = i
		later.entries = append(later.entries, e)
	}
	src, _ := w.reader(t, w.serve(later), tablelog.Options{})
	testmust.FailBy(t, testmust.ErrorOf(read(t, src, 0)), tlog.ErrMalformed, "a later beginning")
}

// One of two servers of a log lags behind. A player at that server must read from the other and post
// there; a player at the other must not be delayed.
func TestServerBehind(t *testing.T) {
	t.Parallel()
	w, ahead := begun(t)
	urls := [2]string{w.serve(w.copied(6)), w.serve(ahead)} // up to the second key
	src, l := w.reader(t, urls[0], tablelog.Options{Others: []tablelog.Place{w.at(urls[1])}})
	n, err := read(t, src, 0)
	testmust.Requiref(t, n == 3 && err == nil, "behind: %d entries, %v", n, err)
	n, err = read(t, src, 3)
	testmust.Holdf(t, n == 1 && err == nil && l.has(tablelog.Hidden), "behind: %d entries, %v, told %+v", n, err, l.list)
	err = src.Post(t.Context(), w.id, w.shuffle(ahead))
	testmust.Holdf(t, err == nil && len(ahead.entries) == 5, "posted where it is known: %v", err)
	src, l = w.reader(t, urls[1], tablelog.Options{Others: []tablelog.Place{w.at(urls[0])}})
	read(t, src, 0)
	n, err = read(t, src, 5)
	testmust.Holdf(t, n == 0 && err == nil && l.has(tablelog.Waiting) && len(l.list) == 1, "ahead: %d entries, %v, told %+v", n, err, l.list)
}

// A server that stops answering hides all new entries. A player with other servers continues.
func TestServerAway(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	var away atomic.Bool
	url := w.through(part(v, 3), func(rw http.ResponseWriter, _ *http.Request) bool {
		if away.Load() {
			rw.WriteHeader(http.StatusInternalServerError)
		}
		return away.Load()
	})
	src, l := w.reader(t, url, tablelog.Options{Others: []tablelog.Place{w.at(w.serve(v))}})
	read(t, src, 0)
	away.Store(true)
	n, err := read(t, src, 3)
	testmust.Holdf(t, n == 1 && err == nil && l.has(tablelog.Hidden), "%d entries, %v, told %+v", n, err, l.list)
	n, err = read(t, src, 4)
	testmust.Holdf(t, n == 0 && err != nil, "nothing more anywhere: %d entries, %v", n, err)
}

// Two servers with one key show two histories, of equal or different sizes. The log is convicted, and
// both checkpoints are kept.
func TestForkedServers(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]int{"of one size": 0, "the other is larger": 3, "the other is smaller": -3} {
		w, one := begun(t)
		two := newView(newLog(t, w.key))
		cp := testmust.Have(w.log.Checkpoint(t.Context()))(t)
		for i := range int(cp.Size) + more {
			entry := []byte(strings.Repeat("z", i+1))
			if i == 1 {
				entry = w.first
			}
			two.put(w, entry)
		}
		var kept []tlog.Checkpoint
		keep := func(a, b tlog.Checkpoint) (string, error) { kept = append(kept, a, b); return "a place", nil }
		src, l := w.reader(t, w.serve(one), tablelog.Options{Others: []tablelog.Place{w.at(w.serve(two))}, Keep: keep})
		read(t, src, 0)
		if _, err := read(t, src, 4); !errors.Is(err, tlog.ErrForked) || !l.has(tablelog.Forked) || len(kept) != 2 {
			t.Errorf("%s: %v, told %+v, kept %d", name, err, l.list, len(kept))
			continue
		}
		for _, c := range kept {
			testmust.Do(t, c.Verify(w.key.Verifier), name, "kept")
		}
	}
}

// A place that is away, shows nonsense, or shows another log is reported, accuses nobody, and does
// not prevent requests to the others.
func TestUselessPlaces(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	foreign, _ := begun(t)
	nowhere := tablelog.Mirror{Directory: tiles.Directory(t.TempDir()), Keys: verifiers(w)}
	broken := t.TempDir()
	testmust.Have(tiles.CopyLog(t.Context(), w.log, broken, func([]byte) [][32]byte { return nil }))(t)
	testmust.Do(t, os.RemoveAll(broken+"/tile"))
	src, l := w.reader(t, w.serve(part(v, 3)), tablelog.Options{Others: []tablelog.Place{
		nowhere, tablelog.Mirror{Directory: tiles.Directory(broken), Keys: verifiers(w)}, w.at(foreign.serve(newView(foreign.log))), w.at(w.serve(v)),
	}})
	read(t, src, 0)
	n, err := read(t, src, 3)
	unproven := 0
	for _, f := range l.list {
		if f.Kind == tablelog.Unproven {
			unproven++
		}
	}
	testmust.Holdf(t, n == 1 && err == nil && unproven == 3 && !l.has(tablelog.Forked), "%d entries, %v, told %+v", n, err, l.list)
}

// A log has forked, and a place shows its other history under a checkpoint from before the fork. The
// tree of the entries that it lists was never compared. A player must compare it before it accepts an
// entry of it.
func TestForkBehindAnOldCheckpoint(t *testing.T) {
	t.Parallel()
	for _, more := range []int{0, 9} { // the other tree is smaller or larger
		w, one := begun(t)
		two := newView(newLog(t, w.key))
		var old tlog.Checkpoint
		for _, entry := range append([][]byte{[]byte("of nobody"), w.first, w.say(w.hand(0), part(one, 1, 2, 3).State())}, make([][]byte, more)...) {
			if entry == nil {
				entry = []byte(strings.Repeat("z", 20+len(two.entries)+more))
				more--
			}
			if two.put(w, entry) == 1 {
				old = testmust.Have(two.log.Checkpoint(t.Context()))(t)
			}
		}
		url := w.through(two, func(rw http.ResponseWriter, r *http.Request) bool {
			shown := r.URL.Path == "/checkpoint" || r.URL.Path == "/v1/checkpoint"
			if shown {
				rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
				rw.Write(old.Note)
			}
			return shown
		})
		src, l := w.reader(t, w.serve(one), tablelog.Options{Others: []tablelog.Place{w.at(url)}})
		read(t, src, 0)
		n, err := read(t, src, 4)
		testmust.Holdf(t, errors.Is(err, tlog.ErrForked) && l.has(tablelog.Forked), "%d entries, %v, told %+v", n, err, l.list)
	}
}

// A place that lags for a moment, as one of several behind one address does, must not be read
// completely ever after.
func TestPlaceBehindForAMoment(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	var behind atomic.Bool
	var whole atomic.Int32
	url := w.through(v, func(rw http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/tile/entries/") {
			whole.Add(1)
		}
		refused := behind.Load() && strings.HasSuffix(r.URL.Path, "/messages")
		if refused {
			rw.Header().Set("Content-Type", "application/problem+json")
			rw.WriteHeader(http.StatusNotFound)
			rw.Write([]byte(`{"type":"/problems/beyond-the-log"}`))
		}
		return refused
	})
	src, l := w.reader(t, w.serve(v), tablelog.Options{Others: []tablelog.Place{w.at(url)}})
	read(t, src, 0)
	for _, now := range []bool{false, true, false} {
		behind.Store(now)
		src.Doubt()
		_, err := read(t, src, 4)
		testmust.Holdf(t, err == nil && l.has(tablelog.Unproven) == now, "behind %v: %v, told %+v", now, err, l.list)
		l.list = nil
	}
	n := whole.Load()
	testmust.Holdf(t, n <= 0, "%d bundles of all entries were read", n)
}

// A place that accepts every request and never answers must not keep a player from its table.
func TestSilentPlace(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	given := make(chan time.Time, 1)
	asked := sync.OnceFunc(func() { given <- time.Now() })
	silent := w.through(v, func(_ http.ResponseWriter, r *http.Request) bool { asked(); <-r.Context().Done(); return true })
	var waited time.Duration
	after := func(d time.Duration) <-chan time.Time {
		waited = d
		return given // once, to a player that has asked the silent place
	}
	src, l := w.reader(t, w.serve(v), tablelog.Options{After: after, Others: []tablelog.Place{w.at(silent), w.at(w.serve(v))}})
	read(t, src, 0)
	n, err := read(t, src, 4)
	testmust.Holdf(t, n == 0 && err == nil && l.has(tablelog.Unproven) && l.has(tablelog.Waiting), "%d entries, %v, told %+v", n, err, l.list)
	testmust.Equal(t, waited, 30*time.Second, "a place is given up after")
}

// A server lists an entry but fails to show its blob. A player with other servers gets the blob
// there.
func TestBlobFromElsewhere(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	proof := make([]byte, wire.MaxInline+1)
	parcel, err := wire.Sign(&wire.Message{Format: wire.MessageFormat, Table: w.id, Parent: v.State().Head(), Kind: table.Shuffle,
		Body: []byte(`{"cards":[]}`), Proofs: [][]byte{proof}}, w.seats[0].Signer())
	testmust.Do(t, err)
	entry, _ := wire.CutParcel(parcel)
	w.append(entry, v)
	serve := func(status int, blob []byte) string {
		return w.through(v, func(rw http.ResponseWriter, r *http.Request) bool {
			asked := strings.HasPrefix(r.URL.Path, "/v1/blobs/")
			if asked {
				rw.WriteHeader(status)
				rw.Write(blob)
			}
			return asked
		})
	}
	url, other := serve(http.StatusInternalServerError, nil), serve(http.StatusOK, proof)
	src, _ := w.reader(t, url, tablelog.Options{Others: []tablelog.Place{w.at(url), w.at(other)}})
	list, err := src.Messages(t.Context(), w.id, 4, 0)
	testmust.Holdf(t, err == nil && slices.Equal(list[len(list)-1], parcel), "%d entries, %v", len(list), err)
}
