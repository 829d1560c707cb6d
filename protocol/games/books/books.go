// Package books is the catalogue of what games have besides: rule sets to compare and
// records of deals (protocol/book). A game may have none.
package books

import (
	"github.com/pakli/pakli/protocol/book"
	fivecarddraw "github.com/pakli/pakli/protocol/games/fivecarddraw/book"
	skat "github.com/pakli/pakli/protocol/games/skat/book"
	tarokk "github.com/pakli/pakli/protocol/games/tarokk/book"
)

var catalogue = []book.Book{
	tarokk.Book,
	skat.Book,
	fivecarddraw.Book,
}

// Catalogue returns every book.
func Catalogue() []book.Book { return append([]book.Book{}, catalogue...) }

// Lookup returns the book of the game with that name, "<game>/v<N>"; an empty one if
// it has none.
func Lookup(name string) book.Book {
	for _, b := range catalogue {
		if b.Game == name {
			return b
		}
	}
	return book.Book{Game: name}
}
