// Package badgerstore keeps ledgers in Badger. Its [Options] open a ledger.Store:
// Trillian's log server and sequencer, without a listener, over a [Store].
//
// A Store keeps Trillian's logs in Badger. It implements
// [github.com/google/trillian/storage.LogStorage] and AdminStorage as far as a ledger of pakli needs
// them: for trees of type PREORDERED_LOG and entries that come in a [Batch]. It refuses all other
// calls.
//
// It promises what package ledger asks of a store:
//
//   - A committed transaction is on disk when the call returns: every transaction is synced, and so
//     is the directory after files were added or removed.
//   - A [Batch] adds its entries and integrates them in one transaction: entries, index of identity
//     hashes, Merkle nodes and tree head are stored together or not at all.
//   - An identity hash is stored once per tree.
//   - After a failed commit the outcome is unknown. The store then refuses every call with a
//     [FatalError]; the process has to exit and open the store again.
//   - Nothing is ever deleted or overwritten except the latest root of a tree and its description.
//   - Tables on disk are written once, from memory, and never merged or removed. Merging would gain
//     only speed, and Badger 4.9.6 loses entries if it cannot make a table while it merges. The price
//     is that a look-up asks every table, see [Store.Tables].
//   - The store notices a nearly full disk before the next batch and reserves disk blocks for the
//     batch (see [Store.Space]): Badger writes through mappings and would die of SIGBUS.
//
// Of the Merkle tree only the hashes of C2SP tiles are stored (levels divisible by 8); those between
// are computed when a tile is loaded. The keys are in entry.go.
//
// Only one process can have the store open. Within it, writing transactions on one tree run one after
// another, except that a batch may be prepared while the one before is committed; readers block
// nobody. Package ledger decides which entries may enter, and checks the root.
package badgerstore
