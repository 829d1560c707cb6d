package limit_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
)

func newTurns(rate float64) *limit.Turns { return newTurnsOf(rate, 8) }

func newTurnsOf(rate float64, waiting int) *limit.Turns {
	return limit.NewTurns(limit.TurnsOptions{Rate: rate, Others: limit.NewShares(1, 1), Burst: 10 * time.Millisecond, AtOnce: 1, Waiting: 1000, WaitingPerAddress: waiting})
}

// work takes turns for an address until ctx ends, each of which uses a millisecond.
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

// A caller that asks for as much as possible gets only its share, over however many connections; two
// such callers share equally; and a caller that asks for little does not wait for them.
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
			if err != nil || time.Since(begin) > 20*time.Millisecond {
				t.Errorf("somebody else waited %v: %v", time.Since(begin), err)
				return
			}
			leave(time.Millisecond)
			time.Sleep(50 * time.Millisecond)
		}
		wg.Wait()
		all := had[x] + had[y]
		testmust.Holdf(t, all >= 2400 && all <= 3000 && had[y] >= 1100 && had[x] >= 1100, "of 2500 turns: %v", had)
	})
}

// Time used outside a turn is charged, too, and only to its user.
func TestTurnsAreCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(0.5)
		turns.Charge(limit.Prefix("2001:db8::1"), 110*time.Millisecond)
		for address, want := range map[string]time.Duration{y: 0, "2001:db8:0:ff::1": 202 * time.Millisecond} { // of the same customer
			begin := time.Now()
			leave := testmust.Have(turns.Enter(t.Context(), limit.Prefix(address)))(t)
			leave(0)
			got := time.Since(begin)
			testmust.Holdf(t, got <= want && got >= want-time.Millisecond, "%s waited %v, want %v", address, got, want)
		}
		unbounded := newTurns(-1)
		unbounded.Charge(limit.Prefix(x), time.Hour)
		begin := time.Now()
		_, err := unbounded.Enter(t.Context(), limit.Prefix(x))
		testmust.Holdf(t, err == nil && time.Since(begin) <= 0, "without a bound: %v after %v", err, time.Since(begin))
	})
}

// The line of an address is bounded. A caller that gives up leaves the line, and returns a turn that
// it was just given.
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
		testmust.Equal(t, strings.Join(ended, ","), "address-time true false", "with eight in the line")
		giveUp()
		synctest.Wait()
		got := strings.Count(strings.Join(ended, ","), "false true")
		testmust.Holdf(t, got == 8, "%d have left the line: %q", got, ended)
		time.Sleep(time.Hour)
		testmust.Have(turns.Enter(t.Context(), limit.Prefix(x)))(t)(0)
	})
}

// A flood of addresses must not fill the memory.
func TestTurnsAreForgotten(t *testing.T) {
	turns := newTurns(1)
	for i := range 50_000 {
		turns.Charge(limit.Prefix(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)), time.Second)
	}
	n := limit.Accounts(turns)
	testmust.Holdf(t, n <= 16<<10, "%d addresses are remembered", n)
}

// begin makes addresses take turns that do not end, and returns the number of turns begun.
func begin(t *testing.T, turns *limit.Turns, addresses int, format string) *atomic.Int64 {
	var begun atomic.Int64
	for i := range addresses {
		for range 4 {
			go func() {
				if _, err := turns.Enter(t.Context(), limit.Prefix(fmt.Sprintf(format, i))); err == nil {
					begun.Add(1)
				}
			}()
		}
	}
	synctest.Wait()
	return &begun
}

// However many addresses have used nothing, only as many turns run at once as there are places, and a
// long turn does not block the others for ever.
func TestTurnsAreFewAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurnsOf(0.25, 1000)
		begun := begin(t, turns, 200, "2001:db8:0:%x00::1")
		testmust.Equal(t, begun.Load(), 1, "turns at once")
		time.Sleep(time.Minute)
		n := begun.Load()
		testmust.Holdf(t, n >= 2 && n <= 8, "%d turns beside one that does not end", n-1)
	})
}

// The use of many addresses, one after the other, has a limit that does not grow with their number,
// and a range of many gets no more than somebody with one address.
func TestRangesAreChargedAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurnsOf(0.25, 1000)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var many, one atomic.Int64
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() { many.Add(int64(work(ctx, turns, fmt.Sprintf("2001:db8:0:%x00::1", i)))) })
		}
		for range 4 {
			wg.Go(func() { one.Add(int64(work(ctx, turns, "2001:db8:1::1"))) })
		}
		wg.Wait()
		all := many.Load() + one.Load()
		testmust.Holdf(t, all <= 3000 && one.Load() >= 1000, "of 2500 turns, 200 networks had %d, and one elsewhere %d", many.Load(), one.Load())
	})
}

// An address that used little must not wait until others have paid. One greedy neighbour must not
// slow down all addresses near it; many do.
func TestWhoHasUsedLittleDoesNotPay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(0.01)
		waits := func(address string) bool {
			begin := time.Now()
			testmust.Have(turns.Enter(t.Context(), limit.Prefix(address)))(t)(0)
			return time.Since(begin) > 0
		}
		turns.Charge(limit.Prefix(x), time.Hour)
		testmust.Hold(t, !waits(y), "a neighbour of one who owes an hour waits")
		turns.Charge(limit.Prefix(y), 100*time.Millisecond)
		testmust.Hold(t, waits(y), "who has used more than little does not wait")
		turns.Charge(limit.Prefix(x), time.Hour)
		for i := range 100 {
			turns.Charge(limit.Prefix(fmt.Sprintf("198.51.100.%d", i)), 5*time.Millisecond)
		}
		testmust.Hold(t, waits("198.51.100.200"), "a hundred have used little each, and one more of theirs does not wait")
	})
}

// While posts are in progress, turns get less time, but some.
func TestTurnsGetLessBesidePosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		others := limit.NewShares(1, 1)
		testmust.Have(others.Enter(limit.Prefix(x), 1))(t)
		turns := limit.NewTurns(limit.TurnsOptions{Rate: 0.3, Others: others, Burst: 10 * time.Millisecond, AtOnce: 1, Waiting: 8, WaitingPerAddress: 8})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		n := work(ctx, turns, x)
		testmust.Holdf(t, n >= 900 && n <= 1100, "%d ms of 10 s, want a tenth", n)
	})
}

// Many addresses that each use little have a common limit.
func TestLittleOfManyIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurnsOf(0.25, 1000)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		var had atomic.Int64
		var wg sync.WaitGroup
		for i := range 500 {
			wg.Go(func() { had.Add(int64(work(ctx, turns, fmt.Sprintf("10.%d.%d.1", i>>8, i&255)))) })
		}
		wg.Wait()
		if n := had.Load(); n > 850 { // a quarter, and an eighth
			t.Errorf("%d ms of 2 s", n)
		}
	})
}

// hall checks proofs, each in a tenth of a second, and has a processor for all.
type hall struct {
	checks *limit.Checks
	proofs *limit.WrongProofs
}

func newHall() *hall {
	c := limit.NewChecks(limit.ChecksOptions{Most: 1000, CostlyPerAddress: 1000, Long: 1000, Waiting: 1000, WaitingPerAddress: 1000, Clock: time.Now})
	return &hall{c, c.Wrong()}
}

const checkTime = 100 * time.Millisecond

// check checks a proof, which is right or wrong as given.
func (h *hall) check(ctx context.Context, d limit.Proof, right bool) error {
	leave, err := h.checks.Enter(ctx, d)
	if err == nil {
		time.Sleep(checkTime)
		leave(true, right)
	}
	return err
}

func by(seat, table, address string, size int) limit.Proof {
	d := limit.Proof{Caller: limit.Prefix(address), Seat: seat, Bytes: size}
	copy(d.Table[:], table)
	return d
}

func wait(err error) time.Duration {
	if e, ok := errors.AsType[*limit.Error](err); ok {
		return e.Wait
	}
	return 0
}

// A seat that continues with wrong proofs waits longer each time, whatever its address. Cheap
// messages and the other seats do not wait.
func TestWrongProofsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall()
		for i, want := range []time.Duration{0, 2, 8, 32, 128, 512, 512} {
			bad := by("bad", "t", fmt.Sprintf("192.0.2.%d", i), costly)
			testmust.Do(t, h.check(t.Context(), bad, false))
			_, err := h.proofs.MustStand(bad)
			if wait(err) != want*time.Second || want > 0 && reason(err) != limit.SeatProofs {
				t.Errorf("after %d wrong ones: %v, %v", i+1, err, wait(err))
			}
			for _, d := range []limit.Proof{by("bad", "t", x, 4096), by("beside", "t", x, costly)} {
				stood, err := h.proofs.MustStand(d)
				testmust.Holdf(t, err == nil && !stood, "%s, %d bytes: %v", d.Seat, d.Bytes, err)
			}
			time.Sleep(wait(err))
		}
		// Another seat of the table continues from the same address.
		other := by("other", "t", y, costly)
		testmust.Do(t, h.check(t.Context(), other, false))
		if _, err := h.proofs.MustStand(other); wait(err) < time.Minute {
			t.Errorf("the second seat of a table: %v", wait(err))
		}
		time.Sleep(2 * time.Hour)
		testmust.Do(t, h.check(t.Context(), by("bad", "t", x, costly), false))
		_, err := h.proofs.MustStand(by("bad", "t", x, costly))
		testmust.Do(t, err, "what was long ago is not forgotten")
	})
}

// A caller that gives up leaves the line, and the line is bounded.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall()
		h.proofs.NoteWrong(by("bad", "t", x, costly), time.Hour)
		ctx, giveUp := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		full := 0 // never at the same time: each begins when the one before it waits
		for i := range 40 {
			wg.Go(func() {
				switch err := h.check(ctx, by(fmt.Sprint("new ", i), "t", x, costly), true); {
				case reason(err) == limit.AddressProofs && wait(err) > 0:
					full++
				case !errors.Is(err, context.Canceled):
					t.Errorf("%d: %v", i, err)
				}
			})
			synctest.Wait()
		}
		testmust.Equal(t, full, 24, "of 40 were turned away")
		giveUp()
		wg.Wait()
		_, _, lines := limit.Remembered(h.proofs)
		testmust.Holdf(t, lines == 0, "%d lines are left", lines)
		// After it has paid, nobody waits.
		time.Sleep(2 * time.Minute)
		stood, err := h.proofs.MustStand(by("new", "t", x, costly))
		testmust.Holdf(t, !stood && err == nil, "%v, %v", stood, err)
	})
}

// Who gives up waiting for a processor leaves the line too, or nobody of the address gets on.
func TestLineIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := limit.NewChecks(limit.ChecksOptions{Most: 1, CostlyPerAddress: 1, Long: 1, Waiting: 8, WaitingPerAddress: 8, Clock: time.Now})
		leave := testmust.Have(c.Enter(t.Context(), by("bad", "t", x, costly)))(t)
		time.Sleep(2 * time.Second)
		leave(true, false)
		leave = testmust.Have(c.Enter(t.Context(), by("else", "u", y, costly)))(t)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		testmust.Fail(t, testmust.ErrorOf(c.Enter(ctx, by("new", "t", x, costly))), "the processor is taken")
		leave(true, true)
		time.Sleep(time.Minute)
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		testmust.Have(c.Enter(ctx, by("third", "t", x, costly)))(t, "the line is not left")(true, true)
	})
}

// A genesis entry has no proofs. It must not vouch for its signer, or wait for proofs of others.
func TestGenesisIsNoProof(t *testing.T) {
	p := limit.NewWrongProofs(func() time.Time { return start })
	p.NoteWrong(by("bad", "t", x, costly), time.Hour)
	genesis := by("organiser", "", x, costly)
	p.NoteRight(genesis)
	waits := testmust.Have(p.MustStand(genesis))(t)
	testmust.Hold(t, !waits && testmust.Have(p.MustStand(by("organiser", "new", x, costly)))(t), "a genesis entry waits, or stands for a proof")
}

// A flood of keys and tables must not fill the memory.
func TestWrongProofsAreForgotten(t *testing.T) {
	p := limit.NewWrongProofs(func() time.Time { return start })
	for i := range 50_000 {
		d := by(fmt.Sprint(i), fmt.Sprint(i), x, costly)
		p.NoteWrong(d, time.Millisecond)
		p.NoteRight(d)
	}
	seats, tables, _ := limit.Remembered(p)
	testmust.Holdf(t, seats <= 16<<10 && tables <= 16<<10, "%d seats, %d tables", seats, tables)
}

// Long proofs of any number of addresses must leave a processor to the others.
func TestLongProofsLeaveAProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, limit.ChecksOptions{Most: 2, CostlyPerAddress: 2, Long: 1, Waiting: big, WaitingPerAddress: 10})
		b.ask(x, costly, time.Second)
		b.ask(y, costly, time.Second)
		got := b.begun()
		testmust.Requiref(t, got == x, "begun: %q", got)
		b.ask(z, 32<<10, time.Second) // not long
		got = b.begun()
		testmust.Requiref(t, got == x+" "+z, "begun: %q", got)
		time.Sleep(time.Minute)
		testmust.Equal(t, b.begun(), x+" "+z+" "+y, "begun in the end")
	})
}
