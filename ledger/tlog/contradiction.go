package tlog

import (
	"cmp"
	"fmt"
	"iter"
)

// ErrForked is the class within ErrBroken that convicts the log: it signed two things that cannot
// both be true. Nobody else can have caused that.
var ErrForked error = forkedError{}

type forkedError struct{}

func (forkedError) Error() string { return "the log broke its promise" }

// Is reports whether target is ErrBroken.
func (forkedError) Is(target error) bool { return target == ErrBroken }

// RootError says that a computed root is not the expected one. It is [ErrBroken], provided that the
// log signed the expected root.
type RootError struct {
	Check    string // which computation: "inclusion of entry 5", "consistency: old root", …
	Size     uint64 // of the tree with the expected root
	Computed Hash
	Expected Hash
}

func (e *RootError) Error() string {
	return fmt.Sprintf("%v: %s: computed root %v of size %d, expected %v", ErrBroken, e.Check, e.Computed, e.Size, e.Expected)
}

func (e *RootError) Unwrap() error { return ErrBroken }

// ForkError holds two checkpoints of the same size with different roots. Once both signatures are
// verified, it is evidence against the log for everybody who has the log's key. It is [ErrForked].
type ForkError struct {
	A, B Checkpoint
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("%v: fork: %s signed roots %v and %v for size %d", ErrForked, e.A.Origin, e.A.Root, e.B.Root, e.A.Size)
}

func (e *ForkError) Unwrap() error { return ErrForked }

// CheckFork returns a *ForkError if the checkpoints have one size and two roots, otherwise nil.
func CheckFork(a, b Checkpoint) error {
	if a.Size == b.Size && a.Root != b.Root {
		return &ForkError{A: a, B: b}
	}
	return nil
}

// A BeginningError says that the log has signed A, and also B with a larger tree whose first A.Size
// entries have another root. That root was computed from the tree of B, so only the log can have
// caused the contradiction. It is [ErrForked].
type BeginningError struct {
	A, B Checkpoint
	Root Hash // of the tree of B at the size of A
}

func (e *BeginningError) Error() string {
	return fmt.Sprintf("%v: another history: it signed root %v for size %d, and for size %d a tree of which the first %d entries have root %v", ErrForked, e.A.Root, e.A.Size, e.B.Size, e.A.Size, e.Root)
}

func (e *BeginningError) Unwrap() error { return ErrForked }

// History is the known part of what a log has signed: checkpoints with verified signatures, and
// entries that are shown to be in the trees of some of them. If one part contradicts another, the
// log broke its promise: the error is [ErrForked] and rests on two signatures. The zero History is
// empty.
type History struct {
	Signed []Checkpoint
	shown  map[uint64]inTree
}

// inTree is the hash of an entry and the size of a tree that has the entry.
type inTree struct {
	hash Hash
	size uint64
}

// HasEntry adds the entry at index of a tree of this size, or returns [ErrForked].
func (h *History) HasEntry(index uint64, hash Hash, size uint64) error {
	if err := h.checkEntry(index, hash, size); err != nil {
		return err
	}
	if h.shown == nil {
		h.shown = map[uint64]inTree{}
	}
	h.shown[index] = inTree{hash, size}
	return nil
}

// checkEntry compares an entry of a tree of this size with the entry known at that index.
func (h *History) checkEntry(index uint64, hash Hash, size uint64) error {
	if other, ok := h.shown[index]; ok && other.hash != hash {
		return fmt.Errorf("%w: another history: entry %d is %x under one checkpoint that it signed, of size %d, and %x under another, of size %d", ErrForked, index, other.hash[:], other.size, hash[:], size)
	}
	return nil
}

// checkRoot compares tree, the beginning of the tree of c that was read so far, with the
// checkpoints of smaller trees.
func (h *History) checkRoot(tree *Tree, c Checkpoint) error {
	for _, old := range h.Signed {
		if old.Size == tree.Size() && old.Size < c.Size && old.Root != tree.Root() {
			return &BeginningError{A: old, B: c, Root: tree.Root()}
		}
	}
	return nil
}

// ReadTree recomputes the tree of c from entries and calls see for each with its index and leaf
// hash. It returns err if entries fails, or [ErrBroken] if the entries are not those that the log
// signed. It returns a contradiction with the history only if err is nil: otherwise the entries
// could be anybody's.
func (h *History) ReadTree(entries iter.Seq2[[]byte, error], c Checkpoint, see func(index uint64, leaf Hash, entry []byte)) (contradiction, err error) {
	contradiction = h.checkRoot(new(Tree), c)
	tree, err := recomputeTree(entries, func(entry []byte, leaf Hash, t *Tree) error {
		index := t.Size() - 1
		see(index, leaf, entry)
		contradiction = cmp.Or(contradiction, h.checkEntry(index, leaf, c.Size), h.checkRoot(t, c))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if tree.Size() != c.Size {
		return nil, fmt.Errorf("the source ended after %d of %d entries", tree.Size(), c.Size)
	}
	if root := tree.Root(); c.Root != root {
		return nil, fmt.Errorf("%w: the %d entries shown have root %s, and it signed %s", ErrBroken, c.Size, root, c.Root)
	}
	return contradiction, nil
}
