package page

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/scenes"
	"github.com/pakli/pakli/protocol/scene/picture"
)

// A card of a game of the catalogue that has no picture, and a name that is no card
// and has one: then what comes from outside would get into the page.
func TestPictures(t *testing.T) {
	for game, names := range map[string]string{
		"tarokk/v1":          "T1 T9 T14 T21 T22 HA H4 HJ HR HQ HK DA D4 DK CT CJ CK ST SR SK",
		"schwarzer-peter/v1": "2C 3S 4H 5D 6C 7S 8H 9D 10C JS QH KD AC",
		"skat/v1":            "7C 8S 9H 10D JC QS KH AD",
	} {
		g := scenes.Lookup(game)
		for _, name := range strings.Fields(names) {
			if picture.French.Draw(g.Face(name)) == "" {
				t.Errorf("%s: %s has no picture", game, name)
			}
		}
		for _, bad := range []string{"", "0", "1a", "T23", "XX\"", "<b>", "H", "7H>", "ZZ", "<b>H", "\">H", "0H"} {
			if got := picture.French.Draw(g.Face(bad)); got != "" {
				t.Errorf("%s: %q is drawn: %s", game, bad, got)
			}
		}
	}
}
