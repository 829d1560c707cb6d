package tabletest

import (
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// OpenSeated opens a table with this genesis entry, for a test that has the keys of its organiser and
// seats.
func OpenSeated(game table.Game, c Config, g *wire.Genesis, organiser note.Signer, seats []note.Signer, seed uint64) (*Table, error) {
	t := emptyTable(game, c, seed)
	t.Organiser = organiser
	for i, s := range seats {
		if err := t.sitNext(player.Hand{Seat: table.Seat(i), Signer: s}); err != nil {
			return nil, err
		}
	}
	return t, t.openTable(g)
}
