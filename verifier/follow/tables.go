package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// chunk is the least number of entries read before verdicts are told and progress is written: sixteen
// entry tiles.
const chunk = 16 * tlog.TileWidth

// tablesInPlay are the tables in play, as far as the log's entries were read.
type tablesInPlay struct {
	src       Surface
	o         Options
	state     *state
	belief    *belief
	doubts    *doubts
	cache     *pageCache
	verdicts  *verdicts
	within    time.Duration                   // bounds the reading of one step
	meanwhile func(ctx context.Context) error // is called between entries

	saved    progress // as on disk
	progress progress
	live     *tableset.LiveTables
	moved    map[wire.Hash]uint64 // index of the last entry that live was given, by table
	behind   map[wire.Hash]bool   // tables in play with entries that live was not given
	marks    *marks.Marks         // that were read since the start, or again
	untimed  map[wire.Hash]bool   // tables whose claims name other marks
	paused   bool                 // entries are left for the next step
}

// loadProgress loads what earlier runs read.
func (t *tablesInPlay) loadProgress(ctx context.Context) (err error) {
	if t.saved, err = t.state.readProgress(); err != nil {
		return err
	}
	if size := t.belief.checkpoint.Size; t.saved.read > size {
		return fmt.Errorf("%s was altered: %d entries read of %d", t.state.dir, t.saved.read, size)
	}
	for id := range t.saved.open {
		over, err := t.state.isReported(id)
		if err != nil {
			return err
		}
		if over {
			delete(t.saved.open, id)
		}
	}
	t.resetToSaved(ctx)
	return nil
}

// resetToSaved returns to the progress on disk.
func (t *tablesInPlay) resetToSaved(ctx context.Context) {
	t.progress = t.saved.clone()
	if t.marks = marks.NewPartial(t.belief.keys...); len(t.progress.open) == 0 {
		t.marks.SetComplete()
	}
	t.live = tableset.NewLiveTables(ctx, t.src, verifier.Options{Catalogue: t.o.Catalogue, Policy: t.o.Policy}, t.marks.Mark)
	t.moved = map[wire.Hash]uint64{}
	t.behind = map[wire.Hash]bool{}
	t.untimed = map[wire.Hash]bool{}
}

// readNew reads the new entries of the believed tree. It tells nothing under a checkpoint without
// cosignatures, which a run with another policy believed: that checkpoint only bounds later ones.
func (t *tablesInPlay) readNew(ctx context.Context) error {
	t.paused = false
	if !t.belief.isSatisfied(t.belief.checkpoint) {
		return nil
	}
	if err := t.retryWanting(ctx); err != nil {
		return err
	}
	for start := t.o.Now(); t.progress.read < t.belief.checkpoint.Size; {
		if err := t.readSome(ctx); err != nil {
			if !errors.Is(err, ErrNotShown) {
				return err
			}
			t.doubts.doubtUnshown(ctx, "entries", t.belief.checkpoint, t.saved.read, err)
			t.resetToSaved(ctx)
			return nil
		}
		t.doubts.settleDoubt("entries")
		if t.paused = t.progress.read < t.belief.checkpoint.Size && t.o.Now().Sub(start) >= t.within; t.paused {
			return nil
		}
	}
	if len(t.untimed) > 0 {
		return t.retryWanting(ctx)
	}
	return nil
}

// readSome reads a chunk of entries as far as they are shown, replays their tables, each once, tells
// the verdicts, and then writes the progress.
func (t *tablesInPlay) readSome(ctx context.Context) error {
	failed := t.indexSome(ctx)
	if failed != nil && !errors.Is(failed, ErrNotShown) {
		return failed
	}
	if err := t.replayBehind(ctx); err != nil {
		return err
	}
	return cmp.Or(t.saveProgress(), failed)
}

// indexSome indexes a chunk. If tables have to be replayed from far back, it goes on until it has
// indexed as many entry tiles as the replay reads again: so it never reads more again than it reads
// anew, however long the log is.
func (t *tablesInPlay) indexSome(ctx context.Context) error {
	for start := t.progress.read; t.progress.read < t.belief.checkpoint.Size; {
		end := min(t.belief.checkpoint.Size, (t.progress.read/chunk+1)*chunk)
		if err := t.indexEntries(ctx, end); err != nil {
			return err
		}
		if t.toRepeat(start) <= (end-start)/tlog.TileWidth {
			break
		}
	}
	return nil
}

// indexEntries records to which tables the entries before end belong.
func (t *tablesInPlay) indexEntries(ctx context.Context, end uint64) error {
	start := t.progress.read
	news := []tileRun{{start / tlog.TileWidth, (end - 1) / tlog.TileWidth}}
	return t.cache.eachEntry(ctx, news, end, func(e replay.Leaf) error {
		if e.Index < start {
			return nil
		}
		if err := t.meanwhile(ctx); err != nil {
			return err
		}
		t.progress.read = e.Index + 1
		return t.takeEntry(ctx, e)
	})
}

// toRepeat returns how many entry tiles before the entry start have to be read again to replay
// tables.
func (t *tablesInPlay) toRepeat(start uint64) (n uint64) {
	var runs []tileRun
	for id := range t.behind {
		if !t.live.IsReplayed(id) {
			runs = append(runs, t.progress.open[id].runs...)
		}
	}
	for _, r := range unionOf(runs) {
		n += max(min(r.last+1, start/tlog.TileWidth), r.first) - r.first
	}
	return n
}

func (t *tablesInPlay) saveProgress() error {
	if err := t.state.writeProgress(t.progress); err != nil {
		return err
	}
	t.saved = t.progress.clone()
	return nil
}

// takeEntry records an entry that belongs to a table in play or begins one. A finished table is not
// told again, whatever entries the log repeats.
func (t *tablesInPlay) takeEntry(ctx context.Context, e replay.Leaf) error {
	if err := t.takeMark(ctx, e); err != nil {
		return err
	}
	if at, open := t.progress.open[e.Table]; open {
		t.progress.open[e.Table] = at.withEntry(e.Index)
		t.behind[e.Table] = true
		return nil
	}
	if !e.BeginsTable() {
		return nil
	}
	if over, err := t.state.isReported(e.Table); over || err != nil {
		return err
	}
	if err := t.ensurePlace(ctx); err != nil {
		return err
	}
	t.progress.open[e.Table] = entrySpan{first: e.Index}.withEntry(e.Index)
	t.behind[e.Table] = true
	return nil
}

// takeMark records a mark, if the entry is one, and compares its checkpoint with the believed tree:
// two histories are evidence wherever they are found.
func (t *tablesInPlay) takeMark(ctx context.Context, e replay.Leaf) error {
	if !wire.BeginsMark(e.Bytes) {
		return nil
	}
	c, err := marks.ReadMark(e.Index, e.Bytes, t.belief.keys)
	if err != nil {
		return nil // the mark is void
	}
	found, err := t.belief.tree.compareSmaller(ctx, c)
	if err != nil {
		return err
	}
	if found != nil {
		return t.belief.writeEvidence(found)
	}
	t.marks.Add(e.Index, e.Bytes)
	return nil
}

// rereadMarks reads the marks from the first table in play on again if claims name some that were not
// read since the start. Older marks prove nothing to any table.
func (t *tablesInPlay) rereadMarks(ctx context.Context) error {
	if len(t.untimed) == 0 {
		return nil
	}
	first := t.progress.read
	for _, at := range t.progress.open {
		first = min(first, at.first)
	}
	all := []tileRun{{first / tlog.TileWidth, (t.progress.read - 1) / tlog.TileWidth}}
	err := t.cache.eachEntry(ctx, all, t.progress.read, func(e replay.Leaf) error {
		return cmp.Or(t.takeMark(ctx, e), t.meanwhile(ctx))
	})
	if err == nil {
		clear(t.untimed)
		t.marks.SetComplete()
	}
	return err
}

// ensurePlace gives up a table if as many tables are in play as allowed, after removing those that
// turn out to be over.
func (t *tablesInPlay) ensurePlace(ctx context.Context) error {
	if len(t.progress.open) < t.o.MaxOpen {
		return nil
	}
	if err := t.replayBehind(ctx); err != nil {
		return err
	}
	if len(t.progress.open) >= t.o.MaxOpen {
		t.abandonOldest()
	}
	return nil
}

// replayBehind replays the tables that are behind and tells those that are over. Live tables come
// first. Of the others it replays as many at once as may be live, so that it reads their entry tiles
// once for all of them. One after another, each would drive out one that is needed again.
func (t *tablesInPlay) replayBehind(ctx context.Context) error {
	ids := slices.SortedFunc(maps.Keys(t.behind), func(a, b wire.Hash) int {
		if x, y := t.live.IsReplayed(a), t.live.IsReplayed(b); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return cmp.Compare(t.progress.open[a].first, t.progress.open[b].first)
	})
	for some := range slices.Chunk(ids, t.o.MaxLive) {
		if err := t.replaySome(ctx, some); err != nil {
			return err
		}
	}
	clear(t.behind)
	return nil
}

// replaySome replays at most as many tables as may be live.
func (t *tablesInPlay) replaySome(ctx context.Context, ids []wire.Hash) error {
	t.dropIdle(ids)
	var runs []tileRun
	next, end := map[wire.Hash]uint64{}, uint64(0) // next: the first entry that each table still needs
	for _, id := range ids {
		at := t.progress.open[id]
		next[id] = at.first
		if last, live := t.moved[id]; live {
			next[id] = last + 1
		}
		runs = append(runs, at.runsFrom(next[id])...)
		end = max(end, at.last+1)
	}
	err := t.cache.eachEntry(ctx, unionOf(runs), end, func(e replay.Leaf) error {
		if from, ours := next[e.Table]; ours && e.Index >= from {
			t.live.Take(e)
			t.moved[e.Table] = e.Index
		}
		return t.meanwhile(ctx)
	})
	if err != nil {
		return err
	}
	return t.settleProofs(ctx)
}

// dropIdle drops the live tables that moved longest ago to make room for others. They are replayed
// again if they move.
func (t *tablesInPlay) dropIdle(others []wire.Hash) {
	needed := map[wire.Hash]bool{}
	for _, id := range others {
		needed[id] = true
	}
	var idle []wire.Hash
	for id := range t.moved {
		if !needed[id] {
			idle = append(idle, id)
		}
	}
	slices.SortFunc(idle, func(a, b wire.Hash) int { return cmp.Compare(t.moved[a], t.moved[b]) })
	for _, id := range idle[:max(0, len(idle)+len(others)-t.o.MaxLive)] {
		t.live.Drop(id)
		delete(t.moved, id)
	}
}

// abandonOldest gives up the table in play that moved longest ago: otherwise somebody who begins
// tables without end could fill the memory.
func (t *tablesInPlay) abandonOldest() {
	oldest, last := wire.Hash{}, uint64(math.MaxUint64)
	for id, at := range t.progress.open {
		if at.last < last {
			oldest, last = id, at.last
		}
	}
	delete(t.progress.open, oldest)
	delete(t.moved, oldest)
	t.live.Drop(oldest)
	t.verdicts.unchecked = true
	t.o.Tell(Event{Text: fmt.Sprintf("table %s is followed no more: %d others in play moved later", oldest, t.o.MaxOpen-1)})
}

// settleProofs checks the collected proofs and tells the tables that are over.
func (t *tablesInPlay) settleProofs(ctx context.Context) error {
	over, err := t.live.Settle(t.belief.checkpoint, t.o.Policy)
	if err != nil {
		return err
	}
	slices.SortFunc(over, func(a, b verifier.Table) int {
		return cmp.Compare(t.progress.open[a.Table].last, t.progress.open[b.Table].last)
	})
	for _, v := range over {
		delete(t.moved, v.Table)
		at := t.progress.open[v.Table]
		if untimed := errors.Is(v.Err, table.ErrUntimed); untimed || errors.Is(v.Err, wire.ErrDetached) {
			if at.wants = true; untimed {
				t.untimed[v.Table] = true
			}
			t.progress.open[v.Table] = at
			t.doubts.raiseDoubt(ctx, doubtOfTable(v.Table), &doubt{text: fmt.Sprintf("table %s: %v", v.Table, v.Err), table: &v})
			continue
		}
		if err := t.verdicts.tellOver(ctx, v, at); err != nil {
			return err
		}
		t.closeTable(v.Table)
	}
	return nil
}

// closeTable forgets a told table. After a crash its report says so.
func (t *tablesInPlay) closeTable(id wire.Hash) {
	delete(t.progress.open, id)
	delete(t.saved.open, id)
}

// retryWanting replays the tables that could not be checked for want of a blob or mark.
func (t *tablesInPlay) retryWanting(ctx context.Context) error {
	var ids []wire.Hash
	for id, at := range t.progress.open {
		if at.wants {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		t.doubts.forgetDoubt(earlier)
		return nil
	}
	if err := t.rereadMarks(ctx); err != nil && !errors.Is(err, ErrNotShown) {
		return err
	}
	var held bool
	until := t.o.Now().Add(t.o.Patience)
	for some := range slices.Chunk(ids, t.o.MaxLive) {
		unshown, err := t.retrySome(ctx, some, until)
		if err != nil {
			return err
		}
		held = held || unshown
	}
	if !held {
		t.doubts.settleDoubt(earlier)
	}
	for _, id := range ids {
		if !t.progress.open[id].wants {
			t.doubts.settleDoubt(doubtOfTable(id))
		}
	}
	return t.saveProgress()
}

// earlier is the name of the doubt about entries that were shown before and are not shown again.
const earlier = "earlier entries"

// retrySome retries at most as many tables as may be live, and reports whether entries of them are
// withheld. As long as there is time, it finds the affected tables by halves and replays the others.
func (t *tablesInPlay) retrySome(ctx context.Context, ids []wire.Hash, until time.Time) (held bool, err error) {
	t.setWants(ids, false)
	failed := t.replaySome(ctx, ids)
	if failed == nil || !errors.Is(failed, ErrNotShown) {
		return false, failed
	}
	if err := cmp.Or(t.settleProofs(ctx), t.meanwhile(ctx)); err != nil {
		return true, err
	}
	if half := len(ids) / 2; half > 0 && t.o.Now().Before(until) {
		if _, err := t.retrySome(ctx, ids[:half], until); err != nil {
			return true, err
		}
		_, err := t.retrySome(ctx, ids[half:], until)
		return true, err
	}
	t.setWants(ids, true)
	t.doubtHeldBack(ctx, ids, failed)
	return true, nil
}

// setWants sets whether tables in play are to be tried again.
func (t *tablesInPlay) setWants(ids []wire.Hash, wants bool) {
	for _, id := range ids {
		if at, open := t.progress.open[id]; open {
			at.wants = wants
			t.progress.open[id] = at
		}
	}
}

// doubtHeldBack raises doubts about tables whose entries were shown before and are not shown again,
// and about the tree that has them.
func (t *tablesInPlay) doubtHeldBack(ctx context.Context, ids []wire.Hash, why error) {
	for _, id := range ids {
		at, open := t.progress.open[id]
		if !open {
			continue
		}
		t.doubts.doubtUnshown(ctx, earlier, t.belief.checkpoint, at.last, why)
		v := verifier.Table{Report: &verifier.Report{Table: id, Checkpoint: t.belief.checkpoint}, Err: why}
		t.doubts.raiseDoubt(ctx, doubtOfTable(id), &doubt{text: fmt.Sprintf("table %s: %v", id, why), table: &v})
	}
}

// giveUp gives up the tables whose blobs have not been shown for the time of patience.
func (t *tablesInPlay) giveUp(patience time.Duration) error {
	for _, v := range t.doubts.takeOverdue(patience) {
		if err := t.giveUpTable(v); err != nil {
			return err
		}
	}
	return nil
}

// giveUpTable tells that a table cannot be checked.
func (t *tablesInPlay) giveUpTable(v verifier.Table) error {
	t.closeTable(v.Table)
	if err := t.verdicts.giveUp(v); err != nil {
		return err
	}
	return t.saveProgress()
}
