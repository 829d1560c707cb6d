package tabletest

// [RunVault] holds every kind of [player.Vault] to its promises. A [VaultPlace] keeps vaults in memory
// whose holders die when a test wants it.

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var names = []string{player.SeatRecord, player.JournalRecord(wire.Hash{1}), player.JournalRecord(wire.Hash{2})}

// RunVault tests one kind of vault. Every call of place makes an empty one, and returns the function
// that opens it, each time as a new process would.
func RunVault(t *testing.T, place func(t *testing.T) (open func() (player.Vault, error))) {
	t.Run("nothing", func(t *testing.T) { testNothingKept(t, mustOpen(t, place(t))) })
	t.Run("replaced", func(t *testing.T) { testReplaced(t, place(t)) })
	t.Run("copies", func(t *testing.T) { testBytesCopied(t, mustOpen(t, place(t))) })
	t.Run("one holder", func(t *testing.T) { oneHolder(t, place(t)) })
	t.Run("identity", func(t *testing.T) { testIdentity(t, place(t)) })
	t.Run("copy", func(t *testing.T) { testSeatCopy(t, place(t), place(t)) })
}

// SumRecord is the record of a seat, as JSON, with its right sum.
func SumRecord(record []byte) []byte {
	before, _, _ := bytes.Cut(record, []byte(`,"sum":"`))
	sum := sha256.Sum256(append(bytes.Clone(before), `,"sum":""}`...))
	return fmt.Appendf(nil, `%s,"sum":"%s"}`, before, base64.StdEncoding.EncodeToString(sum[:]))
}

func mustOpen(t *testing.T, open func() (player.Vault, error)) player.Vault {
	t.Helper()
	v, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustReplace(t *testing.T, v player.Vault, name string, data []byte) {
	t.Helper()
	if err := v.ReplaceRecord(name, data); err != nil {
		t.Fatal(err)
	}
}

func wantRecord(t *testing.T, v player.Vault, name string, data []byte) {
	t.Helper()
	if got, err := v.ReadRecord(name); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(data))
	}
}

// A record that was never kept must be distinguished from one that was lost.
func testNothingKept(t *testing.T, v player.Vault) {
	for _, name := range names {
		if _, err := v.ReadRecord(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mustReplace(t, v, names[1], nil)
	wantRecord(t, v, names[1], nil)
	if _, err := v.ReadRecord(names[2]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another record: %v", err)
	}
}

// The last record that Replace returned for must be there whole, also for the next holder, and no other
// record may change.
func testReplaced(t *testing.T, open func() (player.Vault, error)) {
	kept := map[string][]byte{}
	for round := range 4 {
		v := mustOpen(t, open)
		for i, name := range names {
			if data := kept[name]; data != nil {
				wantRecord(t, v, name, data)
			}
			for _, size := range []int{100_000, 10, 70_000 - 20_000*round + i} {
				kept[name] = bytes.Repeat([]byte{byte(round), byte(i), byte(size)}, size)
				mustReplace(t, v, name, kept[name])
				wantRecord(t, v, name, kept[name])
			}
		}
		for name, data := range kept {
			wantRecord(t, v, name, data)
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What the caller does with its bytes afterwards must not change the record.
func testBytesCopied(t *testing.T, v player.Vault) {
	data := []byte("whole")
	mustReplace(t, v, names[0], data)
	data[0] = 'x'
	got, err := v.ReadRecord(names[0])
	if err != nil {
		t.Fatal(err)
	}
	got[1] = 'x'
	wantRecord(t, v, names[0], []byte("whole"))
}

// Two holders could sign two messages on one parent, and a holder that has let go could overwrite the
// journal of the next one.
func oneHolder(t *testing.T, open func() (player.Vault, error)) {
	first := mustOpen(t, open)
	mustReplace(t, first, names[1], []byte("first"))
	if second, err := open(); err == nil {
		second.Close()
		t.Error("held twice")
	}
	mustReplace(t, first, names[1], []byte("first again"))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := mustOpen(t, open)
	defer second.Close()
	if err := first.ReplaceRecord(names[1], []byte("too late")); err == nil {
		t.Error("replaced by one that has closed")
	}
	wantRecord(t, second, names[1], []byte("first again"))
}

// A seat must be the same after a restart, and must not replace another.
func testIdentity(t *testing.T, open func() (player.Vault, error)) {
	id, err := player.CreateIdentity(mustOpen(t, open), "anna")
	if err != nil {
		t.Fatal(err)
	}
	key := id.VerifierKey()
	if err := id.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := player.CreateIdentity(mustOpen(t, open), "bela"); err == nil {
		t.Error("made over another")
	}
	if id, err = player.OpenIdentity(mustOpen(t, open)); err != nil {
		t.Fatal(err) // otherwise the failure kept the vault
	}
	defer id.Close()
	if id.VerifierKey() != key {
		t.Error("another seat after a restart")
	}
}

// A seat is taken up from its copy, with its card secrets and its view of each log, also after a
// restart.
func testSeatCopy(t *testing.T, from, to func() (player.Vault, error)) {
	id, err := player.CreateIdentity(mustOpen(t, from), "anna")
	if err != nil {
		t.Fatal(err)
	}
	defer id.Close()
	table := wire.Hash{3}
	secret, err := id.Secret(table, clear.Suite{}, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	record, err := id.Copy(map[wire.Hash][]byte{table: []byte("a checkpoint")})
	if err != nil {
		t.Fatal(err)
	}
	v := mustOpen(t, to)
	mustReplace(t, v, player.SeatRecord, record)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again, err := player.OpenIdentity(mustOpen(t, to))
		if err != nil {
			t.Fatal(err)
		}
		believed, err := again.BelievedCheckpoint(table)
		if err != nil || string(believed) != "a checkpoint" {
			t.Errorf("the copy believes %q of the log, %v", believed, err)
		}
		if s, err := again.Secret(table, clear.Suite{}, rand.Reader); err != nil || !bytes.Equal(s.Bytes(), secret.Bytes()) || again.VerifierKey() != id.VerifierKey() {
			t.Errorf("the copy is another seat, or %v", err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
