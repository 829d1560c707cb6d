package skat_test

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/games/skat/skattest"
	"github.com/pakli/pakli/protocol/games/skat/skattest/referee"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/playthrough"
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
	chosen := thorough.Some(t, len(shapes), 4)
	for i, c := range shapes {
		if !chosen(i) && i > 0 {
			continue
		}
		c.AnySum, c.Playouts = true, 2
		configs = append(configs, c)
		if i == 0 || (i == 2 || c.Seats == 4) && thorough.Tests() {
			c.Deals, c.Playouts = 1, 1
			c.Suite, _ = suite.Lookup(suite.Default)
			configs = append(configs, c)
		}
	}
	for i := range configs { // they are played side by side: each has a referee of its own
		configs[i].Invariant, configs[i].Legal = referee.Watch()
	}
	tabletest.Run(t, game, configs...)
}

func public(t *tabletest.Table) skat.State {
	s, _ := table.Public[skat.State](t.State)
	return s
}

// What everybody and each seat sees of a deal: a discard or a skat shown to a seat that
// must not see it, a dealer who sits out and sees a card, or a rule that changes
// unnoticed.
func TestPlaythroughs(t *testing.T) {
	for _, v := range skattest.Read[[]deal](t, "deals") {
		if v.ID == "DEAL-04" {
			s := v.start(t)
			for _, f := range v.Plays {
				s.plays(f.String())
			}
			playthrough.Compare(t, "Diamonds after taking the skat, lost with 58", s.Table, "testdata/diamonds.playthrough.txt")
		}
	}
	s := newStacked(t, tabletest.Config{Seats: 4, Options: options{"early": "prove", "kontra": "any"}}, dealt(t, forehand, middlehand, rearhand, skatCards))
	s.buy(auction.F, 22)
	b := true
	s.do(auction.F, word(skat.Hand), skat.Move{Announce: &skat.Announcement{Game: deck.ClubsGame, Ann: 1}})
	s.do(auction.M, skat.Move{Kontra: &b})
	s.do(auction.F, skat.Move{Re: &b})
	s.plays("JC 8C JD JS")
	s.do(auction.M, conceded())
	s.do(auction.R, agreed(true))
	s.do(auction.F, s.lays())
	playthrough.Compare(t, "Four seats: a hand game with Schneider announced, given up after Kontra and Re", s.Table, "testdata/given-up.playthrough.txt")
}

// Thousands of small tables are played and thrown away. A larger heap, of some
// 100 MB, spares a sixth of the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
