// Package replay replays the tables of a log: it says what became of every entry that concerns a
// table (docs/spec/50-table.md, 50.3, 50.4; docs/spec/80-verification.md, 80.2.5, 80.3). The
// server, the verifier, its report and all others that read a table from a log use this package, so
// that they reach the same verdict.
//
// [Judge] decides about a single entry: whether it is applied, void or foul, and who is at fault.
//
// A [Replay] has many tables side by side, with the proofs of all in one batch for each suite, and
// tells nothing before the proofs hold. If they do not, the first wrong message of a table is its
// foul, and the entries after it are judged again. So every entry gets the class that it gets
// alone.
package replay
