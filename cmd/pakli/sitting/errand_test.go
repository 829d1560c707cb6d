package sitting

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
)

var giveUp = player.Act{Kind: wire.KindResign, Body: func() (any, error) { return wire.ResignBody{Scope: wire.ResignDeal}, nil }}

func seatOf(t *testing.T) (*player.Identity, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := testmust.Have(seatfile.Create(path, "anna", ""))(t)
	t.Cleanup(func() { id.Close() })
	return id, path
}

// What a command asked that was killed, or that somebody puts back who may write beside the seat file, done at another time: a deal given up
// that nobody wants to give up.
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

// A command that waits for ever: for a program that has taken what it asks and died, for one that takes nothing, or since another asks too.
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
