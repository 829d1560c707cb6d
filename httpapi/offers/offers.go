// Package offers is a board of open tables: offers, and who joined them
// (docs/spec/70-http.md, 70.12).
//
// It is in memory alone. What it says decides nothing: players check the documents, and
// the table that comes of them, themselves. After a restart everybody posts again.
package offers

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

// Bounds of a board.
const (
	Lifetime        = 24 * time.Hour // after the organiser was last heard of
	maxOffers       = 4096
	maxOfAddress    = 64  // offers
	maxOfOrganiser  = 16  // offers
	maxJoinsAddress = 256 // places held by one address
	maxSent         = 256 // joins of one offer that its organiser has sent away, and that must not come back
)

// Options say what a board takes.
type Options struct {
	Clock     func() time.Time
	Organiser func(key string) bool              // who may begin tables; nil: everybody
	Playable  func(g *wire.Genesis, n int) error // whether the server could play such a table with n seats
	Log       string                             // verifier key of the log, which every offer must name
}

// Reasons why a document is not taken.
var (
	ErrUnknown   = errors.New("there is no such open table here, or it is over")
	ErrOrganiser = errors.New("this organiser may not begin tables here")
	ErrFull      = errors.New("too many open tables, or places at them, of this address or organiser")
	ErrStranger  = errors.New("it is signed by neither who joined nor the organiser")
	ErrBegun     = errors.New("the table has begun")
)

// FormError says that a document is none.
type FormError struct{ error }

func (e *FormError) Unwrap() error { return e.error }

// TermsError says that an offer is of a table that cannot begin here.
type TermsError struct{ error }

// SeatError says that there is no place: all are taken, or this key has one or had one.
type SeatError struct{ error }

// NameError says that somebody of that name has joined. Free is a spelling that is free.
type NameError struct{ Name, Free string }

func (e *NameError) Error() string {
	return fmt.Sprintf("somebody named %s has joined; %s is free", e.Name, e.Free)
}

// Row is an offer in a list.
type Row struct {
	Offer *offer.Offer
	N     uint64 // its place in the list
	Code  int    // letters of its hash that are no other open one's
	Free  int    // places
}

// Open is an open table as it stands.
type Open struct {
	Row
	Joins   [][]byte
	Table   *wire.Hash // once begun
	Away    time.Duration
	Version uint64 // other than before if anything changed
}

// Board is all open tables. It is safe for concurrent use.
type Board struct {
	o Options

	mu      sync.Mutex
	n       uint64
	open    map[wire.Hash]*one
	by      map[string]*one      // by organiser's key and nonce of the table
	holding map[netip.Prefix]int // places by address
}

// one is an open table.
type one struct {
	offer   *offer.Offer
	n       uint64
	address netip.Prefix
	heard   time.Time
	joins   []joined
	sent    []wire.Hash // away by the organiser
	table   *wire.Hash
	version uint64
	changed chan struct{} // closed when version changes
}

type joined struct {
	*offer.Join
	address netip.Prefix
}

// New returns an empty board.
func New(o Options) *Board {
	return &Board{o: o, open: map[wire.Hash]*one{}, by: map[string]*one{}, holding: map[netip.Prefix]int{}}
}

func tableKey(organiser string, nonce []byte) string { return organiser + " " + string(nonce) }

// Post takes an offer. One that is there is thereby kept: its organiser is here.
func (b *Board) Post(doc []byte, address netip.Prefix) (o Open, again bool, err error) {
	said, err := offer.Parse(doc)
	if err != nil {
		return Open{}, false, &FormError{err}
	}
	if may := b.o.Organiser; may != nil && !may(said.Table.Organiser) {
		return Open{}, false, ErrOrganiser
	}
	if said.Log != b.o.Log {
		return Open{}, false, &TermsError{errors.New("the offer names another log than this server's")}
	}
	if err := b.o.Playable(&said.Table, said.Places); err != nil {
		return Open{}, false, &TermsError{err}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	if known, ok := b.open[said.Hash]; ok {
		known.heard = b.o.Clock()
		return b.shown(known), true, nil
	}
	if err := b.room(said.Table.Organiser, address); err != nil {
		return Open{}, false, err
	}
	b.n++
	t := &one{offer: said, n: b.n, address: address, heard: b.o.Clock(), version: 1, changed: make(chan struct{})}
	b.open[said.Hash], b.by[tableKey(said.Table.Organiser, said.TableNonce())] = t, t
	return b.shown(t), false, nil
}

func (b *Board) room(organiser string, address netip.Prefix) error {
	ofAddress, ofOrganiser := 0, 0
	for _, t := range b.open {
		if t.address == address {
			ofAddress++
		}
		if t.offer.Table.Organiser == organiser {
			ofOrganiser++
		}
	}
	if len(b.open) >= maxOffers || ofAddress >= maxOfAddress || ofOrganiser >= maxOfOrganiser {
		return ErrFull
	}
	return nil
}

// expire forgets what nobody has kept.
func (b *Board) expire() {
	for _, t := range b.open {
		if b.o.Clock().Sub(t.heard) > Lifetime {
			b.remove(t)
		}
	}
}

func (b *Board) remove(t *one) {
	for _, j := range t.joins {
		b.release(j.address)
	}
	delete(b.open, t.offer.Hash)
	delete(b.by, tableKey(t.offer.Table.Organiser, t.offer.TableNonce()))
	t.change()
}

func (b *Board) release(address netip.Prefix) {
	if b.holding[address]--; b.holding[address] <= 0 {
		delete(b.holding, address)
	}
}

func (t *one) change() {
	t.version++
	close(t.changed)
	t.changed = make(chan struct{})
}

// find returns an open table. Requires: the board is locked.
func (b *Board) find(id wire.Hash) (*one, error) {
	b.expire()
	if t, ok := b.open[id]; ok {
		return t, nil
	}
	return nil, ErrUnknown
}

// Join takes a join.
func (b *Board) Join(id wire.Hash, doc []byte, address netip.Prefix) (o Open, again bool, err error) {
	j, err := offer.ParseJoin(doc)
	if err != nil {
		return Open{}, false, &FormError{err}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.find(id)
	if err != nil || j.Offer != id {
		return Open{}, false, cmp.Or(err, error(&FormError{errors.New("it joins another offer than this one")}))
	}
	if slices.ContainsFunc(t.joins, func(k joined) bool { return k.Hash == j.Hash }) {
		return b.shown(t), true, nil
	}
	if err := b.mayJoin(t, j, address); err != nil {
		return Open{}, false, err
	}
	t.joins = append(t.joins, joined{j, address})
	b.holding[address]++
	t.change()
	return b.shown(t), false, nil
}

func (b *Board) mayJoin(t *one, j *offer.Join, address netip.Prefix) error {
	switch {
	case slices.Contains(t.sent, j.Hash):
		return &SeatError{errors.New("the organiser has sent this player away")}
	case slices.ContainsFunc(t.joins, func(k joined) bool { return k.Material() == j.Material() }):
		return &SeatError{errors.New("this key has a place already")}
	case t.table != nil:
		return &SeatError{ErrBegun}
	case len(t.joins) >= t.offer.Places:
		return &SeatError{errors.New("all places are taken")}
	case t.named(j.Name):
		return &NameError{j.Name, t.freeName(j.Name)}
	case b.holding[address] >= maxJoinsAddress:
		return ErrFull
	}
	return nil
}

func (t *one) named(name string) bool {
	return slices.ContainsFunc(t.joins, func(k joined) bool { return strings.EqualFold(k.Name, name) })
}

// freeName is a name like the one that is taken.
func (t *one) freeName(name string) string {
	for n := 2; ; n++ {
		end := fmt.Sprint(n)
		if free := name[:min(len(name), wire.MaxName-len(end))] + end; !t.named(free) {
			return free
		}
	}
}

// Leave takes a join back, or the offer.
func (b *Board) Leave(id wire.Hash, doc []byte) (Open, error) {
	l, err := offer.ParseLeave(doc)
	if err != nil {
		return Open{}, &FormError{err}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.find(id)
	if err != nil || l.Offer != id {
		return Open{}, cmp.Or(err, error(&FormError{errors.New("it is about another offer than this one")}))
	}
	organiser := l.By(t.offer.Table.Organiser)
	if l.Join == id && organiser {
		b.remove(t)
		return b.shown(t), nil
	}
	i := slices.IndexFunc(t.joins, func(k joined) bool { return k.Hash == l.Join })
	switch {
	case i < 0:
		return Open{}, ErrUnknown
	case t.table != nil:
		return Open{}, &SeatError{ErrBegun}
	case !organiser && !l.By(t.joins[i].Key):
		return Open{}, ErrStranger
	}
	b.release(t.joins[i].address)
	t.joins = slices.Delete(t.joins, i, i+1)
	if organiser { // who left may come back with the same document
		if t.sent = append(t.sent, l.Join); len(t.sent) > maxSent {
			t.sent = t.sent[1:]
		}
	}
	t.change()
	return b.shown(t), nil
}

// Begun is told of each table that the log takes in.
func (b *Board) Begun(id wire.Hash, g *wire.Genesis) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t, ok := b.by[tableKey(g.Organiser, g.Nonce)]; ok && t.table == nil {
		t.table = &id
		t.change()
	}
}

// List returns open tables that have not begun, above a place in the list, or those with a
// code that begins so.
func (b *Board) List(after uint64, code string, limit int) (list []Row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	for id, t := range b.open {
		if code != "" && strings.HasPrefix(offer.Code(id), code) || code == "" && t.table == nil && t.n > after {
			list = append(list, Row{Offer: t.offer, N: t.n, Free: t.offer.Places - len(t.joins)})
		}
	}
	slices.SortFunc(list, func(x, y Row) int { return cmp.Compare(x.N, y.N) })
	list = list[:min(len(list), limit)]
	for i := range list {
		list[i].Code = b.letters(list[i].Offer.Hash)
	}
	return list
}

// letters is how many letters of a hash tell it from those of other open tables.
func (b *Board) letters(id wire.Hash) int {
	code, n := offer.Code(id), offer.MinCode
	for other := range b.open {
		if other != id && bytes.Equal(other[:2], id[:2]) { // or else 3 letters do
			for n < len(code) && strings.HasPrefix(offer.Code(other), code[:n]) {
				n++
			}
		}
	}
	return n
}

// shown returns an open table. Requires: the board is locked.
func (b *Board) shown(t *one) Open {
	joins := make([][]byte, len(t.joins))
	for i, j := range t.joins {
		joins[i] = j.Text
	}
	row := Row{t.offer, t.n, b.letters(t.offer.Hash), t.offer.Places - len(joins)}
	return Open{row, joins, t.table, b.o.Clock().Sub(t.heard), t.version}
}

// Get returns an open table.
func (b *Board) Get(id wire.Hash) (Open, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.find(id)
	if err != nil {
		return Open{}, err
	}
	return b.shown(t), nil
}

// Wait returns when an open table has another version than the one known, or is no more,
// or ctx ends.
func (b *Board) Wait(ctx context.Context, id wire.Hash, known uint64) error {
	for {
		b.mu.Lock()
		t, err := b.find(id)
		if err != nil || t.version != known {
			b.mu.Unlock()
			return nil // which Get says
		}
		changed := t.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
