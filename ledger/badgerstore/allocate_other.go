//go:build !linux

package badgerstore

import "errors"

// allocate does nothing: there is no way that all systems have.
func allocate(string, int64) error { return errors.ErrUnsupported }
