// Package cosign is both ends of cosigning (c2sp.org/tlog-witness): [Submitter] shows the checkpoints
// of a log to its cosigners and publishes what they sign; [Cosigner] is a small one, to be run by
// somebody who does not run the log: a club, a friend, on another machine; [Keeper] is what a
// cosigner does besides that is a keeper of tables with a clock (docs/spec/66-cosigners.md, 66.8).
// Policies and cosignatures as such are in ledger/tlog, keepers' lines in protocol/keeper.
//
// A Submitter promises:
//
//   - Appending never waits for a cosigner, but for the first quorum after a start
//     ([Submitter.StartCosigned]), which is for who runs the log to await. Every second at most, the
//     newest checkpoint goes to every cosigner that does not have it yet; one that is slow, away or wrong
//     delays no other.
//   - Nothing is published that was not verified: the cosigner's key, exactly our checkpoint, and a time
//     within an hour of our own clock.
//   - Who shows a cosigner what we have published, before we do, keeps nothing from being cosigned for
//     us: it is asked again at once, from where it is.
//   - A checkpoint is published as cosigned when the cosignatures are a quorum of the policy, and again
//     with those that come later.
//   - A cosigner that says it has seen another history ends the log: it has signed a larger tree than we
//     have, or one that ours does not grow out of. Either our data is an old copy, and going on would fork
//     the log, or the cosigner is broken. Nobody can tell from here, and a fork cannot be undone: so the log
//     stops, and does not start again, until its operator has found out ([OtherHistoryError]).
//
// A Cosigner promises, to everybody who has its key: of any two checkpoints of a log that it has
// cosigned, the smaller tree is the beginning of the larger one, over crashes and restarts. So a
// checkpoint under enough cosignatures is the one that all others are shown too. What has been cosigned is
// on disk before the cosignature leaves: the check against the last checkpoint, the write and the signature are
// made under one lock. A directory is for one process, and is of no use from a backup: an old state would
// let the cosigner contradict itself. Begin a new one, with a new key. It stores no logs and looks at no entries.
//
// A Keeper holds messages that a log may withhold, and says when it was shown none. It promises of the
// key of its lines: no silence about a place after a hold that was answered, over crashes and restarts, so
// that an honest keeper can never be convicted; and none about a message that it was given and could not
// keep. A hold is on disk, synced, before it is answered; whatever fails in between, or is forgotten later,
// leaves a doubt (file doubts), and where there is doubt nothing is said. A silence is signed under the
// lock that a hold takes, about a parent that this process has itself found in the log, under a checkpoint that
// it has cosigned, and has shown to everybody for the table's grace by its own monotonic clock: what it
// showed before a restart does not count, since nobody could read it meanwhile. Lines do not name a log,
// so a keeper keeps for one. It replays no tables: of what it holds it knows that a seat of
// the table signed it, and not that it breaks no rule.
package cosign
