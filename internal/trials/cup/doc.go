// Package cup plays whole events with the released programs: a server, an organiser's pakli event
// run, and many players, all of them processes that are killed at any moment and restarted. Whatever
// happens, the event must end, each place have one table, each decision one successor, and
// pakli-verify must explain every line.
//
// The package consists of tests:
//
//	go test -C internal/trials/cup ./...
package cup
