package player_test

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/wire"
)

func create(t *testing.T, path, phrase string) *player.Identity {
	t.Helper()
	id, err := player.CreateIdentity(path, "anna", phrase)
	if err != nil {
		t.Fatal(err)
	}
	return id
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
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := player.OpenIdentity(path, ""); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file readable by the group opens: %v", err)
	}
}

// Overwriting a seat file loses every hand of every table it plays at.
func TestSeatFileIsNeverOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := create(t, path, "")
	id.Close()
	before, _ := os.ReadFile(path)
	if _, err := player.CreateIdentity(path, "anna", ""); err == nil {
		t.Error("a second identity was created over the first")
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the seat file changed")
	}
	again, err := player.OpenIdentity(path, "") // the failure released its lock
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// Two processes with one seat file could sign two messages on one parent.
func TestSeatFileHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "anna.seat")
	id := create(t, path, "")
	if _, err := player.OpenIdentity(path, ""); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("second holder: %v, want in use", err)
	}
	id.Close()
	again, err := player.OpenIdentity(path, "")
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	again.Close()
}

// The card secret of a table must be the same after a restart: a second one
// could not read the hand that was dealt to the first.
func TestSecretIsDrawnOnce(t *testing.T) {
	phrases := []string{"", "korrekt ló elem tűzőgép"}
	if testing.Short() {
		phrases = phrases[:1] // scrypt takes its time, and more under the race detector
	}
	for _, phrase := range phrases {
		path := filepath.Join(t.TempDir(), "anna.seat")
		id := create(t, path, phrase)
		s, _ := suite.Lookup(suite.Default)
		first, err := id.Secret(wire.Hash{1}, s, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		other, _ := id.Secret(wire.Hash{2}, s, rand.Reader)
		id.Close()
		if bytes.Equal(first.Bytes(), other.Bytes()) {
			t.Error("two tables share a card secret")
		}
		id, err = player.OpenIdentity(path, phrase)
		if err != nil {
			t.Fatal(err)
		}
		again, err := id.Secret(wire.Hash{1}, s, rand.Reader)
		if err != nil || !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Errorf("the secret after a restart is another one (%v)", err)
		}
		if err := id.Forget(wire.Hash{1}); err != nil {
			t.Fatal(err)
		}
		if err := id.Forget(wire.Hash{1}); err == nil {
			t.Error("what is not there was forgotten")
		}
		id.Close()
		if b, _ := os.ReadFile(path); phrase == "" && bytes.Contains(b, []byte(wire.Hash{1}.String())) {
			t.Error("a forgotten secret is still in the file")
		}
	}
}

// A machine that is restored from a snapshot, or several of one image, draw the same
// randomness at two tables: with one card secret at both, tokens given at one open
// cards of the other.
func TestCardSecretOfARestoredMachine(t *testing.T) {
	dir := t.TempDir()
	anna, bela := create(t, filepath.Join(dir, "anna.seat"), ""), create(t, filepath.Join(dir, "bela.seat"), "")
	defer anna.Close()
	defer bela.Close()
	s, _ := suite.Lookup(suite.Default)
	other, _ := suite.Lookup("ristretto255-tereliuswikstrom/v1")
	prover, err := proof.ProverOf(s)
	if err != nil {
		t.Fatal(err)
	}
	unhedged, err := prover.NewSecret(handtest.Again(1))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{string(unhedged.Bytes()): 0}
	for i, c := range []struct {
		id       *player.Identity
		table    wire.Hash
		suite    proof.Suite
		snapshot byte
	}{{anna, wire.Hash{1}, s, 1}, {anna, wire.Hash{2}, s, 1}, {bela, wire.Hash{1}, s, 1}, {anna, wire.Hash{3}, other, 1}, {bela, wire.Hash{4}, s, 2}} {
		x, err := c.id.Secret(c.table, c.suite, handtest.Again(c.snapshot))
		if err != nil {
			t.Fatal(err)
		}
		if j, known := seen[string(x.Bytes())]; known {
			t.Errorf("%d and %d have one card secret", j, i+1)
		}
		seen[string(x.Bytes())] = i + 1
	}
}

// An encrypted file must not open without its passphrase, with another one, or
// show its key.
func TestSeatFileIsEncrypted(t *testing.T) {
	if testing.Short() {
		t.Skip("scrypt takes its time, and more under the race detector")
	}
	path := filepath.Join(t.TempDir(), "anna.seat")
	create(t, path, "right").Close()
	b, err := os.ReadFile(path)
	if err != nil || bytes.Contains(b, []byte("PRIVATE")) {
		t.Fatalf("the file shows its key (%v)", err)
	}
	for _, phrase := range []string{"", "wrong"} {
		if _, err := player.OpenIdentity(path, phrase); err == nil {
			t.Errorf("opens with passphrase %q", phrase)
		}
	}
	plain := filepath.Join(t.TempDir(), "bela.seat")
	create(t, plain, "").Close()
	if _, err := player.OpenIdentity(plain, "right"); err == nil {
		t.Error("an unencrypted file opens with a passphrase: its owner believes it is encrypted")
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
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if id, err := player.OpenIdentity(path, ""); err == nil {
			id.Close()
			t.Errorf("%s: opens", name)
		}
	}
}
