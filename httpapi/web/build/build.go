// Package build makes the module of the pages: cmd/pakli-web, compiled by the go command to
// WebAssembly, and the script of the same toolchain that starts it. Neither is committed. The same
// sources, version and toolchain give the same bytes in every directory: paths, build ids and the
// state of the repository are left out.
//
// A program that runs from its sources compiles them. One that was installed by version makes the go
// command fetch that version, with the usual check of its sums. A program with neither, or without a
// toolchain, has no module: ErrNoSources, ErrNoToolchain.
package build

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/andybalholm/brotli"
)

// Reasons why there is no module.
var (
	ErrNoSources   = errors.New("this program does not run from its sources")
	ErrNoToolchain = errors.New("the go command is not on this machine")
)

// module is this module's path. program is compiled for pages, checker for verify.html, and sealer
// for copies of seats with a passphrase.
const (
	module  = "github.com/pakli/pakli"
	program = "cmd/pakli-web"
	checker = "cmd/pakli-web/verify"
	sealer  = "cmd/pakli-web/seal"
)

// flags give the same bytes everywhere. force64bit selects the curve's 64-bit limbs, which are faster
// even in WebAssembly. Of the patterns of packages the last one that matches counts: nothing is
// inlined except where time is spent, since a phone would load each copy of a function. That saves
// about a tenth of the module. math/bits has the multiplication of the limbs; without inlining it
// everything takes three times as long.
var flags = []string{
	"-trimpath", "-buildvcs=false", "-tags=force64bit", "-ldflags=-s -w -buildid=",
	"-gcflags=all=-l", "-gcflags=math/bits=", "-gcflags=internal/runtime/...=", "-gcflags=internal/byteorder=",
	"-gcflags=crypto/internal/fips140deps/...=", "-gcflags=crypto/internal/fips140/edwards25519/...=",
	"-gcflags=crypto/internal/fips140/sha256=", "-gcflags=crypto/internal/fips140/sha512=", "-gcflags=crypto/internal/fips140/sha3=",
	"-gcflags=filippo.io/edwards25519/...=", "-gcflags=github.com/oasisprotocol/curve25519-voi/...=",
	"-gcflags=" + module + "/protocol/suite/group/...=", "-gcflags=" + module + "/protocol/transcript=",
}

// Module is the module that pages start.
type Module struct {
	Wasm []byte // gzipped; nil if it is embedded, which is only Brotli
	Exec []byte // the toolchain's wasm_exec.js
	Hash string // SHA-256 of the unpacked Wasm, in hex

	Brotli []byte // the same as Wasm, RFC 7932; nil if it was compiled for one machine, since it takes half a minute

	Checker     []byte // gzipped: the module of verify.html
	CheckerHash string

	Sealer     []byte // gzipped: the module that encrypts copies of seats
	SealerHash string
}

// Sources returns the folder of the sources that this program was compiled from, or "" if it is not
// there.
func Sources() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	dir := filepath.Join(filepath.Dir(file), "..", "..", "..")
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module "+module+"\n") {
		return ""
	}
	return dir
}

// installedVersion returns the version by which this program was installed, or "".
func installedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "+dirty") {
		return ""
	}
	return info.Main.Version
}

// CheckBuildable returns the reason why this program cannot make the module, or nil.
func CheckBuildable() error {
	if Sources() == "" && installedVersion() == "" {
		return ErrNoSources
	}
	if _, err := exec.LookPath("go"); err != nil {
		return ErrNoToolchain
	}
	return nil
}

// Make compiles the module. The go command caches its work, so a second call costs little.
func Make(ctx context.Context) (Module, error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return Module{}, ErrNoToolchain
	}
	dir, err := os.MkdirTemp("", "pakli-web-")
	if err != nil {
		return Module{}, err
	}
	defer os.RemoveAll(dir)
	var m Module
	if m.Wasm, m.Hash, err = compileProgram(ctx, goCommand, dir, program); err != nil {
		return m, err
	}
	if m.Checker, m.CheckerHash, err = compileProgram(ctx, goCommand, dir, checker); err != nil {
		return m, err
	}
	if m.Sealer, m.SealerHash, err = compileProgram(ctx, goCommand, dir, sealer); err != nil {
		return m, err
	}
	root, err := exec.CommandContext(ctx, goCommand, "env", "GOROOT").Output()
	if err != nil {
		return m, fmt.Errorf("go env GOROOT: %w", err)
	}
	m.Exec, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	return m, err
}

// compileProgram compiles a program of this module into dir and returns it gzipped with its hash.
func compileProgram(ctx context.Context, goCommand, dir, name string) (gzipped []byte, hash string, err error) {
	path := filepath.Join(dir, filepath.Base(name))
	switch sources, version := Sources(), installedVersion(); {
	case sources != "":
		err = runGo(ctx, goCommand, sources, nil, append(append([]string{"build"}, flags...), "-o", path, "./"+name)...)
	case version != "":
		// The go command refuses a cross build into GOBIN and names the folder after the platform.
		path = filepath.Join(dir, "bin", "js_wasm", filepath.Base(name))
		err = runGo(ctx, goCommand, dir, []string{"GOBIN=", "GOPATH=" + dir, "GOFLAGS=-modcacherw"}, append(append([]string{"install"}, flags...), module+"/"+name+"@"+version)...)
	default:
		err = ErrNoSources
	}
	if err != nil {
		return nil, "", err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a valid level
	if _, err := z.Write(raw); err != nil {
		return nil, "", err
	}
	err = z.Close()
	return b.Bytes(), fmt.Sprintf("%x", sha256.Sum256(raw)), err
}

// CompressBrotli compresses bytes at a quality up to [brotli.BestCompression], with the largest
// window that browsers accept.
func CompressBrotli(plain []byte, quality int) []byte {
	var b bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 24})
	w.Write(plain) // to memory
	w.Close()
	return b.Bytes()
}

func runGo(ctx context.Context, goCommand, dir string, env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "CGO_ENABLED=0", "GOFLAGS="), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", args[0], err, bytes.TrimSpace(said))
	}
	return nil
}
