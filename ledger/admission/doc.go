// Package admission says what may enter the log, and what each table and event came to:
// it replays the messages of every table and lets in what the table's state
// accepts (docs/spec/70-http.md §4). It keeps rubbish out and answers players
// at once; whoever verifies the log does not rely on it.
//
// What is posted is decided in the order form, authority, effect:
//
//   - what does not parse is a [FormError] (whoever hands an entry in has parsed it);
//   - a genesis entry begins a table if its organiser may begin tables, else it
//     is an [OrganiserError], and if package table opens it, else a
//     [GenesisError];
//   - a message to no table, or a notice or decision of no event, is an [UnknownError];
//   - a message built on another entry than the head is a [Conflict], with the
//     head;
//   - a message to a table that has as much as it may is a [FullError];
//   - a message that is void for another reason, or foul at a table that
//     refuses fouls, is a [Refusal], with the check it failed;
//   - a foul at a table that records fouls enters the log as evidence and ends
//     the table: [PostedEntry] has the fault;
//   - bytes that are in the log already change nothing and are answered with
//     the receipt of their first place, also when play has moved on.
//
// None of the errors has stored anything.
//
// # How a subject moves on
//
// A subject is a table or an event. What is known of one is one value that does not change, a moment.
// Readers take the moment there is, and wait for nothing but a replay. Who posts a message judges it
// on a moment too, proofs included, and hands what it found to the owner of the table,
// the one goroutine that moves it on, and which is there while somebody has something for
// it. The owner looks whether the table is still as it was, and else has the message
// judged anew; asks the log; and puts the next moment in place of the last. So a subject
// has two inputs: what is posted, and what is placed, which is what the log has at an
// index. Nothing that takes long is done between them but the append. Entries of events have no
// proofs: the owner judges them, and has the log take notices together.
//
// A table advances only after the log has promised the entry (durable before
// promised). When the log does not say whether it took an entry, the table stands
// still until it does: before anything else happens at the table, and when somebody
// reads it, the same bytes are appended again, which a [tlog.Log] answers with their
// first index. What the log refuses on the first try is in no doubt. Reading the log
// anew would not be enough, since what is not there yet may still arrive.
//
// Who has to wait until proofs are checked, and who posts too much under one key,
// is for a [Gate] to say. Nobody waits at a table for somebody who waits at the gate.
//
// # What is kept
//
// The log is the only state. [Open] passes over its entries once, to find out
// which belong to which table, or over those that came after the index was saved
// (see index.go: a copy of what such a pass found, bound to a root of the log, which
// can be deleted at any time); a table is replayed when it is first used, and forgotten
// when many others have been used since. That replay is the verifier's (package replay),
// whatever the log holds: void, foul and unparsable entries included. Its proofs are
// checked in batches, and nothing of the replayed table is used before all of them hold.
package admission
