//go:build !webdist

package build

// EmbeddedModule returns the module that this program was built with, which is nil here.
func EmbeddedModule() *Module { return nil }
