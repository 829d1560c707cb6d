// Package replay replays the tables of a log: it says of every entry that concerns
// one what became of it (docs/spec/50-table.md, 50.3, 50.4; docs/spec/80-verification.md,
// 80.2.5, 80.3). The server that admits, the verifier, its report and all others that read
// a table from a log replay it with this package, so that they come to the same.
//
// [Judge] decides of one entry, alone: whether it is applied, void or foul, and by whom.
//
// A [Replay] has many tables side by side, with the proofs of all in one batch for each
// suite, and tells of nothing before the proofs hold. If they do not, the first message of
// a table that is wrong is its foul, and what was taken after it is judged again. So every
// entry gets the class that it gets alone.
package replay
