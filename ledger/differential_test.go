package ledger_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/transparency-dev/merkle/rfc6962"
	merkle "github.com/transparency-dev/merkle/testonly"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
)

// TestDifferential compares proofs hash for hash with a tree of other people's
// code: all of up to 70 entries, thorough of up to 300 (90,300 of them), the growth
// from every size up to 2,048, and random ones of the whole tree, which thorough has
// three levels of tiles. The long form takes
// a tree of 2^20 entries and 2,000 of its sizes:
//
//	PAKLI_TREES=all go test -run TestDifferential -timeout 1h -v ./ledger
func TestDifferential(t *testing.T) {
	n, random, all := 2_048, 200, 70
	if os.Getenv("PAKLI_TREES") == "all" {
		n, random = 1<<20, 2_000
	}
	if thorough.Tests() || n > 2_048 {
		n, all = max(n, 1<<16+700), 300
	}
	want := merkle.New(rfc6962.DefaultHasher)
	for i := range n {
		want.AppendData(ledgertest.Entry(i))
	}
	dir, key := numberedLog(t, n, tlog.Hash(want.Hash()))
	l := open(t, dir, key)
	proofs := 0
	for size := uint64(1); size <= uint64(all); size++ {
		for i := range size {
			compare(t, l, want, i, size)
			proofs += 2
		}
	}
	for size := range uint64(2_048) {
		compare(t, l, want, size, 2_048)
		proofs += 2
	}
	for range random {
		size := 1 + rand.Uint64N(uint64(n))
		compare(t, l, want, rand.Uint64N(size), size)
		proofs += 2
	}
	t.Logf("%d proofs in a tree of %d entries: no difference", proofs, n)
}

// compare asks for the inclusion of an entry, and for the growth from the size
// with it as the last one.
func compare(t *testing.T, l *ledger.Ledger, want *merkle.Tree, index, size uint64) {
	t.Helper()
	p := testmust.Have(l.Inclusion(t.Context(), index, size))(t)
	path, err := want.InclusionProof(index, size)
	if err != nil || !slices.Equal(p.Hashes, asHashes(path)) {
		t.Fatalf("inclusion of %d in %d: %v, want %x, %v", index, size, p.Hashes, path, err)
	}
	q := testmust.Have(l.Consistency(t.Context(), index+1, size))(t)
	path, err = want.ConsistencyProof(index+1, size)
	if err != nil || !slices.Equal(q.Hashes, asHashes(path)) {
		t.Fatalf("consistency of %d with %d: %v, want %x, %v", index+1, size, q.Hashes, path, err)
	}
	if err := q.Verify(tlog.Hash(want.HashAt(index+1)), tlog.Hash(want.HashAt(size))); err != nil {
		t.Fatalf("consistency of %d with %d: %v", index+1, size, err)
	}
}

func asHashes(bs [][]byte) (hashes []tlog.Hash) {
	for _, b := range bs {
		hashes = append(hashes, tlog.Hash(b))
	}
	return hashes
}
