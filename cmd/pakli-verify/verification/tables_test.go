package verification

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// newKey makes the key of a log.
func newKey(t *testing.T) (skey, vkey string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(nil, "log.example")
	testmust.Do(t, err)
	return skey, vkey
}

// signed returns a signed log of these entries.
func signed(t *testing.T, entries [][]byte, skey string) ledgertest.FixedLog {
	t.Helper()
	return ledgertest.NewFixed(t, entries, testmust.Have(note.NewSigner(skey))(t))
}

// mirrored signs a log of these entries and writes it to a directory.
func mirrored(t *testing.T, entries [][]byte) (dir, vkey string) {
	t.Helper()
	skey, vkey := newKey(t)
	return mirroredBy(t, entries, skey), vkey
}

func mirroredBy(t *testing.T, entries [][]byte, skey string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	testmust.Have(tiles.CopyLog(context.Background(), signed(t, entries, skey), dir, func([]byte) [][32]byte { return nil }))(t)
	return dir
}

func played(t *testing.T, seed uint64) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	s, _ := suite.Lookup(suite.Default)
	return testmust.Have(tabletest.Play(game, tabletest.Config{Seats: 2, Suite: s}, seed))(t)
}

// expected runs the command on a log with each of several lists of arguments, and looks for the
// expected output, ignoring white space.
func expected(t *testing.T, vkey string, rows map[string]row) {
	folded := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for name, c := range rows {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Run(t.Context(), append([]string{"--log", vkey}, c.args...), &out, &errs)
			testmust.Holdf(t, code == c.code, "exit code %d, want %d\n%s%s", code, c.code, &out, &errs)
			for _, want := range c.want {
				testmust.Holdf(t, strings.Contains(folded(out.String()), folded(want)), "output\n%s\ndoes not say %q", &out, want)
			}
		})
	}
}

type row struct {
	args []string
	code int
	want []string
}

// The exit code for many tables is that of the last table, or ignores tables that cannot be checked.
func TestManyTables(t *testing.T) {
	sound, half, absent := played(t, 1), played(t, 2), played(t, 3)
	dir, vkey := mirrored(t, slices.Concat(half.Entries[:9], sound.Entries))
	id := func(p *tabletest.Table) string { return p.State.ID().String() }
	expected(t, vkey, map[string]row{
		"all":            {[]string{"--all", dir}, 3, []string{"2 tables: 1 sound, 1 unfinished, 0 foul, 0 cannot be checked.", id(sound) + "\n    schwarzer-peter/v1: seat-0, seat-1\n    Sound.", id(half) + "\n    schwarzer-peter/v1: seat-0, seat-1\n    Waiting for seat "}},
		"one worker":     {[]string{"--all", "--workers", "1", dir}, 3, []string{"1 sound, 1 unfinished"}},
		"one of them":    {[]string{"--table", id(sound), dir}, 0, []string{"Sound."}},
		"one is absent":  {[]string{"--table", id(half), "--table", id(absent), dir}, 1, []string{"1 cannot be checked", id(absent) + "\n    Cannot check: "}},
		"all and one":    {[]string{"--all", "--table", id(sound), dir}, 2, nil},
		"none":           {[]string{dir}, 2, nil},
		"no workers":     {[]string{"--all", "--workers", "-1", dir}, 2, nil},
		"German":         {[]string{"--all", "--lang", "de", dir}, 3, []string{"2 Tische: 1 einwandfrei, 1 nicht zu Ende", "Rangliste"}},
		"Hungarian page": {[]string{"--all", "--lang", "hu", "--format", "html", dir}, 3, []string{`<html lang="hu">`, "2 asztal: 1 rendben", id(half)}},
		"words of many":  {[]string{"--all", "--format", "json", dir}, 3, []string{`"headline":"2 tables: `, `"verdict":"unfinished"`}},
		"all as JSON":    {[]string{"--json", "--all", dir}, 3, []string{`"table":"` + id(sound) + `"`, `"verdict":"sound"`, `"standings":[{`}},
		"no directory":   {[]string{"--all", dir + "/absent"}, 1, nil},
	})
}

// A flag is accepted and has no effect, although its user expects one.
func TestNoFlagIsIgnored(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	file := filepath.Join(t.TempDir(), "game.pakli")
	bundled(t, dir, vkey, p, file)
	id := p.State.ID().String()
	for _, args := range [][]string{
		{"--json", "--format", "html", "--all", dir},
		{"--json", "--lang", "de", "--table", id, dir},
		{"--json", "-o", "x", "--table", id, dir},
		{"--workers", "2", "--table", id, dir},
		{"--workers", "2", file, file},
		{"--all", "--against", dir, dir},
		{"--all", file},
		{"--all", file, file},
		{"--table", id, file, file},
		{file, dir},
		{dir, dir},
		{},
	} {
		var out, errs bytes.Buffer
		code := Run(context.Background(), append([]string{"--log", vkey}, args...), &out, &errs)
		testmust.Holdf(t, code == command.ExitUsage && errs.Len() != 0, "%v: exit code %d, want %d\n%s%s", args, code, command.ExitUsage, &out, &errs)
	}
}

// bundled writes the bundle of a table.
func bundled(t *testing.T, dir, vkey string, p *tabletest.Table, file string) {
	t.Helper()
	key := testmust.Have(tlog.ParseVerifierKey(vkey))(t)
	b := testmust.Have(bundle.Collect(context.Background(), tiles.Directory(dir), p.State.ID(), bundle.Keys{Log: []*tlog.VerifierKey{key}}))(t)
	testmust.Do(t, os.WriteFile(file, b.Marshal(), 0o644))
}

// A directory of reports must have the same report of each table with a verdict as a single run
// makes, and an index without dead links.
func TestDirectoryOfReports(t *testing.T) {
	clock = func() time.Time { return time.Unix(1e9, 0) }
	defer func() { clock = time.Now }()
	sound, half, absent := played(t, 1), played(t, 2), played(t, 3)
	dir, vkey := mirrored(t, slices.Concat(half.Entries[:9], sound.Entries))
	for format, ending := range endings {
		to := filepath.Join(t.TempDir(), "reports")
		var out, errs bytes.Buffer
		args := []string{"--log", vkey, "--format", format, "--lang", "hu", "-o", to}
		for _, p := range []*tabletest.Table{sound, half, absent} {
			args = append(args, "--table", p.State.ID().String())
		}
		if code := Run(context.Background(), append(args, dir), &out, &errs); code != exitCannot || !strings.HasPrefix(out.String(), "3 asztal: ") || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
		}
		index := readFile(t, filepath.Join(to, "index"+ending))
		for _, p := range []*tabletest.Table{sound, half} {
			id := p.State.ID().String()
			var alone bytes.Buffer
			Run(context.Background(), []string{"--log", vkey, "--format", format, "--lang", "hu", "--table", id, dir}, &alone, &errs)
			got := readFile(t, filepath.Join(to, id+ending))
			testmust.Holdf(t, got == alone.String() && got != "", "%s: the report of a table is another than alone", format)
			linked := strings.Contains(index, `href="`+id+`.html"`) || strings.Contains(index, `"file":"`+id+`.json"`)
			testmust.Holdf(t, linked == (format != "text"), "%s: the index does not point to the report", format)
		}
		testmust.Hold(t, !strings.Contains(index, absent.State.ID().String()+ending), format, "the index points to a report that is not there")
		files, err := os.ReadDir(to)
		testmust.Holdf(t, err == nil && len(files) == 3, "%s: %d files, want 3 (%v)", format, len(files), err)
	}
}

// A link in the directory of reports leads a report to another file.
func TestReportsFollowNoLinks(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	to, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	names := []string{filepath.Join(to, "index.txt"), filepath.Join(to, p.State.ID().String()+".txt")}
	err := os.WriteFile(other, []byte("other"), 0o644)
	for _, name := range names {
		err = errors.Join(err, os.Symlink(other, name))
	}
	testmust.Do(t, err)
	testmust.Equal(t, Run(context.Background(), []string{"--log", vkey, "--all", "-o", to, dir}, new(bytes.Buffer), os.Stderr), 0, "exit code")
	testmust.Equal(t, readFile(t, other), "other", "the other file is now")
	for _, name := range names {
		got := readFile(t, name)
		testmust.Holdf(t, strings.Contains(got, "sound") || strings.Contains(got, "Sound."), "%s is\n%s", name, got)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	return string(testmust.Have(os.ReadFile(name))(t))
}

// Bundles of one log give the log's verdicts. Bundles of two sizes cannot be compared until a log
// shows that one extends the other. Bundles of a log that signed two histories convict it.
func TestSeveralBundles(t *testing.T) {
	a, b := played(t, 1), played(t, 2)
	all := slices.Concat(a.Entries, b.Entries)
	skey, vkey := newKey(t)
	write := func(entries [][]byte, p *tabletest.Table) (file, dir string) {
		dir = mirroredBy(t, entries, skey)
		file = filepath.Join(t.TempDir(), "game.pakli")
		bundled(t, dir, vkey, p, file)
		return file, dir
	}
	first, _ := write(all, a)
	second, dir := write(all, b)
	early, _ := write(a.Entries, a)
	cut, _ := write(slices.Concat(a.Entries, b.Entries[:len(b.Entries)-4]), b)
	fork, _ := write(slices.Concat(b.Entries, a.Entries), b)
	forkSmaller, _ := write(slices.Concat(b.Entries, a.Entries[:5]), b)
	garbage := filepath.Join(t.TempDir(), "garbage.pakli")
	testmust.Do(t, os.WriteFile(garbage, []byte("garbage"), 0o644))
	expected(t, vkey, map[string]row{
		"one checkpoint":        {[]string{first, second}, 0, []string{"2 tables: 2 sound", "L3-history     passed", "Standings"}},
		"two checkpoints":       {[]string{early, second}, 1, []string{"2 tables: 2 sound", "L3-history     not reached", "Cannot check: the bundles are under 2 checkpoints"}},
		"and the log":           {[]string{"--against", dir, early, second}, 0, []string{"2 tables: 2 sound", "L3-history     passed"}},
		"one table twice":       {[]string{first, early}, 1, []string{"1 table: 1 sound", "under 2 checkpoints"}},
		"an end left out":       {[]string{early, cut}, 1, []string{"(as shown)", "1 sound, 1 unfinished"}},
		"the end of it":         {[]string{"--against", dir, early, cut}, 3, []string{"(as shown)", "L3-history     passed"}},
		"a fork":                {[]string{first, fork}, 5, []string{"The log broke its promise: it signed two histories"}},
		"a fork of other sizes": {[]string{first, forkSmaller}, 5, []string{"The log broke its promise: it signed two histories"}},
		"no bundle":             {[]string{first, garbage}, 1, []string{"2 tables: 1 sound", "garbage.pakli", "Ask for another copy; nobody is accused", "1 cannot be checked"}},
		"as JSON":               {[]string{"--json", first, garbage}, 1, []string{`"unread":["`, `"verdict":"sound"`}},
	})
	to := filepath.Join(t.TempDir(), "reports")
	code := Run(context.Background(), []string{"--log", vkey, "--format", "html", "-o", to, first, second}, new(bytes.Buffer), os.Stderr)
	testmust.Holdf(t, code == 0, "reports: exit code %d", code)
	page := readFile(t, filepath.Join(to, b.State.ID().String()+".html"))
	testmust.Hold(t, strings.Contains(page, "As shown: "), "the report of a bundle does not say that it is one")
}

// A terminal obeys a file name when it shows the report.
func TestNamesAreNotObeyed(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	good, evil := filepath.Join(t.TempDir(), "good.pakli"), filepath.Join(t.TempDir(), "x\x1b[2J\u009b31m\u202e\nSound.pakli")
	bundled(t, dir, vkey, p, good)
	testmust.Do(t, os.WriteFile(evil, []byte("garbage"), 0o644))
	for _, format := range []string{"--json", "--format=text", "--format=html", "--format=json"} {
		var out, errs bytes.Buffer
		testmust.Equal(t, Run(context.Background(), []string{"--log", vkey, format, good, evil}, &out, &errs), exitCannot, format, "exit code")
		for _, bad := range []string{"\x1b", "\u009b", "\u202e", "\nSound.pakli"} {
			testmust.Hold(t, !strings.Contains(out.String()+errs.String(), bad), format, bad, "is written as it is")
		}
	}
}

// A report describes another bundle of the table than the one verified.
func TestReportOfWhatWasVerified(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	whole, cut, to := filepath.Join(t.TempDir(), "whole.pakli"), filepath.Join(t.TempDir(), "cut.pakli"), t.TempDir()
	bundled(t, dir, vkey, p, whole)
	b := testmust.Have(openBundle(whole))(t)
	hashes := testmust.Have(bundle.Prove(context.Background(), tiles.Tree{Checkpoint: b.Bundle.Checkpoint, Tiles: ledgertest.FixedLog{List: p.Entries}, Kept: new(tiles.TileCache)}, []uint64{0, 1}))(t)
	short := testmust.Have(bundle.New(bundle.Bundle{Table: b.Table, Keys: b.Keys, Checkpoint: b.Bundle.Checkpoint, Entries: b.Bundle.Entries[:2], Hashes: hashes}))(t)
	testmust.Do(t, os.WriteFile(cut, short.Marshal(), 0o644))
	clock = func() time.Time { return time.Unix(1e9, 0) }
	defer func() { clock = time.Now }()
	var told []string
	for _, files := range [][]string{{cut, whole}, {whole, cut}} {
		testmust.Equal(t, Run(context.Background(), append([]string{"--log", vkey, "-o", to}, files...), new(bytes.Buffer), os.Stderr), 0, "exit code")
		told = append(told, readFile(t, filepath.Join(to, b.Table.String()+".txt")))
	}
	testmust.Equal(t, told[0], told[1], "the report depends on the order")
}

// A report says that bundles contain a checkpoint believed earlier, or share a history with other
// sources, although nobody could check that.
func TestHistoryThatWasNotChecked(t *testing.T) {
	a, b := played(t, 1), played(t, 2)
	skey, vkey := newKey(t)
	whole := slices.Concat(a.Entries, b.Entries)
	dir := mirroredBy(t, whole, skey)
	first, second := filepath.Join(t.TempDir(), "a.pakli"), filepath.Join(t.TempDir(), "b.pakli")
	bundled(t, dir, vkey, a, first)
	bundled(t, dir, vkey, b, second)
	believed := func(entries [][]byte) []string {
		c, err := tiles.Directory(mirroredBy(t, entries, skey)).Checkpoint(context.Background())
		file := filepath.Join(t.TempDir(), "checkpoint")
		testmust.Do(t, errors.Join(err, os.WriteFile(file, c.Note, 0o644)))
		return []string{"--checkpoint", file}
	}
	damaged := mirroredBy(t, whole, skey)
	testmust.Do(t, os.RemoveAll(filepath.Join(damaged, "tile")))
	for name, c := range map[string]struct {
		args   []string
		passed bool
	}{
		"of that size":             {believed(whole), true},
		"of a smaller tree":        {believed(a.Entries), false},
		"of another history":       {believed(b.Entries), false},
		"compared with the log":    {append(believed(a.Entries), "--against", dir), true},
		"compared with half a log": {[]string{"--against", damaged}, false},
	} {
		var out, errs bytes.Buffer
		code := Run(context.Background(), slices.Concat([]string{"--log", vkey}, c.args, []string{first, second}), &out, &errs)
		passed := strings.Contains(strings.Join(strings.Fields(out.String()), " "), "L3-history passed")
		testmust.Holdf(t, passed == c.passed && (code == 0) == c.passed, "%s: exit code %d\n%s%s", name, code, &out, &errs)
	}
}

// announced returns the entries of an event without tables, with a final decision of these standings
// or, if standings is empty, of the true ones.
func announced(t *testing.T, final bool, standings string) (entries [][]byte, id wire.Hash) {
	t.Helper()
	_, s := ledgertest.NewKey(t, "club", tlog.Ed25519)
	vkey := s.Verifier().String()
	post := func(what any) *bulletin.Entry {
		entry := testmust.Have(bulletin.Sign(what, s))(t)
		entries = append(entries, entry)
		return testmust.Have(bulletin.Parse(entry))(t)
	}
	commit := sha256.Sum256([]byte("secret"))
	e := post(&bulletin.Event{
		Format: bulletin.EventFormat, Name: "Kupa", Game: "schwarzer-peter/v1", Suite: "ristretto255-bayergroth/v1", Options: map[string]string{}, Deals: 1, Rounds: 1,
		Sizes: []int{2}, Seating: []bulletin.Seating{bulletin.SeatAtRandom}, Draw: bulletin.DrawCommit, Commit: hex.EncodeToString(commit[:]), Score: bulletin.ScoreSum, Places: []int{},
		Ties: []bulletin.Tie{}, Substitute: bulletin.SubstituteOwn, Fouls: wire.WarnFouls, Ends: wire.Ends{Late: wire.LateUndo}, Clock: wire.Clock{Keepers: []string{}, Lines: []string{}},
		Registration: bulletin.Registration{Max: 10}, Arbiters: []string{}, Jury: []string{}, Organiser: vkey, Nonce: make([]byte, wire.NonceBytes),
	})
	h := testmust.Have(event.Open(e, 0))(t)
	body, _ := wire.EncodeBody(bulletin.RegisterBody{Name: "Kovács Béla"})
	n := post(&bulletin.Notice{Format: bulletin.NoticeFormat, Event: e.Hash, Seen: e.Hash, By: vkey, Kind: bulletin.Register, Body: body})
	testmust.Do(t, h.TakeEntry(n, 1))
	decide := func(kind bulletin.DecisionKind, what any) {
		body := testmust.Have(wire.EncodeBody(what))(t)
		d := post(&bulletin.Decision{Format: bulletin.DecisionFormat, Event: e.Hash, Parent: h.Head, By: vkey, Kind: kind, Body: body})
		testmust.Do(t, h.TakeEntry(d, uint64(len(entries)-1)))
	}
	decide(bulletin.DecideRoster, h.NextRoster(2))
	if final {
		b := event.NextFinal(h, nil, 3)
		if standings != "" {
			b.Standings = standings
		}
		decide(bulletin.DecideFinal, b)
	}
	return entries, e.Hash
}

// Scripts confuse an exit code with another verdict, or a format omits something.
func TestEvent(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		final     bool
		standings string
		code      int
		says      string
	}{
		"open":        {false, "", 3, "not over"},
		"adjudicated": {true, "", 6, "Round 1 was not played. (round-missing)"},
		"misreported": {true, strings.Repeat("0", 64), 7, "standings that do not follow"},
	} {
		t.Run(name, func(t *testing.T) {
			entries, id := announced(t, c.final, c.standings)
			dir, vkey := mirrored(t, entries)
			args := []string{"--log", vkey, "--event", id.String()}
			var out, errs bytes.Buffer
			if code := Run(ctx, append(args, dir), &out, &errs); code != c.code || !strings.Contains(out.String(), c.says) || !strings.Contains(out.String(), "1 Kovács Béla") {
				t.Errorf("exit code %d: %s%s", code, out.String(), errs.String())
			}
			for _, format := range [][]string{{"--format", "json"}, {"--json"}, {"--format", "csv", "--lang", "hu"}, {"--format", "html", "--lang", "de"}, {"--without", "ruled,clock,agreed"}} {
				out.Reset()
				if code := Run(ctx, append(append(args, format...), dir), &out, &errs); code != c.code || !strings.Contains(out.String(), "Kovács Béla") {
					t.Errorf("%v: exit code %d: %s%s", format, code, out.String(), errs.String())
				}
				testmust.Holdf(t, !strings.Contains(format[len(format)-1], "json") || json.Valid(out.Bytes()), "%v: %s", format, out.String())
			}
		})
	}
	entries, id := announced(t, false, "")
	dir, vkey := mirrored(t, entries)
	for _, wrong := range [][]string{
		{"--event", "00"}, {"--event", id.String(), "--all"}, {"--event", id.String(), "--table", id.String()}, {"--event", id.String(), "--without", "luck"},
		{"--all", "--without", "ruled"}, {"--all", "--format", "csv"}, {"--event", id.String(), "--format", "sheet"}, {"--event", id.String(), "--against", dir},
	} {
		testmust.Equal(t, Run(ctx, append(append([]string{"--log", vkey}, wrong...), dir), &bytes.Buffer{}, &bytes.Buffer{}), command.ExitUsage, wrong, "exit code")
	}
	code := Run(ctx, []string{"--log", vkey, "--event", strings.Repeat("0", 64), dir}, &bytes.Buffer{}, &bytes.Buffer{})
	testmust.Holdf(t, code == exitCannot, "no such event: exit code %d", code)
}

// Anybody who passes on a bundle chooses texts that a complaint about the bundle shows.
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

// If nothing can be checked, a program that reads JSON must still get an object, and not take the
// exit code for a crash.
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

// A flag after the file must not be taken for a file, and a usage error must not be lost in the list
// of all flags.
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

// A bundle's name begins with a dash, and *.pakli stands after --. The name is no flag, and no file
// is overwritten.
func TestNoFlagsBehindTwoDashes(t *testing.T) {
	p := played(t, 1)
	dir, vkey := mirrored(t, p.Entries)
	t.Chdir(t.TempDir())
	bundled(t, dir, vkey, p, "a.pakli")
	bundled(t, dir, vkey, p, "-o=b.pakli")
	var out, errs bytes.Buffer
	code := Run(t.Context(), []string{"--log", vkey, "--", "a.pakli", "-o=b.pakli"}, &out, &errs)
	testmust.Holdf(t, code == 0 && strings.Contains(out.String(), "Standings"), "exit code %d: %s%s", code, &out, &errs)
	testmust.Fail(t, testmust.ErrorOf(os.Stat("b.pakli")), "the name of a bundle was taken for a flag")
}

// The user's settings of the garbage collector are overruled, or without settings the program runs as
// if memory were short.
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
