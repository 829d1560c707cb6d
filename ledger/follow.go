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
	// take commits leaves behind the others, with what they carry, if then the root is
	// that of want, unless this is nil.
	take(leaves []Leaf, want *tlog.Hash) error
	// sign signs and publishes a promise that the copy has, unless a larger one was.
	sign(p Promise) error
}

// A follower reads this many leaves at a time.
const pieceLeaves = 256

// behindError says that the order shows less than was promised, or than is here. It passes
// when the right database is back.
type behindError struct{ shown, wanted uint64 }

func (e *behindError) Error() string {
	return fmt.Sprintf("the cluster shows %d entries, %d are known: its database lacks what was promised, or is the wrong one", e.shown, e.wanted)
}

func behind(err error) bool { return errors.As(err, new(*behindError)) }

// round goes through the steps once, as far as there is something to do. It returns
// whether the copy has moved on. Errors that are not of class ErrRolledBack, ErrLeft or
// errOwn pass, and the next round may be tried.
func (f *follower) round(ctx context.Context) (moved bool, err error) {
	if err := f.learn(ctx); err != nil {
		return false, err
	}
	if err := f.sign(); err != nil { // what others have promised, whatever the order does
		return false, err
	}
	if moved, err = f.follow(ctx); err != nil {
		return moved, err
	}
	return moved, f.settle(ctx)
}

// errOwn is the class of failures of this process's own disk and memory: it has to stop.
var errOwn = errors.New("the copy of this front end has failed")

func own(err error) error {
	if err == nil || errors.Is(err, ErrRolledBack) || errors.Is(err, tlog.ErrReadOnly) {
		return err
	}
	return fmt.Errorf("%w: %w", errOwn, err)
}

// lasting tells whether an error of round will not pass.
func lasting(err error) bool {
	return errors.Is(err, ErrRolledBack) || errors.Is(err, ErrLeft) || errors.Is(err, errOwn)
}

// learn sees to it that a promise is known.
func (f *follower) learn(ctx context.Context) error {
	if f.known.Load() {
		return nil
	}
	p, err := f.register.Load(ctx)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	return f.hold(p)
}

// hold takes in a promise that the register has shown, and holds it against the copy.
func (f *follower) hold(p Promise) error {
	f.keep(p)
	if p.Left != "" {
		return ErrLeft
	}
	if p.Size > f.copy.head().size {
		return nil // checked when the copy gets there
	}
	root, err := f.copy.rootAt(p.Size)
	if err != nil {
		return own(err)
	}
	if root != p.Root {
		return fmt.Errorf("%w: at size %d its root is %v, the register has promised %v. This front end has followed another history; "+
			"keep its directory as evidence, and make it anew with pakli cluster join", ErrRolledBack, p.Size, root, p.Root)
	}
	return nil
}

// follow copies what the order has and the copy has not.
func (f *follower) follow(ctx context.Context) (moved bool, err error) {
	size, root, err := f.order.Head(ctx)
	if err != nil {
		return false, fmt.Errorf("log server: %w", err)
	}
	f.seen = size
	mine := f.copy.head()
	if size <= mine.size {
		if err := f.compare(size, root); err != nil {
			return false, err
		}
	}
	if wanted := max(mine.size, f.promise.Size); size < wanted {
		return false, &behindError{shown: size, wanted: wanted}
	}
	for at := mine.size; at < size; at = f.copy.head().size {
		if err := f.piece(ctx, at, size, root); err != nil {
			return moved, err
		}
		moved = true
	}
	return moved, nil
}

// compare holds a head that the order shows against the copy, which has it.
func (f *follower) compare(size uint64, root tlog.Hash) error {
	have, err := f.copy.rootAt(size)
	if err != nil {
		return own(err)
	}
	if have != root {
		return fmt.Errorf("%w: the cluster shows root %v at size %d, it is %v here. One of them is another history: "+
			"find out which database the log servers use before this front end is started again", ErrRolledBack, root, size, have)
	}
	return nil
}

// piece copies some of the leaves from one index to the head. It ends where a root is
// known: at the promise, or at the head.
func (f *follower) piece(ctx context.Context, at, size uint64, root tlog.Hash) error {
	end, want := size, root
	if at < f.promise.Size && f.promise.Size <= end {
		end, want = f.promise.Size, f.promise.Root
	}
	leaves, err := f.read(ctx, at, min(end, at+pieceLeaves))
	if err != nil {
		return fmt.Errorf("log server: %w", err)
	}
	if at+uint64(len(leaves)) < end {
		return own(f.copy.take(leaves, nil))
	}
	return own(f.copy.take(leaves, &want))
}

// read reads one leaf at least.
func (f *follower) read(ctx context.Context, start, end uint64) (leaves []Leaf, err error) {
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

// settle promises the copy's head, and signs what the register then holds.
func (f *follower) settle(ctx context.Context) error {
	mine := f.copy.head()
	if mine.size <= f.promise.Size {
		return f.sign()
	}
	next := Promise{Size: mine.size, Root: mine.root}
	if err := f.swap(ctx, next); err != nil {
		return fmt.Errorf("register: %w", err)
	}
	if f.promise != next {
		f.lost++
	}
	if err := f.hold(f.promise); err != nil {
		return err
	}
	return f.sign()
}

// swap makes next the promise, or finds out what it is. After an error it may have been
// made: nothing is signed before that is known.
func (f *follower) swap(ctx context.Context, next Promise) error {
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

// sign signs the promise of the register if the copy has it; hold has compared them if
// it had it then, and piece if it came later.
func (f *follower) sign() error {
	if f.promise.Size > f.copy.head().size {
		return nil
	}
	return own(f.copy.sign(f.promise))
}

// keep remembers what the register has shown.
func (f *follower) keep(p Promise) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.promise = p
	f.known.Store(true)
}

// changed makes the next round ask the register, unless the promise was replaced by this
// follower itself.
func (f *follower) changed(was Promise) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.promise == was {
		f.known.Store(false)
	}
}

// latest is the promise as it was last known.
func (f *follower) latest() Promise {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.promise
}

var _ replica = (*Ledger)(nil)

// head implements replica.
func (l *Ledger) head() head { return l.engine.head() }

// rootAt implements replica.
func (l *Ledger) rootAt(size uint64) (tlog.Hash, error) { return l.engine.rootAt(size) }

// take implements replica. What takes more than one transaction is committed in several:
// the root is that of all.
func (l *Ledger) take(leaves []Leaf, want *tlog.Hash) error {
	for len(leaves) > 0 {
		n := l.fits(leaves)
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

// fits is how many leaves go into one transaction, at least one.
func (l *Ledger) fits(leaves []Leaf) int {
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
func (l *Ledger) takeSome(leaves []Leaf, want *tlog.Hash) error {
	if err := l.room(); err != nil {
		return err
	}
	list, err := l.unpack(leaves)
	if err != nil {
		return err
	}
	var other error // which a store passes on as text alone
	wrote := make(chan error, 1)
	wrote <- nil
	err = l.engine.add(list, func(next head) error {
		if want != nil && next.root != *want {
			other = fmt.Errorf("%w: the entries up to %d that the cluster shows have root %v, it was to be %v", ErrRolledBack, next.size, next.root, *want)
			return other
		}
		<-wrote
		go func() { wrote <- l.promise.write(promise{kept: l.promise.last.next, next: next}) }()
		return nil
	}, func() error { return nil })
	if err := errors.Join(err, <-wrote); err != nil {
		return cmp.Or(other, err)
	}
	l.following.placed(list)
	return nil
}

// unpack keeps the blobs of leaves and gives these their indexes. A leaf that the store
// has already would be in the tree twice.
func (l *Ledger) unpack(leaves []Leaf) ([]*pending, error) {
	list := make([]*pending, len(leaves))
	for i, leaf := range leaves {
		for _, blob := range leaf.Blobs {
			if err := l.keepBlob(context.Background(), blob); err != nil {
				return nil, err
			}
		}
		list[i] = &pending{entry: leaf.Entry, leaf: tlog.LeafHash(leaf.Entry)}
	}
	fresh, err := l.engine.assign(list, l.published.Load().checkpoint.Size)
	if err == nil && len(fresh) < len(list) {
		err = fmt.Errorf("%w: the cluster shows an entry twice from %d on", ErrRolledBack, l.engine.head().size)
	}
	return fresh, err
}

// sign implements replica.
func (l *Ledger) sign(p Promise) error {
	if last := l.published.Load(); last.at.IsZero() || last.checkpoint.Size < p.Size {
		c, err := tlog.SignCheckpoint(p.Size, p.Root, l.signer, l.also...)
		if err == nil {
			err = l.step.at("signed")
		}
		if err == nil {
			err = l.step.at("publish")
		}
		if err != nil {
			return err
		}
		l.publish(c)
		if err := l.step.at("published"); err != nil {
			return err
		}
	}
	l.following.promised(l.published.Load().checkpoint)
	return nil
}
