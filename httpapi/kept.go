package httpapi

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
)

// entryTiles keeps full ones, compressed and as they are. They never change, and
// everybody who reads the log from its beginning asks for the same ones.
type entryTiles struct {
	mu    sync.Mutex
	bytes int
	known map[spelling]*list.Element
	order *list.List // of *keptBundle, the one used last in front
}

// spelling is an entry tile, by its place, as it is sent.
type spelling struct {
	place uint64
	zip   bool
}

type keptTile struct {
	spelling
	data []byte
	tag  string
}

func newEntryTiles() *entryTiles {
	return &entryTiles{known: map[spelling]*list.Element{}, order: list.New()}
}

// get returns an entry tile and its tag, nil if it is not kept.
func (b *entryTiles) get(t tlog.Tile, zip bool) (data []byte, tag string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.known[spelling{t.Index, zip}]
	if !ok || t.Width < tlog.TileWidth {
		return nil, ""
	}
	b.order.MoveToFront(e)
	kept := e.Value.(*keptTile)
	return kept.data, kept.tag
}

// put keeps an entry tile if it is full, and forgets those unused for longest.
func (b *entryTiles) put(t tlog.Tile, zip bool, data []byte, tag string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	as := spelling{t.Index, zip}
	if _, ok := b.known[as]; ok || t.Width < tlog.TileWidth {
		return
	}
	b.known[as] = b.order.PushFront(&keptTile{as, data, tag})
	b.bytes += len(data)
	for b.bytes > maxKept {
		oldest := b.order.Remove(b.order.Back()).(*keptTile)
		delete(b.known, oldest.spelling)
		b.bytes -= len(oldest.data)
	}
}

func compressed(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	// A bytes.Buffer takes everything.
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}
