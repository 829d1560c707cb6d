// Package vectors writes and reads the test vectors of docs/spec/vectors that no other package has
// for its own: transcripts, values, tables with their reports, checkpoints and proofs of the log,
// cosignatures, evidence. Each is made here from a fixed seed, compared with the folder, and judged
// from its text alone by the parsers of the programs. docs/spec/vectors/README.md has the formats.
// The package consists of tests.
package vectors
