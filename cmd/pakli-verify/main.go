// Command pakli-verify says what is true of a table: sound, unfinished, foul, or
// the log is broken.
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
// It reads the public surface of a log, by URL or from a mirror's directory, or a
// bundle, which has one table and can be compared with a log (--against),
// and trusts the log's verifier key alone (package verifier). With a policy
// (c2sp.org/tlog-policy) it wants a checkpoint that enough cosigners have seen,
// and says which; without --log, the logs are those of the policy. With --all,
// several --table, or several bundles, it verifies many tables together, and adds up
// their results. With --event it verifies a competition: its roster, draw, seatings,
// tables, rulings and standings (package events).
// It follows a log as it grows (package follow), and checks the evidence of that.
// Exit codes: 0 sound, 8 sound for its seats, 6 adjudicated, 3 unfinished, 4 foul, 5 log broken, 1 cannot check,
// 2 wrong usage, 9 a keeper that evidence convicts; of many tables the worst, in the order 0, 8, 6, 3, 1, 4, 5. Of an event 0
// confirmed, 6 adjudicated, 3 unfinished, 7 misreported, 4 a foul that nobody ruled on.
package main

import "github.com/pakli/pakli/cmd/pakli-verify/verification"

func main() { verification.Main() }
