// Package book is the book of Skat: its options, and records of deals (package record
// beside it).
package book

import (
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
)

// Book is what Skat has. A demo's list is scored as tournaments do.
var Book = withRecords(book.Book{Game: skat.Rules{}.Name(), Demo: map[string]string{"score": ruleset.SeegerFabian}, Events: []book.Event{series}})

// series is two lists (SK-R-67) by Seeger and Fabian, ranked as SK-R-68 has it. Tables of three
// play as many deals as those of four; the number is the club's word.
var series = book.Event{Name: "skat-series", Options: map[string]string{"score": ruleset.SeegerFabian}, Deals: 48, Rounds: 2, Sizes: []int{4, 3},
	Seating: []string{"random", "random"}, Ties: []string{"won", "lost", "lot"}}
