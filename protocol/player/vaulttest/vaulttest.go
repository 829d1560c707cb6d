// Package vaulttest holds a [player.Vault] to what it promises: [Run] is for every kind of
// vault. A [Place] keeps vaults in memory whose holders die when a test wants it.
package vaulttest

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

// Run tests one kind of vault. Every call of place makes an empty one, and returns how it
// is opened, as by a new process each time.
func Run(t *testing.T, place func(t *testing.T) (open func() (player.Vault, error))) {
	t.Run("nothing", func(t *testing.T) { nothing(t, must(t, place(t))) })
	t.Run("replaced", func(t *testing.T) { replaced(t, place(t)) })
	t.Run("copies", func(t *testing.T) { copies(t, must(t, place(t))) })
	t.Run("one holder", func(t *testing.T) { oneHolder(t, place(t)) })
	t.Run("identity", func(t *testing.T) { identity(t, place(t)) })
	t.Run("copy", func(t *testing.T) { copied(t, place(t), place(t)) })
}

// Summed is a record of a seat, as JSON, with its right sum.
func Summed(record []byte) []byte {
	before, _, _ := bytes.Cut(record, []byte(`,"sum":"`))
	sum := sha256.Sum256(append(bytes.Clone(before), `,"sum":""}`...))
	return fmt.Appendf(nil, `%s,"sum":"%s"}`, before, base64.StdEncoding.EncodeToString(sum[:]))
}

func must(t *testing.T, open func() (player.Vault, error)) player.Vault {
	t.Helper()
	v, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func put(t *testing.T, v player.Vault, name string, data []byte) {
	t.Helper()
	if err := v.Replace(name, data); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, v player.Vault, name string, data []byte) {
	t.Helper()
	if got, err := v.Read(name); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%s: %d bytes, %v; want %d", name, len(got), err, len(data))
	}
}

// What was never kept must be told from what was lost.
func nothing(t *testing.T, v player.Vault) {
	for _, name := range names {
		if _, err := v.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	put(t, v, names[1], nil)
	want(t, v, names[1], nil)
	if _, err := v.Read(names[2]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another record: %v", err)
	}
}

// The last record that Replace returned for must be there whole, also for the next holder,
// and no other be touched.
func replaced(t *testing.T, open func() (player.Vault, error)) {
	kept := map[string][]byte{}
	for round := range 4 {
		v := must(t, open)
		for i, name := range names {
			if data := kept[name]; data != nil {
				want(t, v, name, data)
			}
			for _, size := range []int{100_000, 10, 70_000 - 20_000*round + i} {
				kept[name] = bytes.Repeat([]byte{byte(round), byte(i), byte(size)}, size)
				put(t, v, name, kept[name])
				want(t, v, name, kept[name])
			}
		}
		for name, data := range kept {
			want(t, v, name, data)
		}
		if err := v.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What the caller does with its bytes afterwards must not change the record.
func copies(t *testing.T, v player.Vault) {
	data := []byte("whole")
	put(t, v, names[0], data)
	data[0] = 'x'
	got, err := v.Read(names[0])
	if err != nil {
		t.Fatal(err)
	}
	got[1] = 'x'
	want(t, v, names[0], []byte("whole"))
}

// Two holders could sign two messages on one parent, and one that has let go could put an
// old journal over that of the next.
func oneHolder(t *testing.T, open func() (player.Vault, error)) {
	first := must(t, open)
	put(t, first, names[1], []byte("first"))
	if second, err := open(); err == nil {
		second.Close()
		t.Error("held twice")
	}
	put(t, first, names[1], []byte("first again"))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := must(t, open)
	defer second.Close()
	if err := first.Replace(names[1], []byte("too late")); err == nil {
		t.Error("replaced by one that has closed")
	}
	want(t, second, names[1], []byte("first again"))
}

// A seat must be the same after a restart, and not be made over another.
func identity(t *testing.T, open func() (player.Vault, error)) {
	id, err := player.CreateIdentity(must(t, open), "anna")
	if err != nil {
		t.Fatal(err)
	}
	key := id.VerifierKey()
	if err := id.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := player.CreateIdentity(must(t, open), "bela"); err == nil {
		t.Error("made over another")
	}
	if id, err = player.OpenIdentity(must(t, open)); err != nil {
		t.Fatal(err) // or the failure kept the vault
	}
	defer id.Close()
	if id.VerifierKey() != key {
		t.Error("another seat after a restart")
	}
}

// What a seat is taken up from must be its copy, with its card secrets and what it believed of
// each log, also after a restart.
func copied(t *testing.T, from, to func() (player.Vault, error)) {
	id, err := player.CreateIdentity(must(t, from), "anna")
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
	v := must(t, to)
	put(t, v, player.SeatRecord, record)
	if err := v.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		again, err := player.OpenIdentity(must(t, to))
		if err != nil {
			t.Fatal(err)
		}
		believed, err := again.Believed(table)
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
