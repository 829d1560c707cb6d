// Package admission decides what may enter the log, and keeps the state of each table and event. It
// replays the messages of every table and lets in those that the table's state accepts
// (docs/spec/70-http.md §4). It keeps rubbish out and answers players at once; verifiers of the log
// do not rely on it.
//
// It decides about an entry in the order form, authority, effect:
//
//   - bytes that do not parse are a [FormError] (the caller has parsed the entry);
//   - a genesis entry begins a table if its organiser may begin tables, otherwise it is an
//     [OrganiserError], and if package table opens it, otherwise it is a [GenesisError];
//   - a message to no table, or a notice or decision of no event, is an [UnknownError];
//   - a message that follows another entry than the head is a [Conflict] with the head;
//   - a message to a full table is a [FullError];
//   - a message that is void for another reason, or foul at a table that refuses fouls, is a
//     [Refusal] with the failed check;
//   - a foul at a table that records fouls enters the log as evidence and ends the table:
//     [PostedEntry] has the fault;
//   - bytes that are in the log already change nothing and are answered with the receipt of their
//     first place, even after play has moved on.
//
// After any of these errors nothing has been stored.
//
// # How a subject moves on
//
// A subject is a table or an event. Its state is one immutable value, a moment. Readers take the
// current moment and wait only for a replay. A goroutine that posts a message judges it on a moment,
// including its proofs, and hands the result to the owner of the table: the one goroutine that moves
// it on, which exists while there is work for it. The owner checks whether the table is unchanged,
// otherwise has the message judged again, asks the log, and then replaces the moment. So a subject
// has two inputs: posted entries, and placed ones, which the log has at an index. Between them only
// the append takes long. Entries of events have no proofs: the owner judges them, and has the log
// take notices together.
//
// A table moves on only after the log has promised the entry (durable before promised). If the log
// does not say whether it took an entry, the table stands still until it does: before anything else
// happens at the table, and when somebody reads it, the same bytes are appended again, which a
// [tlog.Log] answers with their first index. A refusal on the first try leaves no doubt. Reading the
// log again would not be enough, since the entry may still arrive.
//
// A [Gate] decides who has to wait until proofs are checked, and who posts too much under one key.
// Nobody at a table waits for somebody who waits at the gate.
//
// # What is kept
//
// The log is the only state. [Open] reads its entries once to find out which belong to which table,
// or only those after the saved index (see index.go: the result of an earlier pass, bound to a root
// of the log, which can be deleted at any time). A table is replayed when it is first used, and
// forgotten after many others have been used. That replay is the verifier's (package replay) and
// handles whatever the log holds, including void, foul and unparsable entries. Its proofs are checked
// in batches, and the table is used only once all of them hold.
package admission
