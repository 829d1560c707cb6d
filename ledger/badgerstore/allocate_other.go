//go:build !linux

package badgerstore

import "errors"

// allocateBlocks is unsupported: there is no call that all systems have.
func allocateBlocks(string, int64, int) error { return errors.ErrUnsupported }
