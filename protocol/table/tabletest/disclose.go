package tabletest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// seatLocks are the card secrets of a seat by number, as in player.Locks.
type seatLocks map[int]shuffledSecret

// shuffledSecret is a card secret with the order of its shuffle.
type shuffledSecret struct{ lock, order []byte }

func (l seatLocks) KeepOrder(n int, order []byte) error {
	l[n] = shuffledSecret{l[n].lock, order}
	return nil
}

func (l seatLocks) Lock(n int) (lock, order []byte, err error) {
	return l[n].lock, l[n].order, nil
}

func (t *Table) defersProofs() bool {
	_, defers := proof.AsDeferring(t.Config.Suite)
	return defers
}

// Branch is a copy of the table as it is now, to be played on in another way. The two share their
// streams of random numbers.
func (t *Table) Branch() *Table {
	b := *t
	b.Hands, b.secrets, b.locks = slices.Clone(t.Hands), slices.Clone(t.secrets), slices.Clone(t.locks)
	b.Entries, b.States, b.prints = slices.Clip(t.Entries), slices.Clip(t.States), slices.Clip(t.prints)
	b.proofs = maps.Clone(t.proofs)
	for seat := range b.locks {
		b.secrets[seat], b.locks[seat] = slices.Clip(t.secrets[seat]), maps.Clone(t.locks[seat])
		b.Hands[seat].Locks = b.locks[seat]
	}
	return &b
}

// blamedLater plays on honestly after an entry that its seat has falsified, and that a suite which
// defers has let pass. In the end that seat must be blamed, and no other.
func (t *Table) blamedLater(entry []byte) error {
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	b := t.Branch()
	if err := b.Add(entry); err != nil {
		return err
	}
	err = b.Play(-1)
	fault := b.State.Foul()
	errors.As(err, &fault) // of a shuffle into another order, of which its seat says the one that it meant
	switch {
	case fault == nil:
		return fmt.Errorf("was applied, and nobody was blamed (%v): %.300s", err, entry)
	case fault.Seat != table.Seat(e.Message.Seat):
		return fmt.Errorf("was applied, and seat %d blamed for it: %w", fault.Seat, fault)
	case fault.Check == table.CheckStep && fault.Entry != e.Hash:
		return fmt.Errorf("was applied, and entry %s blamed for it: %w", fault.Entry, fault)
	}
	return nil
}

// badLocks are disclosures that differ from the honest one.
func (t attacker) badLocks() (list []attackBuilder) {
	for name, change := range map[string]func(d []wire.DisclosedDeal) []wire.DisclosedDeal{
		"no deal":            func(d []wire.DisclosedDeal) []wire.DisclosedDeal { return d[:0] },
		"a deal twice":       func(d []wire.DisclosedDeal) []wire.DisclosedDeal { return append(d, d[len(d)-1]) },
		"another deal":       func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Deal++; return d },
		"another lock":       func(d []wire.DisclosedDeal) []wire.DisclosedDeal { t.flipBit(d[0].Lock); return d },
		"a short lock":       func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Lock = d[0].Lock[1:]; return d },
		"no lock":            func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Lock = []byte{}; return d },
		"another order":      func(d []wire.DisclosedDeal) []wire.DisclosedDeal { slices.Reverse(d[0].Order); return d },
		"a place twice":      func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Order[0] = d[0].Order[1]; return d },
		"a place too many":   func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Order = append(d[0].Order, 255); return d },
		"a place too few":    func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Order = d[0].Order[1:]; return d },
		"a place out of all": func(d []wire.DisclosedDeal) []wire.DisclosedDeal { d[0].Order[0] = 255; return d },
	} {
		list = append(list, t.resignAttack(name, table.Foul, func(m *wire.Message) {
			var body wire.DiscloseBody
			err := wire.DecodeBody(m.Body, &body)
			if err == nil {
				m.Body, err = wire.EncodeBody(wire.DiscloseBody{Deals: change(body.Deals)})
			}
			if err != nil {
				panic(fmt.Sprintf("tabletest: an honest disclosure: %v", err))
			}
		}))
	}
	return list
}
