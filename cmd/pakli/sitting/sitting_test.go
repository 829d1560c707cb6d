package sitting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// A player's time runs out without a warning or with repeated ones, or a player who has moved is told
// to hurry.
func TestTimeIsTold(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 80, func(g *wire.Genesis) { g.Ends.Late, g.Ends.Forfeit = wire.LateForfeit, 20 })
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []string
		c := NewClockTeller("en", w.State, 0, func(text string) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, text)
		})
		tells := func(after time.Duration, want ...string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			ok := len(told) == len(want) && !slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(told[slices.Index(want, s)], s) })
			testmust.Holdf(t, ok, "told %q, want %q", told, want)
			told = nil
		}
		at := func(own, other int64) []timing.Clock {
			return []timing.Clock{{Seat: 0, Left: own, Limited: true}, {Seat: 1, Left: other, Limited: true}}
		}
		c.Take(wire.Hash{1}, at(95, 100))
		tells(0, "you have 95 seconds left")
		c.Take(wire.Hash{1}, at(95, 100))
		tells(34 * time.Second)
		testmust.Holdf(t, strings.Contains(c.Line(), "1:01"), "%s", c.Line())
		tells(2*time.Second, "you have 60 seconds left")
		tells(30*time.Second, "you have 30 seconds left")
		tells(10*time.Second, "seat-1 has 30 seconds left")
		tells(12*time.Second, "you have 10 seconds left")
		tells(9*time.Second, "your time is up: you are late as soon as somebody claims it. Then the deal is undone, you pay 20 to every other seat")
		c.Take(wire.Hash{2}, at(20, 100))
		tells(0, "you have 20 seconds left")
		c.Stop()
		tells(time.Hour)
	})
}

// A seat that begins again, wherever its file and however its table is named, must be reported to
// keepers. A program that reports it must not wait for ever beside somebody else's proof or an
// altered one.
func TestSeatThatBeginsAgainIsLost(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 80, func(g *wire.Genesis) { g.Clock.Silence, g.Clock.Grace = true, 3 })
	posts := new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts.Add(1) }))
	t.Cleanup(s.Close)
	_, lines := markstest.LineSigner(t, w.Keepers[0].Name())
	policy := testmust.Have(tlog.ParsePolicy(fmt.Appendf(nil, "witness anna %s %s\n# pakli keeper anna %s\nquorum anna\n", w.Keepers[0], s.URL, lines)))(t)
	id := w.State.ID()
	alter := func(b []byte) []byte { return bytes.Replace(b, []byte(`"state":"lost"`), []byte(`"state":"here"`), 1) }
	for what, c := range map[string]struct {
		dir, table, file string
		alter            func([]byte) []byte
		told             bool
	}{
		"by its id":          {"seats", id.String(), "me.seat", nil, true},
		"by a code":          {"seats", strings.ToLower(id.Code()[:8]), "me.seat", nil, true},
		"all tables":         {"seats", "", "me.seat", nil, true},
		"in brackets":        {"seats [mine]", id.String(), "me.seat", nil, true},
		"another table":      {"seats", wire.Hash{1}.String(), "me.seat", nil, false},
		"another seat":       {"seats", id.String(), "me", nil, false},
		"an altered proof":   {"seats", id.String(), "me.seat", alter, false},
		"a proof of another": {"seats", id.String(), "me.seat", func(b []byte) []byte { return b[:len(b)-1] }, false},
	} {
		posts.Store(0)
		dir := filepath.Join(t.TempDir(), c.dir)
		testmust.Do(t, os.MkdirAll(dir, 0o700))
		seat := filepath.Join(dir, "me.seat")
		identity := testmust.Have(seatfile.Create(seat, "me", ""))(t)
		r := exchange.Request{Genesis: w.Entries[0], Receipt: []byte("x"), Message: testmust.Have(exchange.SignPresence(w.Place(0), exchange.Lost, time.Now(), identity.Signer()))(t)}
		body := r.Marshal()
		if c.alter != nil {
			body = c.alter(body)
		}
		testmust.Do(t, os.WriteFile(seat+"."+id.String()+ProofSuffix, body, 0o644))
		var said bytes.Buffer
		told, stop := (&Lookout{policy: policy, Beside: filepath.Join(dir, c.file)}).TellPresence(t.Context(), command.Env{Err: &said}, identity, c.table)
		if c.told {
			testmust.Until(t, "keepers to be told: "+what, func() bool { return posts.Load() > 0 })
		}
		stop(wire.Hash{})
		if told != c.told || posts.Load() > 0 != c.told || said.Len() > 0 != (c.alter != nil) {
			t.Errorf("%s: told %v, %d requests, said %q", what, told, posts.Load(), said.String())
		}
		testmust.Do(t, identity.Close())
	}
}

var giveUp = player.Act{Kind: wire.KindResign, Body: func() (any, error) { return wire.ResignBody{Scope: wire.ResignDeal}, nil }}

func seatOf(t *testing.T) (*player.Identity, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := testmust.Have(seatfile.Create(path, "anna", ""))(t)
	t.Cleanup(func() { id.Close() })
	return id, path
}

// A killed command's request, or one that somebody with access to the seat file's directory puts
// back, is executed later: a deal is given up that nobody wants to give up.
func TestErrandIsDoneOnce(t *testing.T) {
	id, path := seatOf(t)
	file := path + errandSuffix
	synctest.Test(t, func(t *testing.T) {
		ctx, kill := context.WithCancel(t.Context())
		asked := make(chan error)
		go func() { asked <- Ask(ctx, giveUp, id, path, wire.Hash{1}) }()
		synctest.Wait()
		text := testmust.Have(os.ReadFile(file))(t)
		kill()
		testmust.FailBy(t, <-asked, context.Canceled)
		put := func() { testmust.Do(t, os.WriteFile(file, text, 0o600)) }
		box := openErrands(id, path)
		put()
		if e, err := box.take(); err != nil || e == nil || e.Kind != wire.KindResign {
			t.Fatalf("asked just now: %v, %v", e, err)
		}
		put()
		testmust.FailSaying(t, testmust.ErrorOf(box.take()), "another time", "put back")
		time.Sleep(2*ErrandTime + 2*time.Second)
		put()
		testmust.FailSaying(t, testmust.ErrorOf(openErrands(id, path).take()), "another time", "when the seat plays again")
		if e, err := box.take(); e != nil || err != nil {
			t.Errorf("it is still there: %v, %v", e, err)
		}
	})
}

// A command waits for ever: for a program that took its request and died, for one that takes no
// requests, or because another command asks too.
func TestAskReturns(t *testing.T) {
	id, path := seatOf(t)
	synctest.Test(t, func(t *testing.T) {
		ask := func() chan error {
			said := make(chan error, 1)
			go func() { said <- Ask(t.Context(), giveUp, id, path, wire.Hash{1}) }()
			synctest.Wait()
			return said
		}
		first, second := ask(), ask()
		box := openErrands(id, path)
		testmust.Have(box.take())(t)
		testmust.FailSaying(t, <-first, "does not say what became of it")
		testmust.FailBy(t, <-second, seatfile.ErrInUse)
		testmust.Do(t, os.WriteFile(path+errandSuffix, []byte("a stranger's"), 0o600))
		testmust.FailSaying(t, <-ask(), "stays where it is")
		testmust.Do(t, os.Remove(path+errandSuffix))
		said := ask()
		e := testmust.Have(box.take())(t)
		testmust.Do(t, os.WriteFile(path+answerSuffix+e.Nonce, []byte(`{"error":"no deal is open"}`), 0o600))
		testmust.FailSaying(t, <-said, "no deal is open")
		left, err := filepath.Glob(path + ".*")
		testmust.Holdf(t, errors.Join(err) == nil && len(left) <= 1, "files are left: %v", left) // but for the lock
	})
}
