package tlog

import (
	"cmp"
	"fmt"
	"iter"
)

// ErrForked is the part of ErrBroken that convicts the log: two things that it
// signed cannot both be true. Nobody else can have brought that about.
var ErrForked error = forkedError{}

type forkedError struct{}

func (forkedError) Error() string { return "the log broke its promise" }

// Is reports whether target is ErrBroken.
func (forkedError) Is(target error) bool { return target == ErrBroken }

// RootError says that a computed root is not the expected one. It is
// [ErrBroken] if the expected root was signed by the log.
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

// ForkError holds two checkpoints for the same size with different roots. With
// both signatures verified it is evidence against the log that convinces
// everybody who has its key. It is [ErrForked].
type ForkError struct {
	A, B Checkpoint
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("%v: fork: %s signed roots %v and %v for size %d", ErrForked, e.A.Origin, e.A.Root, e.B.Root, e.A.Size)
}

func (e *ForkError) Unwrap() error { return ErrForked }

// CheckFork returns a *ForkError if the checkpoints have one size and two roots.
func CheckFork(a, b Checkpoint) error {
	if a.Size == b.Size && a.Root != b.Root {
		return &ForkError{A: a, B: b}
	}
	return nil
}

// A BeginningError says that the log has signed A, and B with a larger tree, which begins
// otherwise. The tree was computed: nobody but the log can have brought that about. It is
// [ErrForked].
type BeginningError struct {
	A, B Checkpoint
	Root Hash // of the tree of B at the size of A
}

func (e *BeginningError) Error() string {
	return fmt.Sprintf("%v: another history: it signed root %v for size %d, and for size %d a tree of which the first %d entries have root %v", ErrForked, e.A.Root, e.A.Size, e.B.Size, e.A.Size, e.Root)
}

func (e *BeginningError) Unwrap() error { return ErrForked }

// History is what a log signed, as far as it is known: checkpoints, whose signatures are
// verified, and entries that are shown to be in the trees of some. All of it is true, or the
// log broke its promise: that one part contradicts another is [ErrForked], and rests on two
// signatures. The zero History is empty.
type History struct {
	Signed []Checkpoint
	shown  map[uint64]inTree
}

// inTree is an entry in a tree of this size.
type inTree struct {
	hash Hash
	size uint64
}

// HasEntry adds the entry at an index of a tree of this size, or contradicts it.
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

// checkEntry holds an entry of a tree of this size against those that are known.
func (h *History) checkEntry(index uint64, hash Hash, size uint64) error {
	if other, ok := h.shown[index]; ok && other.hash != hash {
		return fmt.Errorf("%w: another history: entry %d is %x under one checkpoint that it signed, of size %d, and %x under another, of size %d", ErrForked, index, other.hash[:], other.size, hash[:], size)
	}
	return nil
}

// checkRoot holds the beginning of the tree of c, as much as was read of it, against the
// checkpoints of smaller trees.
func (h *History) checkRoot(tree *Tree, c Checkpoint) error {
	for _, old := range h.Signed {
		if old.Size == tree.Size() && old.Size < c.Size && old.Root != tree.Root() {
			return &BeginningError{A: old, B: c, Root: tree.Root()}
		}
	}
	return nil
}

// ReadTree recomputes the tree of c from entries, and shows each to see when it comes, with its
// index and leaf hash. An error says that they are not shown, or are [ErrBroken]: not those
// that the log signed. What contradicts the history is told only of entries that are: any
// others could be anybody's.
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
