// Package tableset verifies more than one table, or less than a whole log, each table with the
// verdict that verifier.Verify gives it:
//
//   - [VerifyTables]: many tables of one log, side by side and in bounded memory, and what the sound
//     ones add up to (docs/spec/80-verification.md, 80.4);
//   - [VerifyAgainst]: a table of an [Extract], which shows its entries and no others
//     (docs/spec/85-bundle.md, 85.8), or of any source that is held against others of the same log:
//     what is shown must not contradict them, nor leave out what they have;
//   - [VerifyExtracts]: tables of which a log shows extracts alone, one or more of each, all held
//     against each other (85.9);
//   - [LiveTables]: tables of a log that grows, for who follows it (package follow): which of them are
//     over under every checkpoint that is believed.
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

// Options says which tables of a log to verify, and how.
type Options struct {
	verifier.Options             // but for Table
	Tables           []wire.Hash // nil: all of the log
	Workers          int         // tables are replayed by as many goroutines; below 1: one for each processor
	// Open is how many tables are replayed at a time that are not over; the log is
	// read once more for those that find no room. Below 1: 2,048.
	Open int
	// Wanted, if set, says which of all tables of the log to verify, by their genesis entries.
	Wanted func(*wire.Genesis) bool
	// Entry, if set, is shown every entry of the log, in order and once.
	Entry func(replay.Leaf)
	// Progress, if set, is called now and then, never twice at once: so many
	// entries were read, so many tables begun.
	Progress func(entries uint64, tables int)
}

// Report is what is true of many tables of one log.
type Report struct {
	Log       *verifier.Report   `json:"log"`              // of no table: the checks of the log
	Others    []*verifier.Report `json:"others,omitempty"` // of further logs, where the tables are of several
	Tables    []verifier.Table   `json:"tables"`           // as asked for, or in the order in which they began
	Standings []Standing         `json:"standings"`
	Shared    []SharedKeys       `json:"shared,omitempty"` // card keys with a factor in common
	Unread    []Unread           `json:"unread,omitempty"` // extracts that count for no table
	Marks     *marks.Marks       `json:"-"`                // of a whole log
}

// Unread is an extract, by the name of its file, that cannot be read or is not the log's, and
// why. As JSON it is the reason, which begins with the name.
type Unread struct {
	Name string
	Err  error
}

// MarshalText implements encoding.TextMarshaler.
func (u Unread) MarshalText() ([]byte, error) { return []byte(u.Err.Error()), nil }

// Standing is what one player's sound tables of one game add up to. A player is a
// name with a key: two of one name are two.
type Standing struct {
	Game   string `json:"game"`
	Name   string `json:"name"`
	Key    string `json:"key"`
	Tables int    `json:"tables"`
	Sum    int    `json:"sum"`

	// Apart from the sum, what other tables come to: those that were adjudicated, and,
	// if asked for, the deals that were over at tables that are not, or ended with a foul.
	Adjudicated int `json:"adjudicated,omitempty"`
	Partial     int `json:"partial,omitempty"`
}

// JoinLog adds the tables of another log. What card keys of both have in common ShareKeys says.
func (t *Report) JoinLog(other *Report) {
	t.Others = append(append(t.Others, other.Log), other.Others...)
	t.Tables, t.Unread = append(t.Tables, other.Tables...), append(t.Unread, other.Unread...)
	t.Standings = Standings(t.Tables)
}

// ShareKeys says which of the keys at its tables have a factor in common. Of a broken log there are none,
// unless another log has the table too.
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

// ExitCode is the worst verdict as the exit code of a command, in the order sound,
// sound for its seats, adjudicated, unfinished, cannot check, foul, log broken.
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

// exitCannotCheck is the exit code where there is no verdict.
const exitCannotCheck = 1

// isChecked reports whether all extracts were read, and all checks of the log made.
func (t *Report) isChecked() bool {
	return len(t.Unread) == 0 && !slices.ContainsFunc(t.allLogs(), func(r *verifier.Report) bool {
		return slices.ContainsFunc(r.LogChecks(), func(c verifier.Check) bool { return c.Outcome != verifier.Passed })
	})
}

// openTables take some 250 MB, if they are of tarokk.
const openTables = 2048

// VerifyTables checks many tables of one log. Only tables that are not over take memory, and of
// those there are no more than Open: one that is over leaves its report, and entries of
// tables that were not asked for are not kept. So the log is read once, unless more tables
// are open at a time.
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
		clear(results) // there is no verdict on any table
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

// pinnedSource shows a source under a checkpoint that it had.
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
		cancel() // what the workers still have does not matter
	}
	r.closeWorkers()
	if err == nil && log.Verdict == verifier.LogBroken {
		r.later = nil
	} else if err == nil {
		err = ctx.Err() // called off: not every table was replayed
	}
	return r, log, err
}

// CountPartial counts the deals that are over at tables that are not, or ended with a foul.
func (t *Report) CountPartial() {
	for _, one := range t.Tables {
		one.CountPartial()
	}
	t.Standings = Standings(t.Tables)
}

// Standings adds up the results of the sound tables, and apart from them those of others.
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
		case t.Asked != nil: // sound for its seats, or in part: which is nobody else's to add up
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

// queue bounds the entries that wait for a worker: as many as some dozens of tables
// have. Tables are played side by side, so a worker that was given one too many
// falls behind for as long as they last: while the entries that wait for it have
// room, the others do not wait. queueBytes bounds what those take that wait for all
// workers.
const (
	queue      = 2048
	queueBytes = 64 << 20
)

// worker replays the tables that were given to it.
type worker struct {
	in     chan replay.Leaf
	budget *budget
	tables *verifier.Tables
	placed int // of the router's
}

// openTables is how many of its tables are not known to be over.
func (w *worker) openTables() int { return w.placed - w.tables.CountOver() }

// budget is what the entries in a queue may take, in bytes.
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

// takeBytes waits until there is enough left.
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

// router gives each table, with all of its entries, to one worker.
type router struct {
	options Options
	marks   *marks.Marks
	asked   map[wire.Hash]bool    // nil: all
	begun   []wire.Hash           // in the order of the log
	owner   map[wire.Hash]*worker // of those; nil: there is no room
	later   []wire.Hash           // those for which there is none
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

// putEntry waits until there is room for the entry. A source shows many as parts of one
// file, which must not stay in memory with any of them.
func (w *worker) putEntry(e replay.Leaf) {
	e.Bytes = bytes.Clone(e.Bytes)
	w.budget.takeBytes(weightOf(e)) // which comes: whatever happens, the worker empties its queue
	w.in <- e
}

// weightOf is what an entry takes of a worker's budget: never more than there is, whatever
// a source shows.
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

// routeEntry sends an entry to the worker that has its table. One that may begin a
// table goes to the worker with the fewest in play, and of those to the one with the shortest queue: by
// queues alone a round of an event, whose tables begin together and play as long, goes to whichever is not behind just then.
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

// beginsWanted reports whether an entry begins a table that was asked for, and that is new.
func (r *router) beginsWanted(e replay.Leaf) bool {
	_, known := r.owner[e.Table]
	if known || r.asked != nil && !r.asked[e.Table] {
		return false
	}
	g, err := wire.ParseGenesis(e.Bytes)
	return err == nil && (r.options.Wanted == nil || r.options.Wanted(g.Table))
}

// placeTable finds a worker for a new table, nil if there are too many that are not over.
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

// reportedIDs lists the tables to report: those asked for, or all that there are.
func (r *router) reportedIDs() []wire.Hash {
	var list []wire.Hash
	if r.asked == nil {
		return r.begun
	}
	for _, id := range r.options.Tables {
		if r.asked[id] {
			list = append(list, id)
		}
		r.asked[id] = false // named twice is asked for once
	}
	return list
}

// resultsUnder are what is true of the tables that found room.
func (r *router) resultsUnder(log *verifier.Report) map[wire.Hash]verifier.Table {
	list := map[wire.Hash]verifier.Table{}
	for id, w := range r.owner {
		if w != nil {
			list[id] = w.tables.ResultOf(id, log)
		}
	}
	return list
}
