// Package spec is the specification, as text for those who ask a server for it.
package spec

import "embed"

// Pages are the documents of this folder.
//
//go:embed *.md
var Pages embed.FS
