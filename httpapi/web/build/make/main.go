// Program make compiles the modules of the pages into httpapi/web/build/dist, where go build -tags
// webdist embeds them, and prints their hashes.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"

	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/durable"
)

func main() {
	if err := writeModule(build.Sources()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeModule(sources string) error {
	if sources == "" {
		return fmt.Errorf("%w, or was compiled with -trimpath, which hides where they are: go run -trimpath=false ./httpapi/web/build/make", build.ErrNoSources)
	}
	m, err := build.Make(context.Background())
	if err != nil {
		return err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(m.Wasm))
	if err != nil {
		return err
	}
	plain, err := io.ReadAll(unpacked)
	if err != nil {
		return err
	}
	dir := filepath.Join(sources, "httpapi", "web", "build", "dist")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"pakli.wasm.br": build.CompressBrotli(plain, brotli.BestCompression), "wasm_exec.js": m.Exec, "verify.wasm.gz": m.Checker, "seal.wasm.gz": m.Sealer, "hashes": []byte(m.Hash + "\n" + m.CheckerHash + "\n" + m.SealerHash + "\n")} {
		if err := durable.Replace(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s  pakli.wasm\n%s  verify.wasm\n%s  seal.wasm\n", m.Hash, m.CheckerHash, m.SealerHash)
	return nil
}
