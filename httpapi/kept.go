package httpapi

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"sync"
)

// kept are answers that many ask for, as they are sent. Those not used for longest are
// forgotten.
type kept struct {
	most int // bytes

	mu    sync.Mutex
	bytes int
	known map[version]*list.Element
	order *list.List // of keptAnswer, the one used last in front
}

// version names an answer: what its name answers never changes.
type version struct {
	name        string
	size, moves uint64 // of the log, and of its tables; 0 of a tile, which is for ever
	zip         bool
}

type keptAnswer struct {
	version
	data []byte
	tag  string
}

// keptCost is what an answer takes beside its bytes and its name, which anybody can
// make as long as a header.
const keptCost = 512

func (a keptAnswer) cost() int { return len(a.data) + len(a.name) + keptCost }

func newKept(most int) *kept {
	return &kept{most: most, known: map[version]*list.Element{}, order: list.New()}
}

// get returns an answer and its tag, nil if it is not kept.
func (k *kept) get(v version) (data []byte, tag string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.known[v]
	if !ok {
		return nil, ""
	}
	k.order.MoveToFront(e)
	a := e.Value.(keptAnswer)
	return a.data, a.tag
}

func (k *kept) put(v version, data []byte, tag string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.known[v]; ok {
		return
	}
	a := keptAnswer{v, data, tag}
	k.known[v] = k.order.PushFront(a)
	k.bytes += a.cost()
	for k.bytes > k.most {
		oldest := k.order.Remove(k.order.Back()).(keptAnswer)
		delete(k.known, oldest.version)
		k.bytes -= oldest.cost()
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
