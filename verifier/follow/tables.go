package follow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// chunk is how many entries are read before verdicts are told and progress is
// written: sixteen bundles.
const chunk = 16 * tlog.TileWidth

// reset goes back to what is on disk.
func (f *Follower) reset(ctx context.Context) {
	f.progress = f.saved.clone()
	f.live = verifier.NewLive(ctx, f.src, f.o.Catalogue)
	f.moved = map[wire.Hash]uint64{}
}

// read reads the entries that are new in the tree that is believed. Nothing is told
// under a checkpoint without cosignatures, which a run with another policy believed:
// it bounds what may come after it, and no more.
func (f *Follower) read(ctx context.Context) error {
	if !f.satisfied(f.believed) {
		return nil
	}
	if err := f.retry(ctx); err != nil {
		return err
	}
	for f.progress.read < f.believed.Size {
		end := min(f.believed.Size, (f.progress.read/chunk+1)*chunk)
		if err := f.readTo(ctx, end); err != nil {
			if !errors.Is(err, ErrNotShown) {
				return err
			}
			c := f.believed
			f.doubt(ctx, "entries", &doubt{text: err.Error(), c: &c})
			f.reset(ctx)
			return nil
		}
	}
	f.settled("entries")
	return nil
}

// readTo reads up to end, tells the verdicts, and then writes how far it came.
func (f *Follower) readTo(ctx context.Context, end uint64) error {
	err := f.each(ctx, f.progress.read, end, func(index uint64, entry []byte) error {
		return f.take(ctx, index, entry)
	})
	if err != nil {
		return err
	}
	f.progress.read = end
	if err := f.settle(ctx); err != nil {
		return err
	}
	return f.save()
}

func (f *Follower) save() error {
	if err := f.state.writeProgress(f.progress); err != nil {
		return err
	}
	f.saved = f.progress.clone()
	return nil
}

// each shows entries of the tree that is believed.
func (f *Follower) each(ctx context.Context, start, end uint64, see func(uint64, []byte) error) error {
	for start < end {
		entries, err := f.tree.entries(ctx, start, end)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := see(start, e); err != nil {
				return err
			}
			start++
		}
	}
	return nil
}

// take gives an entry to its table. Tables that are over are told no more, whatever
// the log repeats.
func (f *Follower) take(ctx context.Context, index uint64, entry []byte) error {
	id, names := wire.TableNamed(entry)
	if !names {
		id = wire.HashEntry(entry)
	}
	at, open := f.progress.open[id]
	if open {
		if err := f.revive(ctx, id, at); err != nil {
			return err
		}
		f.keep(id, index, entry)
		return nil
	}
	if names || !wire.BeginsTable(entry) {
		return nil
	}
	if over, err := f.state.reported(id); over || err != nil {
		return err
	}
	return f.begin(ctx, id, index, entry)
}

func (f *Follower) begin(ctx context.Context, id wire.Hash, index uint64, entry []byte) error {
	if len(f.progress.open) >= f.o.MaxOpen {
		f.abandon()
	}
	if err := f.makeRoom(ctx); err != nil {
		return err
	}
	f.progress.open[id] = span{first: index, last: index}
	f.keep(id, index, entry)
	if !f.live.Has(id) { // it does not parse
		delete(f.progress.open, id)
		delete(f.moved, id)
	}
	return nil
}

// keep adds an entry to a table that is in live.
func (f *Follower) keep(id wire.Hash, index uint64, entry []byte) {
	f.live.Take(index, entry)
	at := f.progress.open[id]
	at.last = index
	f.progress.open[id] = at
	f.moved[id] = index
}

// revive replays a table that is not live, from its entries up to now.
func (f *Follower) revive(ctx context.Context, id wire.Hash, at span) error {
	if f.live.Has(id) {
		return nil
	}
	if err := f.makeRoom(ctx); err != nil {
		return err
	}
	if err := f.settle(ctx); err != nil { // indexes are to ascend
		return err
	}
	return f.each(ctx, at.first, at.last+1, func(index uint64, entry []byte) error {
		if named, ok := wire.TableNamed(entry); ok && named == id || !ok && wire.HashEntry(entry) == id {
			f.live.Take(index, entry)
			f.moved[id] = index
		}
		return nil
	})
}

// makeRoom drops the quarter of the live tables that moved longest ago, if there
// are as many as may be. They are replayed if they move again.
func (f *Follower) makeRoom(ctx context.Context) error {
	if f.live.Len() < f.o.MaxLive {
		return nil
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	var ids []wire.Hash
	for id := range f.moved {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b wire.Hash) int { return cmp.Compare(f.moved[a], f.moved[b]) })
	for _, id := range ids[:min(len(ids), f.o.MaxLive/4+1)] {
		f.live.Drop(id)
		delete(f.moved, id)
	}
	return nil
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
		at, open := f.progress.open[t.Table]
		switch {
		case !open: // abandoned
		case errors.Is(t.Err, wire.ErrDetached):
			at.wants = true
			f.progress.open[t.Table] = at
			f.doubt(ctx, "table "+t.Table.String(), &doubt{text: fmt.Sprintf("table %s: %v", t.Table, t.Err), table: &t})
		default:
			if err := f.verdict(ctx, t, at); err != nil {
				return err
			}
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
	err := f.each(ctx, at.first, at.last+1, func(index uint64, entry []byte) error {
		if bundle.Of(entry, id) {
			b.Entries = append(b.Entries, bundle.Entry{Index: index, Bytes: entry})
			indexes = append(indexes, index)
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
	for id, at := range f.saved.open {
		if !at.wants {
			continue
		}
		ids = append(ids, id)
		at.wants = false
		f.progress.open[id] = at
		if err := f.revive(ctx, id, at); errors.Is(err, ErrNotShown) {
			f.reset(ctx)
			return nil
		} else if err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	for _, id := range ids {
		if !f.progress.open[id].wants {
			f.settled("table " + id.String())
		}
	}
	return f.save()
}

// giveUp tells a table that cannot be checked.
func (f *Follower) giveUp(t verifier.Table) error {
	f.cannot = true
	f.o.Tell(Event{Verdict: &t, Text: "table " + t.Line()})
	if err := f.close(t); err != nil {
		return err
	}
	return f.save()
}
