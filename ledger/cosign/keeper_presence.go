package cosign

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// mostPresent bounds the presences of one table, not counting those of original holders.
const mostPresent = 64

// clockError is how far a seat's clock may be from the keeper's for its presence to count as one of
// a clock that was set back.
const clockError = time.Minute

// presence is the latest presence of a seat: where it said that it is.
type presence struct {
	head  wire.Hash
	lost  bool
	time  int64 // as the seat said
	since time.Duration
	came  time.Duration // since when it has said the same
}

var errOld = errors.New("a later presence of this seat is known")

// Present accepts the presence of a seat (66.8.9). If the seat leaves or rests, the record that
// keeps it from being late is on disk before the answer. Other presences are forgotten with the
// process, which then shows no head for the grace.
func (k *Keeper) Present(r exchange.Request) ([]byte, error) {
	p, doc, err := exchange.ParsePresence(r.Message)
	if err != nil {
		return nil, fmt.Errorf("%w presence: %w", tlog.ErrMalformed, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t, full := k.tableOf(r)
	if t == nil {
		return nil, full
	}
	of := holder{p.Seat, signedBy(t, p.Table, p.Seat, r.Reseat, doc.Verify)}
	switch {
	case of.key == "":
		return nil, errSigner
	case p.State == exchange.Leaves || p.State == exchange.Rests && (full != nil || !k.room.hasRoom(t, of, int64(len(r.Message)), k.KeeperBounds)):
		if err := k.refuseFor(p.Place(), t.namedKey(of)); !errors.Is(err, errFull) {
			return nil, err
		}
		return nil, nil // the doubt keeps the seat from being late as well
	case p.State == exchange.Rests:
		return nil, k.restAt(t, hold{p.Head, of, true}, doc, p.Time)
	case full != nil:
		return nil, full
	}
	lapsed := func(at presence) bool { return k.Since() > at.since+t.presenceLife() }
	before, is := t.present[of]
	if setBack := lapsed(before) && k.Clock().Sub(time.UnixMilli(p.Time)).Abs() < clockError; is && p.Time <= before.time && !setBack {
		return nil, errOld
	}
	if !is && !t.isOriginal(of) && len(t.present) >= mostPresent {
		maps.DeleteFunc(t.present, func(h holder, at presence) bool { return !t.isOriginal(h) && lapsed(at) })
		if len(t.present) >= mostPresent {
			return nil, k.refuseFor(p.Place(), t.namedKey(of))
		}
	}
	at := presence{p.Head, p.State == exchange.Lost, p.Time, k.Since(), k.Since()}
	if is && !lapsed(before) && before.head == at.head && before.lost == at.lost {
		at.came = before.came
	} else if !is {
		at.came = k.Since() - t.grace() // the seat may have been there before this process knew
	}
	t.present[of] = at
	for h, m := range t.holds {
		if h.rests && h.holder == of && h.parent != p.Head && m.said < p.Time { // the seat has come back
			k.dropHold(t, h)
		}
	}
	return nil, nil
}

// namedKey returns the key of a holder if the log names it. All other keys share one name, since a
// ruler can give a seat to any number of keys that no log has.
func (t *keptTable) namedKey(of holder) string {
	if t.isOriginal(of) {
		return of.key
	}
	for _, l := range t.links {
		if l.given == of {
			return of.key
		}
	}
	return later
}

// restAt records on disk that a seat rests at a head, in place of its earlier rest.
func (k *Keeper) restAt(t *keptTable, h hold, doc *wire.Entry, said int64) error {
	if t.holds[h] != nil {
		return nil
	}
	var before []hold
	for other, m := range t.holds {
		if !other.rests || other.holder != h.holder {
			continue
		} else if m.said >= said {
			return errOld
		}
		before = append(before, other)
	}
	if err := k.store.putRest(t, doc); err != nil {
		return k.failWith("cannot keep where a seat rests", err, "table", t.id)
	}
	size := int64(len(doc.Bytes()))
	t.holds[h] = &storedMessage{entry: doc.Hash, at: k.lineTime(), size: size, said: said}
	k.room.takeBytes(t, size)
	for _, other := range before {
		k.dropHold(t, other)
	}
	return nil
}

// reloadRest restores a rest that putRest has written.
func (k *Keeper) reloadRest(t *keptTable, doc []byte) error {
	p, d, err := exchange.ParsePresence(doc)
	if err != nil {
		return err
	}
	by := signedBy(t, p.Table, p.Seat, nil, d.Verify)
	if by == "" {
		by = later + d.Hash.String()
	}
	t.holds[hold{p.Head, holder{p.Seat, by}, true}] = &storedMessage{entry: d.Hash, at: k.lineTime(), size: int64(len(doc)), said: p.Time}
	k.room.takeBytes(t, int64(len(doc)))
	return nil
}

// presenceLife is how long a presence counts. A seat sends one three times within the grace, and
// every 20 seconds.
func (t *keptTable) presenceLife() time.Duration {
	return 3*exchange.PresenceEvery(t.grace()) + time.Second
}

// signedBy returns the key that has signed a document if that key has the seat: from the beginning,
// or by a ruler's act in the request. Otherwise it returns "".
func signedBy(t *keptTable, table wire.Hash, seat int, reseat []byte, verify func(note.Verifier) error) string {
	if table != t.id || seat >= len(t.genesis.Seats) {
		return ""
	}
	for _, key := range []string{t.genesis.Seats[seat], reseatedKey(t, seat, reseat)} {
		if v, err := wire.ParseVerifier(key); err == nil && verify(v) == nil {
			return key
		}
	}
	return ""
}
