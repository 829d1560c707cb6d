package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

// Bounds of a board. Tables that have begun count for the board and the address of a join alone.
const (
	offerLifetime  = 24 * time.Hour   // after the organiser was last heard of
	offerUnheard   = 10 * time.Minute // of an offer whose organiser never was
	maxOffers      = 4096
	maxOfAddress   = 64       // offers
	maxOfRange     = 256      // offers of a limit.RangeOf
	maxOfOrganiser = 16       // offers whose organiser was heard of: anybody can post the others
	maxJoins       = 256      // of one address, those that were taken back included
	maxJoinsHere   = 32       // of those, at one offer
	maxGone        = 4096     // joins of one offer that were taken back
	maxTaken       = 4 * 4096 // offers that were taken back
)

// Offers say which open tables are shown: whose, and of what.
type Offers struct {
	Organiser func(key string) bool              // who may begin tables; nil: everybody
	Playable  func(g *wire.Genesis, n int) error // whether the server could play such a table with n seats
}

// Reasons why a board does not take a document; the others are said where they are found.
func unknownOffer() error {
	return problem(client.NotFound, "there is no such open table here, or it is over")
}

func offerMalformed(err error) error { return problem(client.MalformedEntry, "%v", err) }

func offerFull() error { return &limit.Error{Reason: limit.TableRate, Wait: time.Minute} }

func otherOffer() error {
	return problem(client.MalformedEntry, "it is about another offer than this one")
}

func neitherSigned() error {
	return problem(client.RefusedMessage, "it is signed by neither who joined nor the organiser")
}

func seatTaken(why string) error { return problem(client.SeatTaken, "%s", why) }

const tableHasBegun = "the table has begun"

// offerRow is an offer in a list.
type offerRow struct {
	Offer   *offer.Offer
	N       uint64   // its place in the list
	Code    int      // letters of its hash that are no other open one's
	Free    int      // places
	Players []string // names of those who joined
	Keys    []string // and their verifier keys
}

// offerView is an open table as it stands.
type offerView struct {
	offerRow
	Joins     [][]byte
	Table     *wire.Hash    // once begun
	Away      time.Duration // since the organiser was heard of; offerLifetime: never was
	Challenge []byte        // which the organiser answers to be heard of
	Version   uint64        // other than before if anything changed, the challenge apart
}

// offerBoard is all open tables: offers, and who joined them (docs/spec/70-http.md, 70.12). It is in memory
// alone. What it says decides nothing: players check the documents, and the table that comes of them,
// themselves. After a restart everybody posts again. It is safe for concurrent use.
type offerBoard struct {
	Offers
	log   string // verifier key, which every offer must name
	clock func() time.Time
	most  int // offers

	mu      sync.Mutex
	n       uint64
	open    map[wire.Hash]*openTable
	by      map[string]*openTable // by organiser's key and nonce of the table
	again   map[string]*openTable // by the table after which its players play again, and their keys
	holding map[netip.Prefix]int  // joins by address, those that were taken back included
	taken   []wire.Hash           // offers that were taken back, the oldest first
}

// openTable is an open table.
type openTable struct {
	offer     *offer.Offer
	n         uint64
	address   netip.Prefix // of its organiser; until that is heard of, of who posted it
	posted    time.Time
	heard     time.Time // of its organiser; zero: never
	challenge []byte
	joins     []placedJoin
	gone      map[wire.Hash]netip.Prefix // joins that were taken back, which anybody could post again
	table     *wire.Hash
	version   uint64
	changed   chan struct{} // closed when version changes
}

type placedJoin struct {
	*offer.Join
	address netip.Prefix
}

// newOfferBoard returns an empty board.
func newOfferBoard(o Offers, log string, clock func() time.Time) *offerBoard {
	if o.Playable == nil {
		o.Playable = func(*wire.Genesis, int) error { return nil }
	}
	return &offerBoard{Offers: o, log: log, clock: clock, most: maxOffers, open: map[wire.Hash]*openTable{}, by: map[string]*openTable{}, again: map[string]*openTable{}, holding: map[netip.Prefix]int{}}
}

// groupKey is of an offer to play again: those of its players have one table. A stranger has another group.
func groupKey(o *offer.Offer) string { return o.After + " " + strings.Join(o.Kept, " ") }

// offerPatience is how long an organiser who was heard of, or whose offer came, keeps others of the group from offering.
const offerPatience = time.Minute

func tableKey(organiser string, nonce []byte) string { return organiser + " " + string(nonce) }

// post takes an offer. Anybody can post one again, so that says nothing of its organiser.
func (b *offerBoard) post(doc []byte, address netip.Prefix) (o offerView, again bool, err error) {
	said, err := offer.Parse(doc)
	if err != nil {
		return offerView{}, false, offerMalformed(err)
	}
	if may := b.Organiser; may != nil && !may(said.Table.Organiser) {
		return offerView{}, false, problem(client.UnknownOrganiser, "this organiser may not begin tables here")
	}
	if said.Log != b.log {
		return offerView{}, false, problem(client.RefusedTable, "the offer names another log than this server's")
	}
	if err := b.Playable(&said.Table, said.Places); err != nil {
		return offerView{}, false, problem(client.RefusedTable, "%v", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.removeExpired()
	if known, ok := b.open[said.Hash]; ok {
		return b.viewOf(known), true, nil
	}
	if slices.Contains(b.taken, said.Hash) {
		return offerView{}, false, problem(client.RefusedTable, "its organiser has taken this offer back")
	}
	if t := b.again[groupKey(said)]; said.Kept != nil && t != nil && (t.table != nil || min(b.silenceOf(t), b.clock().Sub(t.posted)) < offerPatience) {
		return b.viewOf(t), true, nil // whoever clicks second joins the first
	}
	if err := b.makeRoom(said.Table.Organiser, address); err != nil {
		return offerView{}, false, err
	}
	b.n++
	t := &openTable{offer: said, n: b.n, address: address, posted: b.clock(), gone: map[wire.Hash]netip.Prefix{}, version: 1, changed: make(chan struct{})}
	b.newChallenge(t)
	b.open[said.Hash], b.by[tableKey(said.Table.Organiser, said.TableNonce())] = t, t
	if said.Kept != nil {
		b.again[groupKey(said)] = t
	}
	return b.viewOf(t), false, nil
}

// newChallenge makes a new challenge: who has heard the answer to the last one cannot use it.
func (b *offerBoard) newChallenge(t *openTable) {
	t.challenge = make([]byte, wire.NonceBytes)
	rand.Read(t.challenge)
}

// hearOrganiser hears that the organiser of an offer is there. again: it was no answer to the
// challenge of now, and nothing has changed.
func (b *offerBoard) hearOrganiser(id wire.Hash, doc []byte, address netip.Prefix) (o offerView, again bool, err error) {
	p, err := offer.ParsePresent(doc)
	if err != nil {
		return offerView{}, false, offerMalformed(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.findTable(id)
	switch {
	case err != nil || p.Offer != id:
		return offerView{}, false, cmp.Or(err, otherOffer())
	case !p.IsSignedBy(t.offer.Table.Organiser):
		return offerView{}, false, neitherSigned()
	case !bytes.Equal(p.Challenge, t.challenge):
		return b.viewOf(t), true, nil
	case t.heard.IsZero() && b.countOrganised(t.offer.Table.Organiser) >= maxOfOrganiser:
		return offerView{}, false, offerFull()
	}
	t.heard, t.address = b.clock(), address
	b.newChallenge(t)
	return b.viewOf(t), false, nil
}

// countOrganised is how many offers that have not begun an organiser keeps here.
func (b *offerBoard) countOrganised(key string) (n int) {
	for _, t := range b.open {
		if t.table == nil && !t.heard.IsZero() && t.offer.Table.Organiser == key {
			n++
		}
	}
	return n
}

// makeRoom makes room for an offer, if there may be one more.
func (b *offerBoard) makeRoom(organiser string, address netip.Prefix) error {
	all, open := map[netip.Prefix]int{}, map[netip.Prefix]int{}
	count := func(of map[netip.Prefix]int, address netip.Prefix) {
		of[address]++
		of[limit.RangeOf(address)]++ // which no address is
	}
	for _, t := range b.open {
		if count(all, t.address); t.table == nil {
			count(open, t.address)
		}
	}
	if open[address] >= maxOfAddress || open[limit.RangeOf(address)] >= maxOfRange || b.countOrganised(organiser) >= maxOfOrganiser {
		return offerFull()
	}
	if len(b.open) < b.most {
		return nil
	}
	count(all, address)
	return b.evictOffer(all, address)
}

// evictOffer removes an offer of the range that has most here, and of the address in it that has: the one whose organiser has
// been away for longest. So neither loses any to one that has more.
func (b *offerBoard) evictOffer(of map[netip.Prefix]int, own netip.Prefix) error {
	more := func(a, b netip.Prefix) int {
		return cmp.Or(cmp.Compare(of[limit.RangeOf(a)], of[limit.RangeOf(b)]), cmp.Compare(of[a], of[b]))
	}
	var worst *openTable
	for _, t := range b.open {
		if worst == nil || cmp.Or(more(t.address, worst.address), cmp.Compare(b.silenceOf(t), b.silenceOf(worst))) > 0 {
			worst = t
		}
	}
	if more(own, worst.address) > 0 {
		return offerFull()
	}
	b.removeOffer(worst)
	return nil
}

// silenceOf is how long the organiser has not been heard of.
func (b *offerBoard) silenceOf(t *openTable) time.Duration {
	if t.heard.IsZero() {
		return offerLifetime
	}
	return min(b.clock().Sub(t.heard), offerLifetime)
}

// removeExpired forgets what nobody has kept.
func (b *offerBoard) removeExpired() {
	for _, t := range b.open {
		last, life := t.heard, offerLifetime
		if last.IsZero() {
			last = t.posted
		}
		if t.heard.IsZero() && t.table == nil {
			life = offerUnheard
		}
		if b.clock().Sub(last) > life {
			b.removeOffer(t)
		}
	}
}

func (b *offerBoard) removeOffer(t *openTable) {
	for _, j := range t.joins {
		b.releaseHolding(j.address)
	}
	for _, address := range t.gone {
		b.releaseHolding(address)
	}
	delete(b.open, t.offer.Hash)
	delete(b.by, tableKey(t.offer.Table.Organiser, t.offer.TableNonce()))
	if b.again[groupKey(t.offer)] == t {
		delete(b.again, groupKey(t.offer))
	}
	t.noteChange()
}

func (b *offerBoard) releaseHolding(address netip.Prefix) {
	if b.holding[address]--; b.holding[address] <= 0 {
		delete(b.holding, address)
	}
}

func (t *openTable) noteChange() {
	t.version++
	close(t.changed)
	t.changed = make(chan struct{})
}

// findTable returns an open table. Requires: the board is locked.
func (b *offerBoard) findTable(id wire.Hash) (*openTable, error) {
	b.removeExpired()
	if t, ok := b.open[id]; ok {
		return t, nil
	}
	return nil, unknownOffer()
}

// join takes a join.
func (b *offerBoard) join(id wire.Hash, doc []byte, address netip.Prefix) (o offerView, again bool, err error) {
	j, err := offer.ParseJoin(doc)
	if err != nil {
		return offerView{}, false, offerMalformed(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.findTable(id)
	if err == nil {
		if wrong := t.offer.CheckJoin(j); wrong != nil {
			err = offerMalformed(wrong)
		}
	}
	if err != nil {
		return offerView{}, false, err
	}
	if slices.ContainsFunc(t.joins, func(k placedJoin) bool { return k.Hash == j.Hash }) {
		return b.viewOf(t), true, nil
	}
	if err := b.mayJoin(t, j, address); err != nil {
		return offerView{}, false, err
	}
	t.joins = append(t.joins, placedJoin{j, address})
	b.holding[address]++
	t.noteChange()
	return b.viewOf(t), false, nil
}

func (b *offerBoard) mayJoin(t *openTable, j *offer.Join, address netip.Prefix) error {
	_, gone := t.gone[j.Hash]
	switch {
	case gone:
		return seatTaken("this player has left, or was sent away: who comes back joins with another key")
	case slices.ContainsFunc(t.joins, func(k placedJoin) bool { return k.KeyMaterial() == j.KeyMaterial() }):
		return seatTaken("this key has a place already")
	case t.table != nil:
		return seatTaken(tableHasBegun)
	case len(t.joins) >= t.offer.Places:
		return seatTaken("all places are taken")
	case t.hasName(string(j.Name)):
		return t.nameTaken(string(j.Name))
	case b.holding[address] >= maxJoins || t.countHeld(address) >= maxJoinsHere || len(t.gone) >= maxGone:
		return offerFull()
	}
	return nil
}

// countHeld is how many joins of an address there are or were.
func (t *openTable) countHeld(address netip.Prefix) (n int) {
	for _, j := range t.joins {
		if j.address == address {
			n++
		}
	}
	for _, a := range t.gone {
		if a == address {
			n++
		}
	}
	return n
}

func (t *openTable) nameTaken(name string) error {
	free := t.freeName(name)
	p := problem(client.NameTaken, "somebody named %s has joined; %s is free", plain.Isolate(name), plain.Isolate(free))
	p.Free = free
	return p
}

func (t *openTable) hasName(name string) bool { return t.offer.IsNamed(t.row().Players, name) }

// freeName is a name like the one that is taken.
func (t *openTable) freeName(name string) string {
	most, space := wire.MaxName, ""
	if t.offer.Table.HasActs() {
		most, space = wire.MaxText, " "
	}
	for n := 2; ; n++ {
		end := space + fmt.Sprint(n)
		letters := []rune(name)
		for len(string(letters))+len(end) > most {
			letters = letters[:len(letters)-1]
		}
		if free := strings.TrimSpace(string(letters)) + end; !t.hasName(free) {
			return free
		}
	}
}

// leave takes a join back, or the offer. What was taken back is remembered as long as the
// offer is here, and counts for its address: a join is the same document each time.
func (b *offerBoard) leave(id wire.Hash, doc []byte) (o offerView, again bool, err error) {
	l, err := offer.ParseLeave(doc)
	if err != nil {
		return offerView{}, false, offerMalformed(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.findTable(id)
	if err != nil || l.Offer != id {
		return offerView{}, false, cmp.Or(err, otherOffer())
	}
	organiser := l.IsSignedBy(t.offer.Table.Organiser)
	if l.Join == id && organiser {
		b.takeBack(t)
		return b.viewOf(t), false, nil
	}
	i := slices.IndexFunc(t.joins, func(k placedJoin) bool { return k.Hash == l.Join })
	_, gone := t.gone[l.Join]
	switch {
	case gone:
		return b.viewOf(t), true, nil
	case i < 0:
		return offerView{}, false, unknownOffer()
	case t.table != nil:
		return offerView{}, false, seatTaken(tableHasBegun)
	case !organiser && !l.IsSignedBy(t.joins[i].Key):
		return offerView{}, false, neitherSigned()
	}
	t.gone[l.Join] = t.joins[i].address
	t.joins = slices.Delete(t.joins, i, i+1)
	t.noteChange()
	return b.viewOf(t), false, nil
}

func (b *offerBoard) takeBack(t *openTable) {
	b.removeOffer(t)
	if b.taken = append(b.taken, t.offer.Hash); len(b.taken) > maxTaken {
		b.taken = b.taken[1:]
	}
}

// noteBegun is told of each table that the log takes in.
func (b *offerBoard) noteBegun(id wire.Hash, g *wire.Genesis) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t, ok := b.by[tableKey(g.Organiser, g.Nonce)]; ok && t.table == nil {
		t.table = &id
		t.noteChange()
	}
}

// list returns open tables that have not begun and whose organiser was heard of, above a
// place in the list, or all with a code that begins so.
func (b *offerBoard) list(after uint64, code string, limit int) (list []offerRow) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.removeExpired()
	for id, t := range b.open {
		if code != "" && id.HasCode(code) || code == "" && t.table == nil && !t.heard.IsZero() && t.n > after {
			list = append(list, t.row())
		}
	}
	slices.SortFunc(list, func(x, y offerRow) int { return cmp.Compare(x.N, y.N) })
	list = list[:min(len(list), limit)]
	for i := range list {
		list[i].Code = b.distinctLetters(list[i].Offer.Hash)
	}
	return list
}

// row is the table in a list, but for its code.
func (t *openTable) row() offerRow {
	r := offerRow{Offer: t.offer, N: t.n, Free: t.offer.Places - len(t.joins), Players: []string{}, Keys: []string{}}
	for _, j := range t.joins {
		r.Players, r.Keys = append(r.Players, string(j.Name)), append(r.Keys, j.Key)
	}
	return r
}

// distinctLetters is how many letters of a hash tell it from those of other open tables.
func (b *offerBoard) distinctLetters(id wire.Hash) int {
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

// viewOf returns an open table. Requires: the board is locked.
func (b *offerBoard) viewOf(t *openTable) offerView {
	joins := make([][]byte, len(t.joins))
	for i, j := range t.joins {
		joins[i] = j.Text
	}
	row := t.row()
	row.Code = b.distinctLetters(t.offer.Hash)
	return offerView{row, joins, t.table, b.silenceOf(t), t.challenge, t.version}
}

// get returns an open table.
func (b *offerBoard) get(id wire.Hash) (offerView, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t, err := b.findTable(id)
	if err != nil {
		return offerView{}, err
	}
	return b.viewOf(t), nil
}

// wait returns when an open table has another version than the one known, or is no more,
// or ctx ends.
func (b *offerBoard) wait(ctx context.Context, id wire.Hash, known uint64) error {
	for {
		b.mu.Lock()
		t, err := b.findTable(id)
		if err != nil || t.version != known {
			b.mu.Unlock()
			return nil // which get says
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
