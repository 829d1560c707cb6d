// Package follow watches a log for as long as it runs (docs/spec/82-following.md):
// it believes a checkpoint only if everything it believed before is in its tree,
// verifies tables as they are played, and compares what it is shown with what
// others were shown.
//
// It reads what the C2SP surface of a log has (c2sp.org/tlog-tiles) and trusts the
// log's keys alone. Every checkpoint with the log's signature, from the log or
// from others, is kept on disk until it is shown to be of the tree
// that it believes, or to contradict it. Two checkpoints that contradict each other
// are [Evidence], which convinces everybody who has the log's key: one size and two
// roots, or a proof under the signed root of the larger tree that its beginning is
// not the smaller one. Nothing less accuses the log. An older checkpoint shown
// again is staleness; a tree that is not shown, or shown as something else, may be
// a network's doing, and is a complaint.
//
// The package opens no connection; its [Surface] does. The state is a directory of
// one process, and at any instant it is of before a step or of after it.
package follow
