package verifier

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Compared is what came of holding what was shown against another source of the
// same log (Options.Against). Nothing was left out that the other one has.
type Compared struct {
	Size  uint64 `json:"size"`  // of the other's checkpoint
	Whole bool   `json:"whole"` // it shows the whole log up to there
	Later int    `json:"later"` // entries of the table that the log got afterwards
}

// String says it for people.
func (c Compared) String() string {
	text := fmt.Sprintf("Compared with a bundle of when the log had %d entries: it shows no others up to here.\n", c.Size)
	if c.Whole {
		text = fmt.Sprintf("Compared with the whole log of %d entries: up to there, or up to here, it has no others.\n", c.Size)
	}
	if c.Later > 0 {
		text += fmt.Sprintf("The log got %d entries of the table since then.\n", c.Later)
	}
	return text
}

// history is what the log signed: checkpoints, and entries that extracts show to be
// in the trees of some. All of it is true, or the log broke its promise: that one part
// contradicts another is tlog.ErrForked, and rests on two signatures.
type history struct {
	signed []tlog.Checkpoint
	shown  map[uint64]place
}

// place is an entry in a tree of this size.
type place struct {
	hash wire.Hash
	size uint64
}

// entry holds an entry of a tree of this size against what extracts show.
func (h *history) entry(index uint64, hash wire.Hash, size uint64) error {
	if other, ok := h.shown[index]; ok && other.hash != hash {
		return fmt.Errorf("%w: another history: entry %d is %s under one checkpoint that it signed, of size %d, and %s under another, of size %d", tlog.ErrForked, index, other.hash, other.size, hash, size)
	}
	return nil
}

// root holds the beginning of the tree of c, as much as was read of it, against the
// checkpoints of smaller trees.
func (h *history) root(tree *tlog.Tree, c tlog.Checkpoint) error {
	for _, old := range h.signed {
		if old.Size == tree.Size() && old.Size < c.Size && old.Root != tree.Root() {
			return fmt.Errorf("%w: another history: it signed root %s for size %d, and for size %d a tree of which the first %d entries have root %s", tlog.ErrForked, old.Root, old.Size, c.Size, old.Size, tree.Root())
		}
	}
	return nil
}

// comparison holds what is shown first, under c, against all else that the log
// signed. Something contradictory is told whoever of them shows it.
type comparison struct {
	history
	checkpoint tlog.Checkpoint
	believed   []tlog.Checkpoint
	others     []*view
	doubt      error // the first reason why it is incomplete, which accuses nobody
}

// view is what another source shows.
type view struct {
	src        Source
	checkpoint tlog.Checkpoint
	whole      bool
	entries    *extracted // of the table
}

// newComparison takes the checkpoints of the other sources, and what extracts among
// them show: those who show the whole log are then read with all of that in mind.
func newComparison(ctx context.Context, c tlog.Checkpoint, o Options) (*comparison, error) {
	a := &comparison{history: history{signed: append([]tlog.Checkpoint{c}, o.Believed...), shown: map[uint64]place{}}, checkpoint: c, believed: o.Believed}
	for _, src := range o.Against {
		v, err := meet(ctx, src, c, o)
		if err != nil {
			a.doubts(fmt.Errorf("comparing: %v", err))
			continue
		}
		a.signed, a.others = append(a.signed, v.checkpoint), append(a.others, v)
	}
	if err := checkForks(a.signed, o.Policy); err != nil {
		return nil, err
	}
	for _, v := range a.others {
		if x, ok := v.src.(Extract); ok {
			if err := a.done(a.readExtract(x, v.checkpoint, v.entries.take)); err != nil {
				return nil, err
			}
			if len(v.entries.hashes) == 0 {
				a.doubts(fmt.Errorf("comparing: what it is compared with is of another table: it has no entry of %s", o.Table))
			}
		}
	}
	return a, nil
}

// meet takes the checkpoint of another source. Without a signature it is nobody's.
func meet(ctx context.Context, src Source, c tlog.Checkpoint, o Options) (*view, error) {
	other, err := src.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	if err := other.Verify(o.Log...); err != nil {
		return nil, err
	}
	if other.Origin != c.Origin {
		return nil, fmt.Errorf("it is of the log %q, and not of %q", other.Origin, c.Origin)
	}
	_, extract := src.(Extract)
	return &view{src, other, !extract, newExtracted(o.Table)}, nil
}

// doubts notes why the comparison is incomplete.
func (a *comparison) doubts(err error) {
	if a.doubt == nil {
		a.doubt = err
	}
}

// done returns what two signatures show, of what came of reading another source. Any
// other error is a doubt, of no class: whatever it is, it accuses nobody.
func (a *comparison) done(check table.Check, err error) error {
	if check == CheckHistory {
		return err
	}
	if err != nil {
		a.doubts(fmt.Errorf("comparing: altered, or cut short: %v", err))
	}
	return nil
}

// readExtract shows the entries of an extract to see, and holds them against the
// history, which has them then.
func (h *history) readExtract(x Extract, c tlog.Checkpoint, see func(shown)) (table.Check, error) {
	entries, err := x.Extract(c)
	if err != nil {
		return CheckTree, err
	}
	for index, entry := range entries {
		hash := wire.HashEntry(entry)
		if err := h.entry(index, hash, c.Size); err != nil {
			return CheckHistory, err
		}
		h.shown[index] = place{hash, c.Size}
		named, _ := wire.TableNamed(entry)
		see(shown{index, hash, named, entry})
	}
	return "", nil
}

// finish reads the other whole logs, and tells what of the table was not found, or
// is later than what was shown first.
func (a *comparison) finish(ctx context.Context, r *Report, found *extracted) error {
	for _, v := range a.others {
		if v.whole {
			if err := a.done(readLog(ctx, v.src, v.checkpoint, &a.history, v.entries.take)); err != nil {
				return err
			}
		}
	}
	for _, v := range a.others {
		compared, err := v.compared(a.checkpoint, found)
		if err != nil {
			a.doubts(err)
		}
		if r.Shown != nil {
			r.Shown.Against = append(r.Shown.Against, compared)
		}
	}
	if a.doubt != nil {
		return a.doubt
	}
	return r.checkBelieved(a.checkpoint, a.believed)
}

// compared looks for entries of the table that were not found.
func (v *view) compared(c tlog.Checkpoint, found *extracted) (Compared, error) {
	compared := Compared{Size: v.checkpoint.Size, Whole: v.whole}
	for _, index := range slices.Sorted(maps.Keys(v.entries.hashes)) {
		if _, there := found.hashes[index]; !there && index < c.Size {
			return compared, fmt.Errorf("entry %d of the table is left out: the log has it, as what this is compared with shows", index)
		}
		if index >= c.Size {
			compared.Later++
		}
	}
	return compared, nil
}

// checkBelieved: a log that is smaller than one believed earlier cannot show that it
// is its beginning. Of an extract nothing is shown but what whole logs show that
// contain both.
func (r *Report) checkBelieved(c tlog.Checkpoint, believed []tlog.Checkpoint) error {
	for _, old := range believed {
		switch {
		case r.Shown == nil && old.Size > c.Size:
			return fmt.Errorf("it shows %d entries and had signed %d: an old copy, or a log that hides something", c.Size, old.Size)
		case r.Shown != nil && old.Size != c.Size && old.Size > 0 && !r.Shown.covered(max(old.Size, c.Size)):
			return fmt.Errorf("a bundle of size %d cannot show that the log contains the checkpoint of size %d: compare it with the log", c.Size, old.Size)
		}
	}
	return nil
}
