package main

import (
	"runtime/debug"
	"testing"
)

// What the user says of the collector is overruled, or nobody says anything and it
// runs as if memory were short.
func TestCollector(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(100)
	defer func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) }()
	for _, set := range []string{"GOGC", "GOMEMLIMIT", ""} {
		setCollector(func(name string) (string, bool) { return "", name == set })
		want, wantLimit := gcPercent, int64(memoryLimit)
		if set != "" {
			want, wantLimit = 100, limit
		}
		if got, gotLimit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); got != want || gotLimit != wantLimit {
			t.Errorf("%q set: %d per cent within %d bytes, want %d within %d", set, got, gotLimit, want, wantLimit)
		}
	}
}
