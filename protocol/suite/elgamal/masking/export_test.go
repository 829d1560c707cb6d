package masking

import "github.com/pakli/pakli/protocol/transcript"

// DeckOf is NewDeck with elements that the caller chooses.
var DeckOf = deckOf

// ShuffleMask is what a shuffle is hedged by.
func ShuffleMask(k *Key, in []Card) transcript.Statement { return shuffleMask{k, in} }

// TransferMask is what a hand-over is hedged by.
func TransferMask(from, to *Key, old Card) transcript.Statement { return transferMask{from, to, old} }
