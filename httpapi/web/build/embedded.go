//go:build webdist

package build

import (
	"embed"
	"strings"
)

//go:embed dist/*.br dist/*.gz dist/*.js dist/hashes
var dist embed.FS

// EmbeddedModule returns the module that this program was built with.
func EmbeddedModule() *Module {
	read := func(name string) []byte {
		text, _ := dist.ReadFile("dist/" + name) // its absence fails the build
		return text
	}
	hashes := append(strings.Fields(string(read("hashes"))), "", "", "") // empty for a broken file: none matches
	return &Module{
		Brotli: read("pakli.wasm.br"), Exec: read("wasm_exec.js"), Hash: hashes[0],
		Checker: read("verify.wasm.gz"), CheckerHash: hashes[1], Sealer: read("seal.wasm.gz"), SealerHash: hashes[2],
	}
}
