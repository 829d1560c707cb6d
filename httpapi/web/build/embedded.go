//go:build webdist

package build

import (
	"embed"
	"strings"
)

//go:embed dist/pakli.wasm.gz dist/verify.wasm.gz dist/wasm_exec.js dist/hashes
var dist embed.FS

// Embedded is the module that this program was built with.
func Embedded() *Module {
	read := func(name string) []byte {
		text, _ := dist.ReadFile("dist/" + name) // its absence fails the build
		return text
	}
	hash, checkerHash, _ := strings.Cut(strings.TrimSpace(string(read("hashes"))), "\n")
	return &Module{read("pakli.wasm.gz"), read("wasm_exec.js"), hash, read("verify.wasm.gz"), checkerHash}
}
