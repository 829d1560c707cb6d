// Package faults breaks the machine under a log and checks what the log promises:
// nothing that was acknowledged is ever lost, and the log never forks.
//
// The tests run this binary again as a process that serves a log under load,
// kill it, or let its disk lie, fill up or lose power, and then audit what is
// left. After every fault the same oracle judges: the log opens; its entries,
// hashed again, have the root that it signs; every entry that was ever
// acknowledged is where its receipt says; every receipt verifies; and every
// checkpoint that was ever seen is a beginning of the log, computed with
// golang.org/x/mod/sumdb/tlog and not with the log's own proofs. The checkpoints
// of one client never shrink.
//
// go test -C internal/trials/faults ./... runs the short forms; docs/reliability.md
// has the command of every long form, and what was seen. What a machine cannot do
// (no strace, no right to mount) is skipped with a message that says what is missing.
package faults
