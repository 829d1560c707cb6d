package follow_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/mod/sumdb/note"
	sumdb "golang.org/x/mod/sumdb/tlog"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/verifier/follow"
)

func keysOf(l *log) []note.Verifier { return []note.Verifier{l.key.key} }

func openAs(t *testing.T, l *log, dir string) error {
	t.Helper()
	f, err := follow.Open(t.Context(), l, dir, follow.Options{Log: []*tlog.VerifierKey{l.key.key}, Catalogue: catalogue})
	if err == nil {
		f.Close()
	}
	return err
}

// A state belongs to another log, or to another key of that name. Mixing them would accuse a log of
// what another one signed.
func TestStateOfAnotherLog(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 10)...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.Close()
	for _, name := range []string{"log.example", "other.example"} {
		testmust.FailSaying(t, openAs(t, newLog(newKey(t, name)), w.dir), "another log or key", name)
	}
	two := []*tlog.VerifierKey{l.key.key, newKey(t, "other.example").key}
	for _, keys := range [][]*tlog.VerifierKey{nil, two} {
		if f, err := follow.Open(t.Context(), l, t.TempDir(), follow.Options{Log: keys}); err == nil {
			f.Close()
			t.Errorf("opened with %d keys", len(keys))
		}
	}
}

// Two processes open one state.
func TestStateIsLocked(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 10)...)
	w := open(t, l, t.TempDir())
	testmust.FailSaying(t, openAs(t, l, w.dir), "another process", "a second one")
}

// A damaged state is reported as damaged. It is not the log's fault, and the Follower does not
// silently begin anew.
func TestDamagedState(t *testing.T) {
	p := play(t, clear.Suite{}, 1)
	l := newLog(newKey(t, "log.example"), p.Entries[:5]...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.Close()
	for _, name := range []string{"checkpoint", "progress"} {
		path := filepath.Join(w.dir, name)
		good := testmust.Have(os.ReadFile(path))(t)
		for what, bad := range map[string][]byte{"empty": {}, "cut": good[:len(good)-1], "altered": bytes.Replace(good, []byte("5"), []byte("6"), 1)} {
			testmust.Do(t, os.WriteFile(path, bad, 0o644))
			err := openAs(t, l, w.dir)
			testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "%s %s: %v", name, what, err)
		}
		os.WriteFile(path, good, 0o644)
	}
	testmust.Do(t, os.Remove(filepath.Join(w.dir, "checkpoint")))
	testmust.Fail(t, openAs(t, l, w.dir), "opened without its checkpoint")
}

// The state of an earlier version does not name the bundles of a table's entries.
func TestStateWithoutRuns(t *testing.T) {
	p := play(t, clear.Suite{}, 1)
	l := newLog(newKey(t, "log.example"), p.Entries[:3]...)
	l.grow(filler("between", 600)...).grow(p.Entries[3:6]...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.Close()
	lines := fmt.Sprintf("pakli-follow/v1\nread %d\ntable %s 0 %d\n", len(l.entries), p.State.ID(), len(l.entries)-1)
	lines += fmt.Sprintf("sum %x\n", sha256.Sum256([]byte(lines)))
	testmust.Do(t, os.WriteFile(filepath.Join(w.dir, "progress"), []byte(lines), 0o644))
	l.grow(p.Entries[6:]...)
	w = open(t, l, w.dir)
	w.calm()
	w.wantVerdicts("Sound.")
}

// A file that a process of this or an earlier version was writing when it was killed is no
// checkpoint, and is removed.
func TestLeftovers(t *testing.T) {
	l := newLog(newKey(t, "log.example"), filler("a", 10)...)
	w := open(t, l, t.TempDir())
	w.calm()
	w.Close()
	var left []string
	for _, dir := range []string{".", "unproven", "tables"} {
		for _, name := range []string{".part-1234567890", "file.part-ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
			left = append(left, filepath.Join(w.dir, dir, name))
			testmust.Do(t, os.WriteFile(left[len(left)-1], []byte("log.exa"), 0o600))
		}
	}
	testmust.Do(t, openAs(t, l, w.dir), "the state is opened no more")
	for _, path := range left {
		testmust.FailBy(t, testmust.ErrorOf(os.Stat(path)), os.ErrNotExist, path)
	}
}

// Evidence that is altered, truncated, or of an honest log proves nothing.
func TestEvidenceIsChecked(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 100)...)
	w := open(t, l, t.TempDir())
	w.calm()
	entries := filler("a", 300)
	entries[50] = []byte("another")
	*l = *newLog(k, entries...)
	e := w.broken(k)
	file := e.Marshal()
	for i := range file {
		for _, altered := range [][]byte{file[:i], append(append(bytes.Clone(file[:i]), file[i]^1), file[i+1:]...)} {
			// The Base64 of a signature has spare bits; the signed text has none.
			other, err := follow.ParseEvidence(altered)
			testmust.Requiref(t, err != nil || other.Check(k.key) != nil || other.String() == e.String(), "altered at byte %d and still convincing", i)
		}
	}
	testmust.Fail(t, testmust.ErrorOf(follow.ParseEvidence(append(bytes.Clone(file), '\n'))), "trailing bytes")
	err := e.Check(newKey(t, "log.example").key)
	testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "another key: %v", err)
	honest := newLog(k, filler("a", 300)...)
	framed := *e
	framed.Second = honest.shows
	err = framed.Check(k.key)
	testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "a proof of another tree: %v", err)
	same := follow.Evidence{First: honest.shows, Second: honest.shows}
	swapped := follow.Evidence{First: e.Second, Second: e.First, Root: e.Root, Proof: e.Proof}
	true1 := *e
	true1.Root = e.First.Root
	for name, e := range map[string]follow.Evidence{"same": same, "swapped": swapped, "the true root": true1, "two logs": {First: e.First, Second: newLog(newKey(t, "other.example"), filler("a", 100)...).shows}} {
		testmust.Fail(t, e.Check(k.key), name, "convincing")
	}
}

// prove proves that the tree of a log extends that of its first old entries, and returns the root of
// these.
func prove(t *testing.T, l *log, old int) (tlog.Hash, tlog.Consistency) {
	t.Helper()
	var stored []tlog.Hash
	read := sumdb.HashReaderFunc(func(indexes []int64) (list []tlog.Hash, err error) {
		for _, i := range indexes {
			list = append(list, stored[i])
		}
		return list, nil
	})
	for i, e := range l.entries {
		hashes := testmust.Have(sumdb.StoredHashes(int64(i), e, read))(t)
		stored = append(stored, hashes...)
	}
	hashes := testmust.Have(sumdb.ProveTree(int64(len(l.entries)), int64(old), read))(t)
	return l.sign(old).Root, tlog.Consistency{Old: uint64(old), Size: uint64(len(l.entries)), Hashes: hashes}
}

// Proofs of an honest log, combined as evidence against it, prove nothing.
func TestHonestLogIsNotFramed(t *testing.T) {
	k := newKey(t, "log.example")
	l := newLog(k, filler("a", 300)...)
	for name, old := range map[string]int{"its own root": 100, "the root of another size": 101, "and smaller": 99} {
		e := follow.Evidence{First: l.sign(100), Second: l.shows}
		e.Root, e.Proof = prove(t, l, old)
		testmust.Do(t, e.Proof.Verify(e.Root, e.Second.Root), name, "the test is built wrong")
		err := e.Check(k.key)
		testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "%s: %v", name, err)
		parsed, err := follow.ParseEvidence(e.Marshal())
		testmust.Holdf(t, err != nil || parsed.Check(k.key) != nil, "%s: convincing from a file", name)
	}
}

func FuzzParseEvidence(f *testing.F) {
	k := newKey(f, "log.example")
	a, b := newLog(k, filler("a", 5)...).shows, newLog(k, filler("b", 5)...).shows
	e := follow.Evidence{First: a, Second: b}
	f.Add(e.Marshal())
	c := newLog(k, filler("b", 9)...).shows
	e = follow.Evidence{First: a, Second: c, Root: b.Root, Proof: tlog.Consistency{Old: 5, Size: 9, Hashes: []tlog.Hash{b.Root}}}
	f.Add(e.Marshal())
	f.Add([]byte(follow.EvidenceFormat + "\n\nfirst 0\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		e, err := follow.ParseEvidence(file)
		testmust.Hold(t, err != nil || bytes.Equal(e.Marshal(), file), "another spelling")
		testmust.Hold(t, err != nil || e.Check() != nil, "convincing without a key")
		follow.ParseComplaint(file)
	})
}
