package skat_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

const players = "FMR"

type deal struct {
	skattest.Vector
	Deck     []deck.Face
	Declarer string
	Bid      int
	Hand     bool
	Game     deck.Game
	Discards []deck.Face
	Plays    []deck.Face
	Expect   struct {
		Winners  []string
		Due      [][]any
		Matadors string
		Pts, Tr  int
		Won      bool
		Value    int
		Score    int
	}
}

// start deals, bids and announces.
func (v deal) start(t *testing.T) *stacked {
	t.Helper()
	s, p := newStacked(t, tabletest.Config{}, v.Deck), strings.Index(players, v.Declarer)
	s.buy(p, v.Bid)
	how := map[bool]string{true: skat.Hand, false: skat.Take}[v.Hand]
	s.do(p, word(how))
	var discards []string
	for _, f := range v.Discards {
		discards = append(discards, f.String())
	}
	s.do(p, s.announces(p, strings.Join(discards, " "), skat.Announcement{Game: v.Game}))
	return s
}

// A deal dealt, won, proved, or scored in another way than the specification's: whole
// deals as messages, with the proofs that each play carries (SK-R-11, SK-R-23, SK-R-32,
// SK-R-36, SK-R-39, E-COMP, AMB-S-05).
func TestDeals(t *testing.T) {
	skattest.Each(t, "deals", func(t *testing.T, v deal) {
		s := v.start(t)
		var due [][]any
		for i, f := range v.Plays {
			p := s.public().Deal.OnTurn()
			d := s.public().Deal
			s.do(p, s.card(p, f.String()))
			e := testmust.Have(wire.Parse(s.Entries[len(s.Entries)-1]))(t)
			// The first proof is that of the card's token.
			for range e.Message.Proofs[1:] {
				led := d.Tricks[len(d.Tricks)-1].Faces[0]
				due = append(due, []any{i + 1, players[p : p+1], d.Game().Class(card.Face(led)), len(d.Hands[p]) - 1})
			}
		}
		done := s.last()
		if fmt.Sprint(due) != fmt.Sprint(v.Expect.Due) {
			t.Errorf("proved %v, want %v", due, v.Expect.Due)
		}
		p := strings.Index(players, v.Declarer)
		r := done.Result
		if done.Tricks[p] != v.Expect.Tr || r.Won != v.Expect.Won || r.Value != v.Expect.Value || r.Score != v.Expect.Score {
			t.Errorf("%d points, %d tricks, %+v; want %+v", done.Cards[p], done.Tricks[p], r, v.Expect)
		}
		if v.Game != deck.Null && done.Cards[p] != v.Expect.Pts {
			t.Errorf("%d points, want %d", done.Cards[p], v.Expect.Pts)
		}
		if m := v.Expect.Matadors; m != "" && m != matadors(*r) {
			t.Errorf("%s, want %s", matadors(*r), m)
		}
		if points, over := s.State.Result(); !over || points[done.Seats[p]] != v.Expect.Score {
			t.Errorf("the list is %v, over %v", points, over)
		}
		last := s.public().Last
		if last == nil {
			t.Fatal("the deal that ended is not kept")
		}
		var winners []string
		for _, trick := range last.Tricks {
			w := last.Winner(trick)
			winners = append(winners, players[w:w+1])
		}
		if !slices.Equal(winners, v.Expect.Winners) {
			t.Errorf("tricks go to %v, want %v", winners, v.Expect.Winners)
		}
	})
}
