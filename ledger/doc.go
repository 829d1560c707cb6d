// Package ledger is a transparency log in this process: an append-only list of opaque entries under
// an RFC 6962 Merkle tree, signed checkpoints of it, and the proofs of C2SP. A [Store] keeps entries
// and tree; [Options] name it. Package badgerstore has a store: Trillian's log server and sequencer
// over Badger.
//
// It promises to the holders of its public key:
//
//   - Durable before promised. When [Ledger.Append] returns, the entry is on disk, integrated, and
//     under a checkpoint that is signed and published.
//   - One history. No two checkpoints that it signs contradict each other, over crashes and restarts.
//     If it cannot keep this promise, it refuses to start (see [Open]) or stops (see
//     [Ledger.FailedChannel]).
//   - Checked before signed. Leaf hashes and root are computed a second time, from the bytes of the
//     entries and with other code (ledger/tlog on golang.org/x/mod/sumdb), and compared with the
//     store's.
//   - Once only. The same bytes appended again get their first index.
//
// Batches form without a timer: all entries that arrive while one batch is prepared are the next
// batch. A batch is one synced transaction of the store. Two goroutines take turns, so that one batch
// is prepared while the one before is committed. Commits are made one after another, and each is
// promised, signed and published before the next begins.
//
// Alternatively others decide the order ([Order]) and the log follows it, so that several front ends
// keep one log, each with a whole copy. A [Register] then decides what may be signed; see
// orderround.go. The promises are the same.
//
// backup.go has the copies from which a log is restored.
//
// Other packages decide what entries mean and who may append them (ledger/admission), and have
// cosigners (ledger/cosign) and HTTP (httpapi). The interfaces Log and Reader, and all formats, are
// in ledger/tlog.
//
// # Packages below
//
// They hold everything that is not needed to append to a log and to read it:
//
//   - tlog: all formats and their checks, for readers without a log; the
//     interfaces Log and Reader
//   - tiles: reads a signed tree from tiles that anybody may show; a copy of a log in a directory of them
//   - marks: which marks of a log are good: times inside it
//   - marks/markstest: keepers, marks and tables with a clock, for tests
//   - badgerstore: a store: Trillian over Badger
//   - cluster: what several front ends of one log share: an order, a tree in a cluster of
//     Trillian; registers, etcd or a file; whether the PostgreSQL below is set right
//   - cluster/clustertest: a log server in memory, for tests
//   - admission: what may enter, and what each table came to
//   - cosign: shows checkpoints to cosigners and publishes what they sign; such a cosigner,
//     and a keeper of messages that a log withholds
//   - bundle: one table of a log in one file; what times between two of its entries the marks of a log give
//   - ledgertest: what every log, and every store, must pass
//
// # The data directory
//
//	pakli-ledger   marker: format version and key of the log, and what it follows
//	log.key        the log's key pair (mode 0600), if it is kept here
//	*.key          further keys of the log: mldsa, next, previous; see SwitchKey
//	lock           locked by the process that has the log open
//	promise        what has been promised last, see promise.go
//	cosigned       the newest checkpoint that was published with cosignatures
//	store/         the store
//	blobs/         what entries name by hash
//	leaving        the name under which the log leaves its cluster, see [Copy.Leave]
//	restored       the log was made by Restore, see [Ledger.IsUnconfirmed]
//	making/, made/ what an interrupted Begin, Create or Restore has left; the next
//	               one begins the first anew and moves the second, which is whole
//
// A directory is made once, with [Begin] or [Create]; [Open] never makes one, because a
// log that starts from nothing under a key that has signed before is a fork.
package ledger
