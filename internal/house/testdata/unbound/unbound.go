// Package unbound has statements, one of which no test holds to be bound.
package unbound

import "github.com/pakli/pakli/protocol/transcript"

// Forgotten is tested by nobody.
type Forgotten struct{ N uint64 }

func (Forgotten) Label() string                   { return "forgotten" }
func (f Forgotten) AppendTo(b *transcript.Binder) { b.Uint64("n", f.N) }

// Wrapped is tested as it is.
type Wrapped struct{ Forgotten }

type inner struct{ Forgotten }

func labelled(n uint64) transcript.Statement { return inner{Forgotten{n}} }
