package terminal

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// An amount that cannot be typed, by itself, by its verb or in a language; one that is out of
// range and taken.
func TestAmounts(t *testing.T) {
	game, _ := games.Lookup("five-card-draw/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Options: map[string]string{"limit": "none"}}, 1))(t)
	duty := testmust.Have(p.PlayUntil(table.Move))(t)
	at := position(t, p, p.State, duty.Seats[0])
	for tag, lines := range map[string][]string{"en": {"37", "to 37", "to:37", "bet 37", "BET 37"}, "de": {"37", "setzen 37"}, "hu": {"37", "hívok 37"}} {
		d := testmust.Have(For(game.Name(), tag, Style{Width: 80}))(t)
		for _, line := range lines {
			if _, a, err := d.Read(at, nil, line); err != nil || a.Move == nil || string(*a.Move) != `{"to":37}` {
				t.Errorf("%s: %q is read as %v, %v", tag, line, a.Move, err)
			}
		}
		for _, line := range []string{"1", "200", "to 0", "37 38", "check 37"} {
			if _, a, err := d.Read(at, nil, line); err == nil && a.Move != nil {
				t.Errorf("%s: %q is read as %s", tag, line, *a.Move)
			} else if !strings.Contains(err.Error(), "199") && !strings.HasSuffix(line, "37") && !strings.HasSuffix(line, "38") {
				t.Errorf("%s: of %q is said: %v; want what may be bet", tag, line, err)
			}
		}
	}
}
