package skat_test

import (
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/skattest/referee"
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
