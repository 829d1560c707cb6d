// Package tableset verifies more than one table, or less than a whole log, each table with the
// verdict that verifier.Verify gives it:
//
//   - [VerifyTables]: many tables of one log, side by side and in bounded memory, and the sum of the
//     sound ones (docs/spec/80-verification.md, 80.4);
//   - [VerifyAgainst]: a table of an [Extract], which shows only the table's entries
//     (docs/spec/85-bundle.md, 85.8), or of any source that is compared with others of the same log:
//     it must not contradict them, nor leave out what they have;
//   - [VerifyExtracts]: tables of which only extracts are at hand, one or more of each, all compared
//     with each other (85.9);
//   - [LiveTables]: tables of a growing log, for package follow: which of them are over under every
//     believed checkpoint.
package tableset

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// Options say which tables of a log to verify, and how.
type Options struct {
	verifier.Options             // except Table
	Tables           []wire.Hash // nil: all of the log
	Workers          int         // goroutines that replay tables; below 1: one for each processor
	// Open is how many unfinished tables are replayed at a time. The log is read once more for tables
	// beyond that. Below 1 it is 2,048.
	Open int
	// Wanted, if set, selects the tables of the log to verify by their genesis entries.
	Wanted func(*wire.Genesis) bool
	// Entry, if set, is called once with every entry of the log, in order.
	Entry func(replay.Leaf)
	// Progress, if set, is called from time to time, never concurrently, with the number of entries
	// read and of tables begun.
	Progress func(entries uint64, tables int)
}

// Report is the result for many tables of one log.
type Report struct {
	Log       *verifier.Report   `json:"log"`              // the checks of the log, of no table
	Others    []*verifier.Report `json:"others,omitempty"` // of further logs, if the tables are of several
	Tables    []verifier.Table   `json:"tables"`           // as asked for, or in the order in which they began
	Standings []Standing         `json:"standings"`
	Shared    []SharedKeys       `json:"shared,omitempty"` // card keys with a factor in common
	Unread    []Unread           `json:"unread,omitempty"` // extracts that count for no table
	Marks     *marks.Marks       `json:"-"`                // of a whole log
}

// Unread is an extract that cannot be read or is not the log's, with its file name and the reason. In
// JSON it is the reason, which begins with the name.
type Unread struct {
	Name string
	Err  error
}

// MarshalText implements encoding.TextMarshaler.
func (u Unread) MarshalText() ([]byte, error) { return []byte(u.Err.Error()), nil }

// Standing is the sum of one player's sound tables of one game. A player is a name with a key: one
// name with two keys is two players.
type Standing struct {
	Game   string `json:"game"`
	Name   string `json:"name"`
	Key    string `json:"key"`
	Tables int    `json:"tables"`
	Sum    int    `json:"sum"`

	// Results of other tables, not in Sum: of adjudicated ones, and, if asked for, of the finished
	// deals at tables that are not over or ended with a foul.
	Adjudicated int `json:"adjudicated,omitempty"`
	Partial     int `json:"partial,omitempty"`
}

// JoinLog adds the tables of another log. ShareKeys reports card keys that both have in common.
func (t *Report) JoinLog(other *Report) {
	t.Others = append(append(t.Others, other.Log), other.Others...)
	t.Tables, t.Unread = append(t.Tables, other.Tables...), append(t.Unread, other.Unread...)
	t.Standings = Standings(t.Tables)
}

// ShareKeys reports the keys at its tables that have a common factor. It ignores tables of a broken
// log, unless another log has them too.
func (t *Report) ShareKeys(keys *CardKeys) {
	judged := map[wire.Hash]bool{}
	for _, table := range t.Tables {
		judged[table.Table] = judged[table.Table] || table.Verdict != verifier.LogBroken
	}
	t.Shared = keys.FindShared(func(id wire.Hash) bool { return judged[id] })
}

func (t *Report) allLogs() []*verifier.Report {
	return append([]*verifier.Report{t.Log}, t.Others...)
}

// ExitCode returns the exit code of a command with the worst verdict, in the order sound, sound for
// its seats, adjudicated, unfinished, cannot check, foul, log broken.
func (t *Report) ExitCode() int {
	worst := []int{verifier.Sound.ExitCode(), verifier.ForSeats.ExitCode(), verifier.Adjudicated.ExitCode(), verifier.Unfinished.ExitCode(), exitCannotCheck, verifier.Foul.ExitCode(), verifier.LogBroken.ExitCode()}
	at := 0
	broken := func(r *verifier.Report) bool { return r.Verdict == verifier.LogBroken }
	if slices.ContainsFunc(t.allLogs(), broken) {
		at = len(worst) - 1
	} else if !t.isChecked() {
		at = slices.Index(worst, exitCannotCheck)
	}
	for _, table := range t.Tables {
		code := table.Verdict.ExitCode()
		if table.Err != nil {
			code = exitCannotCheck
		}
		at = max(at, slices.Index(worst, code))
	}
	return worst[at]
}

// exitCannotCheck is the exit code without a verdict.
const exitCannotCheck = 1

// isChecked reports whether all extracts were read and all checks of the log made.
func (t *Report) isChecked() bool {
	return len(t.Unread) == 0 && !slices.ContainsFunc(t.allLogs(), func(r *verifier.Report) bool {
		return slices.ContainsFunc(r.LogChecks(), func(c verifier.Check) bool { return c.Outcome != verifier.Passed })
	})
}

// openTables is the default of Options.Open. As many tables of tarokk take some 250 MB.
const openTables = 2048

// VerifyTables checks many tables of one log. Memory holds at most Open unfinished tables, the
// reports of finished ones, and no entries of tables that were not asked for. So the log is read
// once, unless more tables are open at a time.
func VerifyTables(ctx context.Context, src tlog.EntryReader, o Options) (*Report, error) {
	keys := new(CardKeys)
	o.Step = keys.WatchSteps(o.Step)
	r, log, err := readTables(ctx, src, o)
	if err != nil {
		return nil, err
	}
	ids, results, times := r.reportedIDs(), r.resultsUnder(log), r.marks
	for len(r.later) > 0 {
		o.Tables, o.Entry = r.later, nil
		if r, log, err = readTables(ctx, pinnedSource{src, log.Checkpoint}, o); err != nil {
			return nil, err
		}
		maps.Copy(results, r.resultsUnder(log))
	}
	if log.Verdict == verifier.LogBroken {
		clear(results) // no table has a verdict
	}
	t := &Report{Log: log, Marks: times}
	for _, id := range ids {
		result, read := results[id]
		if !read {
			result = new(verifier.Tables).ResultOf(id, log)
		}
		t.Tables = append(t.Tables, result)
	}
	t.Standings = Standings(t.Tables)
	t.ShareKeys(keys)
	return t, nil
}

// pinnedSource shows a source under an earlier checkpoint of it.
type pinnedSource struct {
	tlog.EntryReader
	checkpoint tlog.Checkpoint
}

func (u pinnedSource) Checkpoint(context.Context) (tlog.Checkpoint, error) { return u.checkpoint, nil }

// Blob implements tlog.BlobReader.
func (u pinnedSource) Blob(ctx context.Context, hash [32]byte) ([]byte, error) {
	return verifier.BlobsOf(ctx, u.EntryReader)(wire.Blob{Hash: hash})
}

// readTables reads the log once.
func readTables(ctx context.Context, src tlog.EntryReader, o Options) (*router, *verifier.Report, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := newRouter(ctx, src, o)
	log, err := verifier.BelieveLog(ctx, src, o.Options, verifier.WholeReading(src, o.Options), r.marks, r.routeEntry)
	if err != nil || log.Verdict == verifier.LogBroken {
		cancel() // the entries that workers still have do not matter
	}
	r.closeWorkers()
	if err == nil && log.Verdict == verifier.LogBroken {
		r.later = nil
	} else if err == nil {
		err = ctx.Err() // canceled: not every table was replayed
	}
	return r, log, err
}

// CountPartial counts the finished deals at tables that are not over or ended with a foul.
func (t *Report) CountPartial() {
	for _, one := range t.Tables {
		one.CountPartial()
	}
	t.Standings = Standings(t.Tables)
}

// Standings sums the results of the sound tables, and separately those of others.
func Standings(tables []verifier.Table) []Standing {
	type player struct{ game, key string }
	sums := map[player]*Standing{}
	add := func(t verifier.Table, scores []int, to func(s *Standing, score int)) {
		for seat, score := range scores {
			p := player{t.Game, t.Keys[seat]}
			if sums[p] == nil {
				sums[p] = &Standing{Game: t.Game, Name: t.Seats[seat], Key: t.Keys[seat]}
			}
			to(sums[p], score)
		}
	}
	for _, t := range tables {
		switch {
		case t.Asked != nil: // sound for its seats, or in part: nobody else can add these up
		case t.Verdict == verifier.Adjudicated:
			add(t, t.Result, func(s *Standing, score int) { s.Adjudicated += score })
		case t.Result != nil:
			add(t, t.Result, func(s *Standing, score int) { s.Tables, s.Sum = s.Tables+1, s.Sum+score })
		case t.Partial != nil && len(t.Partial.Deals) > 0:
			add(t, table.Sheet{Deals: t.Partial.Deals}.Sums(len(t.Seats)), func(s *Standing, score int) { s.Partial += score })
		}
	}
	list := make([]Standing, 0, len(sums))
	for _, s := range sums {
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Standing) int {
		return cmp.Or(cmp.Compare(a.Game, b.Game), cmp.Compare(b.Sum, a.Sum), cmp.Compare(a.Key, b.Key))
	})
	return list
}

// queue bounds the entries that wait for a worker: the entries of some dozens of tables. Tables are
// played side by side, so a worker with one table too many falls behind as long as they last; as long
// as its queue has room, the other workers need not wait. queueBytes bounds the bytes that wait for
// all workers.
const (
	queue      = 2048
	queueBytes = 64 << 20
)

// worker replays the tables that were assigned to it.
type worker struct {
	in     chan replay.Leaf
	budget *budget
	tables *verifier.Tables
	placed int // number of tables that the router assigned
}

// openTables returns how many of its tables are not known to be over.
func (w *worker) openTables() int { return w.placed - w.tables.CountOver() }

// budget is the number of bytes that entries in queues may still take.
type budget struct {
	sync.Mutex
	more sync.Cond
	left int
}

func newBudget(size int) *budget {
	r := &budget{left: size}
	r.more.L = r
	return r
}

// takeBytes waits until size bytes are left and takes them.
func (r *budget) takeBytes(size int) {
	r.Lock()
	defer r.Unlock()
	for r.left < size {
		r.more.Wait()
	}
	r.left -= size
}

func (r *budget) giveBytes(size int) {
	r.Lock()
	r.left += size
	r.Unlock()
	r.more.Signal()
}

// router assigns each table, with all of its entries, to one worker.
type router struct {
	options Options
	marks   *marks.Marks
	asked   map[wire.Hash]bool    // nil: all
	begun   []wire.Hash           // in the order of the log
	owner   map[wire.Hash]*worker // of those in begun; nil if there is no room
	later   []wire.Hash           // those without room
	workers []*worker
	done    sync.WaitGroup
	entries uint64
}

func newRouter(ctx context.Context, src tlog.EntryReader, o Options) *router {
	r := &router{options: o, marks: marks.New(o.Log...), owner: map[wire.Hash]*worker{}}
	if o.Tables != nil {
		r.asked = map[wire.Hash]bool{}
		for _, id := range o.Tables {
			r.asked[id] = true
		}
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if r.options.Open <= 0 {
		r.options.Open = openTables
	}
	for range o.Workers {
		w := &worker{in: make(chan replay.Leaf, queue), budget: newBudget(max(tlog.MaxEntry, queueBytes/o.Workers)), tables: verifier.NewTables(o.Options, verifier.BlobsOf(ctx, src), r.marks.Mark, o.Workers)}
		r.workers = append(r.workers, w)
		r.done.Go(func() { w.replayTables(ctx) })
	}
	return r
}

// putEntry waits until there is room for the entry. It copies the bytes: a source may show many
// entries as slices of one file, which must not stay in memory.
func (w *worker) putEntry(e replay.Leaf) {
	e.Bytes = bytes.Clone(e.Bytes)
	w.budget.takeBytes(weightOf(e)) // never waits for ever: a worker always empties its queue
	w.in <- e
}

// weightOf returns how many bytes of the budget an entry takes, at most MaxEntry whatever a source
// shows.
func weightOf(s replay.Leaf) int { return min(len(s.Bytes), tlog.MaxEntry) }

func (w *worker) replayTables(ctx context.Context) {
	for e := range w.in {
		w.budget.giveBytes(weightOf(e))
		if ctx.Err() == nil {
			w.tables.Take(e)
		}
	}
	if ctx.Err() == nil {
		w.tables.Settle()
	}
}

// routeEntry sends an entry to the worker of its table. A new table goes to the worker with the
// fewest open tables, and among these to the one with the shortest queue. By queues alone, all tables
// of a round of an event, which begin together and last as long, would go to a worker that happens
// not to be behind.
func (r *router) routeEntry(e replay.Leaf) {
	if r.entries++; r.options.Progress != nil && r.entries%tlog.TileWidth == 0 {
		r.options.Progress(r.entries, len(r.begun))
	}
	if r.options.Entry != nil {
		r.options.Entry(e)
	}
	w := r.owner[e.Table]
	if w == nil && r.beginsWanted(e) {
		w = r.placeTable(e.Table)
	}
	if w != nil {
		w.putEntry(e)
	}
}

// beginsWanted reports whether an entry begins a new table that was asked for.
func (r *router) beginsWanted(e replay.Leaf) bool {
	_, known := r.owner[e.Table]
	if known || r.asked != nil && !r.asked[e.Table] {
		return false
	}
	g, err := wire.ParseGenesis(e.Bytes)
	return err == nil && (r.options.Wanted == nil || r.options.Wanted(g.Table))
}

// placeTable assigns a new table to a worker, or returns nil if too many tables are open.
func (r *router) placeTable(id wire.Hash) *worker {
	r.begun = append(r.begun, id)
	open := 0
	for _, w := range r.workers {
		open += w.openTables()
	}
	if open >= r.options.Open {
		r.owner[id], r.later = nil, append(r.later, id)
		return nil
	}
	least := slices.MinFunc(r.workers, func(a, b *worker) int {
		return cmp.Or(cmp.Compare(a.openTables(), b.openTables()), cmp.Compare(len(a.in), len(b.in)))
	})
	least.placed++
	r.owner[id] = least
	return least
}

func (r *router) closeWorkers() {
	for _, w := range r.workers {
		close(w.in)
	}
	r.done.Wait()
}

// reportedIDs lists the tables to report: those asked for, or all.
func (r *router) reportedIDs() []wire.Hash {
	var list []wire.Hash
	if r.asked == nil {
		return r.begun
	}
	for _, id := range r.options.Tables {
		if r.asked[id] {
			list = append(list, id)
		}
		r.asked[id] = false // a table named twice is reported once
	}
	return list
}

// resultsUnder returns the results of the tables that found room.
func (r *router) resultsUnder(log *verifier.Report) map[wire.Hash]verifier.Table {
	list := map[wire.Hash]verifier.Table{}
	for id, w := range r.owner {
		if w != nil {
			list[id] = w.tables.ResultOf(id, log)
		}
	}
	return list
}
