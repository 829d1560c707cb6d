//go:build !unix

package ledger

import (
	"errors"
	"os"
)

// lockDirectory refuses: without flock two processes would keep one log. What needs no
// directory runs here too.
func lockDirectory(string) (*os.File, error) { return nil, errors.ErrUnsupported }
