package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/ledger/tlog"
)

// A follower keeps a copy of a tree that others keep in order, and promises and signs
// what it has of it. It goes through six steps, again and again:
//
//	learn    the promise that the register holds, and the head that the order shows
//	read     the leaves that this copy lacks
//	check    the root against the order's, and against the promise's within the batch
//	commit   to the own store, synced
//	promise  swap the promise for the own head, if the copy has the promise in it
//	sign     what the register holds, at exactly its size, and publish it
//
// One history. A promise replaces another only by a front end whose append-only copy has
// both, so promises are one chain of prefixes; only promises are signed; so no two
// checkpoints contradict each other. What the order shows does not occur in this
// argument, and neither does a clock.
type follower struct {
	order    Order
	register Register
	copy     replica

	seen uint64 // the size that the order showed last
	lost uint64 // promises that another front end made first

	known atomic.Bool // promise is what the register held when it was last asked

	mu      sync.Mutex // held while a promise is swapped, and while it is read by others
	promise Promise    // as the register was last known to hold it
}

// A replica is the copy of a follower.
type replica interface {
	// head is what has been committed.
	head() head
	// rootAt is the root of the first entries.
	rootAt(size uint64) (tlog.Hash, error)
	// commitLeaves commits leaves behind the others, with what they carry, if then the root is
	// that of want, unless this is nil.
	commitLeaves(leaves []Leaf, want *tlog.Hash) error
	// signPromise signs and publishes a promise that the copy has, unless a larger one was.
	signPromise(p Promise) error
}

// A follower reads this many leaves at a time.
const pieceLeaves = 256

// behindError says that the order shows less than was promised, or than is here. It passes
// when the right database is back.
type behindError struct{ shown, wanted uint64 }

func (e *behindError) Error() string {
	return fmt.Sprintf("the cluster shows %d entries, %d are known: its database lacks what was promised, or is the wrong one", e.shown, e.wanted)
}

func isBehind(err error) bool { return errors.As(err, new(*behindError)) }

// goRound goes through the steps once, as far as there is something to do. It returns
// whether the copy has moved on. Errors that are not of class ErrRolledBack, ErrLeft or
// errOwn pass, and the next round may be tried.
func (f *follower) goRound(ctx context.Context) (moved bool, err error) {
	if err := f.learnPromise(ctx); err != nil {
		return false, err
	}
	if err := f.signPromise(); err != nil { // what others have promised, whatever the order does
		return false, err
	}
	if moved, err = f.copyNew(ctx); err != nil {
		return moved, err
	}
	return moved, f.settlePromise(ctx)
}

// errOwn is the class of failures of this process's own disk and memory: it has to stop.
var errOwn = errors.New("the copy of this front end has failed")

func asOwn(err error) error {
	if err == nil || errors.Is(err, ErrRolledBack) || errors.Is(err, tlog.ErrReadOnly) {
		return err
	}
	return fmt.Errorf("%w: %w", errOwn, err)
}

// isLasting tells whether an error of round will not pass.
func isLasting(err error) bool {
	return errors.Is(err, ErrRolledBack) || errors.Is(err, ErrLeft) || errors.Is(err, errOwn)
}

// learnPromise sees to it that a promise is known.
func (f *follower) learnPromise(ctx context.Context) error {
	if f.known.Load() {
		return nil
	}
	p, err := f.register.Load(ctx)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	return f.holdPromise(p)
}

// holdPromise takes in a promise that the register has shown, and holds it against the copy.
func (f *follower) holdPromise(p Promise) error {
	f.keepPromise(p)
	if p.Left != "" {
		return ErrLeft
	}
	if p.Size > f.copy.head().size {
		return nil // checked when the copy gets there
	}
	root, err := f.copy.rootAt(p.Size)
	if err != nil {
		return asOwn(err)
	}
	if root != p.Root {
		return fmt.Errorf("%w: at size %d its root is %v, the register has promised %v. This front end has followed another history; "+
			"keep its directory as evidence, and make it anew with pakli cluster join", ErrRolledBack, p.Size, root, p.Root)
	}
	return nil
}

// copyNew copies what the order has and the copy has not.
func (f *follower) copyNew(ctx context.Context) (moved bool, err error) {
	size, root, err := f.order.Head(ctx)
	if err != nil {
		return false, fmt.Errorf("log server: %w", err)
	}
	f.seen = size
	mine := f.copy.head()
	if size <= mine.size {
		if err := f.compareHead(size, root); err != nil {
			return false, err
		}
	}
	if wanted := max(mine.size, f.promise.Size); size < wanted {
		return false, &behindError{shown: size, wanted: wanted}
	}
	for at := mine.size; at < size; at = f.copy.head().size {
		if err := f.copyPiece(ctx, at, size, root); err != nil {
			return moved, err
		}
		moved = true
	}
	return moved, nil
}

// compareHead holds a head that the order shows against the copy, which has it.
func (f *follower) compareHead(size uint64, root tlog.Hash) error {
	have, err := f.copy.rootAt(size)
	if err != nil {
		return asOwn(err)
	}
	if have != root {
		return fmt.Errorf("%w: the cluster shows root %v at size %d, it is %v here. One of them is another history: "+
			"find out which database the log servers use before this front end is started again", ErrRolledBack, root, size, have)
	}
	return nil
}

// copyPiece copies some of the leaves from one index to the head. It ends where a root is
// known: at the promise, or at the head.
func (f *follower) copyPiece(ctx context.Context, at, size uint64, root tlog.Hash) error {
	end, want := size, root
	if at < f.promise.Size && f.promise.Size <= end {
		end, want = f.promise.Size, f.promise.Root
	}
	leaves, err := f.readLeaves(ctx, at, min(end, at+pieceLeaves))
	if err != nil {
		return fmt.Errorf("log server: %w", err)
	}
	if at+uint64(len(leaves)) < end {
		return asOwn(f.copy.commitLeaves(leaves, nil))
	}
	return asOwn(f.copy.commitLeaves(leaves, &want))
}

// readLeaves reads one leaf at least.
func (f *follower) readLeaves(ctx context.Context, start, end uint64) (leaves []Leaf, err error) {
	for leaf, err := range f.order.Leaves(ctx, start, end) {
		if err == nil {
			err = tlog.CheckSize(leaf.Entry)
		}
		if err != nil && len(leaves) == 0 {
			return nil, err
		}
		if err != nil {
			return leaves, nil
		}
		if leaves = append(leaves, leaf); start+uint64(len(leaves)) == end {
			return leaves, nil
		}
	}
	if len(leaves) == 0 {
		return nil, fmt.Errorf("it shows %d entries, and not the one at %d", end, start)
	}
	return leaves, nil
}

// settlePromise promises the copy's head, and signs what the register then holds.
func (f *follower) settlePromise(ctx context.Context) error {
	mine := f.copy.head()
	if mine.size <= f.promise.Size {
		return f.signPromise()
	}
	next := Promise{Size: mine.size, Root: mine.root}
	if err := f.swapPromise(ctx, next); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	if f.promise != next {
		f.lost++
	}
	if err := f.holdPromise(f.promise); err != nil {
		return err
	}
	return f.signPromise()
}

// swapPromise makes next the promise, or finds out what it is. After an error it may have been
// made: nothing is signed before that is known.
func (f *follower) swapPromise(ctx context.Context, next Promise) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.known.Store(false)
	now, err := f.register.Swap(ctx, f.promise, next)
	if err != nil {
		return err
	}
	f.promise = now
	f.known.Store(true)
	return nil
}

// signPromise signs the promise of the register if the copy has it; holdPromise has compared them if
// it had it then, and copyPiece if it came later.
func (f *follower) signPromise() error {
	if f.promise.Size > f.copy.head().size {
		return nil
	}
	return asOwn(f.copy.signPromise(f.promise))
}

// keepPromise remembers what the register has shown.
func (f *follower) keepPromise(p Promise) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.promise = p
	f.known.Store(true)
}

// promiseChanged makes the next round ask the register, unless the promise was replaced by this
// follower itself.
func (f *follower) promiseChanged(was Promise) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.promise == was {
		f.known.Store(false)
	}
}

// latestPromise is the promise as it was last known.
func (f *follower) latestPromise() Promise {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.promise
}

// ownCopy is the copy that a log is of what others order.
type ownCopy struct{ *Ledger }

var _ replica = ownCopy{}

// head implements replica.
func (l ownCopy) head() head { return l.engine.head() }

// rootAt implements replica.
func (l ownCopy) rootAt(size uint64) (tlog.Hash, error) { return l.engine.rootAt(size) }

// commitLeaves implements replica. What takes more than one transaction is committed in several:
// the root is that of all.
func (l ownCopy) commitLeaves(leaves []Leaf, want *tlog.Hash) error {
	for len(leaves) > 0 {
		n := l.countFitting(leaves)
		at := want
		if n < len(leaves) {
			at = nil
		}
		if err := l.takeSome(leaves[:n], at); err != nil {
			return err
		}
		leaves = leaves[n:]
	}
	return nil
}

// countFitting is how many leaves go into one transaction, at least one.
func (l ownCopy) countFitting(leaves []Leaf) int {
	room := l.store.AddBytes()
	for n, leaf := range leaves {
		if room -= len(leaf.Entry) + entryOverhead; room < 0 {
			return max(n, 1)
		}
	}
	return len(leaves)
}

// takeSome commits leaves in one transaction, after their blobs. The promise file is
// written beside the commit, as alone; nothing is signed.
func (l ownCopy) takeSome(leaves []Leaf, want *tlog.Hash) error {
	if err := l.checkSpace(); err != nil {
		return err
	}
	list, err := l.unpackLeaves(leaves)
	if err != nil {
		return err
	}
	var other error // which a store passes on as text alone
	wrote := make(chan error, 1)
	wrote <- nil
	err = l.engine.addEntries(list, func(next head) error {
		if want != nil && next.root != *want {
			other = fmt.Errorf("%w: the entries up to %d that the cluster shows have root %v, it was to be %v", ErrRolledBack, next.size, next.root, *want)
			return other
		}
		<-wrote
		go func() { wrote <- l.promise.writePromise(headPromise{kept: l.promise.last.next, next: next}) }()
		return nil
	}, func() error { return nil })
	if err := errors.Join(err, <-wrote); err != nil {
		return cmp.Or(other, err)
	}
	l.following.notePlaced(list)
	return nil
}

// unpackLeaves keeps the blobs of leaves and gives these their indexes. A leaf that the store
// has already would be in the tree twice.
func (l ownCopy) unpackLeaves(leaves []Leaf) ([]*pendingEntry, error) {
	list := make([]*pendingEntry, len(leaves))
	for i, leaf := range leaves {
		for _, blob := range leaf.Blobs {
			if err := l.keepBlob(context.Background(), blob); err != nil {
				return nil, err
			}
		}
		list[i] = &pendingEntry{entry: leaf.Entry, leaf: tlog.LeafHash(leaf.Entry)}
	}
	fresh, err := l.engine.assignIndexes(list, l.published.Load().checkpoint.Size)
	if err == nil && len(fresh) < len(list) {
		err = fmt.Errorf("%w: the cluster shows an entry twice from %d on", ErrRolledBack, l.engine.head().size)
	}
	return fresh, err
}

// signPromise implements replica.
func (l ownCopy) signPromise(p Promise) error {
	if last := l.published.Load(); last.at.IsZero() || last.checkpoint.Size < p.Size {
		c, err := tlog.SignCheckpoint(p.Size, p.Root, l.signer, l.also...)
		if err == nil {
			err = l.step.atStep("signed")
		}
		if err == nil {
			err = l.publishAtSteps(c)
		}
		if err != nil {
			return err
		}
	}
	l.following.answerPromised(l.published.Load().checkpoint)
	return nil
}
