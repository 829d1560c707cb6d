package ledger_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// sharedLog is what front ends of one log share.
type sharedLog struct {
	key      ledger.Key
	order    *ledgertest.Order
	register *ledgertest.Register
	stores   *ledgertest.Stores
}

const follows = "tree 1 register /pakli/test/promise"

func newCluster(t testing.TB) *sharedLog {
	t.Helper()
	key := testmust.Have(ledger.CreateKey(t.TempDir(), origin, rand.Reader))(t)
	return &sharedLog{key: key, order: ledgertest.NewOrder(), register: ledgertest.NewRegister(), stores: new(ledgertest.Stores)}
}

func (c *sharedLog) options() ledger.Options {
	return ledger.Options{Signer: c.key.Signer, Store: c.stores, Order: c.order, Register: c.register, Follows: follows}
}

// directory makes one for a front end.
func (c *sharedLog) directory(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	testmust.Do(t, ledger.Create(dir, c.options()))
	return dir
}

// join opens a front end with a directory of its own.
func (c *sharedLog) join(t testing.TB) *ledger.Ledger {
	t.Helper()
	l := testmust.Have(ledger.Open(c.directory(t), c.options()))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// A log whose order others decide keeps every promise of a log.
func TestFollowingIsALog(t *testing.T) {
	ledgertest.RunInMemory(t, func(t *testing.T) (tlog.Log, note.Verifier) {
		c := newCluster(t)
		return c.join(t), c.key.Verifier
	})
}

// followSteps are those of docs/design: learn, read, check, commit, promise, sign; each before
// its effect and, where that can be told apart, after it. The first word says who fails.
var followSteps = []string{
	"order queue", "order queued", "order head", "order leaves",
	"register load", "register loaded", "register swap", "register swapped",
	"own assign", "own stage", "own verify", "own promise", "own promise written", "own promised",
	"own signed", "own publish", "own published",
}

// breaker fails once, at one step, when it is armed.
type breaker struct {
	step  string
	armed atomic.Bool
	met   atomic.Bool
}

func (b *breaker) at(who string) func(string) error {
	return func(step string) error {
		if who+" "+step == b.step && b.armed.CompareAndSwap(true, false) {
			b.met.Store(true)
			return errStep
		}
		return nil
	}
}

// A front end that loses what it acknowledged, contradicts the other one, or stands still for
// ever, since something failed at a step: before it had an effect, or after.
func TestFollowingSteps(t *testing.T) {
	for _, step := range followSteps {
		t.Run(step, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, b := newCluster(t), &breaker{step: step}
				c.order.SetFault(b.at("order"))
				c.register.SetFault(b.at("register"))
				other := c.join(t)
				dir, o := c.directory(t), c.options()
				o.SetStep(b.at("own"))
				l := testmust.Have(ledger.Open(dir, o))(t)
				fill(t, l, 0, 5)
				b.armed.Store(true)
				acked := map[string]tlog.Receipt{}
				for i := 5; i < 10; i++ {
					if step == "register load" || step == "register loaded" {
						_, err := l.CatchUp(t.Context())
						testmust.Hold(t, err == nil || errors.Is(err, errStep), err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
					r, err := l.Append(ctx, ledgertest.Entry(i))
					cancel()
					if err == nil {
						acked[string(ledgertest.Entry(i))] = r
					}
				}
				testmust.Hold(t, b.met.Load(), "the step was not met")
				owns := strings.HasPrefix(step, "own")
				testmust.Holdf(t, (l.Err() != nil) == owns && (owns || len(acked) == 5), "%d acknowledged; stopped: %v", len(acked), l.Err())
				l.Close()
				again := testmust.Have(ledger.Open(dir, c.options()))(t)
				defer again.Close()
				for _, l := range []*ledger.Ledger{other, again} {
					holdsTo(t, l, c, acked)
				}
			})
		})
	}
}

// holdsTo checks that a front end has what was acknowledged, at its index, and that it goes on.
func holdsTo(t *testing.T, l *ledger.Ledger, c *sharedLog, acked map[string]tlog.Receipt) {
	t.Helper()
	testmust.Have(l.CatchUp(t.Context()))(t)
	now := ledgertest.CheckLog(t, l, c.key.Verifier)
	for entry, r := range acked {
		was := testmust.Have(tlog.ParseCheckpoint(r.Checkpoint))(t)
		p := testmust.Have(l.Consistency(t.Context(), was.Size, now.Size))(t)
		testmust.Do(t, p.VerifyGrowth(was, now), "FORK")
		again, err := l.Append(t.Context(), []byte(entry))
		testmust.Holdf(t, err == nil && again.Index == r.Index, "LOST: %q was at %d, is at %d: %v", entry, r.Index, again.Index, err)
	}
	testmust.Have(l.Append(t.Context(), fmt.Appendf(nil, "more %p", l)))(t, "it does not go on")
}

// An entry that was under way when the database was lost, and is handed in again to one that lacks what was promised:
// its tree would come to be another history, and the front end would end instead of waiting for the right one.
func TestNothingIsHandedToAnOlderDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		l := c.join(t)
		fill(t, l, 0, 20)
		asked := make(chan struct{})
		var once sync.Once
		var heads atomic.Int64
		c.order.SetFault(func(at string) error {
			if at == "queue" {
				once.Do(func() { close(asked) })
				return errStep
			}
			return nil
		})
		done := make(chan error)
		go func() {
			_, err := l.Append(t.Context(), []byte("under way"))
			done <- err
		}()
		<-asked
		c.order.CutTo(12)
		testmust.Until(t, "the front end sees it", func() bool { return l.Ready(t.Context()) != nil })
		c.order.SetFault(func(at string) error {
			if at == "head" {
				heads.Add(1)
			}
			return nil
		})
		testmust.Until(t, "it had time to hand it in again", func() bool { return heads.Load() > 30 })
		got := c.order.Size()
		testmust.Requiref(t, got == 12, "the older database has %d entries, had 12", got)
		for i := 12; i < 20; i++ { // it comes back as it was
			testmust.Do(t, c.order.Queue(t.Context(), ledgertest.Entry(i), nil))
		}
		testmust.Do(t, <-done)
	})
}

// Entries that wait, for a full disk or a standby that is away, while an operator is told nothing, or only
// that something is slow; word that all is well since those who waited have given up; and a complaint that stays when the
// entries have come through.
func TestStuckIsSaid(t *testing.T) {
	full := errors.New("could not extend file: No space left on device")
	for _, want := range []string{full.Error(), "look at its signers"} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, asked := newCluster(t), make(chan struct{}, 1)
				var refuses atomic.Bool
				var heads atomic.Int64
				c.order.SetFault(func(at string) error {
					switch {
					case at == "head":
						heads.Add(1)
					case at == "queue" && refuses.Load():
						return full
					}
					return nil
				})
				o := c.options()
				o.Trouble, o.Poll = func() { asked <- struct{}{} }, time.Millisecond
				l := testmust.Have(ledger.Open(c.directory(t), o))(t)
				defer l.Close()
				if refuses.Store(want == full.Error()); !refuses.Load() {
					c.order.HoldEntries()
				}
				ctx, giveUp := context.WithCancel(t.Context())
				done := make(chan error)
				go func() {
					_, err := l.Append(ctx, ledgertest.Entry(0))
					done <- err
				}()
				stuck := func() string { f, _ := l.Following(); return fmt.Sprint(f.Stuck) }
				<-asked
				got := stuck()
				testmust.Holdf(t, strings.Contains(got, want) && strings.Contains(got, "entries wait (1)"), "the operator is told %s", got)
				giveUp()
				<-done
				seen := heads.Load()
				testmust.Until(t, "two more rounds", func() bool { return heads.Load() > seen+2 })
				got = stuck()
				testmust.Holdf(t, strings.Contains(got, want), "since somebody has given up, the operator is told %s", got)
				refuses.Store(false)
				c.order.ReleaseHeld()
				testmust.Have(l.Append(t.Context(), ledgertest.Entry(0)))(t)
				testmust.Until(t, "nothing is said any more", func() bool { return stuck() == fmt.Sprint(nil) })
			})
		})
	}
}

// A database that comes back with other entries than were promised.
func TestOrderIsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		l := c.join(t)
		fill(t, l, 0, 20)
		c.order.CutTo(12)
		for i := range 10 {
			testmust.Do(t, c.order.Queue(t.Context(), fmt.Appendf(nil, "another %d", i), nil))
		}
		<-l.FailedChannel()
		testmust.Hold(t, errors.Is(l.Err(), ledger.ErrRolledBack), "stopped since", l.Err())
		p, _ := c.register.Load(t.Context())
		testmust.Holdf(t, p.Size == 20, "%d entries are promised", p.Size)
	})
}

// A directory that follows is opened alone, or another way round, or before another tree: each
// would fork the log.
func TestMarkerNamesWhatIsFollowed(t *testing.T) {
	c := newCluster(t)
	dir := c.directory(t)
	alone := ledger.Options{Signer: c.key.Signer, Store: c.stores}
	other := c.options()
	other.Follows = "tree 2 register /pakli/test/promise"
	half := c.options()
	half.Register = nil
	for name, o := range map[string]ledger.Options{"alone": alone, "another tree": other} {
		testmust.FailBy(t, testmust.ErrorOf(ledger.Open(dir, o)), ledger.ErrFollows, name)
	}
	testmust.Fail(t, testmust.ErrorOf(ledger.Open(dir, half)), "an order without a register was opened")
	second := t.TempDir()
	testmust.Do(t, ledger.Create(second, alone))
	testmust.FailBy(t, testmust.ErrorOf(ledger.Open(second, c.options())), ledger.ErrFollows, "a log that is kept alone follows")
}

// A log that is taken out of its cluster twice, or by a directory that lacks what was promised,
// or goes on there.
func TestLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		first, second, late := c.directory(t), c.directory(t), c.directory(t)
		var ends []*ledger.Ledger
		for _, dir := range []string{first, second} {
			l := testmust.Have(ledger.Open(dir, c.options()))(t)
			ends = append(ends, l)
		}
		fill(t, ends[0], 0, 10)
		testmust.Have(ends[1].CatchUp(t.Context()))(t)
		closeLog(t, ends[0])
		leave := func(dir string) error {
			copied := testmust.Have(ledger.OpenCopy(dir, c.options()))(t)
			defer copied.Close()
			return copied.Leave(t.Context(), c.register)
		}
		testmust.FailBy(t, leave(late), ledger.ErrRolledBack, "a directory that lacks what was promised")
		fails := true
		c.register.SetFault(func(at string) error {
			if at == "swapped" && fails {
				fails = false
				return errStep // it was made
			}
			return nil
		})
		testmust.FailBy(t, leave(first), errStep, "an answer that is lost")
		testmust.Do(t, leave(first), "again")
		<-ends[1].FailedChannel()
		testmust.Hold(t, errors.Is(ends[1].Err(), ledger.ErrLeft), "the other front end", ends[1].Err())
		ends[1].Close()
		testmust.FailBy(t, leave(second), ledger.ErrLeft, "a second directory")
		l := testmust.Have(ledger.Open(first, ledger.Options{Signer: c.key.Signer, Store: c.stores}))(t)
		defer l.Close()
		fill(t, l, 10, 12)
		ledgertest.CheckLog(t, l, c.key.Verifier)
	})
}

// meanwhile is a register at which another front end goes on, and is cosigned, between the two
// questions of one that starts.
type meanwhile struct {
	ledger.Register
	goOn func() tlog.Checkpoint
}

func (r *meanwhile) CosignedNote(context.Context) ([]byte, error) { return r.goOn().Note, nil }

func (r *meanwhile) PutCosigned(context.Context, tlog.Checkpoint) error { return nil }

// A front end that takes what was cosigned while it was starting for an older log of its own
// never starts while others play.
func TestCosignedWhileStarting(t *testing.T) {
	c := newCluster(t)
	other := c.join(t)
	fill(t, other, 0, 5)
	o := c.options()
	o.Register = &meanwhile{o.Register, func() tlog.Checkpoint {
		fill(t, other, 5, 9)
		return testmust.Have(other.Checkpoint(t.Context()))(t)
	}}
	l := testmust.Have(ledger.Open(c.directory(t), o))(t)
	defer l.Close()
	testmust.Equal(t, testmust.Have(l.Checkpoint(t.Context()))(t, "entries are shown").Size, 9, "entries are shown")
}

// disk is a front end's, which says how many entries are durable on it.
type disk struct {
	ledger.Stores
	durable atomic.Uint64
}

func (d *disk) OpenStore(dir string, log *slog.Logger) (ledger.Store, error) {
	s, err := d.Stores.OpenStore(dir, log)
	return &diskStore{s, d}, err
}

type diskStore struct {
	ledger.Store
	disk *disk
}

func (s *diskStore) Add(entries [][]byte, c ledger.Commit) error {
	after, size := c.After, s.disk.durable.Load()+uint64(len(entries))
	c.After = func() error {
		s.disk.durable.Store(size)
		return after()
	}
	return s.Store.Add(entries, c)
}

// promisesOf is the register as one front end has it, which looks at that one's disk when it promises.
type promisesOf struct {
	ledger.Register
	disk *disk
	t    *testing.T
}

func (r promisesOf) Swap(ctx context.Context, old, next ledger.Promise) (ledger.Promise, error) {
	has := r.disk.durable.Load()
	testmust.Holdf(r.t, has >= next.Size, "%d entries are promised, %d are on the disk of the front end that promises them", next.Size, has)
	return r.Register.Swap(ctx, old, next)
}

// What the cluster's database shows may be nowhere else: a commit that waits for the standby and is cancelled is
// committed all the same. An entry that is promised, or acknowledged, while the front end that does so has it
// nowhere but there, is lost with that database.
func TestPromisedIsOnOwnDisk(t *testing.T) {
	c := newCluster(t)
	var clients sync.WaitGroup
	var ends [2]durableEnd
	for i := range ends {
		e := &ends[i]
		e.open(t, c)
		for client := range 4 {
			clients.Go(func() {
				for n := range 25 {
					e.append(t, fmt.Appendf(nil, "%d of client %d at %d", n, client, i))
				}
			})
		}
	}
	clients.Wait()
	c.order.CutTo(0)
	for i := range ends {
		ends[i].hasAll(t)
	}
}

// durableEnd is a front end, and what it has acknowledged.
type durableEnd struct {
	disk
	dir   string
	log   *ledger.Ledger
	mu    sync.Mutex
	acked map[string]uint64
}

func (e *durableEnd) open(t *testing.T, c *sharedLog) {
	t.Helper()
	e.dir, e.acked, e.disk.Stores = c.directory(t), map[string]uint64{}, c.stores
	o := c.options()
	o.Store, o.Register = &e.disk, promisesOf{c.register, &e.disk, t}
	e.log = testmust.Have(ledger.Open(e.dir, o))(t)
	t.Cleanup(func() { e.log.Close() })
}

func (e *durableEnd) append(t *testing.T, entry []byte) {
	r, err := e.log.Append(t.Context(), entry)
	if err != nil {
		t.Error(err)
		return
	}
	has := e.durable.Load()
	testmust.Holdf(t, has > r.Index, "entry %d is acknowledged, %d are on the disk of the front end that answers", r.Index, has)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.acked[string(entry)] = r.Index
}

// hasAll checks that what was acknowledged here is here, without anything else of the cluster.
func (e *durableEnd) hasAll(t *testing.T) {
	t.Helper()
	e.log.Close()
	s := testmust.Have(e.disk.Stores.OpenStore(filepath.Join(e.dir, "store"), nil))(t)
	defer s.Close()
	testmust.Equal(t, len(e.acked), 100, "acknowledged")
	for entry, at := range e.acked {
		index, ok, err := s.Lookup(tlog.LeafHash([]byte(entry)))
		testmust.Holdf(t, index == at && ok && err == nil, "LOST: %q was acknowledged at %d: at %d, %v, %v", entry, at, index, ok, err)
	}
}
