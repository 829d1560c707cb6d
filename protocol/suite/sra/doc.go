// Package sra has the suites of cards under commuting locks over a group of prime order: mental poker
// as it was invented (Shamir, Rivest and Adleman, "Mental Poker", 1979), with a proof for every step,
// or with every lock disclosed after the game.
//
// They know ownership, shuffles of decks and unlocking. Cards cannot be handed over, hands not
// permuted, and nothing can be stated about hidden cards: a receiver would have to lock a card before
// its giver unlocks it, which takes more than one message. Tables of games that need that do not open.
// Card keys are for one deal, since locks are deterministic.
//
//	secret of a seat   e ∉ {0, 1, −1}, key K = e·G
//	face f of deck D   M_f, as in package masking
//	open card          M
//	lock               e·Y
//	unlock             e^(−1)·Y, which is the token and the card that is left
//
// A card is one element under the locks of some seats, in any order. The group has prime order and its
// elements are not numbers with residues, so no face shows through a lock, as one could in 1979 by the
// Legendre symbol. Faces are hashed, so no relation between them is known that a lock would preserve.
//
// A lock is deterministic: whoever sees a card before and after it is unlocked recognises the card
// wherever the same lock is used. So a lock is for one deal.
//
//	shuffle   statement  K; in_1 … in_N; out_1 … out_N
//	          witness    e, π with K = e·G, out_i = e·in_π(i)
//	unlock    statement  K; cards Y_1 … Y_k, tokens Y'_1 … Y'_k
//	          witness    e with K = e·G, Y_j = e·Y'_j
//
// The shuffle argument is (5) to (7) of package bayergroth for π, and two equations about e (33.3).
// That of unlocking is relations.Shares, with the tokens as bases and the cards as shares. Both promise
// what these promise. Nothing like Σ b_i·out_i is sent alone: e·Σ x^i·in_i would let everybody test a
// guessed order.
//
// The prover takes constant time, including the permutation.
//
// Keys, decks and batches are those of package elgamal. Normative text: docs/spec/33-locks.md.
package sra
