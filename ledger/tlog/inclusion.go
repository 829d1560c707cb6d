package tlog

import (
	"errors"
	"fmt"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
)

// An Inclusion proves that an entry has a place in a tree: the audit path of
// RFC 6962 §2.1.1, from the leaf's sibling up.
type Inclusion struct {
	Index  uint64 // of the entry, below Size
	Size   uint64 // of the tree
	Hashes []Hash
}

// Verify checks that the tree of p.Size entries with this root has leaf at
// p.Index. A proof that does not fit Index and Size is ErrMalformed, one that
// leads to another root a [RootError].
func (p Inclusion) Verify(leaf, root Hash) error {
	err := proof.VerifyInclusion(rfc6962.DefaultHasher, p.Index, p.Size, leaf[:], byteSlices(p.Hashes), root[:])
	return proofError(fmt.Sprintf("inclusion of entry %d", p.Index), p.Size, err)
}

// A Consistency proves that a tree is the beginning of a larger one: the proof
// of RFC 6962 §2.1.2. It is empty if Old is 0 or Size.
type Consistency struct {
	Old    uint64 // size of the smaller tree
	Size   uint64 // size of the larger one
	Hashes []Hash
}

// Verify checks that the tree of p.Old entries with oldRoot is the beginning
// of the tree of p.Size entries with root. A proof that does not fit Old and
// Size is ErrMalformed, one that leads to other roots a [RootError].
func (p Consistency) Verify(oldRoot, root Hash) error {
	check := fmt.Sprintf("consistency of size %d with size %d", p.Old, p.Size)
	if p.Old == 0 {
		return p.verifyEmpty(check, oldRoot, root)
	}
	err := proof.VerifyConsistency(rfc6962.DefaultHasher, p.Old, p.Size, byteSlices(p.Hashes), oldRoot[:], root[:])
	return proofError(check, p.Size, err)
}

// verifyEmpty is Verify where the smaller tree has no entries, which RFC 6962
// leaves out: there is nothing to prove, and package merkle has answered it in
// one way and another.
func (p Consistency) verifyEmpty(check string, oldRoot, root Hash) error {
	if oldRoot != EmptyRoot() {
		return &RootError{Check: "consistency", Size: 0, Computed: EmptyRoot(), Expected: oldRoot}
	}
	if len(p.Hashes) > 0 {
		return malformed("proof", "%s: %d hashes, want none", check, len(p.Hashes))
	}
	if p.Size == 0 && root != EmptyRoot() {
		return &RootError{Check: check, Size: 0, Computed: EmptyRoot(), Expected: root}
	}
	return nil
}

// VerifyGrowth checks that a log with checkpoint older may have grown to newer.
// Both signatures must have been verified. Two roots for one size are a
// [ForkError].
func (p Consistency) VerifyGrowth(older, newer Checkpoint) error {
	if older.Origin != newer.Origin {
		return malformed("consistency proof", "checkpoints of two logs, %q and %q", older.Origin, newer.Origin)
	}
	if older.Size == newer.Size && older.Root != newer.Root {
		return &ForkError{A: older, B: newer}
	}
	if p.Old != older.Size || p.Size != newer.Size {
		return malformed("consistency proof", "from size %d to %d, checkpoints from %d to %d", p.Old, p.Size, older.Size, newer.Size)
	}
	return p.Verify(older.Root, newer.Root)
}

// proofError gives an error of package merkle its class. Which of the two
// roots of a consistency proof failed does not matter to anybody: the roots
// contradict each other or the proof is wrong.
func proofError(check string, size uint64, err error) error {
	if err == nil {
		return nil
	}
	if m, ok := errors.AsType[proof.RootMismatchError](err); ok {
		return &RootError{Check: check, Size: size, Computed: Hash(m.CalculatedRoot), Expected: Hash(m.ExpectedRoot)}
	}
	return malformed("proof", "%s: %v", check, err)
}
