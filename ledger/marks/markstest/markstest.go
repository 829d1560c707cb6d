// Package markstest makes keepers, marks, and tables with a clock on a log in memory, for tests.
package markstest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// NewKeeper returns a cosigner whose key follows from its name, with a clock.
func NewKeeper(t testing.TB, name string, now func() time.Time) *tlog.SignerKey {
	t.Helper()
	random := rand.NewChaCha8(sha256.Sum256([]byte(name)))
	skey, _, err := tlog.GenerateKey(random, name, tlog.Ed25519Cosignature)
	if err != nil {
		t.Fatal(err)
	}
	k, err := tlog.ParseSignerKey(skey, now)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// LineSigner returns the key with which a keeper of a name signs its lines, which follows from the name.
func LineSigner(t testing.TB, name string) (s note.Signer, vkey string) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.NewChaCha8(sha256.Sum256([]byte(name+" lines"))), "lines-of-"+name)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = note.NewSigner(skey); err != nil {
		t.Fatal(err)
	}
	return s, vkey
}

// Cosign returns a checkpoint that log has signed, as cosigners have seen it now.
func Cosign(t testing.TB, c tlog.Checkpoint, log note.Verifier, cosigners ...*tlog.SignerKey) tlog.Checkpoint {
	t.Helper()
	n, err := note.Open(c.Note, note.VerifierList(log))
	if err != nil {
		t.Fatal(err)
	}
	signers := make([]note.Signer, len(cosigners))
	for i, k := range cosigners {
		signers[i] = k
	}
	slices.Reverse(signers[:max(len(signers), 1)-1]) // the order in which each would sign what the others have, as vectors have it
	if c.Note, err = note.Sign(n, signers...); err != nil {
		t.Fatal(err)
	}
	return c
}

// SignMark signs a mark of a checkpoint. Its signer is always the same.
func SignMark(t testing.TB, c tlog.Checkpoint) []byte {
	t.Helper()
	skey, vkey, err := note.GenerateKey(rand.NewChaCha8(sha256.Sum256([]byte("marks"))), "marks")
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(skey)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := wire.SignMark(c.Note, vkey, s)
	if err != nil {
		t.Fatal(fmt.Errorf("mark of size %d: %w", c.Size, err))
	}
	return entry
}
