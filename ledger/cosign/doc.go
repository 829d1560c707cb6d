// Package cosign is both ends of cosigning (c2sp.org/tlog-witness). [Submitter] sends the
// checkpoints of a log to its cosigners and publishes their cosignatures. [Cosigner] is a small
// cosigner, to be run by somebody other than the log's operator: a club, a friend, on another
// machine. [Keeper] is the additional part of a cosigner that is a keeper of tables with a clock
// (docs/spec/66-cosigners.md, 66.8). The formats of policies and cosignatures are in ledger/tlog,
// keepers' lines in protocol/keeper.
//
// A Submitter promises:
//
//   - Appending never waits for a cosigner, except for the first quorum after a start
//     ([Submitter.StartCosigned]), for which the caller that runs the log waits. At most once a second,
//     the newest checkpoint goes to every cosigner that does not have it yet; a cosigner that is slow,
//     away or wrong delays no other.
//   - Nothing unverified is published: the key is the cosigner's, the checkpoint exactly ours, and
//     the time within an hour of our clock.
//   - Somebody who sends our published checkpoints to a cosigner before we do cannot prevent our
//     cosignatures: we ask the cosigner again at once, from the size that it has reached.
//   - A checkpoint is published as cosigned when its cosignatures are a quorum of the policy, and
//     again with those that come later.
//   - A cosigner that claims to have seen another history ends the log: it has signed a larger tree
//     than ours, or one that ours does not extend. Either our data is an old copy, and going on
//     would fork the log, or the cosigner is broken. The log cannot tell which, and a fork cannot
//     be undone. So the log stops, and does not start again, until its operator has found out
//     ([OtherHistoryError]).
//
// A Cosigner promises, to everybody who has its key: of any two checkpoints of a log that it has
// cosigned, the smaller tree is the beginning of the larger one, over crashes and restarts. So a
// checkpoint under enough cosignatures is the one that everybody else is shown. A checkpoint is on
// disk before its cosignature leaves; the check against the last checkpoint, the write and the
// signature are made under one lock. A directory belongs to one process and must not be restored
// from a backup: an old state would let the cosigner contradict itself. Begin a new directory with
// a new key instead. A Cosigner stores no logs and reads no entries.
//
// A Keeper holds messages that a log may withhold, and signs silences: statements that it was shown
// no message. It promises for the key of its lines never to sign a silence about a place after it
// answered a hold there, over crashes and restarts, so that an honest keeper can never be
// convicted; and never to sign one about a message that it was given and could not keep. A hold is
// synced to disk before it is answered. Whatever fails in between, or is forgotten later, leaves a
// doubt (file doubts), and the keeper signs nothing about a place in doubt. It signs a silence
// under the lock that a hold takes, and only about a parent that this process has itself found in
// the log, under a checkpoint that it has cosigned, and has shown to everybody for the table's
// grace by its own monotonic clock. What it showed before a restart does not count, since nobody
// could read it meanwhile. Lines do not name a log, so a keeper serves only one. It replays no
// tables: it knows that a seat of the table signed a held message, but not that the message follows
// the rules.
package cosign
