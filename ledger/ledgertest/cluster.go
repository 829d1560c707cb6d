package ledgertest

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/tlog"
)

// Faults makes calls fail. The fault that is set is called with the name of each effect, before and
// after it; its error is the error of the call. It may be set while other goroutines call.
type Faults struct {
	at atomic.Pointer[func(at string) error]
}

// SetFault sets the fault.
func (f *Faults) SetFault(fault func(at string) error) { f.at.Store(&fault) }

func (f *Faults) faultAt(at string) error {
	if set := f.at.Load(); set != nil {
		return (*set)(at)
	}
	return nil
}

// Order is a [ledger.Order] in memory. It takes every entry once, in the order of the calls. Its
// effects are "queue" and "queued", "head", and "leaves".
type Order struct {
	Faults

	mu     sync.Mutex
	leaves []ledger.Leaf
	known  map[tlog.Hash]bool
	tree   tlog.Tree
	holds  bool
	held   []ledger.Leaf // handed in but not integrated
}

var _ ledger.Order = (*Order)(nil)

// NewOrder returns an empty order.
func NewOrder() *Order { return &Order{known: map[tlog.Hash]bool{}} }

// Queue implements ledger.Order.
func (o *Order) Queue(ctx context.Context, entry []byte, blobs [][]byte) error {
	if err := o.faultAt("queue"); err != nil {
		return err
	}
	o.addLeaf(entry, blobs)
	return o.faultAt("queued")
}

func (o *Order) addLeaf(entry []byte, blobs [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	leaf := tlog.LeafHash(entry)
	if o.known[leaf] {
		return
	}
	o.known[leaf] = true
	l := ledger.Leaf{Entry: bytes.Clone(entry)}
	for _, b := range blobs {
		l.Blobs = append(l.Blobs, bytes.Clone(b))
	}
	if o.holds {
		o.held = append(o.held, l)
		return
	}
	o.leaves = append(o.leaves, l)
	o.tree.Append(leaf)
}

// HoldEntries makes the order take entries without integrating them until ReleaseHeld.
func (o *Order) HoldEntries() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.holds = true
}

// ReleaseHeld integrates the held entries.
func (o *Order) ReleaseHeld() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range o.held {
		o.leaves = append(o.leaves, l)
		o.tree.Append(tlog.LeafHash(l.Entry))
	}
	o.held, o.holds = nil, false
}

// HeldCount returns the number of held entries.
func (o *Order) HeldCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.held)
}

// Head implements ledger.Order.
func (o *Order) Head(context.Context) (uint64, tlog.Hash, error) {
	if err := o.faultAt("head"); err != nil {
		return 0, tlog.Hash{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tree.Size(), o.tree.Root(), nil
}

// Leaves implements ledger.Order.
func (o *Order) Leaves(_ context.Context, start, end uint64) iter.Seq2[ledger.Leaf, error] {
	return func(yield func(ledger.Leaf, error) bool) {
		if err := o.faultAt("leaves"); err != nil {
			yield(ledger.Leaf{}, err)
			return
		}
		o.mu.Lock()
		leaves := slices.Clone(o.leaves[min(start, uint64(len(o.leaves))):min(end, uint64(len(o.leaves)))])
		o.mu.Unlock()
		for _, l := range leaves {
			if !yield(l, nil) {
				return
			}
		}
	}
}

// CutTo removes all entries after the first size ones, like a database restored from an old copy.
func (o *Order) CutTo(size int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.leaves, o.known, o.tree = o.leaves[:size:size], map[tlog.Hash]bool{}, tlog.Tree{}
	for _, l := range o.leaves {
		leaf := tlog.LeafHash(l.Entry)
		o.known[leaf] = true
		o.tree.Append(leaf)
	}
}

// Size returns the number of integrated entries.
func (o *Order) Size() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.leaves)
}

// Register is a [ledger.Register] in memory. Its effects are "load" and "loaded", "swap" and
// "swapped", and "change".
type Register struct {
	Faults

	mu       sync.Mutex
	promise  ledger.Promise
	cosigned tlog.Checkpoint
	changed  chan struct{}
}

var (
	_ ledger.Register   = (*Register)(nil)
	_ ledger.Cosignings = (*Register)(nil)
)

// NewRegister returns a register that promises an empty log.
func NewRegister() *Register {
	return &Register{promise: ledger.Promise{Root: tlog.EmptyRoot()}, changed: make(chan struct{})}
}

// Load implements ledger.Register.
func (r *Register) Load(context.Context) (ledger.Promise, error) {
	if err := r.faultAt("load"); err != nil {
		return ledger.Promise{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.promise, r.faultAt("loaded")
}

// Swap implements ledger.Register.
func (r *Register) Swap(_ context.Context, old, next ledger.Promise) (ledger.Promise, error) {
	if err := r.faultAt("swap"); err != nil {
		return ledger.Promise{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.promise == old {
		r.promise = next
		close(r.changed)
		r.changed = make(chan struct{})
	}
	return r.promise, r.faultAt("swapped")
}

// PromiseChanged implements ledger.Register.
func (r *Register) PromiseChanged(_ context.Context, p ledger.Promise) (<-chan struct{}, error) {
	if err := r.faultAt("change"); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.promise != p {
		closed := make(chan struct{})
		close(closed)
		return closed, nil
	}
	return r.changed, nil
}

// CosignedNote implements ledger.Cosignings.
func (r *Register) CosignedNote(context.Context) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cosigned.Note, nil
}

// PutCosigned implements ledger.Cosignings.
func (r *Register) PutCosigned(_ context.Context, c tlog.Checkpoint) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cosigned.Note == nil || c.Size > r.cosigned.Size {
		r.cosigned = c
	}
	return nil
}
