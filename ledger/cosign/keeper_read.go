package cosign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/wire"
)

const (
	keepFor   = 7 * 24 * time.Hour
	idle      = 10 * time.Minute // after which a table that nobody asked for, and that has no messages, is forgotten
	patience  = 5 * time.Second  // for one answer of the log
	pagesOnce = 64
	giveOnce  = 8 // messages given to the log in one pass
	longPause = time.Minute

	lastLinks = 512   // entryLinks kept of a table
	heldLinks = 8_192 // the same while one of its messages is held
)

// Run reads the tables that were asked for, gives the log the messages that it lacks, and forgets
// old ones, until the context ends.
func (k *Keeper) Run(ctx context.Context) {
	for tick := time.NewTicker(Interval); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			k.PassOnce(ctx)
		}
	}
}

// PassOnce is one pass of Run.
func (k *Keeper) PassOnce(ctx context.Context) {
	for _, t := range k.keptTables() {
		if err := k.followTable(ctx, t); err != nil && ctx.Err() == nil {
			k.Logger.Debug("cannot read a table", "table", t.id, "err", err)
		}
	}
	k.giveDue(ctx)
	k.forgetLogged()
}

func (k *Keeper) keptTables() (list []*keptTable) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.tables {
		list = append(list, t)
	}
	return list
}

// followTable reads new entries of a table, as far as this process has cosigned the log.
func (k *Keeper) followTable(ctx context.Context, t *keptTable) error {
	cp := k.Cosigned()
	if cp.Note == nil {
		return nil
	}
	news, read, err := k.newEntries(ctx, t, cp.Size)
	if err != nil {
		return err
	}
	next := t.next
	var found []shownEntry
	for _, e := range news {
		s, err := k.locateEntry(ctx, t.id, e, cp)
		if err == nil && e.Index < next { // readers of later entries might never look at an earlier one
			err = fmt.Errorf("the log lists entry %d of the table after entry %d", e.Index, next-1)
		}
		if err != nil {
			return err
		}
		found, next = append(found, s), e.Index+1
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	t.read, t.next = read, next
	k.showEntries(t, found)
	return nil
}

// newEntries returns the last of the table's unread entries that are in a tree of this size, and
// the number of entries read in total.
func (k *Keeper) newEntries(ctx context.Context, t *keptTable, size uint64) (list []HeldEntry, read int, err error) {
	read = t.read // which followTable alone changes
	for range pagesOnce {
		short, cancel := context.WithTimeout(ctx, patience)
		page, err := k.Log.Listed(short, t.id, read)
		cancel()
		if err != nil || len(page) == 0 {
			return list, read, err
		}
		for _, e := range page {
			if e.Index >= size {
				return list, read, nil
			}
			list, read = append(list, e), read+1
		}
		list = slices.Clone(list[max(0, len(list)-lastShown):])
	}
	return list, read, nil
}

// locateEntry verifies an entry of a table against a checkpoint that this process has cosigned.
func (k *Keeper) locateEntry(ctx context.Context, table wire.Hash, of HeldEntry, cp tlog.Checkpoint) (s shownEntry, err error) {
	e, err := wire.Parse([]byte(of.Text))
	if err != nil {
		return s, err
	}
	if e.Hash != table && (e.Message == nil || e.Message.Table != table) && (e.Act == nil || e.Act.Table != table) {
		return s, fmt.Errorf("entry %d is not of this table", of.Index)
	}
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := k.Log.Inclusion(short, of.Index, cp.Size)
	if err != nil {
		return s, err
	}
	if p.Index != of.Index || p.Size != cp.Size {
		return s, fmt.Errorf("%w inclusion: of another entry or size", tlog.ErrMalformed)
	}
	if err := p.Verify(tlog.LeafHash([]byte(of.Text)), cp.Root); err != nil {
		return s, err
	}
	r := tlog.Receipt{Index: of.Index, Hashes: p.Hashes, Checkpoint: cp.Note}
	s = shownEntry{HeldEntry: of, hash: e.Hash, receipt: r.Marshal(), entryLink: entryLink{parent: e.Parent(), index: of.Index, seat: -1}}
	if e.Message != nil {
		s.seat = e.Message.Seat
	}
	var body wire.ReseatBody
	if e.Act != nil && e.Act.Kind == wire.KindReseat && wire.DecodeAct(e.Act.Body, &body) == nil {
		s.given = holder{body.Seat, body.Key}
	}
	return s, nil
}

// showEntries shows entries from now on and marks held messages that the log has. The caller holds
// the lock.
func (k *Keeper) showEntries(t *keptTable, found []shownEntry) {
	for _, s := range found {
		s.since = k.Since()
		t.shown, t.linked = append(t.shown, s), append(t.linked, s.hash)
		t.links[s.hash] = &s.entryLink
		for _, h := range t.holds {
			h.done = h.done || h.entry == s.hash
		}
	}
	size := 0
	for i, s := range slices.Backward(t.shown) {
		size += len(s.Text) + len(s.receipt)
		if n := len(t.shown) - i; n > lastShown || n > leastShown && size > tableShown {
			for _, s := range t.shown[:i+1] {
				t.links[s.hash].brief = k.Since()-t.links[s.hash].since < t.grace()
			}
			t.shown = slices.Clone(t.shown[i+1:])
			break
		}
	}
	most := lastLinks
	if len(t.holds) > 0 {
		most = heldLinks
	}
	for len(t.linked) > most {
		delete(t.links, t.linked[0])
		t.linked = t.linked[1:]
	}
}

// entriesBefore returns the known entries before one in its history. A message that a seat has
// signed on one of them is void, which everybody can see. Of two messages on one parent neither is
// before the other.
func (t *keptTable) entriesBefore(entry wire.Hash) map[wire.Hash]bool {
	before := map[wire.Hash]bool{}
	for l := t.links[entry]; l != nil && !before[l.parent]; l = t.links[l.parent] {
		before[l.parent] = true
	}
	return before
}

// holderAt returns the key that has a seat at a place. It returns false if the history is not known
// back to the last act that gave the seat to somebody. Acts before a head were applied.
func (t *keptTable) holderAt(p keeper.Place) (key string, known bool) {
	entry := p.Parent
	for range len(t.links) + 1 {
		l := t.links[entry]
		switch {
		case l == nil:
			return "", false
		case l.given.key != "" && l.given.seat == p.Seat:
			return l.given.key, true
		case entry == t.id && p.Seat < len(t.genesis.Seats):
			return t.genesis.Seats[p.Seat], true
		}
		entry = l.parent
	}
	return "", false
}

// checkLogged returns an error if a message of the seat in the log rules out a silence: a message
// on the parent, or one later than the seat's last message up to the parent and on an entry outside
// the parent's history. Branches from that entry may have been forgotten (52.10.1).
func (t *keptTable) checkLogged(p keeper.Place, before map[wire.Hash]bool) error {
	last := uint64(0)
	for entry, l := range t.links {
		if l.seat == p.Seat && (before[entry] || entry == p.Parent) {
			last = max(last, l.index)
		}
	}
	for _, l := range t.links {
		switch {
		case l.seat != p.Seat:
		case l.parent == p.Parent:
			return errHeld
		case l.index > last && !before[l.parent]:
			return errBranch
		}
	}
	return nil
}

func (t *keptTable) grace() time.Duration { return time.Duration(t.genesis.Clock.Grace) * time.Second }

// checkFollowed returns the reason why a seat may have been unable to follow the table up to an
// entry. Each entry back to the seat's own last message, or to the beginning of the table, must
// have been found in the log and shown for the grace. An entry that is hidden from this keeper may
// be hidden from the seat too.
func (k *Keeper) checkFollowed(t *keptTable, entry wire.Hash, seat int) error {
	for range len(t.links) + 1 {
		l := t.links[entry]
		switch {
		case l == nil:
			return &soonError{time.Second, "the parent, or an entry before it, was not found in the log yet, under a checkpoint that this keeper has cosigned"}
		case l.brief:
			return errFast
		case k.Since()-l.since < t.grace():
			return &soonError{l.since + t.grace() - k.Since(), "the parent, or an entry before it, was not shown for long enough yet"}
		case l.seat == seat, entry == t.id:
			return nil
		}
		entry = l.parent
	}
	return errFast
}

// dueMessage is a message to give to the log.
type dueMessage struct {
	table, entry wire.Hash
}

// giveDue gives the log the messages that it lacks. The log may refuse one: a held message need not
// be a legal move.
func (k *Keeper) giveDue(ctx context.Context) {
	for _, d := range k.dueMessages() {
		file, err := k.store.readMessage(d.table, d.entry)
		if err != nil {
			continue // the message was forgotten meanwhile
		}
		m, err := exchange.Parse(file)
		if err != nil {
			continue
		}
		short, cancel := context.WithTimeout(ctx, patience)
		if err := k.Log.Give(short, d.table, m.Parcel); err != nil && ctx.Err() == nil {
			k.Logger.Debug("the log does not take a message", "table", d.table, "entry", d.entry, "err", err)
		}
		cancel()
	}
}

func (k *Keeper) dueMessages() (list []dueMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.Since()
	for _, t := range k.tables {
		for at, h := range t.holds {
			if at.rests || h.done || h.next > now || len(list) == giveOnce {
				continue
			}
			h.pause = min(max(2*h.pause, Interval), longPause)
			h.next = now + h.pause
			list = append(list, dueMessage{t.id, h.entry})
		}
	}
	return list
}

// forgetLogged drops messages that the log has or that were held for a week, once a doubt about
// each is on disk, and tables without messages.
func (k *Keeper) forgetLogged() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.checkAlive() != nil {
		return
	}
	type old struct {
		t *keptTable
		h hold
	}
	var list []old
	for _, t := range k.tables {
		for h, m := range t.holds {
			if m.done || k.lineTime()-m.at > int64(keepFor/time.Second) {
				p := keeper.Place{Table: t.id, Parent: h.parent, Seat: h.seat}
				if k.store.noteDoubt(p); !m.done { // the log may have it on a branch
					k.store.doubtEver(p, h.keyOrLater())
				}
				list = append(list, old{t, h})
			}
		}
	}
	if !k.flushDoubts() {
		return
	}
	for _, o := range list {
		k.dropHold(o.t, o.h)
	}
	for id, t := range k.tables {
		if len(t.holds) == 0 && k.Since()-t.asked > idle {
			delete(k.tables, id)
			k.room.leaveTable(t.known)
		}
	}
}

// dropHold forgets a held message or a rest.
func (k *Keeper) dropHold(t *keptTable, h hold) {
	m := t.holds[h]
	delete(t.holds, h)
	k.room.takeBytes(t, -m.size)
	if err := k.store.dropMessage(t, h, m.entry); err != nil {
		k.Logger.Error("cannot remove a message", "table", t.id, "err", err)
	}
}
