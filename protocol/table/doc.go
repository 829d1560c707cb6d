// Package table is the kernel: it replays the signed messages of one table and
// says, for each, whether it is applied, void or foul, what play waits for,
// and from whom (docs/spec/50-table.md).
//
// A table is a session of one or many deals. Its genesis entry names the game,
// its options, the suite and the seats. Every seat posts a card key; then the
// game's [Rules] ask, phase by phase, for shuffles, tokens, hand-overs,
// permutations of hands, and moves. A deal is among the seats that shuffle it; of
// another the protocol asks nothing. The same code serves the server, which
// admits messages, the player, who makes them, and the verifier, who trusts
// neither.
//
// A message passes three stages: form (it parses, wire), authority (it is of
// this table, signed by its seat, built on the head, and due), effect (its
// body, its proofs and the rules). What fails form or authority is void: a
// dishonest log could have put it there, so no seat is blamed. What fails
// effect is foul: the seat signed it, for this place in the history, and it is
// wrong. Apply is pure and all-or-nothing; states are immutable and may be
// read by many goroutines.
//
// Every statement to prove is computed here from the state; a message carries
// proofs and fresh values only. Tokens are due only for cards that came out of
// verified shuffles and that the rules assigned to another seat, so no seat
// can be made a decryption oracle.
//
// No secret is read here. What only a player needs of a table and of its game,
// from a hand's faces to the moves to choose from, is package play; what a game
// shows to people it takes from the typed state, by [Public].
//
// To read it: rules.go is what a game is, fault.go what can be wrong, apply.go the
// three stages, step.go what each kind of message does, act.go what each act, and clock.go
// the claims among them, ending.go how a table ends otherwise than by its rules, phase.go what is due
// next, deal.go the cards, state.go and read.go the rest; branch.go is for what a log puts beside the
// history, pile.go, disclose.go and beacon.go for what some games and suites ask for besides.
//
// The package knows cards, keys and proofs only through the seam of package
// proof: it runs unchanged over any card encoding.
package table
