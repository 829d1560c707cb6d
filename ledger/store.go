package ledger

import (
	"errors"
	"iter"
	"log/slog"

	"github.com/transparency-dev/merkle/compact"

	"github.com/pakli/pakli/ledger/tlog"
)

// Stores makes and opens stores of one kind, each in a directory of its own. The
// options of that kind implement it (badgerstore.Options).
//
// A store is all that is in its directory: closed, it may be moved or copied with it.
type Stores interface {
	// CreateStore makes an empty store in dir, which is empty or missing. On return
	// it is on disk, and closed.
	CreateStore(dir string) error

	// OpenStore opens the store in dir; one that is open elsewhere is an error. So
	// is one that finds itself to lack what it has committed: a store that has
	// repaired itself looks before it returns.
	OpenStore(dir string, logger *slog.Logger) (Store, error)
}

// A Store keeps the entries of one log, from index 0 on, and the tree over them
// (RFC 6962). The ledger decides what is added and in which order, checks the root
// and signs it; the store makes it durable.
//
// Durability. When After of a [Commit] is called, its entries survive the end of the
// process and the loss of power: they, what finds them by their hashes, the nodes of
// the tree and its head. A commit that a crash interrupts is there as a whole or not
// at all, and it may be there although After was never called. Nothing that
// was committed is changed or removed afterwards. What has not been committed may be
// lost without a trace.
//
// Failure. What fails before Before has returned leaves the store as it was. From then
// on until After is called nobody knows, after an error, what is on the disk: the store
// fails with everything, also with an Add that was begun on top, and what it has is seen
// when it is opened again. A write that fails later, in the background, ends the
// store in the same way.
//
// Readers see the commits whose entries are durable, in their order, and never a
// part of one. They ask for nothing beyond the last After that has been called. All
// methods but Add may be called at any time, and reading waits for no reader.
//
// The store is not trusted with the tree: the ledger computes leaf hashes and roots
// a second time, from the bytes, and signs nothing else.
type Store interface {
	// Head returns the size and root of the tree that has been committed. It is
	// called before the first Add.
	Head() (size uint64, root tlog.Hash)

	// Add puts entries behind those that are there, none of which they repeat. It
	// keeps no reference to them. It calls Before when the tree has been computed
	// and everything is ready to be written, and After as soon as it is durable.
	//
	// Once it can only succeed Before lets another goroutine call Add, perhaps before
	// it has returned itself: what that adds comes after, though the commit before is
	// under way. Its Before returns only when that commit has ended, so that there is
	// one commit at a time. A store that does not prepare one beside the other lets
	// the second Add wait.
	Add(entries [][]byte, c Commit) error

	// Lookup returns the index of the entry with this leaf hash, if it is there.
	Lookup(leaf tlog.Hash) (index uint64, ok bool, err error)

	// LookupBefore is Lookup without waiting for a commit that is under way: an
	// entry that it does not find is not among the first known ones. Without a commit
	// under way these are all.
	LookupBefore(leaf tlog.Hash) (index uint64, ok bool, known uint64, err error)

	// Entries yields the entries start to end-1. What is yielded is valid until the
	// next one.
	Entries(start, end uint64) iter.Seq2[[]byte, error]

	// Nodes returns the roots of complete subtrees, 32 bytes each, in the order
	// asked for. The caller does not change them.
	Nodes(ids []compact.NodeID) ([][]byte, error)

	// HashTile returns the first width hashes of a tile, as c2sp.org/tlog-tiles
	// serves them.
	HashTile(level int, index uint64, width int) ([]byte, error)

	// AddBytes is how many bytes of entries, with what is kept besides for each,
	// one Add takes with certainty.
	AddBytes() int

	// Space returns how many bytes of the disk are free, and how many have to be
	// for the next Add: with less the ledger only reads. It is asked before every
	// Add.
	Space() (free, needed uint64, err error)

	// Tables is how many places a look-up may have to search, for the operator.
	Tables() int

	// Close ends the store once everything in it is durable. After [ErrUnclosed]
	// something may still be writing, and the directory stays locked.
	Close() error
}

// A Commit is what happens on the way of entries to the disk.
type Commit struct {
	// Before gets the size and root of the tree with the entries. Its error calls
	// the commit off, and the text of it is in that of Add.
	Before func(size uint64, root []byte) error

	// After is told that the entries are durable. Its error is that of Add.
	After func() error

	// Step, in tests of faults, is called at every step, with any name; nil: it is
	// not. An error of its is that step's.
	Step func(step string) error
}

// ErrUnclosed says that a store could not be closed. Its directory stays locked until
// the process exits.
var ErrUnclosed = errors.New("the store could not be closed, the process has to exit")
