package elgamal

import "github.com/pakli/pakli/protocol/proof"

const MaxDecks = maxDecks

// Decks returns how many decks e remembers.
func Decks(e proof.Encoding) int { return len(e.(boundedEncoding).decks) }
