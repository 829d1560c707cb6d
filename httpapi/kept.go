package httpapi

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"sync"

	"github.com/pakli/pakli/ledger/tlog"
)

// zipped keeps full bundles compressed, which never change: everybody who reads
// the log from its beginning asks for the same ones.
type zipped struct {
	mu    sync.Mutex
	bytes int
	known map[uint64]*list.Element // by the bundle's place
	order *list.List               // of *zip, the one used last in front
}

type zip struct {
	place uint64
	data  []byte
	tag   string
}

func newZipped() *zipped { return &zipped{known: map[uint64]*list.Element{}, order: list.New()} }

// get returns a bundle and its tag, nil if it is not kept.
func (z *zipped) get(t tlog.Tile) (data []byte, tag string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	e, ok := z.known[t.Index]
	if !ok || t.Width < tlog.TileWidth {
		return nil, ""
	}
	z.order.MoveToFront(e)
	kept := e.Value.(*zip)
	return kept.data, kept.tag
}

// put keeps a bundle if it is full, and forgets those unused for longest.
func (z *zipped) put(t tlog.Tile, data []byte, tag string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if _, ok := z.known[t.Index]; ok || t.Width < tlog.TileWidth {
		return
	}
	z.known[t.Index] = z.order.PushFront(&zip{t.Index, data, tag})
	z.bytes += len(data)
	for z.bytes > maxZipped {
		oldest := z.order.Remove(z.order.Back()).(*zip)
		delete(z.known, oldest.place)
		z.bytes -= len(oldest.data)
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
