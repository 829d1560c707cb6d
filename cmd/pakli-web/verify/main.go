//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program is the module of verify.html, for WebAssembly: go run ./httpapi/web/build/make")
	os.Exit(2)
}
