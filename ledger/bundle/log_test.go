package bundle_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// key is the key of a log or a cosigner, the same for the same seed.
func key(t testing.TB, name string, a tlog.Algorithm, seed byte) *tlog.SignerKey {
	t.Helper()
	skey, _, err := tlog.GenerateKey(rand.NewChaCha8([32]byte{seed}), name, a)
	testmust.Do(t, err)
	return testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return time.Unix(1_790_000_000, 0) }))(t)
}

// history is a log of these entries, signed by these keys.
type history struct {
	ledgertest.FixedLog
	blobs     map[[sha256.Size]byte][]byte
	log       *tlog.VerifierKey
	cosigners []*tlog.VerifierKey
}

// newHistory signs parcels, entries with their blobs behind them, as a log.
func newHistory(t testing.TB, parcels [][]byte, log *tlog.SignerKey, cosigners ...*tlog.SignerKey) *history {
	t.Helper()
	h := &history{blobs: map[[sha256.Size]byte][]byte{}, log: log.Verifier()}
	var entries [][]byte
	for _, p := range parcels {
		entry, _ := wire.CutParcel(p)
		if e, err := wire.Parse(p); err == nil && e.Message != nil && !e.Message.IsDetached() {
			for i, b := range e.Message.BlobBytes() {
				h.blobs[e.Message.Blobs()[i].Hash] = b
			}
		}
		entries = append(entries, entry)
	}
	var also []note.Signer
	for _, k := range cosigners {
		also = append(also, k)
		h.cosigners = append(h.cosigners, k.Verifier())
	}
	h.FixedLog = ledgertest.NewFixed(t, entries, log, also...)
	return h
}

func (h *history) keys() bundle.Keys {
	return bundle.Keys{Log: []*tlog.VerifierKey{h.log}, Cosigners: h.cosigners}
}

func (h *history) Blob(_ context.Context, hash [sha256.Size]byte) ([]byte, error) {
	if b, ok := h.blobs[hash]; ok {
		return b, nil
	}
	return nil, tlog.ErrNoBlob
}

// collect makes the bundle that h has of a table.
func collect(t testing.TB, h *history, id wire.Hash) *bundle.Bundle {
	t.Helper()
	return testmust.Have(bundle.Collect(context.Background(), h, id, h.keys()))(t)
}

// chosen makes a bundle that leaves entries out, with everything else in order:
// what anybody can make who has the log.
func chosen(t testing.TB, h *history, id wire.Hash, keep func(bundle.Entry) bool) *bundle.Bundle {
	t.Helper()
	b := bundle.Bundle{Table: id, Keys: h.keys(), Checkpoint: h.Signed}
	var indexes []uint64
	for _, e := range collect(t, h, id).Entries {
		if keep(e) {
			b.Entries, indexes = append(b.Entries, e), append(indexes, e.Index)
		}
	}
	b.Hashes = testmust.Have(bundle.Prove(context.Background(), tiles.Tree{Checkpoint: h.Signed, Tiles: h, Kept: new(tiles.TileCache)}, indexes))(t)
	b.Blobs = testmust.Have(bundle.FetchBlobs(context.Background(), h, b.Entries))(t)
	return testmust.Have(bundle.New(b))(t)
}

// play plays messages at a table of two, all of them if n is negative.
func play(t testing.TB, s proof.Suite, seed uint64, n int) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Suite: s, Fouls: wire.RecordFouls}, seed))(t)
	testmust.Do(t, played.Play(n))
	return played
}

// withBlob returns the next message but with a proof that is kept in a blob: signed
// by its seat, and foul.
func withBlob(t testing.TB, played *tabletest.Table) []byte {
	t.Helper()
	next := testmust.Have(played.Next())(t)
	return testmust.Have(played.Forge(next, func(m *wire.Message) { m.Proofs = [][]byte{bytes.Repeat([]byte{7}, wire.MaxInline+1)} }))(t)
}

// between puts other entries of a log around those of a table.
func between(entries [][]byte, others ...[]byte) [][]byte {
	list := [][]byte{[]byte("an entry of something else")}
	for i, e := range entries {
		list = append(list, e)
		if i < len(others) {
			list = append(list, others[i])
		}
		if i%3 == 0 {
			list = append(list, fmt.Appendf(nil, "something else, %d", i))
		}
	}
	return slices.Clip(list)
}

func catalogue(s proof.Suite) table.Catalogue {
	return table.Catalogue{Game: games.Lookup, Suite: func(name string) (proof.Suite, bool) { return s, name == s.Name() }}
}
