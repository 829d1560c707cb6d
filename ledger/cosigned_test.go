package ledger_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
)

// A cosigned checkpoint that is not shown, is shown for a newer one, wakes those
// who wait for entries, or is forgotten by a restart.
func TestPublishCosigned(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	testmust.FailBy(t, testmust.ErrorOf(l.CosignedReader().Checkpoint(t.Context())), tlog.ErrNotCosigned, "before the first")
	fill(t, l, 0, 5)
	five := testmust.Have(l.Checkpoint(t.Context()))(t)
	waiting, stop := context.WithCancel(t.Context())
	woken := make(chan error, 1)
	go func() { _, err := l.Await(waiting, five.Size); woken <- err }()
	cosigned := markstest.Cosign(t, five, key.Verifier, markstest.NewKeeper(t, "cosigner.example", time.Now))
	testmust.Do(t, l.PublishCosigned(cosigned))
	shown := func(r tlog.Reader) []byte {
		t.Helper()
		return testmust.Have(r.Checkpoint(t.Context()))(t).Note
	}
	if !bytes.Equal(shown(l), cosigned.Note) || !bytes.Equal(shown(l.CosignedReader()), cosigned.Note) {
		t.Errorf("published %q and %q, want %q", shown(l), shown(l.CosignedReader()), cosigned.Note)
	}
	select {
	case err := <-woken:
		t.Errorf("a cosignature woke somebody who waits for entries: %v", err)
	default:
	}
	stop()
	<-woken
	fill(t, l, 5, 6)
	testmust.Hold(t, !bytes.Equal(shown(l), cosigned.Note) && bytes.Equal(shown(l.CosignedReader()), cosigned.Note),
		"after one more entry: the log shows the old checkpoint, or has lost the cosigned one")
	testmust.Do(t, l.Close())
	l = open(t, dir, key)
	testmust.Hold(t, bytes.Equal(shown(l.CosignedReader()), cosigned.Note), "after a restart there is another cosigned checkpoint")
}

// Checkpoints that are not this log's, though somebody cosigned them.
func TestPublishCosignedOfOthers(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 3)
	good := testmust.Have(l.Checkpoint(t.Context()))(t)
	sign := func(size uint64, root tlog.Hash) tlog.Checkpoint {
		return testmust.Have(tlog.SignCheckpoint(size, root, key.Signer))(t)
	}
	other := good
	other.Size = 2
	for what, c := range map[string]tlog.Checkpoint{
		"beyond the log": sign(4, good.Root), "another root": sign(3, tlog.LeafHash(nil)), "another root before": sign(2, good.Root),
		"other fields than the note": other, "no note": {Origin: good.Origin, Size: good.Size, Root: good.Root},
	} {
		testmust.Fail(t, l.PublishCosigned(c), what, "published")
	}
	c, err := l.Checkpoint(t.Context())
	testmust.Holdf(t, err == nil && bytes.Equal(c.Note, good.Note), "checkpoint is now %q, %v", c.Note, err)
}

// A directory in which cosigners have seen more, or something else, than its
// store has.
func TestOpenBehindCosigned(t *testing.T) {
	dir, key := create(t)
	for what, root := range map[string]tlog.Hash{"7\n": tlog.LeafHash(nil), "0\n": tlog.EmptyRoot(), "": {}} {
		text := fmt.Sprintf("%s\n%s%v\n", key.Signer.Name(), what, root)
		if what == "" {
			text = "damaged\n"
		}
		signed := testmust.Have(note.Sign(&note.Note{Text: text}, key.Signer))(t)
		testmust.Do(t, durable.Replace(filepath.Join(dir, "cosigned"), signed, 0o600))
		err := attempt(dir, key)
		testmust.Equal(t, what == "0\n", (err == nil), "cosigned", text, err)
		testmust.Holdf(t, what != "7\n" || errors.Is(err, ledger.ErrRolledBack), "cosigned %q: %v, want ErrRolledBack", text, err)
	}
}

// Stop must keep the log from acknowledging anything more.
func TestStop(t *testing.T) {
	dir, key := create(t)
	l := open(t, dir, key)
	fill(t, l, 0, 2)
	reason := errors.New("cosigners have seen another history")
	l.Stop(reason)
	<-l.FailedChannel()
	testmust.FailBy(t, testmust.ErrorOf(l.Append(t.Context(), []byte("after"))), reason, "append")
	testmust.FailBy(t, l.Ready(t.Context()), reason, "ready")
}

// A change of keys that leaves some reader without a key that it knows, or that
// is cut short at any point.
func TestSwitchKey(t *testing.T) {
	dir, first := create(t)
	checkedBy := func(readers ...note.Verifier) {
		t.Helper()
		key, also, err := ledger.LoadKeys(dir)
		testmust.Do(t, err)
		o := ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}}
		for _, k := range also {
			o.Also = append(o.Also, k.Signer)
		}
		l := testmust.Have(ledger.Open(dir, o))(t)
		defer l.Close()
		r := testmust.Have(l.Append(t.Context(), []byte("the same entry")))(t)
		for i, v := range readers {
			testmust.Do(t, r.Verify([]byte("the same entry"), v), "reader", i)
		}
	}
	checkedBy(first.Verifier)
	testmust.FailBy(t, testmust.ErrorOf(ledger.SwitchKey(dir)), fs.ErrNotExist, "without a next key")
	next := testmust.Have(ledger.NextKey(dir, rand.Reader))(t)
	testmust.FailBy(t, testmust.ErrorOf(ledger.NextKey(dir, rand.Reader)), fs.ErrExist, "a second next key")
	lattice := testmust.Have(ledger.LatticeKey(dir, rand.Reader))(t)
	checkedBy(first.Verifier, next.Verifier, lattice.Verifier)
	interrupted := t.TempDir()
	copyDir(t, dir, interrupted)
	k, err := ledger.SwitchKey(dir)
	testmust.Requiref(t, err == nil && k.Public == next.Public, "switch: %v, %v", k, err)
	checkedBy(first.Verifier, next.Verifier, lattice.Verifier)
	testmust.FailSaying(t, attempt(dir, first), "another key", "opened with the previous key")
	testmust.Do(t, ledger.RetireKey(dir))
	checkedBy(next.Verifier, lattice.Verifier)
	// Cut short after the marker was written, before log.key was replaced.
	for _, name := range []string{"previous.key", "pakli-ledger"} {
		from := filepath.Join(dir, name)
		if name == "previous.key" {
			from = filepath.Join(interrupted, "log.key")
		}
		b := testmust.Have(os.ReadFile(from))(t)
		testmust.Do(t, os.WriteFile(filepath.Join(interrupted, name), b, 0o600))
	}
	dir = interrupted
	testmust.Fail(t, attempt(dir, first), "a switch that was cut short: opened as if nothing had been")
	k, err = ledger.SwitchKey(dir)
	testmust.Requiref(t, err == nil && k.Public == next.Public, "the second attempt: %v, %v", k, err)
	checkedBy(first.Verifier, next.Verifier, lattice.Verifier)
}

// A key of another log, that would sign for it.
func TestOpenWithForeignKey(t *testing.T) {
	dir, key := create(t)
	_, foreign := ledgertest.NewKey(t, "other.example/log", tlog.Ed25519)
	_, err := ledger.Open(dir, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}, Also: []note.Signer{foreign}})
	testmust.Hold(t, err != nil, "a foreign key signs for the log")
}
