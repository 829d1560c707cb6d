package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
)

// maxUnproven bounds the checkpoints kept that are yet to be proven. Only the log
// can make them. The smallest are soonest to be compared, and the newest one may be
// shown at once; so the largest one leaves.
const maxUnproven = 64

// belief is the log as far as its word is known: the tree that is believed, and what else
// it signed.
type belief struct {
	src    Surface
	keys   []note.Verifier
	policy *tlog.Policy
	state  *state
	doubts *doubts

	checkpoint tlog.Checkpoint   // the last one believed
	tree       *tree             // of checkpoint
	unproven   []*tree           // the smallest first
	known      []tlog.Checkpoint // of late, that were proven
}

// loadState takes in what earlier runs knew. Evidence against the log is an *Equivocation.
func (b *belief) loadState() error {
	if err := b.storedEvidence(); err != nil {
		return err
	}
	var err error
	if b.checkpoint, err = b.state.readBelieved(b.keys); err != nil {
		return err
	}
	b.tree = newTree(b.src, b.checkpoint)
	list, err := b.state.readUnproven(b.keys)
	if err != nil {
		return err
	}
	for _, c := range list {
		if e := b.findFork(c); e != nil {
			return b.writeEvidence(e)
		}
		b.unproven = append(b.unproven, newTree(b.src, c))
	}
	return nil
}

// storedEvidence returns what the state has against the log: what was found once stays
// true.
func (b *belief) storedEvidence() error {
	path := filepath.Join(b.state.dir, evidenceFile)
	file, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := ParseEvidence(file)
	if err == nil {
		err = e.Check(b.keys...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return &Equivocation{e, path}
}

// findFork looks for another root than that of c, which the log signed for as many entries,
// in everything that it is known to have signed.
func (b *belief) findFork(c tlog.Checkpoint) *Evidence {
	signed := append([]tlog.Checkpoint{b.checkpoint}, b.known...)
	for _, t := range b.unproven {
		signed = append(signed, t.c)
	}
	for _, k := range signed {
		if tlog.CheckFork(k, c) != nil {
			return &Evidence{First: k, Second: c}
		}
	}
	return nil
}

// addSigned keeps a checkpoint that the log signed, on disk first: it may never be shown
// again. Of two with one size and two roots there is no tree to be asked for.
func (b *belief) addSigned(c tlog.Checkpoint) error {
	if e := b.findFork(c); e != nil {
		return b.writeEvidence(e)
	}
	same := func(k tlog.Checkpoint) bool { return k.Size == c.Size && k.Root == c.Root }
	if same(b.checkpoint) {
		return b.addCosigned(c)
	}
	if slices.ContainsFunc(b.known, same) {
		return nil
	}
	i := slices.IndexFunc(b.unproven, func(t *tree) bool { return same(t.c) })
	if i >= 0 && (b.isSatisfied(b.unproven[i].c) || !b.isSatisfied(c)) {
		return nil
	}
	if err := b.state.writeFile(unprovenName(c), c.Note); err != nil {
		return err
	}
	if i >= 0 {
		b.unproven[i].c = c // the same tree, with more cosignatures
		return nil
	}
	return b.insertUnproven(c)
}

// addCosigned takes a copy of what is believed that has the cosignatures wanted, if these
// were missing.
func (b *belief) addCosigned(c tlog.Checkpoint) error {
	if b.isSatisfied(b.checkpoint) || !b.isSatisfied(c) {
		return nil
	}
	return b.believeTree(c, b.tree)
}

// believeTree takes a larger tree than before, or more cosignatures.
func (b *belief) believeTree(c tlog.Checkpoint, t *tree) error {
	if err := b.state.writeFile(believedFile, c.Note); err != nil {
		return err
	}
	b.checkpoint, b.tree = c, t
	return nil
}

func (b *belief) insertUnproven(c tlog.Checkpoint) error {
	if last := len(b.unproven) - 1; last == maxUnproven-1 {
		if err := b.state.forgetUnproven(b.unproven[last].c); err != nil {
			return err
		}
		b.doubts.forgetDoubt(doubtOf(b.unproven[last].c))
		b.unproven = b.unproven[:last]
	}
	i, _ := slices.BinarySearchFunc(b.unproven, c.Size, func(t *tree, size uint64) int { return cmp.Compare(t.c.Size, size) })
	b.unproven = slices.Insert(b.unproven, i, newTree(b.src, c))
	return nil
}

// isSatisfied reports whether c has the cosignatures that are wanted.
func (b *belief) isSatisfied(c tlog.Checkpoint) bool {
	if b.policy == nil {
		return true
	}
	seen, err := b.policy.Cosignatures(c)
	return err == nil && b.policy.IsSatisfied(seen)
}

// proveHeard compares what was heard with what is believed, as far as it is shown in time.
// What is larger, and whose tree is shown, is believed then, and what was too large to
// compare may not be any more.
func (b *belief) proveHeard(ctx context.Context, within time.Duration) error {
	timed, stop := context.WithTimeout(ctx, within)
	defer stop()
	for before := uint64(math.MaxUint64); before != b.checkpoint.Size && len(b.unproven) > 0; {
		before = b.checkpoint.Size
		if err := b.concludeAll(ctx, b.compareAll(timed)); err != nil {
			return err
		}
	}
	b.checkCosigners(ctx)
	return nil
}

// checkCosigners tells that the log is ahead of its cosigners.
func (b *belief) checkCosigners(ctx context.Context) {
	const key = "cosignatures"
	newest := b.checkpoint
	if n := len(b.unproven); n > 0 && b.unproven[n-1].c.Size > newest.Size {
		newest = b.unproven[n-1].c
	}
	if newest.Size > 0 && !b.isSatisfied(newest) {
		b.doubts.raiseDoubt(ctx, key, &doubt{text: fmt.Sprintf("the checkpoint of size %d does not have the cosignatures that the policy wants", newest.Size)})
		return
	}
	b.doubts.settleDoubt(key)
}

// comparison is what came of comparing a checkpoint.
type comparison struct {
	evidence *Evidence
	err      error
}

// compareAll compares all that is not proven, side by side: a tree that is not shown
// keeps no other from being compared.
func (b *belief) compareAll(ctx context.Context) []comparison {
	found := make([]comparison, len(b.unproven))
	var shown sync.WaitGroup
	for i, t := range b.unproven {
		shown.Go(func() { found[i].evidence, found[i].err = b.compareTree(ctx, t) })
	}
	shown.Wait()
	return found
}

// compareTree holds what is not proven against the larger tree that is believed, or its tree
// against what is believed. If that does not become believed then, for want of
// cosignatures, its tree is held against all that is smaller too: they may contradict
// each other. What is not shown does not keep the rest from being compared.
func (b *belief) compareTree(ctx context.Context, t *tree) (e *Evidence, failed error) {
	if t.c.Size <= b.checkpoint.Size {
		return b.tree.compareSmaller(ctx, t.c)
	}
	smaller := []tlog.Checkpoint{b.checkpoint}
	if !b.isSatisfied(t.c) {
		for _, s := range b.unproven[:slices.Index(b.unproven, t)] {
			smaller = append(smaller, s.c)
		}
	}
	for _, c := range smaller {
		e, err := t.compareSmaller(ctx, c)
		if e != nil {
			return e, nil
		}
		failed = cmp.Or(failed, err)
	}
	return nil, failed
}

// concludeAll draws what follows. It is done with a checkpoint that is of the tree that was
// believed; of the larger ones the largest is believed next, and has to begin with the
// others then. At first, when nothing was believed and so nothing was shown yet, it is
// the smallest one.
func (b *belief) concludeAll(ctx context.Context, found []comparison) error {
	var next *tree
	var left []*tree
	for i, t := range b.unproven {
		done, err := b.concludeOne(ctx, t.c, found[i])
		switch {
		case err != nil:
			return err
		case done && t.c.Size <= b.checkpoint.Size:
			if err := b.forgetProven(t.c); err != nil {
				return err
			}
			continue
		case done && b.isSatisfied(t.c) && (next == nil || b.checkpoint.Size > 0):
			next = t
		}
		left = append(left, t)
	}
	b.unproven = left
	for _, t := range left {
		if t != next {
			t.tiles.Clear()
		}
	}
	if next != nil {
		return b.believeTree(next.c, next)
	}
	return nil
}

// concludeOne says whether a checkpoint contradicts nothing that it was compared with.
func (b *belief) concludeOne(ctx context.Context, c tlog.Checkpoint, found comparison) (bool, error) {
	key := doubtOf(c)
	switch {
	case found.evidence != nil:
		return false, b.writeEvidence(found.evidence)
	case found.err != nil:
		b.doubts.raiseDoubt(ctx, key, &doubt{text: found.err.Error(), c: &c})
		return false, nil
	}
	b.doubts.settleDoubt(key)
	return true, nil
}

// forgetProven takes a checkpoint that was proven out of those that are not.
func (b *belief) forgetProven(c tlog.Checkpoint) error {
	b.known = append(b.known[max(0, len(b.known)-maxUnproven+1):], c)
	return b.state.forgetUnproven(c)
}

// writeEvidence writes the evidence, after checking it as others will.
func (b *belief) writeEvidence(e *Evidence) error {
	if err := e.Check(b.keys...); err != nil {
		return fmt.Errorf("evidence that is none, please report this fault of the follower: %v", err)
	}
	if err := b.state.writeFile(evidenceFile, e.Marshal()); err != nil {
		return err
	}
	return &Equivocation{e, filepath.Join(b.state.dir, evidenceFile)}
}
