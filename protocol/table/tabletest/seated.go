package tabletest

import (
	"math/rand/v2"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// OpenSeated opens a table with this genesis entry, for a test that has the keys of its
// organiser and of its seats.
func OpenSeated(game table.Game, c Config, g *wire.Genesis, organiser note.Signer, seats []note.Signer, seed uint64) (*Table, error) {
	t := &Table{Game: game, Config: c.withDefaults(), Organiser: organiser, proofs: map[table.Kind][]byte{}, Random: randomStream("random", seed), Choice: rand.New(randomStream("choice", seed))}
	for i, s := range seats {
		if err := t.sitNext(player.Hand{Seat: table.Seat(i), Signer: s}); err != nil {
			return nil, err
		}
	}
	return t, t.openTable(g)
}
