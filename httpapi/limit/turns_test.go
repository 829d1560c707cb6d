package limit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
)

func newTurns(rate float64) *limit.Turns {
	return limit.NewTurns(limit.TurnsOptions{Rate: rate, Burst: 10 * time.Millisecond, PerAddress: 2, Waiting: 8})
}

// work has turns of an address until ctx ends, each of which uses a millisecond.
func work(ctx context.Context, t *limit.Turns, address string) (turns int) {
	for ctx.Err() == nil {
		if leave, err := t.Enter(ctx, limit.Prefix(address)); err == nil {
			time.Sleep(time.Millisecond)
			leave(time.Millisecond)
			turns++
		}
	}
	return turns
}

// Who asks for as much as can be had must get no more than its part, over however many
// connections; two must share it; and who asks for little must not wait for them.
func TestTurnsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(0.25)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		var mu sync.Mutex
		had := map[string]int{}
		several := func(address string, connections int) {
			for range connections {
				wg.Go(func() {
					n := work(ctx, turns, address)
					mu.Lock()
					defer mu.Unlock()
					had[address] += n
				})
			}
		}
		several(x, 8)
		several(y, 1)
		for range 100 {
			begin := time.Now()
			leave, err := turns.Enter(ctx, limit.Prefix(z))
			if err != nil || time.Since(begin) > 0 {
				t.Fatalf("somebody else waited %v: %v", time.Since(begin), err)
			}
			leave(time.Millisecond)
			time.Sleep(50 * time.Millisecond)
		}
		wg.Wait()
		if all := had[x] + had[y]; all < 2400 || all > 3000 || had[y] < 1100 || had[x] < 1100 {
			t.Errorf("of 2500 turns: %v", had)
		}
	})
}

// What was used outside a turn must be paid too, and only by who used it.
func TestTurnsAreCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(0.5)
		turns.Charge(limit.Prefix("2001:db8::1"), 110*time.Millisecond)
		for address, want := range map[string]time.Duration{y: 0, "2001:db8:0:ff::1": 200 * time.Millisecond} { // of the same customer
			begin := time.Now()
			leave := testmust.Have(turns.Enter(t.Context(), limit.Prefix(address)))(t)
			leave(0)
			if got := time.Since(begin); got > want || got < want-time.Millisecond {
				t.Errorf("%s waited %v, want %v", address, got, want)
			}
		}
		unbounded := newTurns(-1)
		unbounded.Charge(limit.Prefix(x), time.Hour)
		begin := time.Now()
		if _, err := unbounded.Enter(t.Context(), limit.Prefix(x)); err != nil || time.Since(begin) > 0 {
			t.Errorf("without a bound: %v after %v", err, time.Since(begin))
		}
	})
}

// Who has to wait because many others do must not wait any longer once they have gone.
func TestTurnsComeSoonerWhenOthersLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(0.5)
		ctx, giveUp := context.WithCancel(t.Context())
		for i := range 1000 {
			address := limit.Prefix(fmt.Sprintf("10.0.%d.%d", i>>8, i&255))
			turns.Charge(address, time.Minute)
			go func() { _, _ = turns.Enter(ctx, address) }()
		}
		synctest.Wait()
		turns.Charge(limit.Prefix(x), 60*time.Millisecond)
		time.AfterFunc(time.Second, giveUp)
		begin := time.Now()
		testmust.Have(turns.Enter(t.Context(), limit.Prefix(x)))(t)
		if got := time.Since(begin); got > 3*time.Second {
			t.Errorf("waited %v, %v of them alone, for 100 ms", got, got-time.Second)
		}
	})
}

// The line of an address must have an end, and who gives up must leave it, and the turn
// that it had been given.
func TestTurnsHaveALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(0.001)
		turns.Charge(limit.Prefix(x), time.Second)
		ctx, giveUp := context.WithCancel(t.Context())
		var ended []string
		var mu sync.Mutex
		for range 9 {
			go func() {
				_, err := turns.Enter(ctx, limit.Prefix(x))
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, fmt.Sprintf("%v %v %v", reason(err), wait(err) > 0, errors.Is(err, context.Canceled)))
			}()
			synctest.Wait()
		}
		if got := strings.Join(ended, ","); got != "address-time true false" {
			t.Errorf("with eight in the line: %q", got)
		}
		giveUp()
		synctest.Wait()
		if got := strings.Count(strings.Join(ended, ","), "false true"); got != 8 {
			t.Errorf("%d have left the line: %q", got, ended)
		}
		time.Sleep(time.Hour)
		for range 2 { // which are all turns of one address
			testmust.Have(turns.Enter(t.Context(), limit.Prefix(x)))(t)
		}
	})
}

// A flood of addresses must not fill the memory.
func TestTurnsAreForgotten(t *testing.T) {
	turns := newTurns(1)
	for i := range 50_000 {
		turns.Charge(limit.Prefix(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)), time.Second)
	}
	if n := limit.Accounts(turns); n > 16<<10 {
		t.Errorf("%d addresses are remembered", n)
	}
}
