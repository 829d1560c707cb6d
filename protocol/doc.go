// Package protocol is the map of pakli's protocol; it holds no code.
//
// The parties: players, each at a seat, with an Ed25519 key that signs and, for
// each table, a card secret; an organiser, who signs a table's first entry and
// then has no part in it; a log, which orders entries and cannot forge one;
// verifiers, who trust nobody but the log's key.
//
// What is trusted for what: nobody for fairness and for the rules, which are
// proved; all but one of the players for nothing, since a hand stays hidden
// from any coalition that does not hold its owner's secret, as long as one
// player who shuffled does not tell his permutation; the log for showing
// everybody the same, which consistency proofs check.
//
// The flow of a deal: every seat shuffles the deck in turn and proves it
// (Shuffle); the rules assign places of the deck to seats, and all other seats
// give tokens for them (Show); a seat reads its hand with its own secret,
// plays a card by giving its own token, and proves facts about the rest of its
// hand (Move); cards change hands by re-encryption (Give) and a hand is
// permuted under its owner's own key (Permute).
//
// The packages, from the bottom: suite/group (ristretto255, squares modulo a prime, and batches of
// equations over either), transcript (Fiat–Shamir), card (faces, decks, sets), proof (the seam:
// statements and suites), suite/elgamal and the other folders of suite (masked cards, and one folder for
// each argument), suite (the catalogue), wire (entries), keeper (signed times), table (the kernel) with
// table/play (what a seat sees and may do), replay (what became of the entries of a log), games (the
// rules), player (a seat's side), toolbox (card operations for scripts). Beside them, and trusted with
// nothing: bulletin and event (competitions of many tables), offer (open tables), scene (how games are
// shown), scene/words (three languages), game (a game put together of its parts, and what records of its
// deals are) with games/records (their catalogue).
// Each says what it promises in its own comment; docs/spec is the normative text, and
// docs/design/rings.md the order to read the code in.
package protocol
