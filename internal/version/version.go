// Package version says which pakli a program is: the module's version, the commit, and the modules
// that it was built from, as the toolchain has recorded them (runtime/debug). Nothing is set by hand.
// Built at a tag, the version is that tag; built between tags or from changed files, it says so.
package version

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// Build describes what a program was built from.
type Build struct {
	Version  string   `json:"version"`            // like v0.1.0, or "(devel)" if the toolchain knew no repository
	Commit   string   `json:"commit,omitempty"`   // in hex
	Modified bool     `json:"modified,omitempty"` // files differed from the commit
	Go       string   `json:"go"`
	Modules  []Module `json:"modules"`
}

// Module is a linked module.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"`
}

// Read returns what this program was built from.
var Read = sync.OnceValue(func() Build {
	b := Build{Version: "(devel)"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, d := range info.Deps {
		b.Modules = append(b.Modules, Module{d.Path, d.Version, d.Sum})
	}
	return b
})

// String returns the version with the commit, like "v0.1.0 (1f2e3d4c5b6a)".
func (b Build) String() string {
	said := strings.TrimSuffix(b.Version, "+dirty")
	if b.Commit != "" {
		said += fmt.Sprintf(" (%.12s)", b.Commit)
	}
	if b.Modified {
		said += ", changed since"
	}
	return said
}
