// Command pakli-verify says what is true of a table: it is sound, unfinished or foul, or the log is
// broken.
//
//	pakli-verify --log VKEY --table ID URL
//	pakli-verify --log VKEY --table ID DIR
//	pakli-verify --policy FILE --table ID URL
//	pakli-verify --log VKEY game.pakli
//	pakli-verify --log VKEY --all URL|DIR
//	pakli-verify --log VKEY --all --format html -o REPORTS URL|DIR
//	pakli-verify --log VKEY *.pakli
//	pakli-verify --log VKEY --event ID URL|DIR
//	pakli-verify follow URL --log VKEY --state DIR
//	pakli-verify evidence FILE --log VKEY
//
// It reads the public surface of a log, by URL or from a mirror's directory, or a bundle, which has
// one table and can be compared with a log (--against). It trusts only the log's verifier key
// (package verifier). With a policy (c2sp.org/tlog-policy) it requires enough cosignatures of the
// checkpoint and names them; without --log it takes the logs of the policy. With --all, several
// --table, or several bundles, it verifies many tables and adds up their results. With --event it
// verifies a competition: its roster, draw, seatings, tables, rulings and standings (package events).
// It also follows a growing log (package follow) and checks evidence that this produced.
//
// Exit codes: 0 sound, 8 sound for its seats, 6 adjudicated, 3 unfinished, 4 foul, 5 log broken, 1
// cannot check, 2 wrong usage, 9 evidence convicts a keeper. For many tables it is the worst, in the
// order 0, 8, 6, 3, 1, 4, 5. For an event: 0 confirmed, 6 adjudicated, 3 unfinished, 7 misreported, 4
// a foul that nobody ruled on.
package main

import "github.com/pakli/pakli/cmd/pakli-verify/verification"

func main() { verification.Main() }
