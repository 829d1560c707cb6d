package main

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/verifier"
)

// memory is a log in memory.
type memory struct {
	checkpoint tlog.Checkpoint
	entries    [][]byte
}

func (m memory) Checkpoint(context.Context) (tlog.Checkpoint, error) { return m.checkpoint, nil }

func (m memory) Entries(_ context.Context, start, end uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range m.entries[start:end] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// mirrored signs a log of these entries and writes it to a directory.
func mirrored(t *testing.T, entries [][]byte) (dir, vkey string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(nil, "log.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	var tree tlog.Tree
	for _, e := range entries {
		tree.Append(tlog.LeafHash(e))
	}
	m := memory{entries: entries}
	if m.checkpoint, err = tlog.SignCheckpoint(tree.Size(), tree.Root(), signer); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if _, err := mirror.Copy(context.Background(), m, dir, func([]byte) [][32]byte { return nil }); err != nil {
		t.Fatal(err)
	}
	return dir, vkey
}

func played(t *testing.T, seed uint64) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	s, _ := suite.Lookup(suite.Default)
	p, err := tabletest.Play(game, tabletest.Config{Seats: 2, Suite: s}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A tournament whose exit code is that of the last table, or that leaves out the
// tables that cannot be checked.
func TestTournament(t *testing.T) {
	sound, half, absent := played(t, 1), played(t, 2), played(t, 3)
	dir, vkey := mirrored(t, slices.Concat(half.Entries[:9], sound.Entries))
	id := func(p *tabletest.Table) string { return p.State.ID().String() }
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"all":           {[]string{"--all", dir}, 3, []string{"2 tables: 1 sound, 1 unfinished, 0 foul, 0 cannot check.", id(sound) + "  Sound.", id(half) + "  Unfinished.", "Waiting for seat-"}},
		"one worker":    {[]string{"--all", "--workers", "1", dir}, 3, []string{"1 sound, 1 unfinished"}},
		"one of them":   {[]string{"--table", id(sound), dir}, 0, []string{"Sound."}},
		"one is absent": {[]string{"--table", id(half), "--table", id(absent), dir}, 1, []string{"1 cannot check", id(absent) + "  Cannot check: "}},
		"all and one":   {[]string{"--all", "--table", id(sound), dir}, 2, nil},
		"none":          {[]string{dir}, 2, nil},
		"no workers":    {[]string{"--all", "--workers", "-1", dir}, 2, nil},
		"no directory":  {[]string{"--all", dir + "/absent"}, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := run(context.Background(), append([]string{"--log", vkey}, c.args...), &out, &errs); code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, &out, &errs)
			}
			for _, want := range c.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("output\n%s\ndoes not say %q", &out, want)
				}
			}
		})
	}
}

// A tournament as JSON that programs cannot read.
func TestTournamentAsJSON(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	var out bytes.Buffer
	if code := run(context.Background(), []string{"--log", vkey, "--json", "--all", dir}, &out, os.Stderr); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	var got struct {
		Tables []struct {
			Table   string
			Verdict verifier.Verdict
		}
		Standings []verifier.Standing
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Tables) != 1 || got.Tables[0].Table != p.State.ID().String() || got.Tables[0].Verdict != verifier.Sound || len(got.Standings) != 2 {
		t.Errorf("%s", &out)
	}
}
