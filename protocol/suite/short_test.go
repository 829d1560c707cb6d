package suite_test

import (
	"encoding/json"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/suite"
)

// oakley1 is the 768-bit prime of RFC 2409, 6.1: the shortest that is made from π as those of
// RFC 3526, and of which half is above all challenges (31.1.6).
const oakley1 = "" +
	"FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD" +
	"EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A63A3620FFFFFFFFFFFFFFFF"

// TestConformanceOverShortPrime: a field of a proof over squares that nobody checks. With
// thousands of bits TestConformance alters some fields only, and would take hours for all. Here the
// same files are compiled with a shorter prime in place of theirs, and it alters every one.
func TestConformanceOverShortPrime(t *testing.T) {
	names := "^(qr|sra3072)"
	if len(thorough.Suites([]string{"qr"})) == 0 {
		t.Skip("NOT RUN without PAKLI_SUITES=all: five minutes of arithmetic")
	}
	p, _ := new(big.Int).SetString(oakley1, 16)
	if q := new(big.Int).Rsh(p, 1); p.BitLen() != 768 || p.Bit(1) == 0 || p.Bit(2) == 0 || !p.ProbablyPrime(32) || !q.ProbablyPrime(32) {
		t.Fatal("no prime as those of the suites")
	}
	const twelve = "words = 12 "
	o := overlay{T: t, Replace: map[string]string{}}
	o.change("qr2048/group/group.go", `words = 32 `, twelve)
	o.change("qr3072/group/group.go", `words = 48 `, twelve)
	o.change("modp/primes.go", `const group14 = ""( \+\n\t".*")*`, "const group14 = `"+oakley1+"`")
	o.change("modp/primes.go", `const group15 = ""( \+\n\t".*")*`, "const group15 = `"+oakley1+"`")
	cmd := exec.Command("go", "test", "-overlay", o.file(), "-timeout", "3h", "-v", "-run", "^TestConformance$/"+names, ".")
	cmd.Env = append(os.Environ(), "PAKLI_SUITES=all", "PAKLI_TESTS=thorough") // some are tried in the long form alone
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range suite.Names() {
		if passed := "--- PASS: TestConformance/" + name + "/ProofAltered "; regexp.MustCompile(names).MatchString(name) && !strings.Contains(string(out), passed) {
			t.Errorf("%s was not tried", name)
		}
	}
}

// overlay is what files say in place of what they do (go help build, -overlay).
type overlay struct {
	*testing.T `json:"-"`
	Replace    map[string]string // by path, the file with the other text
}

// change replaces what matches once in a file.
func (o overlay) change(path, pattern, by string) {
	o.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		o.Fatal(err)
	}
	from, changed := o.Replace[path], filepath.Join(o.TempDir(), "changed.go")
	if from == "" {
		from = path
	}
	old, err := os.ReadFile(from)
	if err != nil {
		o.Fatal(err)
	}
	re := regexp.MustCompile(pattern)
	if n := len(re.FindAll(old, -1)); n != 1 {
		o.Fatalf("%s: %q is there %d times", path, pattern, n)
	}
	if err := os.WriteFile(changed, re.ReplaceAllLiteral(old, []byte(by)), 0o600); err != nil {
		o.Fatal(err)
	}
	o.Replace[path] = changed
}

// file is the overlay as go takes it.
func (o overlay) file() string {
	o.Helper()
	b, err := json.Marshal(o)
	name := filepath.Join(o.TempDir(), "overlay.json")
	if err == nil {
		err = os.WriteFile(name, b, 0o600)
	}
	if err != nil {
		o.Fatal(err)
	}
	return name
}
