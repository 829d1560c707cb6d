package player_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// TestMessagesOfARestoredMachine: a seat makes every message with the same
// randomness, in two deals and at two tables where it has one card secret, and two
// cards are masked alike: the context of a mask is not that of its message.
func TestMessagesOfARestoredMachine(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	seen, kinds := map[string]string{}, map[table.Kind]int{}
	for deals := 1; deals <= 2; deals++ {
		at := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Deals: deals}, 1))(t)
		for len(at.State.Duties()) > 0 {
			at.Random = handtest.Again(1)
			testmust.Do(t, at.Play(1))
			e := parse(t, at.Entries[len(at.Entries)-1])
			kind := table.Kind(e.Message.Kind)
			if kind != table.Shuffle && kind != table.Permute && kind != table.Give {
				continue
			}
			kinds[kind]++
			var body wire.CardsBody
			testmust.Do(t, json.Unmarshal(e.Message.Body, &body))
			for i, c := range body.Cards {
				name := fmt.Sprintf("card %d of the %s in message %d at table %d", i, kind, at.State.Applied(), deals)
				nonce := string(c[len(c)-32:]) // of the clear suite
				if other, ok := seen[nonce]; ok {
					t.Fatalf("%s is masked as %s", name, other)
				}
				seen[nonce] = name
			}
		}
	}
	if len(kinds) != 3 {
		t.Errorf("messages with masks are %v", kinds)
	}
}
