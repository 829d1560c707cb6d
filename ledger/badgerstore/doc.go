// Package badgerstore keeps ledgers in Badger. Its [Options] open a ledger.Store:
// Trillian's log server and sequencer, without a listener, over a [Store].
//
// A Store keeps Trillian's logs in Badger: it implements
// [github.com/google/trillian/storage.LogStorage] and AdminStorage, for trees of
// type PREORDERED_LOG, which a ledger of pakli is, and entries that come in a [Batch].
// What the interfaces have besides it refuses.
//
// It promises what package ledger asks of a store:
//
//   - What is committed is on disk when the call returns: every transaction is
//     synced, and so is the directory when a file came or went.
//   - A [Batch] adds its entries and integrates them in one transaction.
//     Entries, index of identity hashes, Merkle nodes and tree head are there
//     together or not at all.
//   - An identity hash is stored once per tree.
//   - Once a commit has failed its outcome is unknown. The store then refuses
//     everything with a [FatalError]; the process has to exit and open the
//     store again.
//   - Nothing is ever deleted or overwritten, but the latest root of a tree and
//     its description.
//   - Tables on disk are written once, from memory, and never merged or removed:
//     Badger compacts nothing, since merging gains only speed here, and Badger
//     4.9.6 loses entries if it cannot make a table meanwhile. The price is that a
//     look-up asks every table, see [Store.Tables].
//   - A nearly full disk is noticed beforehand, and what the next batch writes has its
//     blocks (see [Store.Space]): Badger writes through mappings and would die of SIGBUS.
//
// Of the Merkle tree only the hashes of C2SP tiles are stored (levels divisible
// by 8); those between are computed when a tile is loaded. The keys are in
// entry.go.
//
// One process has the store open at a time. Within it, transactions on one tree
// that write follow each other (of two batches, the second may be prepared while
// the first is committed); readers block no one. Package ledger decides which
// entries may enter, and checks the root.
package badgerstore
