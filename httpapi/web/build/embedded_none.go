//go:build !webdist

package build

// Embedded is the module that this program was built with; nil: none.
func Embedded() *Module { return nil }
