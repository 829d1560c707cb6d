package admission_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// shelf keeps blobs in memory.
type shelf struct {
	mu    sync.Mutex
	blobs map[[32]byte][]byte
	err   error // of the next PutBlob
}

func (s *shelf) PutBlob(_ context.Context, b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.err; err != nil {
		s.err = nil
		return err
	}
	s.blobs[sha256.Sum256(b)] = b
	return nil
}

func (s *shelf) Blob(_ context.Context, hash [32]byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.blobs[hash]; ok {
		return b, nil
	}
	return nil, tlog.ErrNoBlob
}

// bulky is a log with a shelf, and a table in it that waits for a shuffle.
type bulky struct {
	*admission.Admission
	party   *party
	log     *shaky
	shelf   *shelf
	shuffle []byte // honest, with its blob
}

func newBulky(t *testing.T, fouls wire.FoulRule) *bulky {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Fouls: fouls, Suite: clear.BulkySuite{}}, seed.Add(1)))(t)
	memory, _, err := ledgertest.NewMemory("log.example")
	testmust.Do(t, err)
	b := &bulky{party: &party{p, t}, log: &shaky{Log: memory}, shelf: &shelf{blobs: map[[32]byte][]byte{}}}
	b.reopen()
	post(t, b.Admission, p.Entries[0])
	d := testmust.Have(p.PlayUntil(table.Shuffle))(t)
	for _, entry := range p.Entries[1:] {
		post(t, b.Admission, entry)
	}
	b.shuffle = testmust.Have(p.HonestMessage(d.Seats[0], d, nil))(t)
	return b
}

// reopen begins anew with what log and shelf have.
func (b *bulky) reopen() {
	b.party.t.Helper()
	a := testmust.Have(admission.Open(b.party.t.Context(), b.log, b.party.Catalogue(), admission.Options{Blobs: b.shelf}))(b.party.t)
	b.Admission = a
}

// A message is in the log before its blob is kept: then a crash leaves a table
// that nobody can check.
func TestBlobsAreKeptBeforeTheEntry(t *testing.T) {
	b := newBulky(t, wire.RefuseFouls)
	full := errors.New("no room")
	b.shelf.err = full
	appends := b.log.appends
	if _, err := postAs(t.Context(), b.Admission, b.shuffle); !errors.Is(err, full) || b.log.appends != appends {
		t.Errorf("%v and %d appends; want %v and none", err, b.log.appends-appends, full)
	}
	down := errors.New("the log is down")
	b.log.fail(down, nil)
	if _, err := postAs(t.Context(), b.Admission, b.shuffle); !errors.Is(err, down) || len(b.shelf.blobs) != 1 {
		t.Errorf("%v with %d blobs; want %v with the blob kept already", err, len(b.shelf.blobs), down)
	}
	got := post(t, b.Admission, b.shuffle)
	entry, _ := wire.CutParcel(b.shuffle)
	testmust.Holdf(t, got.Hash == wire.HashEntry(entry) && got.Fault == nil, "posted as %v, %v", got.Hash, got.Fault)
	for e, err := range b.Admission.Entries(t.Context(), admission.Subject{ID: b.party.id()}, got.N) {
		testmust.Holdf(t, err == nil && string(e.Bytes) == string(entry), "in the log: %d bytes (%v), want the entry alone", len(e.Bytes), err)
	}
}

// After a restart the table is replayed with its blobs; with one lost it is not
// played on, and nothing is said of anybody.
func TestReplayNeedsBlobs(t *testing.T) {
	b := newBulky(t, wire.RefuseFouls)
	post(t, b.Admission, b.shuffle)
	b.reopen()
	if got, err := b.Admission.Table(t.Context(), b.party.id()); err != nil || got.Entries != len(b.party.Entries)+1 {
		t.Errorf("%d entries (%v), want %d", got.Entries, err, len(b.party.Entries)+1)
	}
	kept := b.shelf.blobs
	b.shelf.blobs = nil
	b.reopen()
	_, err := b.Admission.Table(t.Context(), b.party.id())
	testmust.Holdf(t, errors.Is(err, wire.ErrDetached) && errors.Is(err, tlog.ErrNoBlob), "blob lost: %v", err)
	b.shelf.blobs = kept
	testmust.Have(b.Admission.Table(t.Context(), b.party.id()))(t, "blob found again")
}

// A log that keeps no blobs refuses messages that name one.
func TestWithoutBlobs(t *testing.T) {
	b := newBulky(t, wire.RefuseFouls)
	a := testmust.Have(admission.Open(t.Context(), b.log, b.party.Catalogue(), admission.Options{}))(t)
	var form *admission.FormError
	_, err := postAs(t.Context(), a, b.shuffle)
	testmust.Holdf(t, errors.As(err, &form), "got %v, want a FormError", err)
	post(t, b.Admission, b.shuffle) // by one that kept them
	a = testmust.Have(admission.Open(t.Context(), b.log, b.party.Catalogue(), admission.Options{}))(t)
	testmust.FailBy(t, mustFail(t, a, b.shuffle), wire.ErrDetached, "in the log, without its blob")
}

// At a table that records fouls, whoever commits one must not have the log keep
// blobs that no judge needs, and no blob at all where none was sent.
func TestFoulsKeepNoIdleBlobs(t *testing.T) {
	for name, change := range map[string]func(*wire.Message){
		"one proof too many": func(m *wire.Message) { m.Proofs = [][]byte{m.Proofs[0], make([]byte, 500_000)} },
		"detached":           func(m *wire.Message) { m.Proofs = [][]byte{m.Proofs[0], m.Proofs[0]} },
	} {
		b := newBulky(t, wire.RecordFouls)
		parcel := testmust.Have(b.party.Forge(b.shuffle, change))(t)
		if name == "detached" {
			parcel, _ = wire.CutParcel(parcel)
		}
		got, err := postAs(t.Context(), b.Admission, parcel)
		testmust.Holdf(t, err == nil && got.Fault != nil && got.Fault.Check == table.CheckProofs,
			"%s: %v, %v; want a recorded foul of %s", name, got.Fault, err, table.CheckProofs)
		testmust.Equal(t, len(b.shelf.blobs), 0, name, "the log keeps blobs")
	}
}
