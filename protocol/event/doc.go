// Package event says what an event came to: a competition of many tables, judged from its entries
// and from the sheets of its tables alone (docs/spec/55-events.md, 56-seating.md).
//
// A [History] takes the event's entries in the order of the log: notices of players, and one chain
// of decisions by those whom the event entitles. A forbidden entry is void and says why. An allowed
// entry that is not what the published method gives counts, since it was played, and is a
// [Departure]. [Judge] computes draw, seatings, scores and ranks again and compares.
//
// Every point rests on one of four layers, which are never mixed: proved by rules and proofs,
// agreed by signatures of the seats, by the clock of named keepers, or ruled.
//
// The package is pure: it reads no log, no clock and no random source. Server, client and verifier
// use the same functions.
package event
