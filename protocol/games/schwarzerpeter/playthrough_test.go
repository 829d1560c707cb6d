package schwarzerpeter_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/playthrough"
)

// What everybody and each seat sees of a whole game: a card shown to a seat
// that must not see it, or a rule that changes unnoticed.
func TestPlaythroughs(t *testing.T) {
	playthrough.Check(t, game, tabletest.Config{Seats: 2, Options: options{"rules": "article"}}, 5, "testdata/article.playthrough.txt")
	playthrough.Check(t, game, tabletest.Config{Seats: 3}, 2, "testdata/common.playthrough.txt")
}
