//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "pakli-web is for WebAssembly: it is built by pakli serve, or by go run ./httpapi/web/build")
	os.Exit(2)
}
