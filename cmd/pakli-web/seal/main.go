//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program is a module of the pages, for WebAssembly: go run ./httpapi/web/build/make")
	os.Exit(2)
}
