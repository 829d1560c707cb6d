// Package book is the book of five-card draw: records of deals as text (package record
// beside it).
package book

import (
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
)

// Book is what five-card draw has.
var Book = withRecords(book.Book{Game: fivecarddraw.Rules{}.Name()})
