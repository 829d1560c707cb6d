//go:build !linux

package badgerstore

import "errors"

// allocateBlocks does nothing: there is no way that all systems have.
func allocateBlocks(string, int64, int) error { return errors.ErrUnsupported }
