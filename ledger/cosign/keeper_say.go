package cosign

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

// lineTime returns the time of a new line: by the clock, but never before the last line.
func (k *Keeper) lineTime() int64 { return max(k.Clock().Unix(), k.store.last, 1) }

// Hold keeps a message and returns the line that says so. If it cannot keep the message, the keeper
// signs no silence about its place any more.
func (k *Keeper) Hold(r exchange.Request) ([]byte, error) {
	m, err := keeper.NewMessage(r.Message)
	if err == nil {
		err = checkWhole(r.Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%w message: %w", tlog.ErrMalformed, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t, full := k.tableOf(r)
	if t == nil {
		return nil, full
	}
	by := k.signerOf(t, m, r.Reseat)
	if by == "" {
		return nil, errSigner
	}
	h := hold{m.Parent, holder{m.Seat, by}, false}
	for other, before := range t.holds {
		if before.entry == m.Entry {
			return before.line, nil
		} else if other == h {
			return nil, errOther
		}
	}
	if full != nil || !k.room.hasRoom(t, h.holder, int64(len(r.Message)), k.KeeperBounds) {
		return nil, k.refuseFor(m.Place, t.namedKey(h.holder))
	}
	return k.keepMessage(t, h, m)
}

// refuseFor returns errFull, once a doubt about a holder of a seat is on disk.
func (k *Keeper) refuseFor(p keeper.Place, key string) error {
	k.store.doubtEver(p, key)
	if !k.flushDoubts() {
		return errFailed
	}
	return errFull
}

// flushDoubts makes doubts durable. If that fails, the keeper signs nothing any more.
func (k *Keeper) flushDoubts() bool {
	if err := k.store.flush(); err != nil {
		_ = k.failWith("cannot write doubts", err)
	}
	return k.failed == nil
}

// checkWhole returns an error unless a message comes with all the blobs that it names.
func checkWhole(parcel []byte) error {
	e, err := wire.Parse(parcel)
	if err == nil && e.Size() != len(parcel) {
		err = errors.New("it names blobs that are not with it")
	}
	return err
}

// keepMessage puts a message on disk and then returns the signed line. If that fails, the keeper
// signs nothing any more.
func (k *Keeper) keepMessage(t *keptTable, h hold, m keeper.Message) (line []byte, err error) {
	at := k.lineTime()
	if line, err = keeper.SignHold(k.Signer, at, m.Place, m.Entry); err != nil {
		return nil, err
	}
	m.Lines, m.Names = [][]byte{line}, []string{k.Signer.Name()}
	if err := k.store.putMessage(t, m); err != nil {
		return nil, k.failWith("cannot keep a message", err, "table", t.id)
	}
	k.store.noteTime(at)
	size := int64(len(m.Parcel))
	t.holds[h] = &storedMessage{entry: m.Entry, line: line, at: at, size: size}
	k.room.takeBytes(t, size)
	return line, nil
}

// Silence signs that no message of a seat on a parent is held, if that is so.
func (k *Keeper) Silence(r exchange.Request) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t, err := k.tableOf(r)
	if err != nil {
		return nil, err
	}
	p := keeper.Place{Table: t.id, Parent: r.Parent, Seat: r.Seat}
	if !slices.Contains(t.genesis.Clock.Lines, k.Lines) {
		return nil, errNamed
	}
	if err := k.checkQuiet(t, p); err != nil {
		return nil, err
	}
	at := k.lineTime()
	if err := k.store.noteSilence(at); err != nil {
		return nil, k.failWith("cannot write the time", err)
	}
	return keeper.SignSilence(k.Signer, at, p)
}

// checkQuiet returns the reason why there is no silence at a place, or nil.
func (k *Keeper) checkQuiet(t *keptTable, p keeper.Place) error {
	of, known := t.holderAt(p)
	if k.store.isDoubted(p) || k.store.doubtedEver(p, of, known) {
		return errDoubt
	}
	other := func(h holder) bool { return h.seat != p.Seat || known && h.isKnown() && h.key != of }
	for h, at := range t.present {
		left := at.since + t.presenceLife() - k.Since()
		if other(h) || left <= 0 {
			continue
		}
		if at.lost || at.head != p.Parent {
			return &soonError{left, "the seat says that it is not where it could answer"}
		}
		if left = at.came + t.grace() - k.Since(); left > 0 {
			return &soonError{left, "the seat has not said for long enough that it could answer"}
		}
	}
	for h := range t.holds {
		if !other(h.holder) && h.parent == p.Parent {
			return errHeld
		}
	}
	if err := k.checkFollowed(t, p.Parent, p.Seat); err != nil {
		return err
	}
	before := t.entriesBefore(p.Parent)
	for h := range t.holds {
		if !other(h.holder) && !before[h.parent] {
			return errBranch
		}
	}
	return t.checkLogged(p, before)
}

// HeldMessages returns the keeper's view of a table: entries after an index, each with its receipt,
// and the names of the messages that it holds; nil if the keeper does not know the table.
func (k *Keeper) HeldMessages(table wire.Hash, after int64) *exchange.KeeperView {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := k.tables[table]
	if t == nil {
		return nil
	}
	t.asked = k.Since()
	list := &exchange.KeeperView{Table: table, Entries: []exchange.ShownEntry{}, Held: []exchange.HeldPlace{}}
	for _, s := range t.shown {
		if int64(s.Index) > after {
			list.Entries = append(list.Entries, exchange.ShownEntry{Index: s.Index, Entry: s.Text, Receipt: string(s.receipt)})
		}
	}
	for h, m := range t.holds {
		if h.rests {
			continue
		}
		list.Held = append(list.Held, exchange.HeldPlace{Parent: h.parent, Seat: h.seat, Entry: m.entry, Time: m.at})
	}
	slices.SortFunc(list.Held, func(a, b exchange.HeldPlace) int { return bytes.Compare(a.Entry[:], b.Entry[:]) })
	return list
}

// Message returns a held message as a file (exchange.Parse), or nil if it is not held.
func (k *Keeper) Message(table, entry wire.Hash) ([]byte, error) {
	k.mu.Lock()
	t := k.tables[table]
	has := false
	if t != nil {
		for h, m := range t.holds {
			has = has || m.entry == entry && !h.rests
		}
	}
	k.mu.Unlock()
	if !has {
		return nil, nil
	}
	return k.store.readMessage(table, entry)
}
