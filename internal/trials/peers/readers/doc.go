// Package readers reads a log of pakli, over HTTP, with the tools that other
// people read their logs with: Tessera's client, fsck and migration, the
// checkpoints and proofs of transparency-dev/formats, the proofs of
// transparency-dev/merkle, and golang.org/x/mod/sumdb/tlog. None of them knows
// of pakli, and pakli builds on none of what they check here with.
package readers
