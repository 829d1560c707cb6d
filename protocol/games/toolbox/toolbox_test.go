package toolbox_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/games/toolbox/toolboxtest"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// Operations in any order that stop a table, blame an honest seat, or let an attack
// through.
func TestContract(t *testing.T) {
	tabletest.Run(t, toolboxtest.Game,
		tabletest.Config{Seats: 2, Options: map[string]string{"faces": "6"}, Limit: 3_000},
		tabletest.Config{Seats: 3, Options: map[string]string{"faces": "8"}, Limit: 3_000},
	)
}
