package ledger

import (
	"bytes"
	"math/rand/v2"
	"time"

	"github.com/transparency-dev/merkle/compact"

	"github.com/pakli/pakli/ledger/tlog"
)

// Head, WritePromise and VerifyRoot are inner doors for tests.
type Head struct {
	Size uint64
	Root tlog.Hash
}

// WritePromise writes a promise into the file of a closed log.
func WritePromise(path, origin string, kept, next Head) error {
	p, err := openPromise(path, origin)
	if err != nil {
		return err
	}
	defer p.close()
	return p.writePromise(headPromise{kept: head{kept.Size, kept.Root}, next: head{next.Size, next.Root}})
}

// VerifyRoot is the check before signing: entries are added to a tree and the
// result is compared with the sequencer's.
func VerifyRoot(t *tlog.Tree, entries [][]byte, size uint64, root []byte) error {
	var list []*pendingEntry
	for _, e := range entries {
		list = append(list, &pendingEntry{entry: e, leaf: tlog.LeafHash(e)})
	}
	_, err := verifyRoot(t, list, size, root)
	return err
}

// SetStep lets f be called at every step of a batch.
func (o *Options) SetStep(f func(step string) error) { o.step = f }

// AppendTogether appends entries in one batch, and returns an error for each.
func (l *Ledger) AppendTogether(entries [][]byte) []error {
	queue := l.order.(*sequencer).queue
	queue.mu.Lock()
	b := &batch{begun: time.Now(), done: make(chan struct{})}
	for _, e := range entries {
		b.entries = append(b.entries, &pendingEntry{entry: e, leaf: tlog.LeafHash(e)})
	}
	queue.batches = append(queue.batches, b)
	queue.waiting += len(entries)
	queue.signal()
	queue.mu.Unlock()
	<-b.done
	errs := make([]error, len(entries))
	for i := range errs {
		errs[i] = b.err
	}
	return errs
}

// AppendFlipped is Append with a bit of the entry flipping while it waits.
func (l *Ledger) AppendFlipped(entry []byte, bit int) error {
	p := &pendingEntry{entry: bytes.Clone(entry), leaf: tlog.LeafHash(entry)}
	p.entry[bit/8%len(entry)] ^= 1 << (bit % 8)
	b, err := l.order.(*sequencer).queue.addEntry(p)
	if err != nil {
		return err
	}
	<-b.done
	return b.err
}

// FlipNode flips a bit of a node that the store keeps in memory, of those in the
// newest tile that the next entry is hashed with.
func (l *Ledger) FlipNode(random *rand.Rand) error {
	size := l.engine.check.Size()
	nodes, err := l.store.Nodes(compact.RangeNodes(size/tlog.TileWidth*tlog.TileWidth, size, nil))
	if err == nil {
		nodes[random.IntN(len(nodes))][random.IntN(32)] ^= 1 << random.IntN(8)
	}
	return err
}

// FlipChecked is FlipNode for the tree that checks.
func (l *Ledger) FlipChecked(random *rand.Rand) error {
	size := l.engine.check.Size()
	nodes, err := l.store.Nodes(compact.RangeNodes(0, size, nil))
	if err != nil {
		return err
	}
	hashes := toHashes(nodes)
	hashes[random.IntN(len(hashes))][random.IntN(32)] ^= 1 << random.IntN(8)
	l.engine.check, err = tlog.ResumeTree(size, hashes)
	return err
}

// KeepFew makes a log remember few of the entries it has added.
func (l *Ledger) KeepFew() { l.engine.recent.max = 8 }
