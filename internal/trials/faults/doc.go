// Package faults breaks the machine under a log and checks the log's promises: no acknowledged entry
// is ever lost, and the log never forks.
//
// The tests run this binary again as a process that serves a log under load, kill it, or let its disk
// lie, fill up or lose power, and then audit the log. After every fault the same oracle judges: the
// log opens; its entries, hashed again, have the root that it signs; every acknowledged entry is
// where its receipt says; every receipt verifies; and every checkpoint ever seen is a beginning of
// the log, computed with golang.org/x/mod/sumdb/tlog and not with the log's own proofs. The
// checkpoints that one client sees never shrink.
//
// go test -C internal/trials/faults ./... runs the short forms; docs/reliability.md has the commands
// of the long forms and the results. Tests for which the machine lacks something (strace, the right
// to mount) are skipped with a message.
package faults
