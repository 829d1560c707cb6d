package schwarzerpeter_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/schwarzerpeter"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

var game = table.Of(schwarzerpeter.Rules{})

type options = map[string]string

func TestConformance(t *testing.T) {
	real, _ := suite.Lookup(suite.Default)
	tabletest.Run(t, game,
		tabletest.Config{Seats: 2, Options: options{"rules": "article"}},
		tabletest.Config{Seats: 2},
		tabletest.Config{Seats: 3, Deals: 2},
		tabletest.Config{Seats: 2, Options: options{"rules": "article"}, Suite: real, Playouts: 1},
	)
}
