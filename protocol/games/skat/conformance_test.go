package skat_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = play.Of(skat.Rules{})

type options = map[string]string

var shapes = []tabletest.Config{
	{Seats: 3, Deals: 2},
	{Seats: 3, Deals: 2, Options: options{"concede": "off", "claim": "off"}},
	{Seats: 3, Options: options{"concede": "one", "early": "prove", "kontra": "any", "null-overbid": "lose"}},
	{Seats: 3, Options: options{"concede": "off", "early": "prove", "kontra": "bid18", "score": "seeger-fabian", "seats-draw": "on"}},
	{Seats: 3, Deals: 3, Options: options{"ramsch": "schieber", "bock": "lost60+grandhand+kontra+re", "score": "bierlachs"}},
	{Seats: 3, Deals: 2, Options: options{"ramsch": "simple"}},
}

// The kernel's promises hold for Skat.
func TestConformance(t *testing.T) {
	var configs []tabletest.Config
	for _, c := range shapes {
		c.AnySum, c.Playouts = true, 2
		configs = append(configs, c)
	}
	tabletest.Run(t, game, configs...)
}
