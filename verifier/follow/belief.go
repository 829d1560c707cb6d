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

// maxUnproven bounds the checkpoints that are kept until they are proven. Only the log can make them.
// If there are too many, the largest is dropped: the smallest will be compared soonest, and the
// newest may be shown again at once.
const maxUnproven = 64

// belief is what is known of the log's statements: the tree that is believed, and what else the log
// has signed.
type belief struct {
	src    Surface
	keys   []note.Verifier
	policy *tlog.Policy
	state  *state
	doubts *doubts

	checkpoint tlog.Checkpoint   // the last one believed
	tree       *tree             // of checkpoint
	unproven   []*tree           // the smallest first
	known      []tlog.Checkpoint // the latest proven ones
}

// loadState loads the state of earlier runs. If it has evidence against the log, the error is an
// *Equivocation.
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

// storedEvidence returns an *Equivocation if the state has evidence against the log, which stays true
// for good.
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

// findFork returns evidence if the log is known to have signed another root for the size of c,
// otherwise nil.
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

// addSigned keeps a signed checkpoint, first on disk: it may never be shown again. If there are two
// roots for one size, it writes evidence and asks for no tree.
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

// addCosigned replaces the believed checkpoint by a copy that has the wanted cosignatures, if they
// were missing.
func (b *belief) addCosigned(c tlog.Checkpoint) error {
	if b.isSatisfied(b.checkpoint) || !b.isSatisfied(c) {
		return nil
	}
	return b.believeTree(c, b.tree)
}

// believeTree believes a larger tree than before, or the same tree with more cosignatures.
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

// isSatisfied reports whether c has the cosignatures that the policy wants.
func (b *belief) isSatisfied(c tlog.Checkpoint) bool {
	if b.policy == nil {
		return true
	}
	seen, err := b.policy.Cosignatures(c)
	return err == nil && b.policy.IsSatisfied(seen)
}

// proveHeard compares the unproven checkpoints with the believed one, as far as their trees are shown
// in time. A larger one whose tree is shown becomes the believed one; checkpoints that were too large
// to compare are then compared again.
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

// checkCosigners raises a doubt if the log is ahead of its cosigners.
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

// comparison is the result of comparing one checkpoint.
type comparison struct {
	evidence *Evidence
	err      error
}

// compareAll compares all unproven checkpoints concurrently, so that a tree that is not shown delays
// no other.
func (b *belief) compareAll(ctx context.Context) []comparison {
	found := make([]comparison, len(b.unproven))
	var shown sync.WaitGroup
	for i, t := range b.unproven {
		shown.Go(func() { found[i].evidence, found[i].err = b.compareTree(ctx, t) })
	}
	shown.Wait()
	return found
}

// compareTree compares a smaller unproven checkpoint with the believed tree, or the tree of a larger
// one with the believed checkpoint. If the larger one lacks cosignatures and so will not be believed,
// its tree is also compared with all smaller unproven checkpoints, which it may contradict. Trees
// that are not shown do not prevent the other comparisons.
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

// concludeAll acts on the comparisons. It forgets checkpoints that belong to the believed tree. Of
// the larger ones it believes the largest, which the others are compared with next. At first, when
// nothing was believed and so nothing was shown yet, it believes the smallest.
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

// concludeOne reports whether a checkpoint contradicts nothing that it was compared with.
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

// forgetProven moves a proven checkpoint from the unproven to the known ones.
func (b *belief) forgetProven(c tlog.Checkpoint) error {
	b.known = append(b.known[max(0, len(b.known)-maxUnproven+1):], c)
	return b.state.forgetUnproven(c)
}

// writeEvidence writes the evidence after checking it as other people will.
func (b *belief) writeEvidence(e *Evidence) error {
	if err := e.Check(b.keys...); err != nil {
		return fmt.Errorf("evidence that is none, please report this fault of the follower: %v", err)
	}
	if err := b.state.writeFile(evidenceFile, e.Marshal()); err != nil {
		return err
	}
	return &Equivocation{e, filepath.Join(b.state.dir, evidenceFile)}
}
