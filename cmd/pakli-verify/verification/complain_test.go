package verification

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
)

// Whoever carries a bundle chooses what a complaint about it says.
func TestNoEscapesReachTheTerminal(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	name := filepath.Join(t.TempDir(), "game.pakli")
	bundled(t, dir, vkey, p, name)
	good := testmust.Have(os.ReadFile(name))(t)
	for _, line := range []string{"\nlog ", "\ntable ", "\nsize ", "\nentry "} {
		file := bytes.Replace(good, []byte(line), []byte(line+"\x1b[2J\u202e\u009b8m"), 1)
		testmust.Do(t, os.WriteFile(name, file, 0o600))
		var out, errs bytes.Buffer
		code := Run(context.Background(), []string{"--log", vkey, name}, &out, &errs)
		testmust.Holdf(t, code == exitCannot && errs.Len() != 0, "%q: exit code %d, %q", line, code, errs.String())
		text := out.String() + errs.String()
		testmust.Holdf(t, !strings.ContainsAny(text, "\x1b\u202e\u009b"), "%q: %q", line, text)
	}
}

// A program that reads an object gets none where nothing can be checked, and takes the exit code for
// a crash.
func TestErrorsAreObjects(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	name, other := filepath.Join(t.TempDir(), "game.pakli"), filepath.Join(t.TempDir(), "other.pakli")
	bundled(t, dir, vkey, p, name)
	good := testmust.Have(os.ReadFile(name))(t)
	testmust.Do(t, os.WriteFile(other, bytes.Replace(good, []byte("\nentry "), []byte("\nentry x"), 1), 0o600))
	no := strings.Repeat("0", 64)
	for _, source := range [][]string{{other}, {"--table", no, dir}, {"--all", dir + "?"}, {"--event", no, dir}} {
		for _, format := range [][]string{{"--json"}, {"--format", "json"}} {
			var out, errs bytes.Buffer
			code := Run(t.Context(), slices.Concat([]string{"--log", vkey}, format, source), &out, &errs)
			var said struct{ Error, Check string }
			if err := json.Unmarshal(out.Bytes(), &said); err != nil || code != exitCannot || said.Error == "" || (said.Check != "") != (source[0] == other) || errs.Len() == 0 {
				t.Errorf("%s %s: exit code %d, %q, and %q", format, source, code, &out, &errs)
			}
		}
	}
}

// A flag behind the file that is taken for a file, and a mistake that is drowned in the list of
// all flags.
func TestUsage(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	file := filepath.Join(t.TempDir(), "game.pakli")
	bundled(t, dir, vkey, p, file)
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"flags behind":  {[]string{file, "--log", vkey, "--json"}, 0, "signed with the key that was given"},
		"flags between": {[]string{"--log", vkey, file, "--lang", "hu"}, 0, "signed with the key that was given"},
		"no such flag":  {[]string{"--nope", file}, command.ExitUsage, "there is no flag --nope"},
		"no argument":   {[]string{"--log", vkey}, command.ExitUsage, "0 arguments; want"},
		"lost bundle":   {[]string{"--log", vkey, "nowhere.pakli"}, command.ExitUsage, "there is no file or directory nowhere.pakli"},
		"two follow":    {[]string{"follow", "a", "b", "--log", vkey}, command.ExitUsage, "is one argument too many"},
	} {
		var out, errs bytes.Buffer
		if code := Run(t.Context(), c.args, &out, &errs); code != c.code || !strings.Contains(errs.String(), c.says) || strings.Count(errs.String(), "\n") > 2 {
			t.Errorf("%s: exit code %d, says %q", name, code, &errs)
		}
	}
}

// A bundle whose name begins with a dash, where *.pakli stands behind --: it is no flag, and
// nothing is written over.
func TestNoFlagsBehindTwoDashes(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	t.Chdir(t.TempDir())
	bundled(t, dir, vkey, p, "a.pakli")
	bundled(t, dir, vkey, p, "-o=b.pakli")
	var out, errs bytes.Buffer
	if code := Run(t.Context(), []string{"--log", vkey, "--", "a.pakli", "-o=b.pakli"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "Standings") {
		t.Errorf("exit code %d: %s%s", code, &out, &errs)
	}
	testmust.Fail(t, testmust.ErrorOf(os.Stat("b.pakli")), "the name of a bundle was taken for a flag")
}

// What the user says of the collector is overruled, or nobody says anything and it
// runs as if memory were short.
func TestCollector(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	percent := debug.SetGCPercent(100)
	defer func() { debug.SetMemoryLimit(limit); debug.SetGCPercent(percent) }()
	for _, set := range []string{"GOGC", "GOMEMLIMIT", ""} {
		setCollector(func(name string) (string, bool) { return "", name == set })
		want, wantLimit := gcPercent, int64(memoryLimit)
		if set != "" {
			want, wantLimit = 100, limit
		}
		got, gotLimit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
		testmust.Holdf(t, got == want && gotLimit == wantLimit, "%q set: %d per cent within %d bytes, want %d within %d", set, got, gotLimit, want, wantLimit)
	}
}
