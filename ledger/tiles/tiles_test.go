package tiles_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
)

// shown shows the tiles of a tree that has no more than one.
type shown struct {
	data []byte
	err  error
}

func (s shown) Tile(_ context.Context, t tlog.Tile) ([]byte, error) { return s.data, s.err }

// A tile that is altered, cut short, or of another tree, and passes; and a network that fails,
// which is taken for a lie.
func TestTreeIsTheSignedOne(t *testing.T) {
	var tree tlog.Tree
	var data []byte
	var entries [][]byte
	var indexes []uint64
	for i := range 5 {
		entries, indexes = append(entries, fmt.Append(nil, "entry ", i)), append(indexes, uint64(i))
		leaf := tlog.LeafHash(entries[i])
		tree.Append(leaf)
		data = append(data, leaf[:]...)
	}
	altered := append([]byte{data[0] ^ 1}, data[1:]...)
	down := errors.New("the network is down")
	for name, c := range map[string]struct {
		shown shown
		want  error
	}{
		"whole": {shown{data, nil}, nil}, "altered": {shown{altered, nil}, tiles.ErrOther},
		"cut short": {shown{data[:31], nil}, tlog.ErrMalformed}, "down": {shown{nil, down}, down},
	} {
		read := tiles.Tree{Checkpoint: tlog.Checkpoint{Size: 5, Root: tree.Root()}, Tiles: c.shown, Kept: new(tiles.Kept)}
		testmust.FailBy(t, read.CheckLeaves(t.Context(), indexes, entries), c.want, name)
		if root, err := read.Root(t.Context(), 5); !errors.Is(err, c.want) || err == nil && root != tree.Root() {
			t.Errorf("%s: root %v (%v), want %v", name, root, err, c.want)
		}
		if c.want == nil {
			entries[3] = []byte("another entry")
			testmust.FailBy(t, read.CheckLeaves(t.Context(), indexes, entries), tiles.ErrOther, "another entry")
			entries[3] = []byte("entry 3")
		}
	}
}
