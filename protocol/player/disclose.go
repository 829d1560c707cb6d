package player

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Locks keeps what a seat has to disclose at a table of a suite that defers. Card secrets have the
// numbers of table.State.KeyNumber.
type Locks interface {
	// KeepOrder keeps the order of the shuffle under the n-th card secret. It returns once the
	// order is durable: finding it again would take as long as the shuffle.
	KeepOrder(n int, order []byte) error
	// Lock returns the n-th card secret, and the order last kept for it, or nil if none was.
	Lock(n int) (lock, order []byte, err error)
}

// keepOrder keeps the order of a shuffle before anybody sees the shuffle.
func (h Hand) keepOrder(s *table.State, witnesses []proof.Witness) error {
	for _, w := range witnesses {
		o, ordered := w.(proof.OrderWitness)
		switch {
		case ordered && h.Locks == nil:
			return errors.New("nothing keeps the order of this seat's shuffle, so it could not be disclosed")
		case ordered:
			return h.Locks.KeepOrder(s.KeyNumber(h.Seat), o.Order())
		}
	}
	return nil
}

// disclosedAtOnce bounds the locks and orders of one message, in base64 with their syntax. Three
// times as many would fit in an entry, but everybody checks all of them at once, which takes long
// where locks are long.
const disclosedAtOnce = 20_000

// discloseBody returns the locks of as many deals as fit in one message.
func (h Hand) discloseBody(s *table.State) (wire.DiscloseBody, error) {
	var body wire.DiscloseBody
	size := 0
	for _, u := range s.UndisclosedDeals(h.Seat) {
		lock, order, err := h.openLock(s, u)
		if err != nil {
			return body, fmt.Errorf("the lock of deal %d cannot be disclosed: %w", u.Deal, err)
		}
		size += (len(lock)+2)/3*4 + (len(order)+2)/3*4 + len(`{"deal":65535,"lock":"","order":""},`)
		if size > disclosedAtOnce || len(body.Deals) == wire.MaxList {
			break
		}
		body.Deals = append(body.Deals, wire.DisclosedDeal{Deal: int64(u.Deal), Lock: lock, Order: order})
	}
	return body, nil
}

// openLock returns a lock that is due, with the order of its shuffle. It finds the order again if
// none was kept, which is so for an older copy of the seat.
func (h Hand) openLock(s *table.State, u table.UndisclosedDeal) (lock, order []byte, err error) {
	lock, order, err = h.Locks.Lock(u.Number)
	if err != nil || order != nil {
		return lock, order, err
	}
	suite, _ := proof.AsDeferring(s.Suite())
	check, err := suite.ParseLock(u.Shuffle.By, lock)
	if err == nil {
		order, _ = check.FindOrder(u.Shuffle)
	}
	return lock, order, err
}

// DisputedCard returns a card of the hand that has no face, or the face of another card that is
// open or in the hand; false if there is none, or it cannot be disputed now. It compares each face
// with all others, and stops early only at a card that will be disputed, which everybody will see.
func (h Hand) DisputedCard(s *table.State) (table.Card, bool) {
	hand := s.DisputableCards(h.Seat)
	if len(hand) == 0 {
		return 0, false
	}
	seen := slices.Collect(maps.Values(s.Faces()))
	for i, m := range s.MaskedCards(hand) {
		f, ok := s.Face(s.Encoding().Strip(m, h.Secret.Token(m)))
		twice := 0
		for _, other := range seen {
			twice |= subtle.ConstantTimeEq(int32(other), int32(f))
		}
		if !ok || twice == 1 {
			return hand[i], true
		}
		seen = append(seen, f)
	}
	return 0, false
}

// locksOf is the Locks of an identity at a table.
type locksOf struct {
	id    *Identity
	table wire.Hash
}

// orderName returns the name under which the order of a shuffle is kept.
func (l locksOf) orderName(n int) string { return secretName(l.table, n) + "/order" }

// KeepOrder implements Locks.
func (l locksOf) KeepOrder(n int, order []byte) error {
	tables, name := l.id.content.Tables, l.orderName(n)
	before, had := tables[name]
	tables[name] = order
	err := l.id.saveRecord()
	switch {
	case err != nil && had:
		tables[name] = before
	case err != nil:
		delete(tables, name)
	}
	return err
}

// Lock implements Locks.
func (l locksOf) Lock(n int) (lock, order []byte, err error) {
	lock, order = l.id.content.Tables[secretName(l.table, n)], l.id.content.Tables[l.orderName(n)]
	if lock == nil {
		return nil, nil, errors.New("this seat does not hold it: was it forgotten, or is this an old copy of the seat?")
	}
	return lock, order, nil
}
