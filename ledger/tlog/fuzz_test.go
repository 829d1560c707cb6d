package tlog_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// What is accepted is written the same way again. The signed note is kept
// verbatim; its text must be the one that its fields give, up to extensions.
func FuzzCheckpoint(f *testing.F) {
	f.Add([]byte("example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"))
	f.Add([]byte("o\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\nextension\n\n— k AAAAAAA=\n"))
	f.Add([]byte("o\n1\n\n\n— k AAAAAAA=\n"))
	f.Fuzz(func(t *testing.T, signed []byte) {
		c, err := tlog.ParseCheckpoint(signed)
		if err != nil {
			return
		}
		if !bytes.Equal(c.Note, signed) {
			t.Errorf("note changed: %q", c.Note)
		}
		if text := fmt.Sprintf("%s\n%d\n%v\n", c.Origin, c.Size, c.Root); !bytes.HasPrefix(signed, []byte(text)) {
			t.Errorf("%q begins with none of %q", signed, text)
		}
	})
}

// respelled fuzzes a parser: what it accepts is written the same way again.
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
		tile.Within(1 << 40)
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
		if len(entries) != width {
			t.Fatalf("%d entries, asked for %d", len(entries), width)
		}
		var again []byte
		for _, e := range entries {
			again = testmust.Have(tlog.AppendEntry(again, e))(t)
		}
		if !bytes.Equal(again, entryTile) {
			t.Errorf("entry tile\n%x\nwritten again\n%x", entryTile, again)
		}
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
