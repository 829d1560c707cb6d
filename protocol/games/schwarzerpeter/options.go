package schwarzerpeter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Options are the table's rules. All but Rules are empty under the rule set
// "article", which has none.
type Options struct {
	Rules      string `json:"rules"`                 // "common" or "article"
	Pack       string `json:"pack,omitempty"`        // "32" or "52" cards, less one (SP-C1)
	Odd        string `json:"odd,omitempty"`         // "jack" or "queen": of which one black card is taken out (SP-C1)
	Pair       string `json:"pair,omitempty"`        // "colour": same rank and colour, or "rank": same rank (SP-C1)
	KeepPairs  string `json:"keep-pairs,omitempty"`  // "true": players may be expected to keep pairs (SP-C3)
	LastHolder string `json:"last-holder,omitempty"` // of the odd card: "loses" or "wins" (SP-C5)
}

// commonOnly are the options that the rule set "article" does not have.
var commonOnly = []string{"pack", "odd", "pair", "keep-pairs", "last-holder"}

func readOptions(c table.Config) (Options, error) {
	r := table.ReadOptions(c)
	o := Options{Rules: r.Choice("rules", "common", "article")}
	if o.Rules == "article" {
		if err := checkArticle(c); err != nil {
			return Options{}, err
		}
		return o, r.Err()
	}
	o.Pack = r.Choice("pack", "32", "52")
	o.Odd = r.Choice("odd", "jack", "queen")
	o.Pair = r.Choice("pair", "colour", "rank")
	o.KeepPairs = r.Choice("keep-pairs", "false", "true")
	o.LastHolder = r.Choice("last-holder", "loses", "wins")
	if err := r.Err(); err != nil {
		return Options{}, err
	}
	if c.Seats < 2 || c.Seats > 8 {
		return Options{}, fmt.Errorf("SP-C2: %d seats, the common rules are for 2 to 8", c.Seats)
	}
	return o, checkDeals(c)
}

func checkArticle(c table.Config) error {
	for _, name := range commonOnly {
		if _, given := c.Options[name]; given {
			return fmt.Errorf("option %s: only the common rules have it, and not rules=article", name)
		}
	}
	if c.Seats != 2 {
		return fmt.Errorf("SP-S2: %d seats, the article's rules are for exactly 2", c.Seats)
	}
	return checkDeals(c)
}

func checkDeals(c table.Config) error {
	if c.Deals < 1 {
		return errors.New("a table has at least one deal")
	}
	return nil
}

// The article's types; type 0 is the Schwarzer Peter.
const types = 12

// Suits and ranks of a pack. Clubs and spades are black.
const suits = "CSHD"

var ranks = []string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"}

// faces lists the names of the deck's faces.
func (o Options) faces() []string {
	if o.Rules == "article" {
		return articleFaces()
	}
	low := 0
	if o.Pack == "32" {
		low = slices.Index(ranks, "7")
	}
	var faces []string
	for _, rank := range ranks[low:] {
		for _, suit := range suits {
			if f := rank + string(suit); f != o.takenOut() {
				faces = append(faces, f)
			}
		}
	}
	return faces
}

// articleFaces are SP-S1: "0", and "1a", "1b" to "12a", "12b".
func articleFaces() []string {
	faces := []string{"0"}
	for t := 1; t <= types; t++ {
		faces = append(faces, fmt.Sprintf("%da", t), fmt.Sprintf("%db", t))
	}
	return faces
}

// takenOut is the black card that a pack lacks (SP-C1).
func (o Options) takenOut() string {
	if o.Odd == "queen" {
		return "QC"
	}
	return "JC"
}

func (o Options) deck() (card.Deck, error) {
	if o.Rules == "article" {
		return card.NewDeck("schwarzer-peter-25", o.faces())
	}
	return card.NewDeck("schwarzer-peter-"+o.Pack+"-without-"+o.takenOut(), o.faces())
}

// isPair reports whether two faces of the deck, by their names, are a pair
// (SP-S3, SP-C1). The last letter of a name is the copy or the suit.
func (o Options) isPair(f, g string) bool {
	sameRank := f[:len(f)-1] == g[:len(g)-1]
	sameColour := isRed(f) == isRed(g)
	return f != g && sameRank && (sameColour || o.Rules == "article" || o.Pair == "rank")
}

func isRed(face string) bool { return strings.HasSuffix(face, "H") || strings.HasSuffix(face, "D") }
