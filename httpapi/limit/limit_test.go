package limit_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func reason(err error) limit.Reason {
	e, ok := errors.AsType[*limit.Error](err)
	if !ok {
		return ""
	}
	return e.Reason
}

// A bucket gives more than its burst, fills faster than its rate, or charges one caller for another.
func TestBuckets(t *testing.T) {
	b := limit.NewBuckets[string](limit.KeyRate, 2, 3)
	for i := range 3 {
		testmust.Do(t, b.TakeToken("a", start), "token", i)
	}
	err := b.TakeToken("a", start)
	e, ok := errors.AsType[*limit.Error](err)
	testmust.Holdf(t, ok && e.Reason == limit.KeyRate && e.Wait == 500*time.Millisecond && e.IsPersonal(), "a fourth at once: %#v", err)
	testmust.Do(t, b.TakeToken("b", start), "somebody else")
	testmust.Do(t, b.TakeToken("a", start.Add(500*time.Millisecond)), "after the time it was told")
	testmust.Fail(t, b.TakeToken("a", start.Add(500*time.Millisecond)), "two tokens for one half second at 2/s")
	testmust.Fail(t, b.TakeToken("a", start.Add(-time.Hour)), "a clock that goes back gives tokens")
}

// A flood of addresses must not make the server remember them all, or empty the bucket of a present
// caller.
func TestBucketsAreForgotten(t *testing.T) {
	b := limit.NewBuckets[int](limit.AddressRate, 1, 2)
	const many = 100_000
	for i := range many {
		testmust.Do(t, b.TakeToken(i, start))
		if i%1000 == 0 { // keeps being used
			_ = b.TakeToken(-1, start)
		}
	}
	got := limit.Known(b)
	testmust.Holdf(t, got <= 16<<10, "%d buckets are remembered", got)
	testmust.Equal(t, reason(b.TakeToken(-1, start)), limit.AddressRate, "a flood has filled the bucket of one who keeps posting")
}

// One address must not take everything, and released shares must come back.
func TestShares(t *testing.T) {
	s := limit.NewShares(5, 3)
	a, b := limit.Prefix("192.0.2.1"), limit.Prefix("192.0.2.2")
	leave := testmust.Have(s.Enter(a, 3))(t)
	_, err := s.Enter(a, 1)
	testmust.Holdf(t, reason(err) == limit.Concurrency, "a fourth of one address: %v", err)
	_, err = s.Enter(b, 3)
	testmust.Holdf(t, reason(err) == limit.Concurrency, "six of five: %v", err)
	testmust.Have(s.Enter(b, 2))(t, "the rest")
	testmust.Hold(t, s.NearlyFull(b), "nothing is left, and it looks as if there were")
	leave()
	testmust.Hold(t, !s.NearlyFull(a), "what was given back looks taken")
	if _, err := s.Enter(a, 3); err != nil || s.HeldTotal() != 5 {
		t.Errorf("given back: %v, %d held", err, s.HeldTotal())
	}
}

// A customer with many IPv6 addresses must not take everything, or more of the processors than
// somebody with one address. Strangers in the same /48 must get a part.
func TestNetworks(t *testing.T) {
	s := limit.NewShares(1000, 10)
	b := limit.NewAddresses(limit.AddressRate, 1, 10)
	take := func(address string) bool {
		_, full := s.Enter(limit.Prefix(address), 1)
		over := b.TakeToken(limit.Prefix(address), start)
		testmust.Equal(t, full == nil, over == nil, address, "shares", full, "tokens", over)
		return full == nil
	}
	all := func(format string, addresses int) (n int) {
		for i := range addresses {
			for range 11 {
				if take(fmt.Sprintf(format, i)) {
					n++
				}
			}
		}
		return n
	}
	testmust.Equal(t, all("2001:db8::1", 1), 10, "one /64")
	testmust.Equal(t, all("2001:db8:0:%x::1", 16), 10, "its /60 has more")
	testmust.Equal(t, all("2001:db8:0:%x00::1", 200), 20, "its /48 has more")
	testmust.Equal(t, all("2001:db8:1::%x", 1), 10, "somebody else")
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, limit.ChecksOptions{Most: 1, Long: 1, CostlyPerAddress: 1, Waiting: big, WaitingPerAddress: 3})
		for i := range 9 {
			b.ask(fmt.Sprintf("2001:db8:0:%x::1", i), 1, time.Second)
		}
		b.ask(y, 1, time.Second)
		if got := b.begun(); strings.Count(got, "refused") != 2 { // one is served, and two times three wait
			t.Errorf("%q", got)
		}
		time.Sleep(1500 * time.Millisecond)
		got := b.begun()
		testmust.Holdf(t, strings.HasSuffix(got, y), "who has used nothing is not next: %q", got)
		time.Sleep(time.Minute)
	})
}

// bench is a row of checks under a clock that only the test advances.
type bench struct {
	t      *testing.T
	checks *limit.Checks
	mu     sync.Mutex
	order  []string
}

func newBench(t *testing.T, o limit.ChecksOptions) *bench {
	o.Clock = time.Now // of the bubble
	return &bench{t: t, checks: limit.NewChecks(o)}
}

// ask makes an address check something that takes a while.
func (b *bench) ask(address string, size int, takes time.Duration) {
	go func() {
		leave, err := b.checks.EnterSize(b.t.Context(), limit.Prefix(address), size)
		b.mu.Lock()
		if b.order = append(b.order, address); err != nil {
			b.order[len(b.order)-1] += " refused"
			testmust.Hold(b.t, reason(err) == limit.CheckQueue || errors.Is(err, context.Canceled), err)
		}
		b.mu.Unlock()
		if err == nil {
			time.Sleep(takes)
			leave()
		}
	}()
	synctest.Wait()
}

func (b *bench) begun() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Join(b.order, " ")
}

const (
	x, y, z = "192.0.2.1", "192.0.2.2", "192.0.2.3"
	costly  = 100_000
	big     = 1000
)

// One address with many costly proofs must leave a processor to the others.
func TestCostlyProofsLeaveAProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, limit.ChecksOptions{Most: 2, Long: 2, CostlyPerAddress: 1, Waiting: big, WaitingPerAddress: 10})
		for range 5 {
			b.ask(x, costly, time.Second)
		}
		b.ask(x, -1, time.Second) // of unknown cost
		got := b.begun()
		testmust.Requiref(t, got == x, "one address has begun %q", got)
		b.ask(y, costly, 1500*time.Millisecond) // does not end at the same time as x
		b.ask(z, 100, time.Second)              // waits for the first check that ends
		got = b.begun()
		testmust.Requiref(t, got == x+" "+y, "begun: %q", got)
		time.Sleep(time.Minute)
		testmust.Equal(t, b.begun(), strings.Join([]string{x, y, z, x, x, x, x, x}, " "), "begun in the end")
	})
}

// Cheap messages of one address, such as a house full of players, may use everything.
func TestCheapProofsAreNotHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, limit.ChecksOptions{Most: 4, Long: 4, CostlyPerAddress: 1, Waiting: big, WaitingPerAddress: 10})
		b.ask(x, costly, time.Second)
		b.ask(x, costly, time.Second) // waits, and delays no cheap message
		for range 4 {
			b.ask(x, 100, time.Second)
		}
		testmust.Equal(t, strings.Count(b.begun(), x), 4, "have begun")
		time.Sleep(time.Minute)
	})
}

// A caller that used much time comes after one that used little, however many wait, and old use does
// not delay anybody for ever.
func TestTimeUsedDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, limit.ChecksOptions{Most: 1, Long: 1, CostlyPerAddress: 1, Waiting: big, WaitingPerAddress: 10})
		b.ask(x, costly, 10*time.Second)
		for range 3 {
			b.ask(x, costly, 10*time.Second)
		}
		b.ask(y, 100, time.Second)
		b.ask(y, 100, time.Second)
		time.Sleep(11500 * time.Millisecond) // x is done once, and one of y runs
		b.ask(z, 100, time.Second)
		time.Sleep(time.Hour)
		got, want := b.begun(), strings.Join([]string{x, y, z, y, x, x, x}, " ")
		testmust.Holdf(t, got == want || got == strings.Join([]string{x, y, y, z, x, x, x}, " "), "order %q, want about %q", got, want)
		b.order = nil
		b.ask(z, costly, time.Hour)
		b.ask(x, costly, time.Second)
		b.ask(y, costly, time.Second)
		b.ask(z, costly, time.Second)
		time.Sleep(2 * time.Hour)
		got = b.begun()
		testmust.Holdf(t, strings.HasSuffix(got, z) && strings.HasPrefix(got, z), "who used an hour is not last: %q", got)
	})
}

// The queues of one address and of all are bounded, and a caller that gives up leaves them.
func TestCheckQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, limit.ChecksOptions{Most: 1, Long: 1, CostlyPerAddress: 1, Waiting: 3, WaitingPerAddress: 2})
		ctx, giveUp := context.WithCancel(t.Context())
		b.ask(x, 1, time.Second)
		gone := make(chan error)
		go func() {
			_, err := b.checks.EnterSize(ctx, limit.Prefix(x), 1)
			gone <- err
		}()
		synctest.Wait()
		b.ask(x, 1, time.Second)
		b.ask(x, 1, time.Second)
		b.ask(y, 1, time.Second)
		b.ask(z, 1, time.Second)
		testmust.Equal(t, b.begun(), strings.Join([]string{x, x + " refused", z + " refused"}, " "))
		giveUp()
		testmust.FailBy(t, <-gone, context.Canceled, "who gave up")
		b.ask(z, 1, time.Second)
		time.Sleep(time.Minute)
		if got := strings.Fields(b.begun()); len(got) != 8 || b.checks.Waiting() != 0 {
			t.Errorf("%q, %d wait", got, b.checks.Waiting())
		}
	})
}

// After ten thousand addresses have come and gone, only bounded state remains, and no processor is
// held.
func TestManyAddresses(t *testing.T) {
	now := start
	c := limit.NewChecks(limit.ChecksOptions{Most: 1, Long: 1, CostlyPerAddress: 1, Waiting: 1, WaitingPerAddress: 1, Clock: func() time.Time { now = now.Add(time.Millisecond); return now }})
	for i := range 50_000 {
		leave := testmust.Have(c.EnterSize(t.Context(), netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 32), 1))(t)
		leave()
	}
	active, away := limit.Parties(c)
	testmust.Holdf(t, active == 0 && away <= 16<<10, "%d are here, %d remembered", active, away)
}

// A list admits somebody who is not on it, or a list with a mistake is accepted.
func TestOrganisers(t *testing.T) {
	_, one := ledgertest.NewKey(t, "club", tlog.Ed25519)
	_, another := ledgertest.NewKey(t, "club", tlog.Ed25519)
	club, other := one.Verifier().String(), another.Verifier().String()
	o, err := limit.ParseOrganisers(fmt.Appendf(nil, "# who may begin tables\n\n  %s  # since spring\r\n", club))
	testmust.Holdf(t, err == nil && o.AllowsKey(club) && !o.AllowsKey(other) && !o.AllowsKey("") && len(o) == 1, "%v, %v", o, err)
	// Anybody can choose any name; only the key counts.
	_, rest, _ := strings.Cut(club, "+")
	testmust.Hold(t, o.AllowsKey("another"+"+"+rest), "the same key under another name is refused")
	none, err := limit.ParseOrganisers([]byte("#\n"))
	testmust.Holdf(t, err == nil && !none.AllowsKey(club) && !none.AllowsKey(""), "an empty list: %v, %v", none, err)
	for _, bad := range []string{club + "x", "club", club + " " + other, "#" + club + "\n++"} {
		testmust.Fail(t, testmust.ErrorOf(limit.ParseOrganisers([]byte(bad))), bad, "is taken")
	}
}

func FuzzParseOrganisers(f *testing.F) {
	f.Add([]byte("# nobody\n"))
	f.Add([]byte("club+00000000+AA==\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := limit.ParseOrganisers(b)
		testmust.Hold(t, err != nil || !o.AllowsKey(""), "nobody is allowed")
	})
}
