package tlog_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	xtlog "golang.org/x/mod/sumdb/tlog"
)

// The paths of c2sp.org/tlog-tiles and their limits.
func TestTilePath(t *testing.T) {
	for path, want := range map[string]tlog.Tile{
		"tile/0/x001/x234/067":                          {Level: 0, Index: 1234067, Width: 256},
		"tile/63/000":                                   {Level: 63, Index: 0, Width: 256},
		"tile/1/999.p/1":                                {Level: 1, Index: 999, Width: 1},
		"tile/2/x001/000.p/255":                         {Level: 2, Index: 1000, Width: 255},
		"tile/entries/x273/112.p/17":                    {Level: tlog.EntriesLevel, Index: 273112, Width: 17},
		"tile/0/x009/x223/x372/x036/x854/x775/807":      {Level: 0, Index: 1<<63 - 1, Width: 256},
		"tile/0/x009/x223/x372/x036/x854/x775/807.p/12": {Level: 0, Index: 1<<63 - 1, Width: 12},
	} {
		got, err := tlog.ParseTilePath(path)
		testmust.Holdf(t, err == nil && got == want, "ParseTilePath(%q) = %+v, %v; want %+v", path, got, err, want)
		testmust.Equal(t, want.Path(), path, "path")
	}
}

// Only the one canonical path of a tile parses. A server must not serve one resource under two names,
// or anything outside the tiles.
func TestTilePathStrict(t *testing.T) {
	for _, path := range []string{
		"", "tile", "tile/", "tile/0", "tile/0/", "/tile/0/000", "tile/0/000/", "tile//000", "tile/0//000",
		"tile/00/000", "tile/+0/000", "tile/-1/000", "tile/64/000", "tile/data/000", "tile/Entries/000", "tile/0x0/000",
		"tile/0/0", "tile/0/00", "tile/0/0000", "tile/0/x000/001", "tile/0/x00/001", "tile/0/001/001", "tile/0/x001", "tile/0/x001/x001",
		"tile/0/1234067", "tile/0/x001/x234/67", "tile/0/x9223372036854775807/000", "tile/0/x009/x223/x372/x036/x854/x775/808",
		"tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/01", "tile/0/000.p/-1", "tile/0/000.p/", "tile/0/000.p", "tile/0/000.p/1/", "tile/0/000.p/1.p/1",
		"tile/0/../0/000", "tile/0/000%00", "tile/0/000\x00", "tile/0/000?x", "tile/0/٠٠٠", "tile/8/0/000", "tile/0/x-01/000", "tile/0/ 00",
	} {
		tile, err := tlog.ParseTilePath(path)
		testmust.Holdf(t, errors.Is(err, tlog.ErrMalformed), "ParseTilePath(%q) = %+v, %v; want ErrMalformed", path, tile, err)
	}
}

// IsWithin agrees with x/mod on which tiles a tree has, partial ones included.
func TestTileWithin(t *testing.T) {
	for _, size := range []int64{1, 255, 256, 257, 511, 512, 65535, 65536, 70000} {
		has := make(map[tlog.Tile]bool)
		for _, x := range xtlog.NewTiles(8, 0, size) {
			has[tlog.Tile{Level: x.L, Index: uint64(x.N), Width: x.W}] = true
		}
		for tile := range has {
			testmust.Hold(t, tile.IsWithin(uint64(size)), "size", size, tile.Path(), "is not there")
			for _, more := range []tlog.Tile{{Level: tile.Level, Index: tile.Index, Width: tile.Width + 1}, {Level: tile.Level, Index: tile.Index + 1, Width: 1}} {
				next := tlog.Tile{Level: tile.Level, Index: tile.Index + 1, Width: 256}
				if !has[more] && !has[next] && tile.Width < 256 && more.IsWithin(uint64(size)) {
					t.Errorf("size %d: %s is there", size, more.Path())
				}
			}
		}
	}
	for _, none := range []tlog.Tile{{Level: 0, Width: 0}, {Level: 0, Width: 257}, {Level: 8, Width: 1}, {Level: 63, Width: 1}, {Level: 0, Index: 1 << 62, Width: 256}} {
		testmust.Holdf(t, !none.IsWithin(1<<63-1) || none.Level == 0, "%+v is within 2^63-1", none)
		testmust.Holdf(t, !none.IsWithin(1000), "%+v is within 1000", none)
	}
	// The example of the specification.
	for _, tile := range []tlog.Tile{{Level: 0, Index: 273, Width: 112}, {Level: 1, Index: 1, Width: 17}, {Level: 2, Index: 0, Width: 1}} {
		wider := tile
		wider.Width++
		testmust.Holdf(t, tile.IsWithin(70000) && !wider.IsWithin(70000), "size 70000: %s must be there and not be wider", tile.Path())
	}
}

// An entry tile is read entry by entry. One that is truncated, too long, or of another width is
// refused.
func TestEntryTile(t *testing.T) {
	entries := [][]byte{{0}, []byte("two"), bytes.Repeat([]byte{3}, tlog.MaxEntry)}
	var entryTile []byte
	for _, e := range entries {
		entryTile = testmust.Have(tlog.AppendEntry(entryTile, e))(t)
	}
	want := []byte{0, 1, 0, 0, 3, 't', 'w', 'o', 0xff, 0xff}
	testmust.Holdf(t, bytes.HasPrefix(entryTile, want), "entry tile begins with %x, want %x", entryTile[:len(want)], want)
	got, err := tlog.ParseEntryTile(entryTile, 3)
	testmust.Holdf(t, err == nil && len(got) == 3 && bytes.Equal(got[0], entries[0]) && bytes.Equal(got[1], entries[1]) && bytes.Equal(got[2], entries[2]),
		"ParseEntryTile: %d entries, %v", len(got), err)
	for name, bad := range map[string][]byte{
		"cut in an entry":  entryTile[:len(entryTile)-1],
		"cut in a length":  entryTile[:1],
		"a byte too many":  append(bytes.Clone(entryTile), 0),
		"an entry missing": entryTile[:8],
		"an entry more":    append(bytes.Clone(entryTile), 0, 1, 9),
		"an empty entry":   append(bytes.Clone(entryTile[:8]), 0, 0),
		"nothing":          nil,
	} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseEntryTile(bad, 3)), tlog.ErrMalformed, name, "entries, error")
	}
	for _, width := range []int{-1, 0, 257} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseEntryTile(nil, width)), tlog.ErrMalformed, "width", width)
	}
	_, err = tlog.AppendEntry(nil, make([]byte, tlog.MaxEntry+1))
	testmust.FailBy(t, err, tlog.ErrTooLarge, "entry of 65,536 bytes")
	testmust.FailBy(t, testmust.ErrorOf(tlog.AppendEntry(nil, nil)), tlog.ErrEmpty, "entry of no bytes")
}

func TestParseTile(t *testing.T) {
	data := bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 8)
	hashes, err := tlog.ParseTile(data, 2)
	testmust.Holdf(t, err == nil && len(hashes) == 2 && bytes.Equal(hashes[1][:], data[32:]), "ParseTile: %v, %v", hashes, err)
	testmust.FailBy(t, testmust.ErrorOf(tlog.ParseTile(nil, 0)), tlog.ErrMalformed, "an empty tile")
	for _, width := range []int{0, 1, 3} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseTile(data, width)), tlog.ErrMalformed, "64 bytes as", width, "hashes")
	}
}

// shown is the entries that a log shows, and one blob for every hash.
type shown struct {
	tlog.Checkpoint
	entries []string
	blob    string
}

func (s shown) Entries(context.Context, uint64, uint64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, e := range s.entries {
			if !yield([]byte(e), nil) {
				return
			}
		}
	}
}

func (s shown) Blob(context.Context, [sha256.Size]byte) ([]byte, error) { return []byte(s.blob), nil }

type source struct{ shown }

func (s source) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.shown.Checkpoint, nil }

// A log that shows fewer entries than it signed, or others, must not pass for copied. One that shows
// fewer must not look broken.
func TestReadAll(t *testing.T) {
	var tree tlog.Tree
	for _, e := range []string{"a", "b", "c"} {
		tree.Append(tlog.LeafHash([]byte(e)))
	}
	c := tlog.Checkpoint{Size: 3, Root: tree.Root()}
	for _, test := range []struct {
		entries     []string
		ok, blaming bool
	}{
		{[]string{"a", "b", "c"}, true, false},
		{[]string{"a", "b"}, false, false},
		{[]string{"a", "b", "d"}, false, true},
		{[]string{"b", "a", "c"}, false, true},
	} {
		read := ""
		err := tlog.ReadAll(t.Context(), source{shown{c, test.entries, ""}}, c, func(e []byte, leaf tlog.Hash, so *tlog.Tree) error {
			testmust.Equal(t, leaf, tlog.LeafHash(e), e, "has another leaf hash")
			read += fmt.Sprintf("%s%d", e, so.Size())
			return nil
		})
		testmust.Holdf(t, (err == nil) == test.ok && errors.Is(err, tlog.ErrBroken) == test.blaming, "%q: %v", test.entries, err)
		testmust.Holdf(t, !test.ok || read == "a1b2c3", "shown were %s", read)
	}
}

// A log shows other bytes for a blob, or none.
func TestBlobsOf(t *testing.T) {
	sum := sha256.Sum256([]byte("blob"))
	for _, test := range []struct {
		of   any
		want error
	}{
		{source{shown{blob: "blob"}}, nil},
		{source{shown{blob: "lie"}}, tlog.ErrMalformed},
		{struct{}{}, tlog.ErrNoBlob},
	} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.BlobsOf(test.of).Blob(t.Context(), sum)), test.want)
	}
}

func leafNumber(i uint64) tlog.Hash {
	return tlog.LeafHash(binary.BigEndian.AppendUint64(nil, i))
}

// A root differs from that of the tree at its size, above all at the ends of tiles; one of the last
// 65,536 roots is missing; or one is kept for ever with the whole log.
func TestRecent(t *testing.T) {
	const size = tlog.RecentSizes + 3*tlog.TileWidth + 7
	var tree tlog.Tree
	var recent tlog.Recent
	const oldest, step = size - tlog.RecentSizes, 85
	roots := map[uint64]tlog.Hash{}
	for n := uint64(1); n <= size; n++ {
		tree.Append(leafNumber(n))
		recent.Append(leafNumber(n))
		if n > 2*tlog.TileWidth && n%step != oldest%step && n < size {
			continue
		}
		roots[n] = tree.Root()
		if got, ok := recent.Root(n); !ok || got != roots[n] || recent.Size() != n {
			t.Fatalf("size %d: root %v (%v), want %v", n, got, ok, roots[n])
		}
	}
	for at := uint64(oldest); at <= size; at += step {
		if got, ok := recent.Root(at); !ok || got != roots[at] {
			t.Fatalf("size %d of %d: root %v (%v), want %v", at, size, got, ok, roots[at])
		}
	}
	_, ok := recent.Root(2)
	testmust.Hold(t, !ok, "the root of size 2 is still known")
	_, ok = recent.Root(size + 1)
	testmust.Hold(t, !ok, "the root of a size is known that the log has not")
	got, ok := recent.Root(0)
	testmust.Hold(t, ok && got == tlog.EmptyRoot(), "the root of nothing is not known")
}

// An accepted checkpoint is written the same way again. The signed note is kept verbatim; its text
// must be the text of its fields, up to extensions.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte("example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"))
	f.Add([]byte("o\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nextension\n\n— k AAAAAAA=\n"))
	f.Add([]byte("o\n1\n\n\n— k AAAAAAA=\n"))
	f.Fuzz(func(t *testing.T, signed []byte) {
		c, err := tlog.ParseCheckpoint(signed)
		if err != nil {
			return
		}
		testmust.Hold(t, bytes.Equal(c.Note, signed), "note changed", c.Note)
		text := fmt.Sprintf("%s\n%d\n%v\n", c.Origin, c.Size, c.Root)
		testmust.Holdf(t, bytes.HasPrefix(signed, []byte(text)), "%q begins with none of %q", signed, text)
	})
}

// respelled fuzzes a parser, and requires that what it accepts is written the same way again.
func respelled[V any](f *testing.F, parse func([]byte) (V, error), write func(V) []byte, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if v, err := parse(b); err == nil && !bytes.Equal(write(v), b) {
			t.Errorf("%q\nwritten again\n%q", b, write(v))
		}
	})
}

const unsigned = "o\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— k AAAAAAA=\n"

func FuzzReceipt(f *testing.F) {
	respelled(f, tlog.ParseReceipt, tlog.Receipt.Marshal, "c2sp.org/tlog-proof@v1\nindex 0\n\n"+unsigned,
		"c2sp.org/tlog-proof@v1\nextra YQ==\nindex 73894\ngSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=\n\n"+unsigned, "c2sp.org/tlog-proof@v1\nextra \nindex 00\n\n\n"+unsigned)
}

func FuzzTilePath(f *testing.F) {
	for _, path := range []string{"tile/0/000", "tile/63/x001/x234/067.p/17", "tile/entries/000.p/1", "tile/0/x000/000", "tile/1/000.p/256"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		tile, err := tlog.ParseTilePath(path)
		if err != nil {
			return
		}
		testmust.Equal(t, tile.Path(), path, "written again")
		tile.IsWithin(1 << 40)
	})
}

func FuzzEntryTile(f *testing.F) {
	f.Add([]byte{0, 1, 7, 0, 2, 8, 9}, 2)
	f.Add([]byte{0, 0}, 1)
	f.Add([]byte{0xff, 0xff, 1}, 1)
	f.Fuzz(func(t *testing.T, entryTile []byte, width int) {
		entries, err := tlog.ParseEntryTile(entryTile, width)
		if err != nil {
			return
		}
		testmust.Requiref(t, len(entries) == width, "%d entries, asked for %d", len(entries), width)
		var again []byte
		for _, e := range entries {
			again = testmust.Have(tlog.AppendEntry(again, e))(t)
		}
		testmust.Holdf(t, bytes.Equal(again, entryTile), "entry tile\n%x\nwritten again\n%x", entryTile, again)
	})
}

func FuzzAddCheckpoint(f *testing.F) {
	parse := func(b []byte) (tlog.AddCheckpoint, error) {
		a, c, err := tlog.ParseAddCheckpoint(b)
		if err == nil && !bytes.Equal(c.Note, a.Checkpoint) {
			panic("it is parsed as another checkpoint")
		}
		return a, err
	}
	respelled(f, parse, tlog.AddCheckpoint.Marshal, "old 0\n\n"+unsigned,
		"old 20852014\nPlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n\n"+unsigned, "old 01\n\n\n"+unsigned)
}
