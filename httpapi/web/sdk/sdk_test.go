package sdk_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/httpapi/web/sdk"
	"github.com/pakli/pakli/internal/testmust"
)

// node returns Node's command. With PAKLI_NODE=required its absence is a failure.
func node(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	switch {
	case err == nil:
		return path
	case os.Getenv("PAKLI_NODE") == "required":
		t.Fatal("there is no Node in PATH")
	}
	t.Skip("there is no Node in PATH")
	return ""
}

// sources returns the source folder of the package.
func sources(t *testing.T) string {
	t.Helper()
	dir := build.Sources()
	if dir == "" {
		t.Skip("compiled with -trimpath: nobody knows where the sources are")
	}
	return dir
}

var packed = sync.OnceValues(func() (sdk.Package, error) {
	m, err := build.Make(context.Background())
	if err != nil {
		return sdk.Package{}, err
	}
	return sdk.Make(build.Sources(), m)
})

// install puts the package where Node finds it, and returns the folder above.
func install(t *testing.T) string {
	t.Helper()
	testmust.OnlyThorough(t, "compiles the module")
	sources(t)
	p := testmust.Have(packed())(t)
	dir := t.TempDir()
	for name, data := range p.Files {
		path := filepath.Join(dir, "node_modules", "pakli", name)
		testmust.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		testmust.Do(t, os.WriteFile(path, data, 0o644))
	}
	return dir
}

// program is a command that a test runs.
type program struct {
	*testing.T
	dir string // where it runs
	bin string // of pakli
}

// command returns a command without input that ends with the test.
func (p program) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.Context(), name, args...)
	cmd.Dir = p.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "TMPDIR=" + os.TempDir()}
	return cmd
}

func (p program) run(name string, args ...string) string {
	p.Helper()
	cmd := p.command(name, args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		p.Fatalf("%s %v: %v\n%s%s", filepath.Base(name), args, err, out, &complaint)
	}
	return strings.TrimSpace(string(out))
}

// serve builds the command and serves a log.
func (p *program) serve() (url, key string) {
	p.Helper()
	p.bin = filepath.Join(p.dir, "pakli")
	compile := exec.Command("go", "build", "-o", p.bin, "./cmd/pakli")
	compile.Dir = sources(p.T)
	out, err := compile.CombinedOutput()
	testmust.Requiref(p, err == nil, "%v\n%s", err, out)
	server := p.command(p.bin, "serve", "--data", "data", "--listen", "127.0.0.1:0", "--operator-addr", "none")
	testmust.Do(p, server.Start())
	p.Cleanup(func() { server.Process.Kill(); server.Wait() })
	read := func(name string) (text string) {
		testmust.Until(p, "the server's "+name, func() bool {
			b, _ := os.ReadFile(filepath.Join(p.dir, "data", name)) // is not there at first
			text = strings.TrimSpace(string(b))
			return text != ""
		})
		return text
	}
	return read("url"), read("log.vkey")
}

// The guide's example, a bot of the SDK, plays a deal of tarokk to its end with three seats of pakli
// play. It must not stop on the way, show its secrets, or send what other programs refuse. Its bundle
// is then verified, replayed and altered.
func TestBot(t *testing.T) {
	node := node(t)
	p := &program{T: t, dir: install(t)}
	url, key := p.serve()
	bot := filepath.Join(p.dir, "node_modules", "pakli", "example", "bot.mjs")
	anna := p.run(node, bot, "anna", "anna")
	testmust.Do(t, os.WriteFile(filepath.Join(p.dir, "anna.seat.pub"), []byte(anna+"\n"), 0o644))
	again := p.run(node, bot, "anna", "anna")
	testmust.Requiref(t, again == anna, "the key of the seat was %s and is %s", anna, again)
	args := []string{"table", "create", "--server", url, "--log", key, "--deals", "1", "--seat", "anna.seat.pub"}
	for _, name := range []string{"bela", "csilla", "dezso"} {
		p.run(p.bin, "seat", name)
		args = append(args, "--seat", name+".seat.pub")
	}
	id, _, _ := strings.Cut(p.run(p.bin, args...), "\n")
	var others sync.WaitGroup
	for _, name := range []string{"bela", "csilla", "dezso"} {
		others.Go(func() {
			cmd := p.command(p.bin, "play", "--bot", "--server", url, "--log", key, "--table", id, "--seat", name+".seat")
			out, err := cmd.CombinedOutput()
			testmust.Holdf(t, err == nil, "%s: %v\n%s", name, err, out)
		})
	}
	said := p.run(node, bot, "anna", "anna", url, key, id)
	others.Wait()
	testmust.Holdf(t, strings.Contains(said, "\nsound Sound."), "the bot said:\n%s", said)
	p.run(p.bin, "bundle", "--server", url, "--log", key, "-o", "game.pakli", id)
	calls := filepath.Join(p.dir, "calls.mjs")
	text, err := os.ReadFile(filepath.Join(sources(t), "httpapi/web/sdk/testdata/calls.mjs"))
	if err == nil {
		err = os.WriteFile(calls, text, 0o644)
	}
	testmust.Do(t, err)
	p.run(node, calls, "other", "game.pakli", key)
}

// A record mixes two writes, a name leaves its directory, or two processes hold one vault.
func TestFileVault(t *testing.T) {
	p := program{T: t, dir: t.TempDir()}
	p.run(node(t), script(t, "one.mjs"), p.dir)
}

// A browser's vault takes an older journal for the newest, or refuses what a crash has left. A seat
// that continues from an older journal signs twice.
func TestBrowserVault(t *testing.T) {
	p := program{T: t, dir: t.TempDir()}
	p.run(node(t), script(t, "slots.mjs"))
}

func script(t *testing.T, name string) string {
	t.Helper()
	return testmust.Have(filepath.Abs(filepath.Join("testdata", name)))(t)
}

// A holder is killed at any point. The next one finds a complete record and an unlocked vault, and of
// many that come at once one gets in.
func TestFileVaultOfTheDead(t *testing.T) {
	node := node(t)
	dir := t.TempDir()
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for round := range rounds {
		const processes, each = 2, 6
		lines := make(chan string)
		var all [processes]*exec.Cmd
		for i := range all {
			all[i] = program{T: t, dir: dir}.command(node, script(t, "vault.mjs"), filepath.Join(dir, "seat"), fmt.Sprint(each), fmt.Sprint(1+5*round)) // is killed in the write after that
			all[i].Stderr = os.Stderr
			out, err := all[i].StdoutPipe()
			if err == nil {
				err = all[i].Start()
			}
			testmust.Do(t, err)
			go func() {
				for s := bufio.NewScanner(out); s.Scan(); {
					lines <- s.Text()
				}
			}()
		}
		held, refused, written := 0, 0, 0
		for held+refused < processes*each || written < held {
			select {
			case line := <-lines:
				switch n, ok := strings.CutPrefix(line, "refused "); {
				case ok:
					refused += int(n[0] - '0')
				case line == "held":
					held++
				case line == "written":
					written++
				default:
					t.Fatalf("said: %s", line)
				}
			case <-time.After(time.Minute):
				t.Fatalf("round %d: %d hold the vault, %d of them wrote, %d were refused", round, held, written, refused)
			}
		}
		testmust.Requiref(t, held == 1, "round %d: %d hold the vault", round, held)
		for _, cmd := range all {
			cmd.Process.Kill()
			cmd.Wait()
		}
		record, err := os.ReadFile(filepath.Join(dir, "seat", "seat"))
		testmust.Requiref(t, err == nil && len(record) >= 100_000 && bytes.Count(record, record[:1]) == len(record),
			"round %d: a record of %d bytes that was never written: %v", round, len(record), err)
	}
}

// The TypeScript types differ from Go's.
func TestTypes(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	made := testmust.Have(sdk.Types(root))(t)
	kept, err := os.ReadFile("index.d.ts")
	testmust.Holdf(t, err == nil && bytes.Equal(made, kept), "index.d.ts is not what Go's types say: go generate ./httpapi/web/sdk (%v)", err)
}

// budget is the maximum size of the module in bytes, compressed with Brotli, as a phone loads it
// (docs/benchmarks.md).
const budget = 2_400_000

// The tarball depends on where it is made, needs other packages, or has another module than it
// declares, or a larger one than a phone should load.
func TestTarball(t *testing.T) {
	testmust.OnlyThorough(t, "compiles the module")
	sources(t)
	p := testmust.Have(packed())(t)
	sum := sha256.Sum256(p.Files["pakli.wasm"])
	testmust.Hold(t, bytes.Contains(p.Files["module.mjs"], []byte(hex.EncodeToString(sum[:]))), "the package names another module")
	testmust.Hold(t, !bytes.Contains(p.Files["package.json"], []byte(`ependencies"`)), "the package needs others")
	small := build.CompressBrotli(p.Files["pakli.wasm"], brotli.BestCompression)
	t.Logf("the module: %d bytes, by Brotli %d", len(p.Files["pakli.wasm"]), len(small))
	testmust.Holdf(t, len(small) <= budget, "the module is larger than %d bytes by Brotli", budget)
	first := testmust.Have(p.Tarball())(t)
	root := sources(t)
	for name, data := range p.Files { // texts by which the machine could be identified
		testmust.Hold(t, !bytes.Contains(data, []byte(root)), name, "names the folder it was made in")
	}
	second, err := p.Tarball()
	testmust.Holdf(t, err == nil && bytes.Equal(first, second), "two tarballs of one package differ: %v", err)
}
