//go:build !linux

package testmust

// InMemory does nothing on systems without a known directory in memory.
func InMemory() {}
