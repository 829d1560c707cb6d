// Package book is the book of Skat: its options, and records of deals (package record
// beside it).
package book

import (
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
)

// Book is what Skat has. A demo's list is scored as tournaments do.
var Book = withRecords(book.Book{Game: skat.Rules{}.Name(), Demo: map[string]string{"score": ruleset.SeegerFabian}})
