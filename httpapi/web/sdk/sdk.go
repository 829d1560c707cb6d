// Package sdk makes the npm package with which programs in JavaScript sit at tables, watch, replay
// and verify: the module of the pages (cmd/pakli-web), the same bytes, with some files that pass
// calls in and events out. docs/guide/sdk.md is for its users.
//
// The same sources, version and toolchain give the same tarball in every directory (package build).
// It is laid out like the output of npm pack and depends on no other package.
package sdk

//go:generate go run ./make types

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pakli/pakli/httpapi/web/build"
)

// folder is the folder of this package. files are the packed files by their names in the package.
const folder = "httpapi/web/sdk"

var files = map[string]string{
	"package.json":          folder + "/package.json",
	"index.mjs":             folder + "/index.mjs",
	"index.d.ts":            folder + "/index.d.ts",
	"node.mjs":              folder + "/node.mjs",
	"filevault.mjs":         folder + "/filevault.mjs",
	"wasm_exec.LICENSE.txt": folder + "/wasm_exec.LICENSE.txt",
	"example/bot.mjs":       folder + "/example/bot.mjs",
	"vault.mjs":             "httpapi/web/src/vault.mjs",
	"README.md":             "docs/guide/sdk.md",
	"LICENSE":               "LICENSE",
}

// Package is the content of an npm package.
type Package struct {
	Name  string            // of its tarball
	Files map[string][]byte // by their names in the package
}

// Make makes the package from a module and the sources in root.
func Make(root string, m build.Module) (Package, error) {
	p := Package{Files: map[string][]byte{
		"wasm_exec.js": m.Exec,
		"module.mjs":   fmt.Appendf(nil, "// SHA-256 of pakli.wasm, as pages and releases name it.\nexport const hash = %q;\n", m.Hash),
	}}
	for name, path := range files {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return p, err
		}
		p.Files[name] = text
	}
	p.Files["README.md"] = bytes.ReplaceAll(p.Files["README.md"], []byte("../../"+folder+"/"), nil)
	var about struct{ Name, Version string }
	if err := json.Unmarshal(p.Files["package.json"], &about); err != nil {
		return p, err
	}
	p.Name = about.Name + "-" + about.Version + ".tgz"
	z, err := gzip.NewReader(bytes.NewReader(m.Wasm))
	if err == nil {
		p.Files["pakli.wasm"], err = io.ReadAll(z)
	}
	return p, err
}

// npmTime is the time of every file in an npm tarball, chosen so that old tools accept it.
var npmTime = time.Date(1985, 10, 26, 8, 15, 0, 0, time.UTC)

// Tarball returns the package as npm pack would write it.
func (p Package) Tarball() ([]byte, error) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a valid level
	t := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "package/" + name, Size: int64(len(p.Files[name])), Mode: 0o644, ModTime: npmTime, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(p.Files[name]); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}
