package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// TestSimulation plays short lives of a log under a simulated clock: clients, a
// cosigner, a wall clock that jumps, and a disk of which any step takes its time,
// fails, or is the last before the process dies; the promise that was being
// written then is torn. What happens follows from a seed. The long form, and one
// seed again, are
//
//	PAKLI_SEEDS=10000 go test -run TestSimulation -timeout 4h -v ./ledger
//	PAKLI_SEED=1234 go test -run TestSimulation -v ./ledger
//
// The store is the real one, on a file system in memory if there is one:
// everything that the log does between its promises is what it does in production.
func TestSimulation(t *testing.T) {
	first, n, replayed := uint64(1), 6, 2 // seeds, and how many are played twice, to see that they can be
	if testmust.Thorough() {
		n, replayed = 25, 5
	}
	if s := os.Getenv("PAKLI_SEEDS"); s != "" {
		n, _ = strconv.Atoi(s)
		first = uint64(rand.Uint32()) << 20
	}
	if s := os.Getenv("PAKLI_SEED"); s != "" {
		first, _ = strconv.ParseUint(s, 10, 64)
		n = 1
	}
	template := filepath.Join(inMemory(t), "template")
	key := createAt(t, template)
	sum := make(map[string]int)
	for seed := first; seed < first+uint64(n); seed++ {
		w := play(t, template, key, seed)
		if seed-first < uint64(replayed) {
			again := play(t, template, key, seed)
			if a, b := w.sorted(), again.sorted(); !slices.Equal(a, b) {
				t.Errorf("seed %d does not replay: %s", seed, difference(a, b))
			}
		}
		for what, n := range w.counts {
			sum[what] += n
		}
		if t.Failed() {
			t.Fatalf("seed %d; its last events:\n%s", seed, strings.Join(w.events[max(0, len(w.events)-40):], "\n"))
		}
	}
	t.Logf("%d seeds from %d on: %v; 0 lost, 0 forks", n, first, sum)
}

// inMemory returns a directory without a disk, if there is one.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "pakli-simulation-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func createAt(t *testing.T, dir string) ledger.Key {
	t.Helper()
	from, key := create(t)
	copyDir(t, from, dir)
	return key
}

// difference names the first events that differ.
func difference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("event %d is %q, then %q", i, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d events, then %d", len(a), len(b))
}

// play lives through one seed.
func play(t *testing.T, template string, key ledger.Key, seed uint64) *simulation {
	w := &simulation{
		key: key, seed: seed, dir: filepath.Join(inMemory(t), fmt.Sprint("seed-", seed)),
		draws: make(map[string]int), acked: make(map[string]uint64), seen: make(map[uint64]tlog.Hash), counts: make(map[string]int),
	}
	copyDir(t, template, w.dir)
	defer os.RemoveAll(filepath.Dir(w.dir))
	synctest.Test(t, func(t *testing.T) {
		w.t, w.begun, w.clock = t, time.Now(), time.Now()
		for w.session = range 2 + w.draw("sessions", 3) {
			w.live()
		}
		w.judge()
	})
	return w
}

// A simulation is a world with one log.
type simulation struct {
	t     *testing.T
	key   ledger.Key
	seed  uint64
	dir   string
	begun time.Time

	session int

	mu      sync.Mutex
	draws   map[string]int
	dead    bool // the process is
	clock   time.Time
	promise []byte // the file before it was last written
	torn    bool   // the process died while it was written
	acked   map[string]uint64
	seen    map[uint64]tlog.Hash // roots of checkpoints, by size
	newest  tlog.Checkpoint
	events  []string
	counts  map[string]int
}

var errDead = errors.New("the process is dead")

// draw returns a number below n. It follows from the seed, from what it is for,
// and from how often it was drawn for that: not from who else draws.
func (w *simulation) draw(what string, n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	what = fmt.Sprint(w.session, what)
	w.draws[what]++
	h := fnv.New64a()
	fmt.Fprint(h, what, " ", w.draws[what])
	return rand.New(rand.NewPCG(w.seed, h.Sum64())).IntN(n)
}

func (w *simulation) event(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, fmt.Sprintf("%10.6f s, life %d: %s", time.Since(w.begun).Seconds(), w.session, fmt.Sprintf(format, args...)))
}

// sorted returns the events with those of one instant in no particular order:
// several who are answered by one batch wake at once.
func (w *simulation) sorted() []string { return slices.Sorted(slices.Values(w.events)) }

func (w *simulation) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

func (w *simulation) isDead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dead
}

// nap sleeps for up to d, to the nanosecond, so that no two wake at once.
func (w *simulation) nap(what string, d time.Duration) {
	time.Sleep(time.Duration(1 + w.draw(what+" nap", int(d))))
}

// step is every step of the log: it takes its time, fails or is the last.
func (w *simulation) step(step string) error {
	if w.isDead() {
		return errDead
	}
	w.nap(step, 2*time.Millisecond)
	if w.isDead() {
		return errDead
	}
	if step == "promise" {
		b, err := os.ReadFile(promisePath(w.dir))
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.promise = b
		w.mu.Unlock()
	}
	switch dice := w.draw(step, 1500); {
	case dice < 2:
		w.event("step %q fails", step)
		w.count("steps failed")
		return errStep
	case dice < 5:
		w.event("dies at %q", step)
		w.count("died")
		w.mu.Lock()
		w.dead, w.torn = true, step == "promise written"
		w.mu.Unlock()
		return errDead
	}
	return nil
}

// now is a wall clock that nobody should rely on.
func (w *simulation) now() time.Time {
	jump := w.draw("clock", 60)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch jump {
	case 0:
		w.clock = w.clock.Add(-time.Hour)
	case 1:
		w.clock = w.clock.AddDate(10, 0, 0)
	case 2, 3: // stands still
	default:
		w.clock = w.clock.Add(time.Millisecond)
	}
	return w.clock
}

// live is one life of the process, from opening the log to its end.
func (w *simulation) live() {
	o := ledger.Options{Signer: w.key.Signer, Queue: 64, Store: badgerstore.Options{MinFree: 1, Clock: w.now}}
	o.SetStep(w.step)
	w.dead, w.torn = false, false
	l, err := ledger.Open(w.dir, o)
	if err != nil {
		w.event("opening: %v", err)
		testmust.Holdf(w.t, errors.Is(err, errDead) || errors.Is(err, errStep), "seed %d: opening: %v", w.seed, err)
		w.tear()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(50+w.draw("life", 300))*time.Millisecond)
	defer cancel()
	var everybody sync.WaitGroup
	for c := range 6 {
		everybody.Go(func() { w.client(ctx, l, c) })
	}
	everybody.Go(func() { w.cosigner(ctx, l) })
	everybody.Wait()
	w.event("closes: %v", l.Close() == nil)
	w.count("lives")
	w.tear()
}

// tear leaves the promise as a power cut may, if it was being written.
func (w *simulation) tear() {
	if !w.torn {
		return
	}
	b := testmust.Have(os.ReadFile(promisePath(w.dir)))(w.t)
	at := w.draw("tear", len(b)+1)
	if w.draw("tear where", 2) == 0 { // within the record, mostly
		at = w.draw("tear", 200) + 4096*w.draw("tear slot", 2)
	}
	torn := slices.Concat(b[:at], w.promise[at:])
	testmust.Do(w.t, os.WriteFile(promisePath(w.dir), torn, 0o600))
	w.event("promise torn at %d", at)
	w.count("promises torn")
}

// client appends and looks until its time is over, or the log's.
func (w *simulation) client(ctx context.Context, l *ledger.Ledger, c int) {
	name := fmt.Sprint("client", c)
	for ctx.Err() == nil && l.Err() == nil && !w.isDead() {
		w.nap(name, 4*time.Millisecond)
		if w.draw(name+" does", 10) < 2 {
			w.look(l, name)
			continue
		}
		entry := fmt.Appendf(nil, "entry %d", w.draw(name+" entry", 400))
		begun := time.Now()
		r, err := l.Append(context.Background(), entry)
		w.answered(name, entry, r, err)
		took := time.Since(begun)
		testmust.Holdf(w.t, err != nil || took <= time.Second, "seed %d: an entry took %v", w.seed, took)
		if err != nil && !errors.Is(err, tlog.ErrBusy) {
			return
		}
	}
}

// answered remembers what a client was told, unless it died with the process.
func (w *simulation) answered(name string, entry []byte, r tlog.Receipt, err error) {
	if w.isDead() {
		return
	}
	w.event("%s: %s at %d, %v", name, entry, r.Index, err != nil)
	if err != nil {
		return
	}
	w.count("acknowledged")
	if err := r.Verify(entry, w.key.Verifier); err != nil {
		w.t.Errorf("seed %d: receipt: %v", w.seed, err)
		return
	}
	c := testmust.Have(tlog.ParseCheckpoint(r.Checkpoint))(w.t, "seed", w.seed)
	w.saw(c)
	w.mu.Lock()
	defer w.mu.Unlock()
	before, ok := w.acked[string(entry)]
	testmust.Holdf(w.t, !ok || before == r.Index, "seed %d: %q was acknowledged at %d and at %d", w.seed, entry, before, r.Index)
	w.acked[string(entry)] = r.Index
}

// saw remembers a checkpoint.
func (w *simulation) saw(c tlog.Checkpoint) {
	w.mu.Lock()
	defer w.mu.Unlock()
	root, ok := w.seen[c.Size]
	testmust.Holdf(w.t, !ok || root == c.Root, "seed %d: FORK: two roots for %d entries", w.seed, c.Size)
	w.seen[c.Size] = c.Root
}

// look reads the newest checkpoint: it never shrinks, in all lives.
func (w *simulation) look(l *ledger.Ledger, name string) {
	w.mu.Lock()
	before := w.newest
	w.mu.Unlock()
	c, err := l.Checkpoint(context.Background())
	if err != nil || w.isDead() {
		return
	}
	w.event("%s: sees %d", name, c.Size)
	w.saw(c)
	if c.Size < before.Size {
		w.t.Errorf("seed %d: size %d after %d", w.seed, c.Size, before.Size)
		return
	}
	if p, err := l.Consistency(context.Background(), before.Size, c.Size); before.Note != nil && err == nil {
		testmust.Do(w.t, p.VerifyGrowth(before, c), "seed", w.seed, "FORK")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.Size >= w.newest.Size {
		w.newest = c
	}
}

// cosigner cosigns what it sees, hangs, and gives back what is old by then.
func (w *simulation) cosigner(ctx context.Context, l *ledger.Ledger) {
	for ctx.Err() == nil && l.Err() == nil && !w.isDead() {
		c, err := l.Checkpoint(context.Background())
		if err != nil {
			return
		}
		w.nap("cosigner", 60*time.Millisecond)
		if w.isDead() {
			return
		}
		err = l.PublishCosigned(c)
		w.event("cosigned %d: %v", c.Size, err == nil)
		testmust.Holdf(w.t, err == nil || l.Err() != nil, "seed %d: cosigned: %v", w.seed, err)
		w.count("cosigned")
	}
}

// judge opens the log a last time and holds it to everything.
func (w *simulation) judge() {
	l, err := ledger.Open(w.dir, ledger.Options{Signer: w.key.Signer, Store: badgerstore.Options{MinFree: 1}})
	if err != nil {
		w.t.Errorf("seed %d: in the end: %v", w.seed, err)
		return
	}
	defer l.Close()
	c, err := ledgertest.Audit(context.Background(), l, w.key.Verifier)
	if err != nil {
		w.t.Errorf("seed %d: %v", w.seed, err)
		return
	}
	var tree tlog.Tree
	places := make(map[string]uint64)
	for entry, err := range l.Entries(context.Background(), 0, c.Size) {
		if err != nil {
			w.t.Errorf("seed %d: %v", w.seed, err)
			return
		}
		_, ok := places[string(entry)]
		testmust.Holdf(w.t, !ok, "seed %d: %q is in the log twice", w.seed, entry)
		places[string(entry)] = tree.Size()
		tree.Append(tlog.LeafHash(entry))
		root, ok := w.seen[tree.Size()]
		testmust.Holdf(w.t, !ok || root == tree.Root(), "seed %d: FORK: the root of %d entries was another", w.seed, tree.Size())
	}
	for entry, index := range w.acked {
		at, ok := places[entry]
		testmust.Holdf(w.t, ok && at == index, "seed %d: LOST: %q was acknowledged at %d", w.seed, entry, index)
	}
	for size := range w.seen {
		testmust.Holdf(w.t, size <= c.Size, "seed %d: LOST: a checkpoint of %d entries was seen, there are %d", w.seed, size, c.Size)
	}
}
