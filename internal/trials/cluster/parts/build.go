package parts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Programs are the paths of the programs and of Trillian's tables.
type Programs struct {
	Pakli, LogServer, Signer string
	// Shifted programs are Trillian's with a clock that the variable PAKLI_CLOCK shifts.
	ShiftedLogServer, ShiftedSigner string
	Schema                          string
	Etcd, Proxy                     string
}

const trillianModule = "github.com/google/trillian"

// Build builds Trillian and pakli into dir and finds the other programs. It must be called in this
// module's directory or below. If shifted is set, it also builds Trillian with shifted clocks.
func Build(ctx context.Context, dir string, shifted bool) (p Programs, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return p, err
	}
	if p.Etcd, err = exec.LookPath("etcd"); err != nil {
		return p, fmt.Errorf("apt-get install etcd-server: %w", err)
	}
	if p.Proxy, err = findProxy(); err != nil {
		return p, err
	}
	trillian, err := moduleDir(ctx, trillianModule)
	if err != nil {
		return p, err
	}
	p.Schema = filepath.Join(trillian, "storage/postgresql/schema/storage.sql")
	if p.LogServer, p.Signer, err = buildTrillian(ctx, dir); err != nil {
		return p, err
	}
	if shifted {
		if p.ShiftedLogServer, p.ShiftedSigner, err = buildShifted(ctx, dir, trillian); err != nil {
			return p, err
		}
	}
	root, err := moduleDir(ctx, "github.com/pakli/pakli")
	if err != nil {
		return p, err
	}
	p.Pakli = filepath.Join(dir, "pakli")
	return p, goTool(ctx, "build", "-C", root, "-o", p.Pakli, "./cmd/pakli")
}

// findProxy finds HAProxy, which is not on everybody's path.
func findProxy() (string, error) {
	if found, err := exec.LookPath("haproxy"); err == nil {
		return found, nil
	}
	found, err := exec.LookPath("/usr/sbin/haproxy")
	if err != nil {
		err = fmt.Errorf("apt-get install haproxy: %w", err)
	}
	return found, err
}

// buildTrillian builds both programs with PostgreSQL as their only store.
func buildTrillian(ctx context.Context, dir string, flags ...string) (server, signer string, err error) {
	args := append([]string{"build", "-tags", "postgresql", "-ldflags=-s -w", "-o", dir + "/"}, flags...)
	err = goTool(ctx, append(args, trillianModule+"/cmd/trillian_log_server", trillianModule+"/cmd/trillian_log_signer")...)
	return filepath.Join(dir, "trillian_log_server"), filepath.Join(dir, "trillian_log_signer"), err
}

// clockEnv is the offset of a shifted clock, as time.ParseDuration reads it.
const clockEnv = "PAKLI_CLOCK"

// buildShifted builds a copy of Trillian in which one function differs: its system clock.
func buildShifted(ctx context.Context, dir, trillian string) (server, signer string, err error) {
	dir = filepath.Join(dir, "shifted")
	source, modules := filepath.Join(dir, "trillian"), filepath.Join(dir, "go.mod")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755), os.CopyFS(source, os.DirFS(trillian))); err != nil {
		return "", "", err
	}
	if err := shiftClock(filepath.Join(source, "util/clock/timesource.go")); err != nil {
		return "", "", err
	}
	here, err := moduleDir(ctx, "github.com/pakli/pakli/internal/trials")
	if err != nil {
		return "", "", err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(here, name))
		if err != nil {
			return "", "", err
		}
		if name == "go.mod" {
			b = append(b, "\nreplace "+trillianModule+" => "+source+"\n"...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return "", "", err
		}
	}
	return buildTrillian(ctx, dir, "-modfile="+modules)
}

// shiftClock adds the value of a variable to a clock.
func shiftClock(file string) error {
	const now = "\treturn time.Now()\n"
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.Count(string(source), now) != 1 {
		return fmt.Errorf("%s has no clock to shift", file)
	}
	shifted := strings.Replace(string(source), now, "\treturn time.Now().Add(offset)\n", 1)
	shifted = strings.Replace(shifted, "import (", "import (\n\t\"os\"", 1) + "\nvar offset, _ = time.ParseDuration(os.Getenv(\"" + clockEnv + "\"))\n"
	return errors.Join(os.Remove(file), os.WriteFile(file, []byte(shifted), 0o644)) // copies from a module cache are read-only
}

func moduleDir(ctx context.Context, module string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err == nil && len(bytes.TrimSpace(out)) == 0 {
		err = goTool(ctx, "mod", "download", module)
		if err == nil {
			out, err = exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		}
	}
	if err != nil {
		return "", fmt.Errorf("where %s is: %w", module, err)
	}
	return string(bytes.TrimSpace(out)), nil
}

func goTool(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}

// freePort returns a port on which nobody listens now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
