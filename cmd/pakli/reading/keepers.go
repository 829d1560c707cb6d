package reading

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/held"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// Keepers are those of one table's clock, to which it proves itself (docs/spec/66-cosigners.md,
// 66.8). It implements player.Keepers.
type Keepers struct {
	// Sat, if set, is given what shows keepers the table and who has the seat, once: a program that begins again needs no server for it.
	Sat func(held.Request)
	sat sync.Once

	list   []*client.Keeper
	server *client.Client
	tell   func(Finding)
	keep   func(keeper.Message) (where string, err error)

	proving sync.Mutex
	index   uint64       // of the genesis entry
	table   held.Request // without a receipt as long as the server has shown none

	mu   sync.Mutex
	told map[string]bool
}

var _ player.Keepers = (*Keepers)(nil)

// NewKeepers returns the keepers of a table. That the log has it they are shown by a proof that was kept, or, if there is none, by what the
// server shows once it does: it is asked again each time. Keep puts a message that is held somewhere, and says where.
func NewKeepers(s *Source, list []*client.Keeper, proof *held.Request, keep func(keeper.Message) (string, error)) *Keepers {
	if proof != nil {
		return ProvedKeepers(list, *proof, s.Tell, keep)
	}
	k := ProvedKeepers(list, held.Request{Genesis: []byte(s.list[0].Entry)}, s.Tell, keep)
	k.index, k.server = s.list[0].Index, s.Server
	return k
}

// ProvedKeepers returns the keepers of a table that no server need show.
func ProvedKeepers(list []*client.Keeper, proof held.Request, tell func(Finding), keep func(keeper.Message) (string, error)) *Keepers {
	return &Keepers{list: list, tell: tell, keep: keep, told: map[string]bool{}, table: held.Request{Genesis: proof.Genesis, Receipt: proof.Receipt}}
}

// proof is what shows keepers the table: its genesis entry with a receipt.
func (k *Keepers) proof(ctx context.Context) (held.Request, error) {
	k.proving.Lock()
	defer k.proving.Unlock()
	if k.table.Receipt != nil {
		return k.table, nil
	}
	cp := k.server.Believed()
	p, err := k.server.Inclusion(ctx, k.index, cp.Size)
	if err != nil {
		return held.Request{}, err
	}
	receipt := tlog.Receipt{Index: k.index, Hashes: p.Hashes, Checkpoint: cp.Note}
	if err := receipt.Verify(k.table.Genesis, k.server.Keys()...); err != nil {
		return held.Request{}, err
	}
	k.table.Receipt = receipt.Marshal()
	return k.table, nil
}

// about is the beginning of a request about the table.
func (k *Keepers) about(ctx context.Context) (r held.Request, ok bool) {
	r, err := k.proof(ctx)
	if err != nil && ctx.Err() == nil {
		k.say(Unproven, "keepers cannot be shown that the log has this table, without which they hold nothing and do not know where your seat is: %v", err)
	}
	return r, err == nil
}

// say tells something, once.
func (k *Keepers) say(kind Kind, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tell != nil && !k.told[text] {
		k.told[text] = true
		k.tell(Finding{kind, text})
	}
}

// each asks all keepers at once.
func (k *Keepers) each(ask func(*client.Keeper)) {
	var all sync.WaitGroup
	for _, one := range k.list {
		all.Go(func() { ask(one) })
	}
	all.Wait()
}

// Hold implements player.Keepers. What is held is kept as a file, and told.
func (k *Keepers) Hold(ctx context.Context, parcel, reseat []byte) {
	m, err := keeper.NewMessage(parcel)
	if err != nil {
		return // an act, which nobody holds
	}
	r, ok := k.about(ctx)
	if !ok {
		return
	}
	r.Message, r.Reseat = parcel, reseat
	var mu sync.Mutex
	var names []string
	k.each(func(one *client.Keeper) {
		line, err := one.Hold(ctx, r)
		if err != nil {
			if ctx.Err() == nil {
				k.say(Unproven, "%v does not hold your message: %v", one, err)
			}
			return
		}
		mu.Lock()
		defer mu.Unlock()
		m.Lines, m.Names, names = append(m.Lines, line), append(m.Names, nameOf(one)), append(names, one.Name)
	})
	if len(names) == 0 {
		return
	}
	where, err := k.keep(m)
	if err != nil {
		k.say(Unproven, "your message is held by %v, and cannot be kept here: %v", names, err)
		return
	}
	k.say(Hidden, "the server has given no receipt for your message yet; it is held by %v, and what they say is kept in %s", names, where)
}

// Present implements player.Keepers.
func (k *Keepers) Present(ctx context.Context, presence, reseat []byte) int {
	r, ok := k.about(ctx)
	if !ok {
		return 0
	}
	r.Message, r.Reseat = presence, reseat
	if k.Sat != nil {
		k.sat.Do(func() { k.Sat(r) })
	}
	var told atomic.Int64
	k.each(func(one *client.Keeper) {
		if err := one.Present(ctx, r); err == nil {
			told.Add(1)
		} else if ctx.Err() == nil {
			k.say(Unproven, "%v does not take where your seat is: %v", one, err)
		}
	})
	return int(told.Load())
}

// nameOf is the name in a keeper's key for lines.
func nameOf(k *client.Keeper) string {
	v, err := wire.ParseVerifier(k.Lines)
	if err != nil {
		return ""
	}
	return v.Name()
}

// Silence implements player.Keepers.
func (k *Keepers) Silence(ctx context.Context, p keeper.Place) (lines [][]byte) {
	r, ok := k.about(ctx)
	if !ok {
		return nil
	}
	r.Parent, r.Seat = p.Parent, p.Seat
	var mu sync.Mutex
	k.each(func(one *client.Keeper) {
		line, err := one.Silence(ctx, r)
		if err != nil {
			k.say(Waiting, "%v does not say that it holds nothing of seat %c: %v", one, 'A'+rune(p.Seat), err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	})
	return lines
}

// Places are the keepers as places that show the last entries of the table.
func (k *Keepers) Places(server *client.Client) (list []Place) {
	for _, one := range k.list {
		list = append(list, &shelf{keeper: one, server: server, genesis: k.table.Genesis, after: -1, known: map[string]bool{}})
	}
	return list
}

// shelf is what a keeper shows.
type shelf struct {
	keeper  *client.Keeper
	server  *client.Client // which has to show that it has what the keeper has seen
	genesis []byte
	after   int64
	looks   int
	known   map[string]bool // checkpoints that were compared
}

// comparedMost bounds what a shelf remembers.
const comparedMost = 1 << 10

func (s *shelf) String() string { return s.keeper.String() }

// Look implements Place. The receipts are of checkpoints that the keeper has cosigned; each is
// compared with what is believed. Every second time it looks at all that is shown: a keeper that has begun anew may show an
// entry that comes before one that it has shown.
func (s *shelf) Look(ctx context.Context, id wire.Hash, believed tlog.Checkpoint) (newest tlog.Checkpoint, list []client.Message, err error) {
	if s.looks++; s.looks%2 == 0 {
		s.after = -1
	}
	shown, err := s.keeper.Held(ctx, id, s.after)
	if err != nil {
		return believed, nil, err
	}
	newest = believed
	if len(s.known) > comparedMost {
		clear(s.known)
	}
	for _, e := range shown.Entries {
		r, err := tlog.ParseReceipt([]byte(e.Receipt))
		if err == nil {
			err = r.Verify([]byte(e.Entry), s.server.Keys()...)
		}
		if err == nil && (r.Index != e.Index || !wire.Concerns([]byte(e.Entry), id, s.genesis) && wire.HashEntry([]byte(e.Entry)) != id) {
			err = fmt.Errorf("%w list: entry %d is not of this table", tlog.ErrMalformed, e.Index)
		}
		if err != nil {
			return believed, nil, err
		}
		if !s.known[string(r.Checkpoint)] {
			cp, err := s.server.BelieveProof(ctx, r.Checkpoint)
			if err != nil {
				return believed, nil, err
			}
			if s.known[string(r.Checkpoint)] = true; cp.Size > newest.Size {
				newest = cp
			}
		}
		list = append(list, client.Message{Index: e.Index, Entry: e.Entry})
	}
	if len(list) > 0 { // not of an answer that was refused
		s.after = int64(list[len(list)-1].Index)
	}
	return newest, list, nil
}
