package tablelog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// Keepers are the keepers of one table's clock (docs/spec/66-cosigners.md, 66.8). Keepers implements
// player.Keepers.
type Keepers struct {
	// Sat, if set, is called with a request that proves the table and the seat's holder to keepers,
	// whenever that has changed. With it a restarted program needs no server.
	Sat func(exchange.Request)

	list []*client.Keeper
	tell func(Finding)
	keep func(keeper.Message) (where string, err error)

	server *client.Client // nil: nobody can be asked for a receipt
	index  uint64         // of the genesis entry

	mu      sync.Mutex
	told    map[string]bool
	table   exchange.Request // without a receipt until there is one
	asking  chan struct{}    // closed when the server has been asked for the receipt
	sat     exchange.Request // as given to Sat
	refused bool             // the receipt was refused by all of them
}

var _ player.Keepers = (*Keepers)(nil)

// NewKeepers returns the keepers of a table. The table is proved to them by a kept proof, or by the
// server once it shows one. keep stores a held message and returns where.
func NewKeepers(s *Source, list []*client.Keeper, proof *exchange.Request, keep func(keeper.Message) (string, error)) *Keepers {
	k := ProvedKeepers(list, exchange.Request{Genesis: []byte(s.list[0].Entry)}, s.Tell, keep)
	k.index, k.server = s.list[0].Index, s.Server
	if proof != nil {
		k.table.Receipt = proof.Receipt
	}
	return k
}

// ProvedKeepers returns the keepers of a table by a kept proof, without a server.
func ProvedKeepers(list []*client.Keeper, proof exchange.Request, tell func(Finding), keep func(keeper.Message) (string, error)) *Keepers {
	return &Keepers{list: list, tell: tell, keep: keep, told: map[string]bool{}, table: exchange.Request{Genesis: proof.Genesis, Receipt: proof.Receipt}}
}

const (
	receiptTime   = 30 * time.Second // for an answer of the server
	receiptWithin = time.Second      // after which keepers are asked without a receipt
)

// tableRequest returns the beginning of a request about the table. It has no receipt if the server
// shows none: a keeper that could sign a silence then knows the table already, by somebody else's
// request.
func (k *Keepers) tableRequest(ctx context.Context) exchange.Request {
	k.mu.Lock()
	if k.table.Receipt == nil && k.asking == nil && k.server != nil {
		k.asking = make(chan struct{})
		go k.askReceipt(context.WithoutCancel(ctx), k.asking)
	}
	asking := k.asking
	k.mu.Unlock()
	if asking != nil {
		within := receiptWithin
		if end, is := ctx.Deadline(); is {
			within = min(within, time.Until(end)/4) // the rest of the time is for keepers
		}
		select {
		case <-asking:
		case <-time.After(within):
		case <-ctx.Done():
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.table
}

// askReceipt asks the server for the receipt of the genesis entry.
func (k *Keepers) askReceipt(ctx context.Context, asked chan struct{}) {
	defer close(asked)
	ctx, cancel := context.WithTimeout(ctx, receiptTime)
	defer cancel()
	cp := k.server.BelievedCheckpoint()
	p, err := k.server.Inclusion(ctx, k.index, cp.Size)
	receipt := tlog.Receipt{Index: k.index, Hashes: p.Hashes, Checkpoint: cp.Note}
	if err == nil {
		err = receipt.Verify(k.table.Genesis, k.server.Keys()...)
	}
	if err != nil {
		k.tellOnce(Unproven, "the server does not show that it has this table, so keepers who do not know it from others hold nothing for you: %v", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asking = nil; err == nil {
		k.table.Receipt = receipt.Marshal()
	}
}

// dropReceipt drops a kept receipt that no keeper accepts, once.
func (k *Keepers) dropReceipt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.server != nil && !k.refused {
		k.refused, k.table.Receipt = true, nil
	}
}

// tellOnce tells each text only once.
func (k *Keepers) tellOnce(kind Kind, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.tell != nil && !k.told[text] {
		k.told[text] = true
		k.tell(Finding{kind, text})
	}
}

func (k *Keepers) askAll(ask func(*client.Keeper)) {
	var all sync.WaitGroup
	for _, one := range k.list {
		all.Go(func() { ask(one) })
	}
	all.Wait()
}

// Hold implements player.Keepers. It stores a held message in a file and tells where.
func (k *Keepers) Hold(ctx context.Context, parcel, reseat []byte) {
	m, err := keeper.NewMessage(parcel)
	if err != nil {
		return // an act, which keepers do not hold
	}
	r := k.tableRequest(ctx)
	r.Message, r.Reseat = parcel, reseat
	var mu sync.Mutex
	var names []string
	k.askAll(func(one *client.Keeper) {
		line, err := one.Hold(ctx, r)
		if err != nil {
			if ctx.Err() == nil {
				k.tellOnce(Unproven, "%v does not hold your message: %v", one, err)
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
		k.tellOnce(Unproven, "your message is held by %v, and cannot be kept here: %v", names, err)
		return
	}
	k.tellOnce(Hidden, "the server has given no receipt for your message yet; it is held by %v, and what they say is kept in %s", names, where)
}

// Present implements player.Keepers.
func (k *Keepers) Present(ctx context.Context, presence, reseat []byte) int {
	r := k.tableRequest(ctx)
	r.Message, r.Reseat = presence, reseat
	var told, refused atomic.Int64
	k.askAll(func(one *client.Keeper) {
		err := one.Present(ctx, r)
		problem, answered := errors.AsType[*client.Problem](err)
		switch {
		case err == nil:
			told.Add(1)
		case ctx.Err() == nil:
			if answered && problem.Status < 500 {
				refused.Add(1)
			}
			k.tellOnce(Unproven, "%v does not take where your seat is: %v", one, err)
		}
	})
	switch {
	case told.Load() > 0:
		k.tellSat(r)
	case r.Receipt != nil && int(refused.Load()) == len(k.list):
		k.dropReceipt()
	}
	return int(told.Load())
}

// tellSat calls Sat with a request that proves more than the last one did.
func (k *Keepers) tellSat(r exchange.Request) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Sat != nil && r.Receipt != nil && (!bytes.Equal(r.Receipt, k.sat.Receipt) || !bytes.Equal(r.Reseat, k.sat.Reseat)) {
		k.sat = r
		k.Sat(r)
	}
}

// nameOf returns the name in a keeper's key for lines.
func nameOf(k *client.Keeper) string {
	v, err := wire.ParseVerifier(k.Lines)
	if err != nil {
		return ""
	}
	return v.Name()
}

// Silence implements player.Keepers.
func (k *Keepers) Silence(ctx context.Context, p keeper.Place) (lines [][]byte) {
	r := k.tableRequest(ctx)
	r.Parent, r.Seat = p.Parent, p.Seat
	var mu sync.Mutex
	k.askAll(func(one *client.Keeper) {
		line, err := one.Silence(ctx, r)
		if err != nil {
			k.tellOnce(Waiting, "%v does not say that it holds nothing of seat %c: %v", one, 'A'+rune(p.Seat), err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	})
	return lines
}

// Places returns the keepers as places that show the last entries of the table.
func (k *Keepers) Places(server *client.Client) (list []Place) {
	for _, one := range k.list {
		list = append(list, &shelf{keeper: one, server: server, genesis: k.table.Genesis, after: -1, known: map[string]bool{}})
	}
	return list
}

// shelf is a keeper as a Place.
type shelf struct {
	keeper  *client.Keeper
	server  *client.Client // has to prove that its log contains what the keeper has seen
	genesis []byte
	after   int64
	looks   int
	known   map[string]bool // checkpoints that were compared
}

// comparedMost bounds shelf.known.
const comparedMost = 1 << 10

func (s *shelf) String() string { return s.keeper.String() }

// Look implements Place. Receipts are under checkpoints that the keeper has cosigned, and each is
// compared with the believed one. Every second call reads everything that is shown: a restarted
// keeper may show an entry that comes before one that it showed earlier.
func (s *shelf) Look(ctx context.Context, id wire.Hash, believed tlog.Checkpoint) (newest tlog.Checkpoint, list []client.Message, err error) {
	if s.looks++; s.looks%2 == 0 {
		s.after = -1
	}
	shown, err := s.keeper.HeldMessages(ctx, id, s.after)
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
	if len(list) > 0 { // not after an answer that was refused
		s.after = int64(list[len(list)-1].Index)
	}
	return newest, list, nil
}
