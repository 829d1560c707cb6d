// Package follow watches a log while it runs (docs/spec/82-following.md). It believes a checkpoint
// only if its tree contains everything believed before, verifies tables as they are played, and
// compares its view of the log with that of others.
//
// It reads a log's C2SP surface (c2sp.org/tlog-tiles) and trusts only the log's keys. Every
// checkpoint with the log's signature, from the log or from others, is kept on disk until it is shown
// to belong to the believed tree or to contradict it. Two checkpoints that contradict each other are
// [Evidence], which convinces everybody who has the log's key: one size with two roots, or a proof
// under the signed root of the larger tree that its beginning is not the smaller one. Nothing less
// accuses the log. An older checkpoint shown again is staleness. A tree that is not shown, or that is
// shown with another root, may be the fault of a network, and is a complaint.
//
// The package opens no connection; its [Surface] does. The state is a directory of one process. At
// any instant it is that before or after a step.
package follow
