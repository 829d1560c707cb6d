package follow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/live"
)

// chunk is how many entries are read, at least, before verdicts are told and progress is
// written: sixteen bundles.
const chunk = 16 * tlog.TileWidth

// reset goes back to what is on disk.
func (f *Follower) reset(ctx context.Context) {
	f.progress = f.saved.clone()
	f.live = live.New(ctx, f.src, f.o.Catalogue)
	f.moved = map[wire.Hash]uint64{}
	f.behind = map[wire.Hash]bool{}
}

// read reads the entries that are new in the tree that is believed. Nothing is told
// under a checkpoint without cosignatures, which a run with another policy believed:
// it bounds what may come after it, and no more.
func (f *Follower) read(ctx context.Context) error {
	f.paused = false
	if !f.satisfied(f.believed) {
		return nil
	}
	if err := f.retry(ctx); err != nil {
		return err
	}
	for start := f.o.Now(); f.progress.read < f.believed.Size; {
		if err := f.readSome(ctx); err != nil {
			if !errors.Is(err, ErrNotShown) {
				return err
			}
			f.unshown(ctx, "entries", f.saved.read, err)
			f.reset(ctx)
			return nil
		}
		f.settled("entries")
		if f.paused = f.progress.read < f.believed.Size && f.o.Now().Sub(start) >= f.within; f.paused {
			return nil
		}
	}
	return nil
}

// readSome reads a chunk of entries, replays the tables that they are of, each once,
// tells the verdicts, and then writes how far it came: as far as entries were shown.
func (f *Follower) readSome(ctx context.Context) error {
	failed := f.indexSome(ctx)
	if failed != nil && !errors.Is(failed, ErrNotShown) {
		return failed
	}
	if err := f.replay(ctx); err != nil {
		return err
	}
	return cmp.Or(f.save(), failed)
}

// indexSome indexes a chunk. If tables will have to be replayed from far back for it, it
// goes on until there is as much to gain by that: so what is read again is never more
// than what is read, however long the log is.
func (f *Follower) indexSome(ctx context.Context) error {
	for start := f.progress.read; f.progress.read < f.believed.Size; {
		end := min(f.believed.Size, (f.progress.read/chunk+1)*chunk)
		if err := f.index(ctx, end); err != nil {
			return err
		}
		if f.toRepeat(start) <= (end-start)/tlog.TileWidth {
			break
		}
	}
	return nil
}

// index notes which tables the entries up to end are of.
func (f *Follower) index(ctx context.Context, end uint64) error {
	start := f.progress.read
	news := []run{{start / tlog.TileWidth, (end - 1) / tlog.TileWidth}}
	return f.each(ctx, news, end, func(e replay.Shown) error {
		if e.Index < start {
			return nil
		}
		if err := f.meanwhile(ctx); err != nil {
			return err
		}
		f.progress.read = e.Index + 1
		return f.take(ctx, e)
	})
}

// toRepeat counts the bundles before an entry that tables have to be replayed from.
func (f *Follower) toRepeat(start uint64) (n uint64) {
	var runs []run
	for id := range f.behind {
		if !f.live.Has(id) {
			runs = append(runs, f.progress.open[id].runs...)
		}
	}
	for _, r := range union(runs) {
		n += max(min(r.last+1, start/tlog.TileWidth), r.first) - r.first
	}
	return n
}

func (f *Follower) save() error {
	if err := f.state.writeProgress(f.progress); err != nil {
		return err
	}
	f.saved = f.progress.clone()
	return nil
}

// take notes an entry of a table in play, or one that begins a table. Tables that are
// over are told no more, whatever the log repeats.
func (f *Follower) take(ctx context.Context, e replay.Shown) error {
	if at, open := f.progress.open[e.Table]; open {
		f.progress.open[e.Table] = at.with(e.Index)
		f.behind[e.Table] = true
		return nil
	}
	if !e.Begins() {
		return nil
	}
	if over, err := f.state.reported(e.Table); over || err != nil {
		return err
	}
	if err := f.makePlace(ctx); err != nil {
		return err
	}
	f.progress.open[e.Table] = span{first: e.Index}.with(e.Index)
	f.behind[e.Table] = true
	return nil
}

// makePlace gives up a table if there are as many in play as may be, but for those that
// turn out to be over.
func (f *Follower) makePlace(ctx context.Context) error {
	if len(f.progress.open) < f.o.MaxOpen {
		return nil
	}
	if err := f.replay(ctx); err != nil {
		return err
	}
	if len(f.progress.open) >= f.o.MaxOpen {
		f.abandon()
	}
	return nil
}

// replay gives the tables that are behind their entries, and tells those that are over.
// First come those that are live; of the others as many at once as may be live, so that
// their bundles are read once for all of them. In turn, one after another, each would
// drive out one that is needed again.
func (f *Follower) replay(ctx context.Context) error {
	ids := slices.SortedFunc(maps.Keys(f.behind), func(a, b wire.Hash) int {
		if x, y := f.live.Has(a), f.live.Has(b); x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return cmp.Compare(f.progress.open[a].first, f.progress.open[b].first)
	})
	for some := range slices.Chunk(ids, f.o.MaxLive) {
		if err := f.replaySome(ctx, some); err != nil {
			return err
		}
	}
	clear(f.behind)
	return nil
}

// replaySome is replay of as many tables as may be live.
func (f *Follower) replaySome(ctx context.Context, ids []wire.Hash) error {
	f.makeRoom(ids)
	var runs []run
	next, end := map[wire.Hash]uint64{}, uint64(0) // next: the entry from which on each of them needs them
	for _, id := range ids {
		at := f.progress.open[id]
		next[id] = at.first
		if last, live := f.moved[id]; live {
			next[id] = last + 1
		}
		runs = append(runs, at.from(next[id])...)
		end = max(end, at.last+1)
	}
	err := f.each(ctx, union(runs), end, func(e replay.Shown) error {
		if from, ours := next[e.Table]; ours && e.Index >= from {
			f.live.Take(e)
			f.moved[e.Table] = e.Index
		}
		return f.meanwhile(ctx)
	})
	if err != nil {
		return err
	}
	return f.settle(ctx)
}

// makeRoom drops the live tables that moved longest ago, as many as it takes to replay
// others. They are replayed if they move again.
func (f *Follower) makeRoom(others []wire.Hash) {
	needed := map[wire.Hash]bool{}
	for _, id := range others {
		needed[id] = true
	}
	var idle []wire.Hash
	for id := range f.moved {
		if !needed[id] {
			idle = append(idle, id)
		}
	}
	slices.SortFunc(idle, func(a, b wire.Hash) int { return cmp.Compare(f.moved[a], f.moved[b]) })
	for _, id := range idle[:max(0, len(idle)+len(others)-f.o.MaxLive)] {
		f.live.Drop(id)
		delete(f.moved, id)
	}
}

// abandon gives up the table in play that moved longest ago. Whoever can begin
// tables without end could otherwise fill our memory.
func (f *Follower) abandon() {
	oldest, last := wire.Hash{}, uint64(math.MaxUint64)
	for id, at := range f.progress.open {
		if at.last < last {
			oldest, last = id, at.last
		}
	}
	delete(f.progress.open, oldest)
	delete(f.moved, oldest)
	f.live.Drop(oldest)
	f.cannot = true
	f.o.Tell(Event{Text: fmt.Sprintf("table %s is followed no more: %d others in play moved later", oldest, f.o.MaxOpen-1)})
}

// settle checks the proofs collected, and tells the tables that are over.
func (f *Follower) settle(ctx context.Context) error {
	over, err := f.live.Settle(f.believed, f.o.Policy)
	if err != nil {
		return err
	}
	slices.SortFunc(over, func(a, b verifier.Table) int {
		return cmp.Compare(f.progress.open[a.Table].last, f.progress.open[b.Table].last)
	})
	for _, t := range over {
		delete(f.moved, t.Table)
		at := f.progress.open[t.Table]
		if errors.Is(t.Err, wire.ErrDetached) {
			at.wants = true
			f.progress.open[t.Table] = at
			f.doubt(ctx, "table "+t.Table.String(), &doubt{text: fmt.Sprintf("table %s: %v", t.Table, t.Err), table: &t})
			continue
		}
		if err := f.verdict(ctx, t, at); err != nil {
			return err
		}
	}
	return nil
}

// verdict tells a table that is over, with the evidence of a foul on disk before,
// and its report after: so it is told at least once.
func (f *Follower) verdict(ctx context.Context, t verifier.Table, at span) error {
	event := Event{Verdict: &t, Text: "table " + t.Line()}
	if t.Err == nil && t.Verdict == verifier.Foul {
		file, err := f.writeFoul(ctx, t, at)
		if err != nil {
			return err
		}
		f.foul = true
		event.Text += " Evidence: " + file
	}
	f.cannot = f.cannot || t.Err != nil
	f.settled("table " + t.Table.String())
	f.o.Tell(event)
	return f.close(t)
}

// close writes the report of a table that was told. That there was one is written in
// any case: it is not to be told again.
func (f *Follower) close(t verifier.Table) error {
	report, err := json.Marshal(t)
	if err != nil {
		f.o.Tell(Event{Text: fmt.Sprintf("the report of table %s cannot be written: %s", t.Table, printable(err.Error()))})
		report = fmt.Appendf(nil, `{"table":%q,"error":%q}`, t.Table, "the report could not be written: "+printable(err.Error()))
	}
	delete(f.progress.open, t.Table)
	delete(f.saved.open, t.Table) // which is read so after a crash too: it has a report
	return f.state.write(reportName(t.Table), append(report, '\n'))
}

// writeFoul writes a bundle of the table up to the foul. Without one, because the
// log shows the entries no more, the verdict stands all the same.
func (f *Follower) writeFoul(ctx context.Context, t verifier.Table, at span) (string, error) {
	b, err := f.collect(ctx, t.Table, at)
	if err != nil {
		return "none, " + printable(err.Error()), nil
	}
	name := "foul-" + t.Table.String() + ".pakli"
	return filepath.Join(f.state.dir, name), f.state.write(name, b.Marshal())
}

// collect makes a bundle of the entries of a table.
func (f *Follower) collect(ctx context.Context, id wire.Hash, at span) (*bundle.Bundle, error) {
	b := bundle.Bundle{Table: id, Checkpoint: f.believed}
	var indexes []uint64
	err := f.each(ctx, at.runs, at.last+1, func(e replay.Shown) error {
		if e.Index >= at.first && wire.Concerns(e.Bytes, id) {
			b.Entries = append(b.Entries, bundle.Entry{Index: e.Index, Bytes: e.Bytes})
			indexes = append(indexes, e.Index)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.Blobs, err = bundle.Fetch(ctx, f.src, b.Entries); err != nil {
		return nil, err
	}
	if b.Hashes, err = bundle.Prove(ctx, f.tree, f.believed.Size, indexes); err != nil {
		return nil, err
	}
	b.Keys.Log = f.o.Log
	if f.o.Policy != nil {
		for _, c := range f.o.Policy.Cosigners {
			b.Keys.Cosigners = append(b.Keys.Cosigners, c.Key)
		}
	}
	return bundle.New(b)
}

// retry replays the tables that could not be checked for want of a blob.
func (f *Follower) retry(ctx context.Context) error {
	var ids []wire.Hash
	for id, at := range f.progress.open {
		if at.wants {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		delete(f.doubts, earlier)
		return nil
	}
	var held bool
	until := f.o.Now().Add(f.o.Patience)
	for some := range slices.Chunk(ids, f.o.MaxLive) {
		unshown, err := f.retrySome(ctx, some, until)
		if err != nil {
			return err
		}
		held = held || unshown
	}
	if !held {
		f.settled(earlier)
	}
	for _, id := range ids {
		if !f.progress.open[id].wants {
			f.settled("table " + id.String())
		}
	}
	return f.save()
}

// earlier names the doubt about entries that were shown before, and are not again.
const earlier = "earlier entries"

// retrySome is retry of as many tables as may be live, and says whether entries of them
// are held back. Whose these are is found by halves, as long as there is time: the
// others are replayed.
func (f *Follower) retrySome(ctx context.Context, ids []wire.Hash, until time.Time) (held bool, err error) {
	f.want(ids, false)
	failed := f.replaySome(ctx, ids)
	if failed == nil || !errors.Is(failed, ErrNotShown) {
		return false, failed
	}
	if err := cmp.Or(f.settle(ctx), f.meanwhile(ctx)); err != nil {
		return true, err
	}
	if half := len(ids) / 2; half > 0 && f.o.Now().Before(until) {
		if _, err := f.retrySome(ctx, ids[:half], until); err != nil {
			return true, err
		}
		_, err := f.retrySome(ctx, ids[half:], until)
		return true, err
	}
	f.want(ids, true)
	f.holdBack(ctx, ids, failed)
	return true, nil
}

// want notes whether tables in play are to be tried again.
func (f *Follower) want(ids []wire.Hash, wants bool) {
	for _, id := range ids {
		if at, open := f.progress.open[id]; open {
			at.wants = wants
			f.progress.open[id] = at
		}
	}
}

// holdBack doubts tables whose entries were shown before, and are not again, and the
// tree that has them.
func (f *Follower) holdBack(ctx context.Context, ids []wire.Hash, why error) {
	for _, id := range ids {
		at, open := f.progress.open[id]
		if !open {
			continue
		}
		f.unshown(ctx, earlier, at.last, why)
		t := verifier.Table{Report: &verifier.Report{Table: id, Checkpoint: f.believed}, Err: why}
		f.doubt(ctx, "table "+id.String(), &doubt{text: fmt.Sprintf("table %s: %v", id, why), table: &t})
	}
}

// giveUpTable tells a table that cannot be checked.
func (f *Follower) giveUpTable(t verifier.Table) error {
	f.cannot = true
	f.o.Tell(Event{Verdict: &t, Text: "table " + t.Line()})
	if err := f.close(t); err != nil {
		return err
	}
	return f.save()
}
