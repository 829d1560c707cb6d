// Package trial breaks a cluster under load and checks what its log promises: nothing
// that was acknowledged is ever lost, and the log never forks.
//
// The load is clients that post through HAProxy, players at tables and organisers who
// begin some; each posts the same bytes again until they are acknowledged, and each
// acknowledgement is a receipt that verifies. Witnesses look on: Tessera's client,
// which knows nothing of pakli, a cosigner that is asked by all front ends, and a reader
// of every checkpoint that any front end shows. After every fault the oracle reads
// the whole log anew from every front end, hashes it with golang.org/x/mod/sumdb/tlog,
// and asks: is every acknowledged entry where its receipt says, is none there twice, and is
// every checkpoint that anybody has ever seen a beginning of the log?
//
// Silence is measured, and printed beside the bars of docs/guide/cluster.md; it
// decides nothing, since machines are busy.
package trial
