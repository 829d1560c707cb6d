package badgerstore_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/tlog"
)

// benchEntry is the size of the entries of BenchmarkTables.
const benchEntry = 4 << 10

// BenchmarkTables measures what tables that are not merged cost. The tables are
// of 1 MiB; PAKLI_TABLES says how many there are:
//
//	PAKLI_TABLES=4,16,200,2000 go test -run - -bench Tables -benchtime 1s ./ledger/badgerstore
func BenchmarkTables(b *testing.B) {
	list := os.Getenv("PAKLI_TABLES")
	if list == "" {
		list = "4,16"
	}
	dir := b.TempDir()
	p := newPreordered(b, open(b, dir, badgerstore.Options{MemTableSize: 1 << 20}))
	for _, s := range strings.Split(list, ",") {
		tables := testmust.Have(strconv.Atoi(s))(b)
		for len(p.store.Badger().Tables()) < tables {
			testmust.Do(b, p.add(&badgerstore.Batch{}, benchBatch(p.size)...))
		}
		b.Run(fmt.Sprintf("%d", tables), func(b *testing.B) {
			b.Run("lookup=present", p.benchLookup(true))
			b.Run("lookup=absent", p.benchLookup(false))
			for _, n := range []uint64{1, 16, 256} {
				b.Run(fmt.Sprintf("entries=%d", n), p.benchEntries(n))
			}
			b.Run("all", p.benchAll)
			b.Run("append=16", p.benchAppend)
		})
		testmust.Do(b, p.store.Close())
		b.Run(fmt.Sprintf("%d/open", tables), func(b *testing.B) {
			for b.Loop() {
				testmust.Do(b, open(b, dir, badgerstore.Options{}).Close())
			}
		})
		p = p.on(open(b, dir, badgerstore.Options{}))
	}
}

// benchBatch returns 16 entries from index from on.
func benchBatch(from int) (batch [][]byte) {
	for i := range 16 {
		batch = append(batch, benchEntryAt(from+i))
	}
	return batch
}

func benchEntryAt(i int) []byte {
	return append(fmt.Appendf(nil, "entry %d ", i), make([]byte, benchEntry)...)
}

func (p *preordered) benchLookup(present bool) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			hash := tlog.LeafHash(benchEntryAt(rand.IntN(p.size)))
			if !present {
				hash[0]++
			}
			b.StartTimer()
			if _, ok, err := p.store.Tree(p.tree.TreeId).Lookup(hash); err != nil || ok != present {
				b.Fatal(ok, err)
			}
		}
	}
}

func (p *preordered) benchEntries(n uint64) func(*testing.B) {
	return func(b *testing.B) {
		for b.Loop() {
			start := uint64(rand.IntN(p.size - int(n)))
			p.readAll(b, start, start+n)
		}
	}
}

func (p *preordered) benchAll(b *testing.B) {
	for b.Loop() {
		p.readAll(b, 0, uint64(p.size))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.size), "ns/entry")
}

func (p *preordered) readAll(b *testing.B, start, end uint64) {
	i := start
	for _, err := range p.store.Tree(p.tree.TreeId).Entries(start, end) {
		testmust.Do(b, err)
		i++
	}
	if i != end {
		b.Fatalf("%d entries, want %d", i-start, end-start)
	}
}

func (p *preordered) benchAppend(b *testing.B) {
	for b.Loop() {
		testmust.Do(b, p.add(&badgerstore.Batch{}, benchBatch(p.size)...))
	}
}
