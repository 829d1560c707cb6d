package tabletest

import (
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// makeTableV2 turns the genesis entry into one of a table/v2.
func makeTableV2(g *wire.Genesis, ends wire.Ends) {
	g.Format, g.Ends = wire.TableFormat2, ends
	g.Clock = wire.Clock{Keepers: []string{}, Lines: []string{}}
	g.Arbiters, g.Names = []string{}, make([]wire.Text, len(g.Seats))
}

// ActOf makes an act of a seat on the head.
func (t *Table) ActOf(seat table.Seat, kind wire.Kind, body any) []byte {
	return t.signAct(t.State.HolderKey(seat), t.Hands[seat], kind, body)
}

// RulingAct makes an act of the organiser on the head.
func (t *Table) RulingAct(kind wire.Kind, body any) []byte {
	return t.signAct(t.State.Genesis().Organiser, player.Hand{Signer: t.Organiser}, kind, body)
}

func (t *Table) signAct(key string, by player.Hand, kind wire.Kind, body any) []byte {
	entry, err := player.SignAct(t.State, key, by.Signer, kind, body)
	if err != nil {
		panic(err)
	}
	return entry
}

// Expose makes the act by which a seat turns up cards of its hand.
func (t *Table) Expose(seat table.Seat, cards ...table.Card) ([]byte, error) {
	return t.Hands[seat].Expose(t.State, cards, t.Random)
}

// Substitute is a new player for a seat, and the organiser's act that lets him sit down.
func (t *Table) Substitute(seat table.Seat) (player.Hand, []byte, error) {
	h := player.Hand{Seat: seat}
	var key string
	var err error
	if h.Signer, key, err = newSigner(t.Random, "substitute"); err != nil {
		return h, nil, err
	}
	accept, err := wire.SignAccept(h.Signer, t.State.ID(), t.State.Head(), int(seat))
	return h, t.RulingAct(wire.KindReseat, wire.ReseatBody{Seat: int(seat), Key: key, Accept: accept}), err
}

// SitDown gives a seat to a substitute, once its act is applied.
func (t *Table) SitDown(h player.Hand) error {
	own := seatLocks{}
	h.Locks = own
	t.Hands[h.Seat], t.secrets[h.Seat], t.locks[h.Seat] = h, nil, own
	return t.drawSecret(h.Seat)
}

// LogAttempt adds an entry that is an attempt to the table's history.
func (t *Table) LogAttempt(entry []byte, f *table.Fault) {
	t.State = t.State.WithFault(f, wire.HashEntry(entry))
	t.keepEntry(entry)
}
