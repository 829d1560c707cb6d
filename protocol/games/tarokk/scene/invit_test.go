package scene_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/scenes"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
)

// Where an opening may be withdrawn, its invit proves nothing when it is made: to tell its card
// as a fact accuses a partner of what nobody has said.
func TestInvitThatProvesNothing(t *testing.T) {
	for firstBid, says := range map[string]string{"withdrawn": "means.would", "invit": "means.invit"} {
		played := testmust.Have(tabletest.New(play.Of(tarokk.Rules{}), tabletest.Config{Seats: 4, Deals: 1, Options: options{"first-bid": firstBid}}, 1))(t)
		d := testmust.Have(played.PlayUntil(table.Move))(t)
		if begun := played.State.Begun(); begun != 1 {
			t.Errorf("in the first deal %d have begun", begun)
		}
		v := testmust.Have(play.See(played.State, d.Seats[0], played.Hands[d.Seats[0]].Secret))(t)
		text := testmust.Have(json.Marshal(scenes.Lookup("tarokk/v1").Ask(scene.From(played.State, v))))(t)
		for _, id := range []string{"means.would", "means.invit"} {
			if strings.Contains(string(text), id) != (id == says) {
				t.Errorf("first-bid %s: %s", firstBid, text)
			}
		}
	}
}
