package bundle_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
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
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// small returns a bundle of a table that has just begun, with every part that a bundle can have, and
// its log.
func small(t testing.TB) (*bundle.Bundle, *history) {
	t.Helper()
	mine, other := play(t, clear.Suite{}, 1, 2), play(t, clear.Suite{}, 2, 2)
	log, cosigner := key(t, "log.example", tlog.Ed25519, 1), key(t, "cosigner.example", tlog.Ed25519Cosignature, 2)
	h := newHistory(t, between(append(mine.Entries, withBlob(t, mine)), other.Entries...), log, cosigner)
	return collect(t, h, mine.State.ID()), h
}

// A proof is too long, too short, or leads to another root than the tree's.
func TestProofOfEverySize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range append(sizesTo(70), 255, 256, 257, 300, 511, 512, 513, 1000) {
		leaves, log := make([]tlog.Hash, n), ledgertest.FixedLog{}
		var tree tlog.Tree
		for i := range leaves {
			log.List = append(log.List, fmt.Append(nil, i))
			leaves[i] = tlog.LeafHash(log.List[i])
			tree.Append(leaves[i])
		}
		for round := range 20 {
			var places []uint64
			want := map[uint64]bool{}
			for i := range uint64(n) {
				if round == 0 || random.IntN(n) < round {
					places, want[i] = append(places, i), true
				}
			}
			if len(places) == 0 {
				continue
			}
			root, hashes := bundle.Proof(leaves, want)
			testmust.Requiref(t, root == tree.Root(), "size %d, entries %v: root %v, want %v", n, places, root, tree.Root())
			fromTiles, err := bundle.Prove(context.Background(), tiles.Tree{Checkpoint: tlog.Checkpoint{Size: uint64(n), Root: root}, Tiles: log, Kept: new(tiles.TileCache)}, places)
			testmust.Requiref(t, err == nil && slices.Equal(hashes, fromTiles),
				"size %d, entries %v: from tiles %d hashes (%v), from all %d", n, places, len(fromTiles), err, len(hashes))
			got, err := bundle.Root(leaves, places, hashes)
			testmust.Requiref(t, err == nil && got == root, "size %d, entries %v: %v, %v", n, places, got, err)
			_, err = bundle.Root(leaves, places, append(slices.Clone(hashes), root))
			testmust.Requiref(t, err != nil, "size %d, entries %v: a hash too many is taken", n, places)
			if len(hashes) > 0 {
				_, err := bundle.Root(leaves, places, hashes[1:])
				testmust.Fail(t, err, "size", n, "entries", places, "a hash is missing and nobody misses it")
			}
		}
	}
}

func sizesTo(n int) (list []int) {
	for i := 1; i <= n; i++ {
		list = append(list, i)
	}
	return list
}

// A bundle reads back as it was written, and is written to the same bytes again.
func TestRoundTrip(t *testing.T) {
	b, h := small(t)
	file := b.Marshal()
	read := testmust.Have(bundle.Parse(file))(t)
	testmust.Hold(t, bytes.Equal(read.Marshal(), file) && bytes.Equal(collect(t, h, b.Table).Marshal(), file), "written again it is another file")
	all := chosen(t, h, b.Table, func(bundle.Entry) bool { return true })
	testmust.Hold(t, bytes.Equal(all.Marshal(), file), "made from tiles it is another file")
	if len(read.Entries) != 4 || len(read.Blobs) != 1 || len(read.Keys.Log) != 1 || len(read.Keys.Cosigners) != 1 || len(read.MissingBlobs()) != 0 {
		t.Errorf("%d entries, %d blobs, keys %v, missing %v", len(read.Entries), len(read.Blobs), read.Keys, read.MissingBlobs())
	}
	h.blobs = nil
	if without := collect(t, h, b.Table); len(without.Blobs) != 0 || len(without.MissingBlobs()) != 1 {
		t.Errorf("without its blob it has %d, and misses %d", len(without.Blobs), len(without.MissingBlobs()))
	}
}

// The log has not signed what it shows, or does not have the table.
func TestCollectVerifies(t *testing.T) {
	b, h := small(t)
	_, err := bundle.Collect(t.Context(), h, wire.Hash{1}, h.keys())
	testmust.FailSaying(t, err, "no table", "another table")
	stranger := bundle.Keys{Log: []*tlog.VerifierKey{key(t, "log.example", tlog.Ed25519, 9).Verifier()}}
	_, err = bundle.Collect(t.Context(), h, b.Table, stranger)
	testmust.FailBy(t, err, tlog.ErrUnsigned, "another key")
	altered := *h
	altered.List = slices.Clone(h.List)
	altered.List[0] = []byte("another entry")
	_, err = bundle.Collect(t.Context(), &altered, b.Table, h.keys())
	testmust.FailBy(t, err, tlog.ErrBroken, "another entry")
	altered.List = h.List[:len(h.List)-1]
	_, err = bundle.Collect(t.Context(), &altered, b.Table, h.keys())
	testmust.Holdf(t, err != nil && !errors.Is(err, tlog.ErrBroken), "cut short: %v", err)
}

// Every byte of a file, by default every ninth, is altered, dropped or doubled, and the file is cut
// there. No result may pass, and nobody is accused.
func TestEveryByteCounts(t *testing.T) {
	b, _ := small(t)
	file := b.Marshal()
	blob := len(file) - len(b.Blobs[0]) + 16 // of 16 kB that are all the same
	mutants, checks := 0, map[bundle.Check]int{}
	try := func(place int, what string, mutant []byte) {
		mutants++
		_, err := bundle.Parse(mutant)
		e, ok := errors.AsType[*bundle.Error](err)
		if !ok || errors.Is(err, tlog.ErrBroken) {
			t.Errorf("byte %d %s: %v", place, what, err)
			return
		}
		checks[e.Check]++
	}
	for i := range sample(t, blob) {
		for _, bit := range []byte{1, 0x20, 0x80} {
			mutant := bytes.Clone(file)
			mutant[i] ^= bit
			try(i, "altered", mutant)
		}
		try(i, "dropped", slices.Delete(bytes.Clone(file), i, i+1))
		try(i, "doubled", slices.Insert(bytes.Clone(file), i, file[i]))
		try(i, "cut", file[:i])
	}
	try(len(file), "appended", append(bytes.Clone(file), '\n'))
	try(len(file), "doubled", append(bytes.Clone(file), file...))
	t.Logf("%d mutants, none accepted: %v", mutants, checks)
}

// sample yields the places below n if thorough, and otherwise every ninth from a random start.
func sample(t *testing.T, n int) iter.Seq[int] {
	first, step := 0, 1
	if !testmust.Thorough() {
		step = 9
		first = rand.IntN(step)
		t.Logf("every %dth of %d places, from %d on", step, n, first)
	}
	return func(yield func(int) bool) {
		for i := first; i < n && yield(i); i += step {
		}
	}
}

// Somebody who knows the format alters every field of a bundle, and writes the hashes of the altered
// parts into the manifest.
func TestEveryFieldCounts(t *testing.T) {
	b, h := small(t)
	mutants := 0
	try := func(what string, change func(*bundle.Bundle), want ...bundle.Check) {
		mutants++
		mutant := *b
		mutant.Entries, mutant.Hashes, mutant.Blobs = slices.Clone(b.Entries), slices.Clone(b.Hashes), slices.Clone(b.Blobs)
		change(&mutant)
		_, err := bundle.Parse(mutant.Seal(b))
		e, ok := errors.AsType[*bundle.Error](err)
		testmust.Holdf(t, ok && slices.Contains(want, e.Check), "%s: %v, want %v", what, err, want)
	}
	for i, e := range b.Entries {
		for j := range sample(t, len(e.Bytes)) {
			try(fmt.Sprintf("entry %d, byte %d", i, j), func(m *bundle.Bundle) {
				m.Entries[i].Bytes = bytes.Clone(e.Bytes)
				m.Entries[i].Bytes[j] ^= 1
			}, bundle.CheckTable, bundle.CheckProof)
		}
		try(fmt.Sprintf("entry %d left out", i), func(m *bundle.Bundle) { m.Entries = slices.Delete(m.Entries, i, i+1) }, bundle.CheckProof, bundle.CheckTable)
		for index := range h.Signed.Size + 1 {
			if index != e.Index {
				try(fmt.Sprintf("entry %d moved to %d", i, index), func(m *bundle.Bundle) { m.Entries[i].Index = index }, bundle.CheckProof, bundle.CheckOrder)
			}
		}
	}
	for i := range b.Hashes {
		for bit := range sample(t, 256) {
			try(fmt.Sprintf("hash %d, bit %d", i, bit), func(m *bundle.Bundle) { m.Hashes[i][bit/8] ^= 1 << (bit % 8) }, bundle.CheckProof)
		}
		try(fmt.Sprintf("hash %d left out", i), func(m *bundle.Bundle) { m.Hashes = slices.Delete(m.Hashes, i, i+1) }, bundle.CheckProof)
		try(fmt.Sprintf("hash %d twice", i), func(m *bundle.Bundle) { m.Hashes = slices.Insert(m.Hashes, i, m.Hashes[i]) }, bundle.CheckProof)
	}
	for i := range sample(t, len(b.Checkpoint.Note)) {
		try(fmt.Sprintf("checkpoint, byte %d", i), func(m *bundle.Bundle) {
			m.Checkpoint.Note = bytes.Clone(m.Checkpoint.Note)
			m.Checkpoint.Note[i] ^= 1
		}, bundle.CheckCheckpoint, bundle.CheckOrder)
	}
	t.Logf("%d mutants, none accepted", mutants)
}

// A file that promises more than it contains must cost no more than its length.
func TestPromisesCostNothing(t *testing.T) {
	b, _ := small(t)
	for old, new := range map[string]string{
		"\nentries 4\n": "\nentries 1048577\n", "\nblobs 1\n": "\nblobs 9223372036854775807\n",
		fmt.Sprintf("\nhashes %d ", len(b.Hashes)): "\nhashes 288230376151711744 ", "blob 16385 ": "blob 9223372036854775807 ",
	} {
		file := bytes.Replace(b.Marshal(), []byte(old), []byte(new), 1)
		testmust.Requiref(t, !bytes.Equal(file, b.Marshal()), "%q is not there", old)
		_, err := bundle.Parse(file)
		testmust.Holdf(t, err != nil && (strings.Contains(err.Error(), "at most") || strings.Contains(err.Error(), "too long")), "%q: %v", new, err)
	}
}

// The parser panics, or accepts what the writer would not write.
func FuzzParse(f *testing.F) {
	b, h := small(f)
	f.Add(b.Marshal())
	f.Add(b.Manifest())
	f.Add([]byte(bundle.Format + "\ntable "))
	event := testmust.Have(os.ReadFile("../../docs/spec/vectors/event-bundle/adjudicated.pakli"))(f)
	f.Add(event)
	h.blobs = nil
	f.Add(collect(f, h, b.Table).Marshal())
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := bundle.Parse(file)
		if err != nil {
			_, ok := errors.AsType[*bundle.Error](err)
			testmust.Holdf(t, ok, "no place is named: %v", err)
			return
		}
		testmust.Hold(t, bytes.Equal(b.Marshal(), file), "accepted, and written another way")
	})
}

// Bundles collected together must equal those collected one by one, whatever the limit on memory, and
// include all tables of a log.
func TestCollectedTogether(t *testing.T) {
	b, h := small(t)
	ids, err := bundle.TablesUnder(t.Context(), h, h.Signed)
	testmust.Requiref(t, err == nil && len(ids) >= 2 && slices.Contains(ids, b.Table), "tables %v, %v", ids, err)
	for _, limit := range []int{0, 1500, 1 << 30} {
		passes := 0
		for left := ids; len(left) > 0; passes++ {
			list, err := bundle.CollectAll(t.Context(), h, h.Signed, left, h.keys(), limit)
			testmust.Requiref(t, err == nil && len(list) != 0 && (limit != 0 || len(list) == 1), "limit %d: %d bundles, %v", limit, len(list), err)
			for i, got := range list {
				testmust.Holdf(t, got.Table == left[i] && bytes.Equal(got.Marshal(), collect(t, h, left[i]).Marshal()),
					"limit %d: table %s has another bundle than alone", limit, left[i])
			}
			left = left[len(list):]
		}
		testmust.Holdf(t, (limit != 1<<30 || passes == 1) && (limit != 0 || passes == len(ids)),
			"limit %d: the log was read %d times for %d tables", limit, passes, len(ids))
	}
	twice := []wire.Hash{ids[0], ids[1], ids[0]}
	for _, limit := range []int{0, 1 << 30} {
		list, err := bundle.CollectAll(t.Context(), h, h.Signed, twice, h.keys(), limit)
		testmust.Requiref(t, err == nil && len(list) == min(3, 1+limit), "a table named twice, limit %d: %d bundles, %v", limit, len(list), err)
		for i, got := range list {
			testmust.Equal(t, got.Table, twice[i], "a table named twice: bundle", i)
		}
	}
	_, err = bundle.CollectAll(t.Context(), h, h.Signed, append(ids, wire.Hash{1}), h.keys(), 1<<30)
	testmust.FailSaying(t, err, "no table", "a table that is not there")
	empty := newHistory(t, nil, key(t, "log.example", tlog.Ed25519, 1))
	_, err = bundle.Collect(t.Context(), empty, b.Table, empty.keys())
	testmust.Fail(t, err, "a bundle of an empty log")
	h.List[len(h.List)-1] = []byte("changed")
	_, err = bundle.TablesUnder(t.Context(), h, h.Signed)
	testmust.FailBy(t, err, tlog.ErrBroken, "another log than was signed")
}

// A log repeats an entry of a table so often that the bundle would be unreadable.
func TestTooManyEntries(t *testing.T) {
	b := bundle.Bundle{Entries: make([]bundle.Entry, bundle.MaxEntries+1)}
	testmust.FailSaying(t, b.Fits(), "at most")
}

// A line consists of spaces, each of which could become a word.
func TestLongLine(t *testing.T) {
	file := append([]byte(bundle.Format+"\ntable"), bytes.Repeat([]byte(" "), 16<<20)...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := bundle.Parse(file)
	runtime.ReadMemStats(&after)
	testmust.Holdf(t, err != nil && after.TotalAlloc-before.TotalAlloc <= 1<<20, "%d bytes allocated: %v", after.TotalAlloc-before.TotalAlloc, err)
}

// An entry that looks like a genesis entry but is not signed by its organiser is no table. Otherwise
// anybody could add one to all bundles of a directory, and not all of them could be verified.
func TestStrangersTableIsNotListed(t *testing.T) {
	table := play(t, clear.Suite{}, 1, 2)
	e := testmust.Have(wire.ParseEntry(table.Entries[0]))(t)
	entry, err := wire.Sign(e.Table, key(t, e.Table.Organiser[:1], tlog.Ed25519, 9))
	testmust.Requiref(t, err == nil && wire.BeginsTable(entry), "the test is built wrong: %v", err)
	h := newHistory(t, append([][]byte{entry}, table.Entries...), key(t, "log.example", tlog.Ed25519, 1))
	if ids, err := bundle.TablesUnder(t.Context(), h, h.Signed); err != nil || !slices.Equal(ids, []wire.Hash{table.State.ID()}) {
		t.Errorf("tables %v, %v; want %v", ids, err, table.State.ID())
	}
}

// A name that two tables or none have must not select one of them, and a word is no name.
func TestNamed(t *testing.T) {
	one, other := wire.Hash{0x12, 0x34, 0x56}, wire.Hash{0x12, 0x34, 0x57}
	ids := []wire.Hash{one, other}
	for text, want := range map[string]wire.Hash{"123456": one, "12345": {}, "1234570": other, "ffff": {}, one.String(): one,
		one.Code(): one, other.Code()[:12]: other, one.Code()[:8]: one, "28T5-CZZZ": {}, strings.ToLower(other.Code()): other} {
		id, err := bundle.FindNamed(text, ids)
		testmust.Holdf(t, id == want && (err == nil) == (want != wire.Hash{}) && bundle.CheckName(text) == nil, "%s: %s, %v", text, id, err)
	}
	for _, text := range []string{"", "123", "anna", "12G4", "12AB", "28T5CC0", one.Code() + "0", one.String() + "0", strings.Repeat("1", 400)} {
		testmust.Fail(t, bundle.CheckName(text), text, "may name a table")
	}
}

// key returns the key of a log or cosigner, the same for the same seed.
func key(t testing.TB, name string, a tlog.Algorithm, seed byte) *tlog.SignerKey {
	t.Helper()
	skey, _, err := tlog.GenerateKey(rand.NewChaCha8([32]byte{seed}), name, a)
	testmust.Do(t, err)
	return testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return time.Unix(1_790_000_000, 0) }))(t)
}

// history is a log of these entries, signed with these keys.
type history struct {
	ledgertest.FixedLog
	blobs     map[[sha256.Size]byte][]byte
	log       *tlog.VerifierKey
	cosigners []*tlog.VerifierKey
}

// newHistory signs parcels, which are entries with their blobs behind them, as a log.
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

// collect makes the bundle of a table from h.
func collect(t testing.TB, h *history, id wire.Hash) *bundle.Bundle {
	t.Helper()
	return testmust.Have(bundle.Collect(context.Background(), h, id, h.keys()))(t)
}

// chosen makes a bundle without some entries and otherwise correct, as anybody who has the log can.
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

// play plays n messages at a table of two, or all if n is negative.
func play(t testing.TB, s proof.Suite, seed uint64, n int) *tabletest.Table {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	played := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Suite: s, Fouls: wire.RecordFouls}, seed))(t)
	testmust.Do(t, played.Play(n))
	return played
}

// withBlob returns the next message with a wrong proof in a blob, signed by its seat.
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
