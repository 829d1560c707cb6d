//go:build !linux

package testfile

// InMemory does nothing where no directory is known to be in memory.
func InMemory() {}
