package tabletest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var game = play.NewGame(tabletest.Whistlet{})

func inTwos() tabletest.Config {
	return tabletest.Config{Seats: 3, Playouts: 40, Legal: legalInWhistlet, Invariant: oneOwner}
}

func TestWhistlet(t *testing.T) {
	c := inTwos()
	c.Playouts = 15
	configs := []tabletest.Config{c}
	for _, name := range testmust.ChosenSuites(t, testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...))) {
		c.Suite, _ = suite.Lookup(name)
		c.Playouts = 1
		configs = append(configs, c)
	}
	tabletest.Run(t, game, configs...)
}

// A suite of slow arithmetic that plays another game, or none: one table by the squares, up to its first
// shuffle or, in the long form, its end.
func TestSquares(t *testing.T) {
	names, messages := []string{"qr2048-bayergroth/v1"}, 4
	if testmust.Thorough() {
		names, messages = append(names, "qr3072-bayergroth/v1"), -1
	}
	for _, name := range names {
		c := inTwos()
		c.Suite, _ = suite.Lookup(name)
		played, err := tabletest.New(game, c, 1)
		if err == nil {
			err = played.Play(messages)
		}
		testmust.Do(t, err, name)
		_, over := played.State.Result()
		testmust.Holdf(t, over == testmust.Thorough(), "%s: over after %d entries: %t", name, len(played.Entries), over)
	}
}

// legalInWhistlet is W2, W4, W5 and W7 with open cards.
func legalInWhistlet(t *tabletest.Table, seat table.Seat, move json.RawMessage) error {
	var m tabletest.WhistletMove
	if err := json.Unmarshal(move, &m); err != nil {
		return err
	}
	hand := t.Hand(seat)
	honours, bySuit := 0, map[card.Face]int{}
	for _, f := range hand {
		if f%4 == 3 {
			honours++
		}
		bySuit[f/4]++
	}
	switch {
	case m.Bid == "one" && honours < 1, m.Bid == "two" && honours != 2:
		return fmt.Errorf("bids %s with %d honours", m.Bid, honours)
	case m.Bid != "":
		return nil
	case m.Recall != "":
		return recalled(t, seat, m.Recall)
	}
	face, held := hand[m.Card.Card]
	if !held || face != m.Card.Face {
		return fmt.Errorf("card %d has face %d", m.Card.Card, face)
	}
	led, ok, err := ledSuit(t)
	if err != nil || ok && led != face/4 && bySuit[led] > 0 {
		return fmt.Errorf("does not follow suit %d (%v)", led, err)
	}
	return nil
}

// recalled is W7, from what the seat saw at the time.
func recalled(t *tabletest.Table, seat table.Seat, what string) error {
	honours, drew := 0, then(t, seat, 13+table.Card(seat))
	for c := range table.Card(4) {
		if then(t, seat, 4*table.Card(seat)+c)%4 == 3 {
			honours++
		}
	}
	if what == "some" && honours == 0 || what == "none" && honours > 0 || what == "drew" && drew%4 != 3 {
		return fmt.Errorf("recalls %s, but got %d honours and drew face %d", what, honours, drew)
	}
	return nil
}

// then is the face of a card when it was in the hand of seat for the first time.
func then(t *tabletest.Table, seat table.Seat, c table.Card) card.Face {
	for _, s := range t.States {
		hand, err := play.Peek(s, seat, t.Hands[seat].Secret)
		if f, held := hand[c]; held && err == nil {
			return f
		}
	}
	panic(fmt.Sprintf("seat %d never held card %d", seat, c))
}

func ledSuit(t *tabletest.Table) (card.Face, bool, error) {
	s, err := publicState(t)
	if err != nil || len(s.Trick) == 0 {
		return 0, false, err
	}
	return s.Trick[0].Face / 4, true, nil
}

func publicState(t *tabletest.Table) (s tabletest.WhistletState, err error) {
	raw, err := t.State.Public()
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(raw, &s)
}

// oneOwner: after the draw every card is open or in one hand, each face once.
func oneOwner(t *tabletest.Table) error {
	s, err := publicState(t)
	if err != nil || !slices.Contains([]tabletest.WhistletStage{tabletest.WhistletMix, tabletest.WhistletPlay, tabletest.WhistletRecall}, s.Stage) {
		return err
	}
	seen := map[card.Face]bool{}
	for _, f := range t.State.Faces() {
		seen[f] = true
	}
	for seat := range table.Seat(3) {
		for _, f := range t.Hand(seat) {
			seen[f] = true
		}
	}
	if len(seen) != 16 {
		return fmt.Errorf("%d faces are in hands or open, want 16", len(seen))
	}
	return nil
}

// Each condition of the game is needed: without it a lie goes through, and the
// suite notices.
func TestEveryConditionIsNeeded(t *testing.T) {
	some(t, map[string]func(c table.Condition) bool{
		"at least one honour":  func(c table.Condition) bool { return !c.Dealt && c.Min == 1 },
		"exactly two honours":  func(c table.Condition) bool { return c.Min == 2 },
		"none of the led suit": func(c table.Condition) bool { return !c.Dealt && c.Max == 0 },
		"an honour dealt":      func(c table.Condition) bool { return c.Dealt && c.Min == 1 && c.Max == 4 },
		"no honour dealt":      func(c table.Condition) bool { return c.Dealt && c.Max == 0 },
		"an honour drawn":      func(c table.Condition) bool { return c.Dealt && c.Max == 1 },
	}, func(t *testing.T, omit func(c table.Condition) bool) {
		tabletest.CheckNoticed(t, tabletest.MutantGame(tabletest.Whistlet{}, func(terms table.Terms) table.Terms {
			terms.Prove = slices.DeleteFunc(slices.Clone(terms.Prove), omit)
			return terms
		}), inTwos())
	})
}

// some runs a test with half of the things that have names, or with all of them with PAKLI_TESTS=thorough: by each
// a lie is looked for until it goes through.
func some[T any](t *testing.T, named map[string]T, test func(t *testing.T, one T)) {
	names := slices.Sorted(maps.Keys(named))
	for i := range testmust.ChosenIndexes(t, len(names), len(names)/2) {
		t.Run(names[i], func(t *testing.T) { test(t, named[names[i]]) })
	}
}

// A condition over too few cards, or with bounds too wide, is as bad as none.
func TestEveryPartOfAConditionIsNeeded(t *testing.T) {
	some(t, map[string]func(c *table.Condition){
		"a card left out": func(c *table.Condition) {
			if len(c.Cards) > 1 && !c.Dealt && c.Max == 0 {
				c.Cards = c.Cards[:len(c.Cards)-1]
			}
		},
		"a card dealt left out": func(c *table.Condition) {
			if c.Dealt && c.Max == 0 {
				c.Cards = c.Cards[1:]
			}
		},
		"the card as it lies for the card drawn": func(c *table.Condition) {
			if c.Max == 1 {
				c.Dealt = false
			}
		},
		"a bound too low":  func(c *table.Condition) { c.Min = min(c.Min, 1) },
		"a bound too high": func(c *table.Condition) { c.Max = max(c.Max, 1) },
		"another suit": func(c *table.Condition) {
			if !c.Dealt && c.Max == 0 {
				c.Set = tabletest.SuitSet(int(c.Set.Faces()[0]/4+1) % 4)
			}
		},
	}, func(t *testing.T, change func(c *table.Condition)) {
		tabletest.CheckNoticed(t, tabletest.MutantGame(tabletest.Whistlet{}, func(terms table.Terms) table.Terms {
			for i := range terms.Prove {
				change(&terms.Prove[i])
			}
			return terms
		}), inTwos())
	})
}

// A deal in which a seat that sits out owes something, has a card or sees one that is
// hidden; and all that a game is held to, where not every seat of the table plays.
func TestSitOut(t *testing.T) {
	c := tabletest.Config{Seats: 4, Deals: 5, Playouts: 8, Legal: legalInSitOut, Invariant: outside}
	configs := []tabletest.Config{c}
	for _, name := range testmust.ChosenSuites(t, testmust.ThoroughSuites(suite.NamesProving(proof.Relations()...))) {
		c.Suite, _ = suite.Lookup(name)
		c.Playouts, c.Deals = 1, 2
		configs = append(configs, c)
	}
	tabletest.Run(t, play.NewGame(tabletest.HighCard{}), configs...)
}

// outside is what must be true of the seat that sits out.
func outside(t *tabletest.Table) error {
	s, _ := table.Public[tabletest.HighCardState](t.State)
	if s.Stage == tabletest.HighCardOver {
		return nil
	}
	sits, view := s.Dealer, t.View(s.Dealer)
	switch {
	case len(t.State.Hand(sits)) > 0 || len(t.State.DealtCards(sits)) > 0:
		return fmt.Errorf("seat %d sits out, and has %v, was dealt %v", sits, t.State.Hand(sits), t.State.DealtCards(sits))
	case !maps.Equal(view.Faces, t.State.Faces()) || len(view.Dealt) > 0:
		return fmt.Errorf("seat %d sits out, and sees %v, of which %v are open", sits, view.Faces, t.State.Faces())
	}
	for _, d := range t.State.Duties() {
		if d.Owes(sits) && d.Kind != table.Key && s.Stage != tabletest.HighCardCall {
			return fmt.Errorf("seat %d sits out, and owes %v", sits, d)
		}
		if d.Kind == table.Show && slices.Contains(d.Cards, table.Card(7)) {
			return fmt.Errorf("card 7 is nobody's, and its tokens are owed: %v", d)
		}
	}
	return nil
}

// legalInSitOut is O3 with open cards.
func legalInSitOut(t *tabletest.Table, seat table.Seat, move json.RawMessage) error {
	var m tabletest.HighCardMove
	if err := json.Unmarshal(move, &m); err != nil || m.Lay == nil {
		return err
	}
	hand := t.Hand(seat)
	if face, held := hand[m.Lay.Card]; !held || face != m.Lay.Face {
		return fmt.Errorf("card %d has face %d", m.Lay.Card, face)
	}
	if highest := slices.Max(slices.Collect(maps.Values(hand))); m.Say == "best" && m.Lay.Face < highest {
		return fmt.Errorf("%d is best, with %d in the hand", m.Lay.Face, highest)
	}
	if dealt := slices.Max(slices.Collect(maps.Values(t.DealtFaces(seat)))); m.Say == "low" && dealt > t.State.Faces()[6] {
		return fmt.Errorf("low, but was dealt %d", dealt)
	}
	return nil
}

// A suite that broke a promise would let tests of the kernel pass for the
// wrong reason.
func TestClear(t *testing.T) { prooftest.Run(t, func() proof.Prover { return clear.Suite{} }) }

// verified is whistlet without its player's side.
type verified struct {
	table.Rules[tabletest.WhistletState, tabletest.WhistletMove]
}

func played(t *testing.T) *tabletest.Table {
	t.Helper()
	return testmust.Have(tabletest.Play(play.NewGame(tabletest.Whistlet{}), tabletest.Config{Seats: 3}, 1))(t)
}

// A verdict that rests on what only players need: a game without it is refused, or
// comes to another state.
func TestVerifiedWithoutPlayers(t *testing.T) {
	game := played(t)
	catalogue := table.Catalogue{
		Game:  func(string) (table.Game, bool) { return table.NewGame(verified{tabletest.Whistlet{}}), true },
		Suite: func(string) (proof.Suite, bool) { return clear.Suite{}, true },
	}
	first := testmust.Have(wire.Parse(game.Entries[0]))(t)
	s := testmust.Have(table.Open(first, catalogue))(t)
	for _, entry := range game.Entries[1:] {
		s = testmust.Have(tabletest.Apply(s, entry))(t)
	}
	testmust.Equal(t, tabletest.Fingerprint(s), tabletest.Fingerprint(game.State), "the table came to another state")
	_, err := play.Moves(s, table.View{})
	testmust.FailSaying(t, err, "not played", "moves of a game that lists none")
	_, err = play.Choose(s, table.View{}, game.Choice)
	testmust.FailSaying(t, err, "not played", "choice in a game that has none")
}

// A reader that takes the state for that of another game, or for another state.
func TestPublic(t *testing.T) {
	game := played(t)
	for _, s := range game.States {
		state, ok := table.Public[tabletest.WhistletState](s)
		testmust.Require(t, ok, "the state has not the type of its rules")
		whole, ok := table.Public[any](s)
		testmust.Require(t, ok && reflect.DeepEqual(whole, any(state)), "the state is another")
		_, ok = table.Public[struct{ Stage int }](s)
		testmust.Require(t, !ok, "the state has a type that is not its rules'")
	}
}

// A bot that stops the program where there is nothing to choose.
func TestAnyOfNone(t *testing.T) {
	m, ok := play.RandomMove([]int{}, rand.New(rand.NewPCG(1, 1)))
	testmust.Holdf(t, !ok, "chose %d of no moves", m)
}

// counting counts the multiplications by a seat's secret.
type counting struct {
	proof.Secret
	tokens int
}

func (c *counting) Token(m proof.MaskedCard) proof.Token {
	c.tokens++
	return c.Secret.Token(m)
}

// A seat that takes a face from an earlier state for that of another card, or multiplies by
// its secret at every message for cards that it has seen: half of what a page did.
func TestEyesSeeWhatSeeSees(t *testing.T) {
	game := played(t)
	first := testmust.Have(wire.Parse(game.Entries[0]))(t)
	s := testmust.Have(table.Open(first, game.Catalogue()))(t)
	secret := &counting{Secret: game.Hands[1].Secret}
	eyes, known := play.Eyes{Seat: 1, Secret: secret}, map[string]bool{}
	for i, entry := range append([][]byte{nil}, game.Entries[1:]...) {
		if entry != nil {
			s = testmust.Have(tabletest.Apply(s, entry))(t)
		}
		want := testmust.Have(play.See(s, 1, game.Hands[1].Secret))(t)
		got, err := eyes.See(s)
		testmust.Requiref(t, err == nil && reflect.DeepEqual(got, want), "after entry %d: %v, %v, want %v", i, got, err, want)
		for _, m := range append(s.MaskedCards(s.Hand(1)), s.MaskedDealt(s.DealtCards(1))...) {
			known[string(m.Bytes())] = true
		}
	}
	testmust.Holdf(t, secret.tokens <= len(known) && secret.tokens != 0, "%d multiplications for %d cards", secret.tokens, len(known))
}
