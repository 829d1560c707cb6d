package schwarzerpeter_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	sp "github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = play.Of(sp.Rules{})

type options = map[string]string

// tables are all shapes of a table: every option, the smallest and the largest
// number of seats, several deals.
var tables = []tabletest.Config{
	{Seats: 2, Options: options{"rules": "article"}},
	{Seats: 2, Deals: 2, Options: options{"rules": "article"}},
	{Seats: 2},
	{Seats: 3, Deals: 2},
	{Seats: 4, Options: options{"pair": "rank", "last-holder": "wins"}},
	{Seats: 5, Options: options{"pack": "52", "odd": "queen"}},
	{Seats: 3, Options: options{"keep-pairs": "true", "pair": "rank"}},
	{Seats: 8},
}

func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	chosen := thorough.Some(t, len(tables), 3)
	for i, c := range tables {
		if i > 0 && (!chosen(i) || c.Seats >= 5 && !thorough.Tests()) {
			continue // the referee plays them
		}
		c.Playouts, c.Invariant, c.Legal = 12/c.Seats+1, invariant, legal
		configs = append(configs, c)
		for _, name := range thorough.Suites(suite.Proving(proof.Relations()...)) {
			if i == 0 && (name == suite.Default || thorough.Tests()) || i == 6 && name == suite.Default && thorough.Tests() {
				c.Suite, _ = suite.Lookup(name)
				c.Playouts = 1
				configs = append(configs, c)
			}
		}
	}
	tabletest.Run(t, game, configs...)
}

func public(t *tabletest.Table) sp.State { return decode(t.State) }

func decode(s *table.State) (state sp.State) {
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		panic(err)
	}
	return state
}

// legal is SP-S3 and SP-C3 with open cards.
func legal(t *tabletest.Table, seat table.Seat, move json.RawMessage) error {
	var m sp.Move
	if err := json.Unmarshal(move, &m); err != nil || m.Lay == nil {
		return err
	}
	hand := t.Hand(seat)
	for _, p := range *m.Lay {
		for _, c := range p {
			if f, held := hand[c.Card]; !held || t.State.FaceName(f) != c.Face {
				return fmt.Errorf("card %d is not %s", c.Card, c.Face)
			}
		}
		if !naivePair(public(t).Options, p[0].Face, p[1].Face) {
			return fmt.Errorf("%v is no pair", p)
		}
	}
	return nil
}

// invariant: what the public state says of hands is what the masks say, the
// pairs on the table and the cards in hands are the deck, and the odd card is
// never laid down.
func invariant(t *tabletest.Table) error {
	s := public(t)
	if t.State.Deal() == 0 || s.Stage == sp.Shuffling || s.Stage == sp.Dealing {
		return nil
	}
	var seen card.Set
	for seat, hand := range s.Hands {
		held := t.State.Hand(table.Seat(seat))
		if sorted := slices.Sorted(slices.Values(hand)); !slices.Equal(sorted, held) {
			return fmt.Errorf("the state says that seat %d holds %v, the masks say %v", seat, sorted, held)
		}
		for _, f := range t.Hand(table.Seat(seat)) {
			seen = seen.With(f)
		}
	}
	inHands, open := seen.Len(), t.State.Faces()
	for c, f := range open {
		seen = seen.With(f)
		if s.Options.Pair != "rank" && t.State.FaceName(f) == oddOf(s.Options) {
			return fmt.Errorf("card %d on the table is the odd one", c)
		}
	}
	deck, _ := t.State.Deck()
	if inHands+len(open) != len(deck) || seen.Len() != len(deck) {
		return fmt.Errorf("%d cards in hands, %d on the table, %d different: the deck has %d", inHands, len(open), seen.Len(), len(deck))
	}
	return nil
}

func oddOf(o sp.Options) string {
	switch {
	case o.Rules == "article":
		return "0"
	case o.Odd == "queen":
		return "QS"
	}
	return "JS"
}

func naivePair(o sp.Options, f, g string) bool {
	rank, kind := func(s string) string { return s[:len(s)-1] }, func(s string) byte { return s[len(s)-1] }
	if f == g || rank(f) != rank(g) {
		return false
	}
	if o.Rules == "article" || o.Pair == "rank" {
		return true
	}
	together := map[byte]byte{'C': 'S', 'S': 'C', 'H': 'D', 'D': 'H'}
	return together[kind(f)] == kind(g)
}
