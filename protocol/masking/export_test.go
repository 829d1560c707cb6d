package masking

// DeckOf is NewDeck with elements that the caller chooses.
var DeckOf = deckOf
