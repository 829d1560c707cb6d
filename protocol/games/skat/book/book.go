// Package book is the book of Skat: its options, and records of deals (package record
// beside it).
package book

import (
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/skat"
)

// Book is what Skat has.
var Book = withRecords(book.Book{Game: skat.Rules{}.Name()})
