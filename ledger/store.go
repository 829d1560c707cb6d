package ledger

import (
	"errors"
	"iter"
	"log/slog"

	"github.com/transparency-dev/merkle/compact"

	"github.com/pakli/pakli/ledger/tlog"
)

// Stores makes and opens stores of one kind, each in its own directory. The options of that kind
// implement it (badgerstore.Options).
//
// A store is the content of its directory: a closed store may be moved or copied with it.
type Stores interface {
	// CreateStore makes an empty store in dir, which is empty or missing. When it returns, the store
	// is on disk and closed.
	CreateStore(dir string) error

	// OpenStore opens the store in dir. It returns an error if the store is open elsewhere or finds
	// that committed content is missing; a store that has repaired itself checks this before it
	// returns.
	OpenStore(dir string, logger *slog.Logger) (Store, error)
}

// A Store keeps the entries of one log, from index 0 on, and the tree over them (RFC 6962). The
// ledger decides which entries are added in which order, or takes the order from elsewhere, and
// checks and signs the root. The store makes entries durable.
//
// Durability. When After of a [Commit] is called, the entries of that Add survive the end of the
// process and a power failure, together with the index of their hashes, the nodes of the tree and its
// head. A commit that a crash interrupts is there as a whole or not at all; it may be there although
// After was never called. Committed content is never changed or removed; other content may be lost.
//
// Failure. A failure before Before has returned leaves the store unchanged. After a failure between
// that and After, the content of the disk is unknown. Then every call of the store fails, including
// an Add that was begun on top of the failed one; a store that is opened again shows its content. A
// later failure of a background write ends the store in the same way.
//
// Readers. They see commits in order, each as a whole, and only once it is durable. They may be
// called at any time, do not wait for each other, and ask for nothing beyond the last After that was
// called.
//
// Trust. The ledger does not trust the store: it computes leaf hashes and roots a second time from
// the bytes of the entries, and signs only those.
type Store interface {
	// Head returns the size and root of the committed tree. It is called before the first Add.
	Head() (size uint64, root tlog.Hash)

	// Add appends entries, none of which is in the store or repeated. The store keeps no reference to
	// them. It calls Before once the tree is computed and everything is ready to be written, and
	// After as soon as the entries are durable.
	//
	// As its last act, Before may let another goroutine call Add before this commit; those entries
	// come after these. The second Before returns only when the first commit has ended, so that there
	// is one commit at a time. A store that cannot prepare one commit during another makes the second
	// Add wait.
	Add(entries [][]byte, c Commit) error

	// Lookup returns the index of the entry with this leaf hash, if it is there.
	Lookup(leaf tlog.Hash) (index uint64, ok bool, err error)

	// LookupBefore is Lookup without waiting for a running commit. An entry that it does not find is
	// not among the first known entries, which are all entries if no commit is running.
	LookupBefore(leaf tlog.Hash) (index uint64, ok bool, known uint64, err error)

	// Entries yields the entries start to end-1. A yielded slice is valid until the next one.
	Entries(start, end uint64) iter.Seq2[[]byte, error]

	// Nodes returns the roots of complete subtrees, 32 bytes each, in the requested order. The caller
	// does not change them.
	Nodes(ids []compact.NodeID) ([][]byte, error)

	// HashTile returns the first width hashes of a tile in the encoding of c2sp.org/tlog-tiles.
	HashTile(level int, index uint64, width int) ([]byte, error)

	// AddBytes returns how many bytes of entries, with the additional data for each, one Add
	// certainly takes.
	AddBytes() int

	// Space returns how many bytes of the disk are free, and how many have to be for the next Add:
	// with less the ledger only reads. It is called before every Add.
	Space() (free, needed uint64, err error)

	// Tables returns how many places a look-up may have to search, for the operator.
	Tables() int

	// Close ends the store once its content is durable. After [ErrUnclosed] a write may still be
	// running, and the directory stays locked.
	Close() error
}

// A Commit has the functions that Add calls on the way of entries to the disk.
type Commit struct {
	// Before is called with the size and root of the new tree. Its error cancels the commit, and Add
	// returns an error with its text.
	Before func(size uint64, root []byte) error

	// After is called when the entries are durable. Add returns its error.
	After func() error

	// Step, in tests of faults, is called at every step, with any name; it may be nil. Its error is
	// the error of that step.
	Step func(step string) error
}

// ErrUnclosed says that a store could not be closed. Its directory stays locked until
// the process exits.
var ErrUnclosed = errors.New("the store could not be closed, the process has to exit")
