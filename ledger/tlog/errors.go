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

// malformed returns an error of class ErrMalformed about one thing.
func malformed(thing, format string, args ...any) error {
	return fmt.Errorf("%w %s: %s", ErrMalformed, thing, fmt.Sprintf(format, args...))
}
