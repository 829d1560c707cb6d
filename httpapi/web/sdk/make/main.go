// Program make packs the SDK for npm and prints its SHA-256, or writes its types.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/httpapi/web/sdk"
)

func main() {
	out := flag.String("o", ".", "directory for the tarball")
	flag.Parse()
	run := writePackage
	if flag.Arg(0) == "types" {
		run = writeTypes
	}
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writePackage(dir string) error {
	root := build.Sources()
	if root == "" {
		return build.ErrNoSources
	}
	m, err := build.Make(context.Background())
	if err != nil {
		return err
	}
	p, err := sdk.Make(root, m)
	if err != nil {
		return err
	}
	tarball, err := p.Tarball()
	if err != nil {
		return err
	}
	fmt.Printf("%x  %s\n%s  pakli.wasm\n", sha256.Sum256(tarball), p.Name, m.Hash)
	return os.WriteFile(filepath.Join(dir, p.Name), tarball, 0o644)
}

// writeTypes is run by go generate, in the folder of package sdk.
func writeTypes(string) error {
	text, err := sdk.Types(filepath.Join("..", "..", ".."))
	if err != nil {
		return err
	}
	return os.WriteFile("index.d.ts", text, 0o644)
}
