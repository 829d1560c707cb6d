// Package table is the kernel: it replays the signed messages of one table and says, for each,
// whether it is applied, void or foul, and what play waits for, and from whom
// (docs/spec/50-table.md).
//
// A table is a session of one or many deals. Its genesis entry names the game, its options, the
// suite and the seats. Every seat posts a card key. Then the game's [Rules] ask, phase by phase,
// for shuffles, tokens, hand-overs, permutations of hands, and moves. A deal is among the seats
// that shuffle it; the other seats owe nothing in it. The server, which admits messages, the
// player, who makes them, and the verifier, who trusts neither, all use this code.
//
// A message passes three stages: form (it parses, wire), authority (it is of this table, signed by
// its seat, built on the head, and due), effect (its body, its proofs and the rules). A message
// that fails form or authority is void: a dishonest log could have put it there, so no seat is
// blamed. One that fails effect is foul: the seat signed it, for this place in the history, and it
// is wrong. Apply is pure and all-or-nothing. States are immutable and may be read by many
// goroutines.
//
// This package computes every statement to prove from the state. A message carries only proofs and
// fresh values. Tokens are due only for cards that came out of verified shuffles and that the rules
// assigned to another seat, so no seat can be made a decryption oracle.
//
// This package reads no secret. What only a player needs, from the faces of a hand to the moves to
// choose from, is in package play. What a game shows to people comes from the typed state, by
// [Public].
//
// Where to read: rules.go says what a game is, fault.go what can be wrong, apply.go has the three
// stages, step.go the effect of each kind of message, act.go that of each act, clock.go the claims
// among them, ending.go the ends that are not by the rules, phase.go what is due next, deal.go the
// cards, state.go and read.go the rest. branch.go is for entries that a log puts beside the
// history; pile.go, disclose.go and beacon.go are for what only some games and suites need.
//
// The package knows cards, keys and proofs only through package proof, so it runs unchanged over
// any card encoding.
package table
