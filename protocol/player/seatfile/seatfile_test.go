//go:build !js

package seatfile_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// writer is the variable that makes this program replace the records of a seat file for ever.
const writer = "PAKLI_SEATFILE_WRITER"

// released is the work that programs ask for.
var released = seatfile.Work

func TestMain(m *testing.M) {
	if path := os.Getenv(writer); path != "" {
		fmt.Fprintln(os.Stderr, write(path))
		os.Exit(1)
	}
	seatfile.Work = quick
	testmust.InMemory()
	os.Exit(m.Run())
}

// quick is a work factor that takes no time.
const quick = 4

var records = []string{player.SeatRecord, player.JournalRecord(wire.Hash{1})}

// write says after every record that it is there.
func write(path string) error {
	v, err := seatfile.Hold(path, "")
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if err := v.ReplaceRecord(records[n%2], content(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// content is n, again and again: half of one, or two mixed, would show.
func content(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%08d", n), 2_000+n%7*500) }

func number(b []byte) (n int, whole bool) {
	if len(b) < 8 {
		return 0, false
	}
	n, err := strconv.Atoi(string(b[:8]))
	return n, err == nil && bytes.Equal(b, content(n))
}

func create(t *testing.T, path, phrase string) *player.Identity {
	t.Helper()
	return testmust.Have(seatfile.Create(path, "anna", phrase))(t)
}

// Files that are not as good a vault as any.
func TestConformance(t *testing.T) {
	tabletest.RunVault(t, func(t *testing.T) func() (player.Vault, error) {
		path := filepath.Join(t.TempDir(), "anna.seat")
		return func() (player.Vault, error) { return seatfile.Hold(path, "") }
	})
}

// A process that is killed at any time must have kept whatever it was told is kept, and
// half of nothing; and the next one must not find the seat in use.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	for round := range 20 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), writer+"="+path)
		var complaint bytes.Buffer
		child.Stderr = &complaint
		out := testmust.Have(child.StdoutPipe())(t)
		testmust.Do(t, child.Start())
		said := -1
		var once sync.Once
		kill := func() { child.Process.Kill() }
		for lines := bufio.NewScanner(out); lines.Scan(); {
			once.Do(func() { time.AfterFunc(time.Duration(round)*2700*time.Microsecond, kill) })
			said = testmust.Have(strconv.Atoi(lines.Text()))(t)
		}
		child.Wait()
		testmust.Requiref(t, complaint.Len() <= 0, "%s", complaint.Bytes())
		v := testmust.Have(seatfile.Hold(path, ""))(t)
		for i := range min(said+1, len(records)) {
			b, err := v.ReadRecord(records[i])
			n, whole := number(b)
			if last := said - (said-i+2)%2; err != nil || !whole || n < last {
				t.Errorf("kill %d: record %d is of write %d (whole: %v), and write %d was done: %v", round, i, n, whole, last, err)
			}
		}
		testmust.Do(t, v.Close())
		left, _ := filepath.Glob(path + "*.part-*")
		testmust.Holdf(t, len(left) == 0, "left behind: %v", left)
	}
}

// A seat file and a journal as they have always been: they must open, and be written in
// the same form, byte for byte.
func TestFormOfTheFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	one, two := wire.Hash{1}.String(), wire.Hash{2}.String()
	const begin = `{"pakli":"seat/v1","key":"PRIVATE+KEY+anna+7848a3bb+AX2/jnMUyHMY36uD8iE1EdLrX7R7+fwxGLPaGW2sow/j",` +
		`"vkey":"anna+7848a3bb+Ad9sW+cZAz6Cp3Do541zoCeqREW03zeb2n4keQ4TNfEC","tables":{`
	journal := fmt.Sprintf(`{"pakli":"journal/v1","table":"%s","parent":"%s","entry":"eA==","cards":"%s","left":false,"believed":"eQ==","sum":"doMQBBDHbOO461i/XEYpMqpJ5lUDPjR5YR89ZmHV4xQ="}`, one, two, wire.Hash{})
	for file, text := range map[string]string{path: fmt.Sprintf(`%s"%s":"AQ==","%s":"Ag=="},"sum":"/RoOlvK2J2KUpo2mKd+HvALJb3K0VbfSnKXwCQAcnqQ="}`, begin, one, two), path + "." + one + ".journal": journal} {
		testmust.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	id := testmust.Have(seatfile.Open(path, ""))(t)
	defer id.Close()
	got, err := id.BelievedCheckpoint(wire.Hash{1})
	testmust.Holdf(t, err == nil && string(got) == "y", "believed %q, %v", got, err)
	testmust.Do(t, id.Forget(wire.Hash{2}))
	b, err := os.ReadFile(path)
	testmust.Holdf(t, err == nil && string(b) == begin+`"`+one+`":"AQ=="},"sum":"wmd6zYbZIfZkdLtZa2gbM4jEQ5kOyLhZr96Gwiy4Na8="}`, "%s, %v", b, err)
}

// A seat file that another user of the machine could read gives the hand away.
func TestSeatFileIsForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := create(t, path, "")
	id.Close()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v; want 0600", info.Mode(), err)
	}
	testmust.Do(t, os.Chmod(path, 0o640))
	_, err = seatfile.Open(path, "")
	testmust.FailSaying(t, err, "chmod 600", "a file readable by the group opens")
}

// Overwriting a seat file loses every hand of every table it plays at.
func TestSeatFileIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := create(t, path, "")
	id.Close()
	before, _ := os.ReadFile(path)
	testmust.Fail(t, testmust.ErrorOf(seatfile.Create(path, "anna", "")), "a second identity was created over the first")
	after, _ := os.ReadFile(path)
	testmust.Hold(t, bytes.Equal(before, after), "the seat file changed")
	again := testmust.Have(seatfile.Open(path, ""))(t)
	again.Close()
}

// What lies where a new seat file is written must not lend it its mode, or lead
// its secrets elsewhere.
func TestNewSeatFileFollowsNothing(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, "a.seat"), filepath.Join(dir, "elsewhere")
	testmust.Do(t, os.Symlink(target, path+".part-ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
	journal := "." + strings.Repeat("0", 64) + ".journal"
	another := []string{".b", ".b" + journal, ".b.journal", journal + ".b", ".00.journal", journal + journal} // seats
	for _, unfinished := range append(another, "", journal) {
		testmust.Do(t, os.WriteFile(path+unfinished+".part-2BCDEFGHIJKLMNOPQRSTUVWXYZ", nil, 0o644))
	}
	create(t, path, "").Close()
	testmust.Fail(t, testmust.ErrorOf(os.Stat(target)), "secrets were written through a link")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, unfinished := range another {
		testmust.Do(t, os.Remove(path+unfinished+".part-2BCDEFGHIJKLMNOPQRSTUVWXYZ"), "what another seat is writing")
	}
	left, _ := filepath.Glob(path + "*.part-*")
	testmust.Holdf(t, len(left) == 0, "left behind: %v", left)
}

// An encrypted file must not open without its passphrase, with another one, or
// show its key; and a card secret that is drawn at a table must stay encrypted with it.
func TestSeatFileIsEncrypted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := create(t, path, "right")
	secret := testmust.Have(id.Secret(wire.Hash{1}, clear.Suite{}, rand.Reader))(t)
	id.Close()
	b, err := os.ReadFile(path)
	testmust.Requiref(t, err == nil && !bytes.Contains(b, []byte("PRIVATE")) && !bytes.Contains(b, []byte(wire.Hash{1}.String())),
		"the file shows its key or its tables (%v)", err)
	for _, phrase := range []string{"", "wrong"} {
		testmust.Fail(t, testmust.ErrorOf(seatfile.Open(path, phrase)), "opens with passphrase", phrase)
	}
	again := testmust.Have(seatfile.Open(path, "right"))(t)
	defer again.Close()
	if x, err := again.Secret(wire.Hash{1}, clear.Suite{}, rand.Reader); err != nil || !bytes.Equal(x.Bytes(), secret.Bytes()) {
		t.Errorf("the secret after a restart is another one (%v)", err)
	}
	plain := filepath.Join(t.TempDir(), "bela.seat")
	create(t, plain, "").Close()
	_, err = seatfile.Open(plain, "right")
	testmust.Fail(t, err, "an unencrypted file opens with a passphrase: its owner believes it is encrypted")
}

// A seat file whose passphrase is as quick to guess as in the other tests.
func TestWorkOfASeatFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	create(t, path, "right").Close()
	b, err := os.ReadFile(path)
	if err != nil || released != 18 || !bytes.Contains(b[:100], fmt.Appendf(nil, " %d\n", quick)) {
		t.Fatalf("%q, %v; want scrypt with 2^%d, and programs ask for 2^%d", b[:min(len(b), 100)], err, quick, released)
	}
}

// A damaged file is an error and never an empty identity.
func TestDamagedSeatFileIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	create(t, path, "").Close()
	whole, _ := os.ReadFile(path)
	for name, b := range map[string][]byte{
		"empty": {}, "cut short": whole[:len(whole)/2], "other format": bytes.Replace(whole, []byte("seat/v1"), []byte("seat/v9"), 1),
		"unknown field": bytes.Replace(whole, []byte(`{"pakli"`), []byte(`{"x":1,"pakli"`), 1),
		"broken key":    bytes.Replace(whole, []byte("PRIVATE+KEY"), []byte("PRIVATE+KEX"), 1),
	} {
		testmust.Do(t, os.WriteFile(path, b, 0o600))
		if id, err := seatfile.Open(path, ""); err == nil {
			id.Close()
			t.Errorf("%s: opens", name)
		}
	}
}
