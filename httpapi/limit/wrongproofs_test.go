package limit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
)

// hall is where proofs are checked, each in a tenth of a second.
type hall struct{ proofs *limit.WrongProofs }

func newHall() *hall { return &hall{limit.NewWrongProofs(time.Now)} }

const checkTime = 100 * time.Millisecond

// check checks a proof that is right or not.
func (h *hall) check(ctx context.Context, d limit.Proof, right bool) error {
	leave, _, err := h.proofs.Enter(ctx, d)
	if err != nil {
		return err
	}
	defer leave()
	time.Sleep(checkTime)
	if right {
		h.proofs.NoteRight(d)
		return nil
	}
	h.proofs.NoteWrong(d, checkTime)
	return nil
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

// A seat that goes on with wrong proofs must wait longer each time, whatever
// address it comes from; what is cheap, and whoever sits beside it, must not.
func TestWrongProofsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall()
		for i, want := range []time.Duration{0, 2, 8, 32, 128, 512, 512} {
			bad := by("bad", "t", fmt.Sprintf("192.0.2.%d", i), costly)
			testmust.Do(t, h.check(t.Context(), bad, false))
			_, _, err := h.proofs.Enter(t.Context(), bad)
			if wait(err) != want*time.Second || want > 0 && reason(err) != limit.SeatProofs {
				t.Errorf("after %d wrong ones: %v, %v", i+1, err, wait(err))
			}
			for _, d := range []limit.Proof{by("bad", "t", x, 4096), by("beside", "t", x, costly)} {
				_, stood, err := h.proofs.Enter(t.Context(), d)
				testmust.Holdf(t, err == nil && !stood, "%s, %d bytes: %v", d.Seat, d.Bytes, err)
			}
			time.Sleep(wait(err))
		}
		// Another seat of the table goes on where this one was.
		other := by("other", "t", y, costly)
		testmust.Do(t, h.check(t.Context(), other, false))
		if _, _, err := h.proofs.Enter(t.Context(), other); wait(err) < time.Minute {
			t.Errorf("the second seat of a table: %v", wait(err))
		}
		time.Sleep(2 * time.Hour)
		testmust.Do(t, h.check(t.Context(), by("bad", "t", x, costly), false))
		_, _, err := h.proofs.Enter(t.Context(), by("bad", "t", x, costly))
		testmust.Do(t, err, "what was long ago is not forgotten")
	})
}

// Who gives up must leave the line, and the line must have an end.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHall()
		h.proofs.NoteWrong(by("bad", "t", x, costly), time.Hour)
		ctx, giveUp := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		full := 0 // none at the same time: each is begun when the one before waits
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
		// Once it has paid, nobody waits.
		time.Sleep(2 * time.Minute)
		_, stood, err := h.proofs.Enter(t.Context(), by("new", "t", x, costly))
		testmust.Holdf(t, !stood && err == nil, "%v, %v", stood, err)
	})
}

// A genesis entry, which has no proofs, must not vouch for whoever signed it, nor
// wait for those of others.
func TestGenesisIsNoProof(t *testing.T) {
	p := limit.NewWrongProofs(func() time.Time { return start })
	p.NoteWrong(by("bad", "t", x, costly), time.Hour)
	genesis := by("organiser", "", x, costly)
	p.NoteRight(genesis)
	testmust.Hold(t, p.StillUnsuspected(genesis) && !p.StillUnsuspected(by("organiser", "new", x, costly)), "a genesis entry waits, or stands for a proof")
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

// Long proofs, of however many addresses, must leave a processor to the others.
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
