package verifier_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// shelved is a log that shows blobs, which may lie.
type shelved struct {
	shown
	blobs map[[32]byte][]byte
}

func (s shelved) Blob(_ context.Context, hash [32]byte) ([]byte, error) {
	if b, ok := s.blobs[hash]; ok {
		return b, nil
	}
	return nil, tlog.ErrNoBlob
}

// apart takes a history apart: entries as a log has them, and their blobs.
func apart(t *testing.T, parcels [][]byte) (entries [][]byte, blobs map[[32]byte][]byte) {
	t.Helper()
	blobs = map[[32]byte][]byte{}
	for _, parcel := range parcels {
		entry, _ := wire.Cut(parcel)
		entries = append(entries, entry)
		if m := parse(t, parcel).Message; m != nil {
			for _, b := range m.Attached() {
				blobs[sha256.Sum256(b)] = b
			}
		}
	}
	return entries, blobs
}

func verified(sc *scene, src tlog.EntryReader) (*verifier.Report, error) {
	return verifier.Verify(context.Background(), src, verifier.Options{Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()})
}

// A blob that is missing or altered makes a table that cannot be checked: no
// verdict, and never a sound one.
func TestMissingBlobIsNoVerdict(t *testing.T) {
	sc := newScene(t, clear.Bulky{}, 3, nil, 21)
	entries, blobs := apart(t, sc.Entries)
	if len(blobs) < 3 {
		t.Fatalf("the test is built wrong: %d blobs", len(blobs))
	}
	log := sc.log(t, entries)
	if r, err := verified(sc, shelved{log, blobs}); err != nil || r.Verdict != verifier.Sound {
		t.Fatalf("all blobs at hand: %v", err)
	}
	testmust.FailBy(t, testmust.ErrorOf(verified(sc, log)), wire.ErrDetached, "a source without blobs")
	hashes := slices.SortedFunc(maps.Keys(blobs), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	for i := range thorough.Chosen(t, len(blobs), 4) {
		hash, b := hashes[i], blobs[hashes[i]]
		for name, altered := range map[string][]byte{"missing": nil, "empty": {}, "short": b[1:], "long": append(bytes.Clone(b), 0), "altered": flipped(b, len(b)/2)} {
			less := maps.Clone(blobs)
			if less[hash] = altered; altered == nil {
				delete(less, hash)
			}
			if r, err := verified(sc, shelved{log, less}); !errors.Is(err, wire.ErrDetached) {
				t.Errorf("blob %x %s: %v with verdict %s, want ErrDetached", hash[:4], name, err, r.Verdict)
			}
		}
	}
}

// Messages that do not count need no blobs: a log cannot make a sound table
// uncheckable by what it moved or made up, or a seat by what it said too late.
func TestVoidNeedsNoBlob(t *testing.T) {
	sc := newScene(t, clear.Bulky{}, 3, nil, 22)
	at := 0
	for i, parcel := range sc.Entries[1:] {
		if len(parse(t, parcel).Message.Blobs()) > 0 {
			at = i + 1
			break
		}
	}
	late := testmust.Have(sc.Forge(sc.Entries[at], func(m *wire.Message) { m.Proofs[0][0] ^= 1 }))(t)
	parcels := append([][]byte{}, sc.Entries[:at+1]...)
	parcels = append(parcels, late)
	parcels = append(parcels, sc.Entries[at+1:]...)
	entries, blobs := apart(t, parcels)
	delete(blobs, sha256.Sum256(parse(t, late).Message.Proofs[0]))
	if r, err := verified(sc, shelved{sc.log(t, entries), blobs}); err != nil || r.Verdict != verifier.Sound || r.Voided != 1 {
		t.Errorf("%v\n%+v", err, r)
	}
}

// A wrong proof in a blob is a foul of its seat.
func TestFoulInABlob(t *testing.T) {
	sc := newScene(t, clear.Bulky{}, 3, nil, 23)
	for at, parcel := range sc.Entries {
		m := parse(t, parcel).Message
		if at == 0 || len(m.Blobs()) == 0 {
			continue
		}
		forged := testmust.Have(sc.Forge(parcel, func(m *wire.Message) { m.Proofs[0][0] ^= 1 }))(t)
		entries, blobs := apart(t, append(append([][]byte{}, sc.Entries[:at]...), forged))
		r, err := verified(sc, shelved{sc.log(t, entries), blobs})
		if err != nil || r.Verdict != verifier.Foul || int(*r.Findings[0].Seat) != m.Seat {
			t.Fatalf("entry %d: %v\n%+v", at, err, r)
		}
		return
	}
}
