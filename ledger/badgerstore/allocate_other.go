//go:build !linux

package badgerstore

import "errors"

// allocate does nothing: there is no way that all systems have.
func allocate(string, int64, int) error { return errors.ErrUnsupported }
