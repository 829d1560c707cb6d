package tlog

import (
	"errors"
	"fmt"
)

// The classes of a failed check; see the package comment.
var (
	ErrMalformed = errors.New("malformed")
	ErrUnsigned  = errors.New("not signed by the log")
	ErrBroken    = errors.New("not what the log signed")
)

// ErrForked is the part of ErrBroken that convicts the log: two things that it
// signed cannot both be true. Nobody else can have brought that about.
var ErrForked error = forked{}

type forked struct{}

func (forked) Error() string { return "the log broke its promise" }

// Is reports whether target is ErrBroken.
func (forked) Is(target error) bool { return target == ErrBroken }

// What a log answers when it will not do what was asked. None of them says
// anything about the log's honesty.
var (
	ErrTooLarge = errors.New("entry too large")
	ErrEmpty    = errors.New("entry is empty")
	ErrBusy     = errors.New("log is busy, try again later")
	ErrReadOnly = errors.New("log takes no entries for lack of disk space")
	ErrRange    = errors.New("beyond the published log")

	ErrNotCosigned = errors.New("no checkpoint has been cosigned yet")
)

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

// Is reports whether target is ErrBroken.
func (e *RootError) Is(target error) bool { return target == ErrBroken }

// ForkError holds two checkpoints for the same size with different roots. With
// both signatures verified it is evidence against the log that convinces
// everybody who has its key. It is [ErrForked].
type ForkError struct {
	A, B Checkpoint
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("%v: fork: %s signed roots %v and %v for size %d", ErrForked, e.A.Origin, e.A.Root, e.B.Root, e.A.Size)
}

// Is reports whether target is ErrForked, or ErrBroken.
func (e *ForkError) Is(target error) bool { return target == ErrForked || target == ErrBroken }

// malformed returns an error of class ErrMalformed about one thing.
func malformed(thing, format string, args ...any) error {
	return fmt.Errorf("%w %s: %s", ErrMalformed, thing, fmt.Sprintf(format, args...))
}
