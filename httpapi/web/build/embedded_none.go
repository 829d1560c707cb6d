//go:build !webdist

package build

// EmbeddedModule is the module that this program was built with; nil: none.
func EmbeddedModule() *Module { return nil }
