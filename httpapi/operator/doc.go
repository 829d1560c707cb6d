// Package operator is what the operator of a server sees of it, apart from
// everybody else's surface: metrics in the format of Prometheus, and whether the
// server lives and is ready, with the reasons.
//
// It knows nothing of logs and tables: who starts the server tells [Metrics]
// what happens, and names the checks of [Health]. Labels have few values, all of
// them the server's own words: nothing that a caller sent becomes one.
//
// What it shows is no secret of players, but is for the operator alone: [Handler] may
// want a token.
package operator
