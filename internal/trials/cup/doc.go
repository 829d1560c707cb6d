// Package cup plays whole events with the programs that people have: a server, an organiser's
// pakli event run, and crowds of players, all of them processes that are killed at any moment and
// started again. Whatever happens, the event comes to its end, each place has one table, each
// decision has one successor, and pakli-verify says of every line why it is there.
//
// The tests are all that it has:
//
//	go test -C internal/trials/cup ./...
package cup
