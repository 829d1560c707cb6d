// Package trial breaks a cluster under load and checks the log's promises: no acknowledged entry is
// ever lost, and the log never forks.
//
// The load is clients that post through HAProxy: players at tables, and organisers who begin tables.
// Each posts the same bytes again until they are acknowledged by a receipt that verifies. The
// witnesses are Tessera's client, which knows nothing of pakli, a cosigner of all front ends, and a
// reader of every checkpoint that any front end shows. After every fault the oracle reads the whole
// log again from every front end, hashes it with golang.org/x/mod/sumdb/tlog, and checks that every
// acknowledged entry is where its receipt says, that no entry is there twice, and that every
// checkpoint ever seen is a beginning of the log.
//
// The length of silences is printed beside the bars of docs/guide/cluster.md. It decides nothing,
// since machines are busy.
package trial
