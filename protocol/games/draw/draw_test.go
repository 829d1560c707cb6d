package draw_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/draw"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// A draw that stops, blames an honest seat, or lets an attack through.
func TestContract(t *testing.T) {
	tabletest.Run(t, play.Of(draw.Rules{}),
		tabletest.Config{Seats: 2, Playouts: 4},
		tabletest.Config{Seats: 5, Deals: 2, Playouts: 2},
		tabletest.Config{Seats: 16, Playouts: 1},
	)
}

// A draw whose terms leave somebody room: options, or nobody who shuffles besides.
func TestSetup(t *testing.T) {
	for name, c := range map[string]table.Config{
		"one seat": {Seats: 1, Deals: 1}, "many seats": {Seats: 17, Deals: 1},
		"an option": {Seats: 3, Deals: 1, Options: map[string]string{"faces": "6"}},
	} {
		_, _, err := (draw.Rules{}).Setup(c)
		testmust.Fail(t, err, name, "taken")
	}
}
