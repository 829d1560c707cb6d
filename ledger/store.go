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
// (RFC 6962). The ledger decides what is added and in which order, or takes the order
// from elsewhere; it checks the root and signs it. The store makes entries durable.
//
// Durability. When After of a [Commit] is called, the entries of that Add survive the
// end of the process and the loss of power, with all that belongs to them: what finds
// them by their hashes, the nodes of the tree, its head. A commit that a crash
// interrupts is there as a whole or not at all; it may be there although After was never
// called. What was committed is never changed or removed. What was not may be lost.
//
// Failure. Whatever fails before Before has returned leaves the store as it was. After a
// failure between that and After it is not known what is on the disk. Then every call of the
// store fails, also with an Add that was begun on top of the one that failed;
// opened again, it shows what it has. A write that fails later, in the background, ends
// the store in the same way.
//
// Readers. They see commits in their order, each as a whole, and none before it is
// durable. They may be called at any time, do not wait for each other, and ask for
// nothing beyond the last After that was called.
//
// Trust. The store is not believed: the ledger computes leaf hashes and roots a second
// time, from the bytes of the entries, and signs no others.
type Store interface {
	// Head returns the size and root of the tree that has been committed. It is
	// called before the first Add.
	Head() (size uint64, root tlog.Hash)

	// Add puts entries behind those that are there. They repeat none of them, nor
	// each other; the store keeps no reference to them. It calls Before when the
	// tree has been computed and everything is ready to be written, and After as soon
	// as it is durable.
	//
	// As its last act Before may let another goroutine call Add, while this commit is
	// still to come: what that adds comes after. The second Before returns only when the
	// first commit has ended, so that there is one commit at a time. A store that
	// does not prepare one beside the other lets the second Add wait.
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
