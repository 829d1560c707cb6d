// Package schwarzerpeter is the game of Schwarzer Peter (Old Maid), in two rule sets: "article", the
// worked example of the LibTMCG article for two players, and "common", as it is played by two to eight.
// docs/spec/60-games.md, 60.4, states the rules under the numbers SP-S1… and SP-C1… that errors and
// tests cite, and what must be proved.
//
// A card is drawn by its position in the holder's hand. The holder masks it for the drawer (Give), who
// permutes the whole hand (Permute), so that nobody can follow the card. Pairs are laid down by opening
// both cards. No rule needs a fact about hidden cards: nobody can see that a pair was kept, so laying
// down is a right and not a duty.
//
// Scores are zero-sum: the seat left with the odd card loses one point to each of the others. A table of
// several deals adds them up, and the first seat moves on by one from deal to deal.
package schwarzerpeter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Rules implements table.Rules, and play.Rules for players.
type Rules struct{}

var _ table.Rules[State, Move] = Rules{}

// Name implements table.Rules.
func (Rules) Name() string { return "schwarzer-peter/v1" }

// Setup implements table.Rules.
func (Rules) Setup(c table.Config) (State, card.Deck, error) {
	o, err := readOptions(c)
	if err != nil {
		return State{}, card.Deck{}, err
	}
	deck, err := o.newDeck()
	if err != nil {
		return State{}, card.Deck{}, err
	}
	s := State{Options: o, Deals: c.Deals, Scores: make([]int, c.Seats), Last: []table.Seat{}}
	return s.beginDeal(), deck, nil
}

// Needs lists what a suite must prove for this game, in which nothing is ever stated about hidden
// cards.
func (Rules) Needs(table.Config) []string {
	return []string{"ownership", "shuffle", "reveal", "transfer", "permute"}
}

// Duties implements table.Rules.
func (Rules) Duties(s State) []table.Duty {
	switch s.Stage {
	case Shuffling:
		return []table.Duty{{Kind: table.Shuffle, Seats: s.seatsFrom(s.First)}}
	case Dealing:
		var duties []table.Duty
		for seat, hand := range s.Hands {
			duties = append(duties, table.Duty{Kind: table.Show, Cards: hand, To: []table.Seat{table.Seat(seat)}})
		}
		return duties
	case Laying, Drawing:
		return []table.Duty{{Kind: table.Move, Seats: []table.Seat{s.Turn}}}
	case Giving:
		return []table.Duty{{Kind: table.Give, Seats: []table.Seat{s.Drawn.From}, Cards: []table.Card{s.Drawn.Card}, To: []table.Seat{s.Drawn.By}}}
	case Permuting:
		return []table.Duty{{Kind: table.Permute, Seats: []table.Seat{s.Turn}, Cards: s.Hands[s.Turn]}}
	}
	return nil
}

// Settle implements table.Rules.
func (Rules) Settle(s State, _ map[table.Card]card.Face) State {
	switch s.Stage {
	case Shuffling:
		return s.dealCards()
	case Dealing:
		return s.offerLaying(s.layersAfterDeal())
	case Giving:
		return s.handOver()
	case Permuting:
		return s.offerLaying(s.layersAfterDraw())
	}
	return s
}

// Apply implements table.Rules.
func (Rules) Apply(s State, in table.Input[Move]) (State, table.Terms, error) {
	m := in.Move
	switch {
	case m.Lay != nil && m.Draw == nil && s.Stage == Laying:
		return s.layDown(*m.Lay)
	case m.Draw != nil && m.Lay == nil && s.Stage == Drawing:
		next, err := s.drawCard(*m.Draw)
		return next, table.Terms{}, err
	case s.Stage == Laying:
		return s, table.Terms{}, fmt.Errorf("%s: %c may lay down pairs now: the move is {\"lay\":[…]}", s.ruleNumber("SP-S3", "SP-C3"), seatLetter(in.Seat))
	}
	return s, table.Terms{}, fmt.Errorf("%s: %c must draw a card now: the move is {\"draw\":{…}}", s.ruleNumber("SP-S5", "SP-C4"), seatLetter(in.Seat))
}

// Result implements table.Rules.
func (Rules) Result(s State) []int { return s.Scores }

// Options are the table's rules. The rule set "article" has no options, so there all but Rules are
// empty.
type Options struct {
	Rules      string `json:"rules"`                 // "common" or "article"
	Pack       string `json:"pack,omitempty"`        // "32" or "52" cards, less one (SP-C1)
	Odd        string `json:"odd,omitempty"`         // "jack" or "queen": the black card of this rank that is taken out (SP-C1)
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

// faceNames lists the names of the deck's faces.
func (o Options) faceNames() []string {
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

// takenOut returns the black card that a pack lacks (SP-C1).
func (o Options) takenOut() string {
	if o.Odd == "queen" {
		return "QC"
	}
	return "JC"
}

func (o Options) newDeck() (card.Deck, error) {
	if o.Rules == "article" {
		return card.NewDeck("schwarzer-peter-25", o.faceNames())
	}
	return card.NewDeck("schwarzer-peter-"+o.Pack+"-without-"+o.takenOut(), o.faceNames())
}

// isPair reports whether two faces of the deck, by their names, are a pair
// (SP-S3, SP-C1). The last letter of a name is the copy or the suit.
func (o Options) isPair(f, g string) bool {
	sameRank := f[:len(f)-1] == g[:len(g)-1]
	sameColour := isRed(f) == isRed(g)
	return f != g && sameRank && (sameColour || o.Rules == "article" || o.Pair == "rank")
}

func isRed(face string) bool { return strings.HasSuffix(face, "H") || strings.HasSuffix(face, "D") }
