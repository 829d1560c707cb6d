// Package readers reads a log of pakli over HTTP with the tools with which other people read their
// logs: Tessera's client, fsck and migration, the checkpoints and proofs of transparency-dev/formats,
// the proofs of transparency-dev/merkle, and golang.org/x/mod/sumdb/tlog. None of them knows pakli,
// and pakli does not build on what they check here.
package readers
