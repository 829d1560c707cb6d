package verifier

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
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

// view is what another source shows.
type view struct {
	checkpoint tlog.Checkpoint
	whole      bool
	entries    *extracted           // of the table
	hashes     map[uint64]wire.Hash // at the places of entries that were shown to us, as far as it shows them
	roots      map[uint64]tlog.Hash // by size, where it is known
}

// checkAgainst holds the entries of the table under c against every other source.
// An error that is tlog.ErrBroken rests on two signatures of the log; any other
// accuses nobody.
func (r *Report) checkAgainst(ctx context.Context, c tlog.Checkpoint, found *extracted, o Options) error {
	known := append([]tlog.Checkpoint{c}, o.Believed...)
	for _, src := range o.Against {
		v, err := look(ctx, src, known, found, o)
		if err != nil {
			return fmt.Errorf("comparing: %v", err) // which accuses nobody, whatever it is
		}
		if err := v.contradicts(known, found); err != nil {
			return err
		}
		compared := Compared{Size: v.checkpoint.Size, Whole: v.whole}
		for _, index := range slices.Sorted(maps.Keys(v.entries.hashes)) {
			if _, there := found.hashes[index]; !there && index < c.Size {
				return fmt.Errorf("entry %d of the table is left out: the log has it, as what this is compared with shows", index)
			}
			if index >= c.Size {
				compared.Later++
			}
		}
		if r.Shown != nil {
			r.Shown.Against = append(r.Shown.Against, compared)
		}
	}
	return r.checkBelieved(c, o.Believed)
}

// checkBelieved: that the log contains checkpoints believed earlier is nothing that
// an extract shows. A whole log that contains both shows it.
func (r *Report) checkBelieved(c tlog.Checkpoint, believed []tlog.Checkpoint) error {
	if r.Shown == nil {
		return nil
	}
	for _, old := range believed {
		if old.Size != c.Size && old.Size > 0 && !r.Shown.covered(max(old.Size, c.Size)) {
			return fmt.Errorf("a bundle of size %d cannot show that the log contains the checkpoint of size %d: compare it with the log", c.Size, old.Size)
		}
	}
	return nil
}

// look reads another source as far as its own checkpoint. That its entries have the
// root signed there comes first: before that they contradict nobody.
func look(ctx context.Context, src Source, known []tlog.Checkpoint, found *extracted, o Options) (*view, error) {
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.Verify(o.Log...); err != nil {
		return nil, err
	}
	if c.Origin != known[0].Origin {
		return nil, fmt.Errorf("it is of the log %q, and not of %q", c.Origin, known[0].Origin)
	}
	v := &view{checkpoint: c, entries: &extracted{id: o.Table, hashes: map[uint64]wire.Hash{}}, hashes: map[uint64]wire.Hash{}, roots: map[uint64]tlog.Hash{c.Size: c.Root}}
	see := func(s shown) {
		v.entries.take(s)
		if _, there := found.hashes[s.index]; there {
			v.hashes[s.index] = s.hash
		}
	}
	if x, ok := src.(Extract); ok {
		return v, readExtract(x, c, see)
	}
	v.whole = true
	return v, v.readLog(ctx, src, known, see)
}

// readLog shows all entries to see, and notes the roots at sizes that are known.
func (v *view) readLog(ctx context.Context, src Source, known []tlog.Checkpoint, see func(shown)) error {
	sizes := map[uint64]bool{}
	for _, k := range known {
		sizes[k.Size] = true
	}
	var tree tlog.Tree
	note := func(s shown) {
		see(s)
		tree.Append(tlog.Hash(s.hash))
		if n := tree.Size(); sizes[n] && n < v.checkpoint.Size {
			v.roots[n] = tree.Root()
		}
	}
	if _, err := readLog(ctx, src, v.checkpoint, nil, note); err != nil {
		return fmt.Errorf("altered, or cut short: %v", err)
	}
	return nil
}

// contradicts looks for what cannot be true together with what is signed by v's
// checkpoint: another root for a size, another entry at an index.
func (v *view) contradicts(known []tlog.Checkpoint, found *extracted) error {
	for _, k := range known {
		root, ok := v.roots[k.Size]
		if !ok || root == k.Root {
			continue
		}
		if k.Size == v.checkpoint.Size {
			return &tlog.ForkError{A: k, B: v.checkpoint}
		}
		return fmt.Errorf("%w: another history: it signed root %s for size %d, and for size %d a tree of which the first %d entries have root %s", tlog.ErrBroken, k.Root, k.Size, v.checkpoint.Size, k.Size, root)
	}
	for _, index := range slices.Sorted(maps.Keys(found.hashes)) {
		if hash, ok := v.hashes[index]; ok && hash != found.hashes[index] {
			return fmt.Errorf("%w: another history: entry %d is %s under one checkpoint that it signed, and %s under another, of size %d", tlog.ErrBroken, index, found.hashes[index], hash, v.checkpoint.Size)
		}
	}
	return nil
}
