package skat_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = play.Of(skat.Rules{})

type options = map[string]string

// shapes are the tables that the suite plays with all its attacks: every option that
// changes the course of play. Where deals may be conceded, chance concedes most of them
// early; where not, they are played out.
var shapes = []tabletest.Config{
	{Seats: 3, Deals: 2, Options: options{"concede": "off", "claim": "off", "score": "seeger-fabian"}},
	{Seats: 3, Deals: 3},
	{Seats: 3, Deals: 3, Options: options{"early": "prove", "claim": "off"}},
	{Seats: 3, Deals: 3, Options: options{"early": "prove", "concede": "off"}},
	{Seats: 3, Deals: 2, Options: options{"concede": "one", "kontra": "any", "null-overbid": "lose", "score": "bierlachs", "limit": "501"}},
	{Seats: 3, Deals: 2, Options: options{"concede": "off", "kontra": "bid18", "seats-draw": "on", "bock": "lost60+grandhand+kontra+re"}},
	{Seats: 4, Deals: 4, Options: options{"score": "seeger-fabian"}},
	{Seats: 4, Deals: 2, Options: options{"concede": "off", "claim": "off", "seats-draw": "on", "score": "bierlachs"}},
	{Seats: 3, Deals: 6, Options: options{"concede": "off", "ramsch": "simple"}},
	{Seats: 3, Deals: 6, Options: options{"concede": "one", "ramsch": "schieber", "score": "bierlachs"}},
}

// The kernel's promises hold for Skat, and every move that the rules let pass is legal
// to one who sees all cards, and the other way round.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	for i, c := range shapes {
		c.AnySum, c.Playouts, c.Invariant, c.Legal = true, 2, invariant, legal
		configs = append(configs, c)
		if i == 0 || (i == 2 || c.Seats == 4) && !testing.Short() {
			c.Deals, c.Playouts = 1, 1
			c.Suite, _ = suite.Lookup(suite.Default)
			configs = append(configs, c)
		}
	}
	tabletest.Run(t, game, configs...)
}

// A table whose moves need one proof less, whichever, must be noticed; or the test
// above means nothing.
func TestMissingProofsAreNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("plays until a lie comes through")
	}
	playedOut, proved := options{"concede": "off", "claim": "off"}, options{"early": "prove", "claim": "off"}
	any := func(skat.Move) bool { return true }
	nulls := func(m skat.Move) bool {
		return (m.Call == nil || *m.Call <= auction.Lowest) && (m.Announce == nil || m.Announce.Game == deck.Null)
	}
	grands := func(m skat.Move) bool { return m.Announce == nil || m.Announce.Game == deck.Grand }
	passes := func(m skat.Move) bool { return m.Call == nil || *m.Call == auction.Pass }
	for id, c := range map[string]struct {
		options options
		offer   func(skat.Move) bool
	}{
		"P-VOID": {playedOut, any}, "P-NOTRUMP": {playedOut, any}, "P-NOJACK": {playedOut, grands}, "P-VOIDN": {playedOut, nulls},
		"M-WITH": {proved, any}, "M-WITHOUT": {proved, any}, "D-NOJACK": {options{"ramsch": "schieber"}, passes},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			mutant := tabletest.Mutant(offering{skat.Rules{}, c.offer}, func(terms table.Terms) table.Terms {
				terms.Prove = slices.DeleteFunc(slices.Clone(terms.Prove), func(c table.Condition) bool { return c.Claim == id })
				return terms
			})
			tabletest.Noticed(t, mutant, tabletest.Config{Seats: 3, Deals: 12, Options: c.options, Playouts: 60, AnySum: true, Legal: legal})
		})
	}
}

// offering is Skat whose players try some moves alone, so that chance meets what is rare.
type offering struct {
	skat.Rules
	offer func(skat.Move) bool
}

func (o offering) Moves(s skat.State, v table.View) []skat.Move {
	return slices.DeleteFunc(o.Rules.Moves(s, v), func(m skat.Move) bool { return !o.offer(m) })
}

func public(t *tabletest.Table) skat.State {
	s, _ := table.Public[skat.State](t.State)
	return s
}

// truth is the face of a card that a seat holds or that lies open.
func truth(t *tabletest.Table, seat table.Seat) func(table.Card) string {
	hand, open := t.Hand(seat), t.State.Faces()
	return func(c table.Card) string {
		if f, seen := open[c]; seen {
			return t.State.FaceName(f)
		}
		return t.State.FaceName(hand[c])
	}
}

// class is SK-R-06 by the names of cards.
func class(g deck.Game, face string) string {
	suit := face[len(face)-1:]
	if g != "N" && (face[0] == 'J' || suit == string(g)) {
		return "trump"
	}
	return suit
}

// legal judges what a move says of cards, with all of them open: that they have the
// faces named, SK-R-33, SK-R-72 and SK-R-38.
func legal(t *tabletest.Table, seat table.Seat, raw json.RawMessage) error {
	var m skat.Move
	if err := json.Unmarshal(raw, &m); err != nil {
		return err
	}
	d, face := public(t).Deal, truth(t, seat)
	p := slices.Index(d.Seats[:], seat)
	var rest []table.Card
	if !d.OpenHand || p != d.Declarer {
		rest = d.Hands[p]
	}
	switch {
	case m.Play != nil:
		return legalCard(d, p, m.Play, face)
	case m.Open != nil:
		return named(rest, *m.Open, face)
	case m.Claim != nil:
		return named(rest, m.Claim.Faces, face)
	case m.Lay != nil:
		return named(slices.Sorted(slices.Values(slices.Concat(rest, discards(d, p)))), *m.Lay, face)
	case m.Aside != nil:
		for _, c := range m.Aside {
			if face(c)[0] == 'J' {
				return fmt.Errorf("%s is a jack", face(c))
			}
		}
	case m.Matadors != nil:
		var twelve []string
		for _, shown := range d.Open {
			if shown.By == p || shown.By < 0 {
				twelve = append(twelve, shown.Face.String())
			}
		}
		for _, c := range slices.Concat(rest, discards(d, p)) {
			twelve = append(twelve, face(c))
		}
		return countedOut(d.Contract.Game, twelve, m.Matadors.With, m.Matadors.N)
	}
	return nil
}

func discards(d skat.Deal, p int) []table.Card {
	if d.Holder != p {
		return nil
	}
	return d.Skat
}

func named(places []table.Card, faces []deck.Face, face func(table.Card) string) error {
	for i, c := range places {
		if i >= len(faces) || face(c) != faces[i].String() {
			return fmt.Errorf("card %d is %s, of %v", c, face(c), faces)
		}
	}
	if len(faces) > len(places) {
		return fmt.Errorf("%v of %d cards", faces, len(places))
	}
	return nil
}

func legalCard(d skat.Deal, p int, play *skat.Play, face func(table.Card) string) error {
	if face(play.Card) != play.Face.String() {
		return fmt.Errorf("card %d is %s", play.Card, face(play.Card))
	}
	n := len(d.Tricks)
	if n == 0 || len(d.Tricks[n-1].Faces) == 3 {
		return nil
	}
	g := deck.Game("G")
	if d.Contract != nil {
		g = d.Contract.Game
	}
	led := class(g, d.Tricks[n-1].Faces[0].String())
	for _, c := range d.Hands[p] {
		if class(g, face(c)) == led && class(g, play.Face.String()) != led {
			return fmt.Errorf("%v does not follow, and %s would", play.Face, face(c))
		}
	}
	return nil
}

// countedOut is SK-R-38, trump by trump.
func countedOut(g deck.Game, twelve []string, with bool, n int) error {
	order := strings.Fields("JC JS JH JD")
	if g != "G" {
		for _, rank := range strings.Fields("A 10 K Q 9 8 7") {
			order = append(order, rank+string(g))
		}
	}
	run := 0
	for run < len(order) && slices.Contains(twelve, order[run]) == slices.Contains(twelve, "JC") {
		run++
	}
	if run != n || with != slices.Contains(twelve, "JC") {
		return fmt.Errorf("%v are with %v %d", twelve, slices.Contains(twelve, "JC"), run)
	}
	return nil
}

// invariant: what the state says of hands is what the masks say, every card that is
// said to be open is, and the points of the list are those of its deals.
func invariant(t *tabletest.Table) error {
	s := public(t)
	sums := make([]int, len(s.Seats))
	for _, done := range s.Past {
		for seat, n := range done.Points {
			sums[seat] += n
		}
	}
	if !slices.Equal(sums, s.Tally.Points) {
		return fmt.Errorf("deals score %v, the list has %v", sums, s.Tally.Points)
	}
	switch s.Stage {
	case skat.DrawingSeats, skat.ShowingSeats, skat.Shuffling, skat.Dealing, skat.Taking, skat.Receiving, skat.ShowingSkat, skat.Over:
		return nil
	}
	open := t.State.Faces()
	for _, shown := range s.Deal.Open {
		if open[shown.Card] != card.Face(shown.Face) {
			return fmt.Errorf("the state says that card %d is %v", shown.Card, shown.Face)
		}
	}
	if len(open) != len(s.Deal.Open) {
		return fmt.Errorf("%d cards are open, the state has %d", len(open), len(s.Deal.Open))
	}
	for p, seat := range s.Deal.Seats {
		said := slices.DeleteFunc(slices.Concat(s.Deal.Hands[p], discards(s.Deal, p)), func(c table.Card) bool { _, seen := open[c]; return seen })
		if held := t.State.Hand(seat); !slices.Equal(slices.Sorted(slices.Values(said)), held) {
			return fmt.Errorf("the state says that %s holds %v, the masks say %v", seat.Letter(), said, held)
		}
	}
	return nil
}
