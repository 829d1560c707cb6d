package httpapi

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

var here, there = testAddress(1), testAddress(2)

func testAddress(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 32)
}

// organiser makes offers.
type organiser struct {
	key    string
	signer note.Signer
}

func newOrganiser(t *testing.T) organiser {
	t.Helper()
	_, key := ledgertest.NewKey(t, "anna", tlog.Ed25519)
	return organiser{key.Verifier().String(), key}
}

// board is a board with its log, and the time by which it goes.
type board struct {
	*offerBoard
	t   *testing.T
	now time.Time
	log string
}

func newBoard(t *testing.T) *board {
	t.Helper()
	b := &board{t: t, now: time.Unix(0, 0), log: newOrganiser(t).key}
	b.offerBoard = newOfferBoard(Offers{}, b.log, func() time.Time { return b.now })
	return b
}

func (b *board) offer(by organiser) *offer.Offer {
	b.t.Helper()
	o := offer.Offer{Table: wire.Genesis{Game: "g/v1", Suite: "s/v1", Deals: 1, Fouls: wire.RefuseFouls, Organiser: by.key}, Places: 2, Log: b.log, Nonce: make([]byte, wire.NonceBytes)}
	rand.Read(o.Nonce)
	return testmust.Have(o.Sign(by.signer))(b.t)
}

// isRefused reports whether a document was refused for a reason.
func isRefused(err error, slug string) bool {
	p, ok := errors.AsType[*client.Problem](err)
	return ok && p.Type == client.ProblemBase+slug
}

func isFull(err error) bool { return errors.As(err, new(*limit.Error)) }

func (b *board) post(o *offer.Offer, address netip.Prefix) error {
	_, _, err := b.offerBoard.post(o.Text, address)
	return err
}

// hear has the board hear an organiser.
func (b *board) hear(o *offer.Offer, by organiser, address netip.Prefix) {
	b.t.Helper()
	open := testmust.Have(b.get(o.Hash))(b.t)
	p := testmust.Have(offer.SignPresent(o.Hash, open.Challenge, by.signer))(b.t)
	_, _, err := b.hearOrganiser(o.Hash, p.Text, address)
	testmust.Do(b.t, err)
}

// leave takes back an offer, or a join of it.
func (b *board) leave(o *offer.Offer, what wire.Hash, by organiser) {
	b.t.Helper()
	l := testmust.Have(offer.SignLeave(o.Hash, what, by.signer))(b.t)
	_, _, err := b.offerBoard.leave(o.Hash, l.Text)
	testmust.Do(b.t, err)
}

// A board that fills up for ever: by offers whose organisers have gone, or by one address
// under many keys.
func TestBoardForgets(t *testing.T) {
	b, anna, bela := newBoard(t), newOrganiser(t), newOrganiser(t)
	kept, lost, never := b.offer(anna), b.offer(bela), b.offer(newOrganiser(t))
	for _, o := range []*offer.Offer{kept, lost, never} {
		_, again, err := b.offerBoard.post(o.Text, there)
		testmust.Require(t, err == nil && !again, again, err)
	}
	b.hear(kept, anna, there)
	b.hear(lost, bela, there)
	b.now = b.now.Add(offerUnheard + time.Second)
	b.offerBoard.post(never.Text, there) // by anybody
	if _, err := b.get(never.Hash); len(b.list(0, "", 10)) != 2 {
		t.Errorf("of three offers %d are listed: %v", len(b.list(0, "", 10)), err)
	}
	b.now = b.now.Add(offerLifetime - offerUnheard - time.Second)
	b.offerBoard.post(lost.Text, there)
	b.hear(kept, anna, there)
	b.now = b.now.Add(time.Second)
	for _, o := range []*offer.Offer{lost, never} {
		testmust.Holdf(t, isRefused(testmust.ErrorOf(b.get(o.Hash)), client.NotFound), "an offer without its organiser stays")
	}
	list := b.list(0, "", 10)
	testmust.Holdf(t, len(list) == 1 && list[0].Offer.Hash == kept.Hash, "there are %d offers", len(list))
	n, err := 0, error(nil)
	for ; n < 1000 && err == nil; n++ {
		err = b.post(b.offer(newOrganiser(t)), here)
	}
	testmust.Holdf(t, isFull(err) && n <= 100, "%d offers of one address: %v", n, err)
	testmust.Do(t, b.post(b.offer(newOrganiser(t)), there), "one address keeps others out")
	codes := map[string]bool{}
	for _, row := range b.list(0, offer.Code(kept.Hash)[:offer.MinCode], 1000) {
		code := offer.Code(row.Offer.Hash)[:row.Code]
		found := b.list(0, code, 10)
		testmust.Holdf(t, len(found) == 1 && !codes[code], "the code %s is that of %d", code, len(found))
		codes[code] = true
	}
}

// An organiser, or an address, whose places on the board are taken: by tables that have begun,
// by what was taken back, or by an organiser's old offers that a stranger posts.
func TestBoardCountsWhatWaits(t *testing.T) {
	b, anna := newBoard(t), newOrganiser(t)
	first := b.offer(anna)
	var last *offer.Offer
	for n := range 100 {
		o := b.offer(anna)
		testmust.Do(t, b.post(o, here))
		b.hear(o, anna, here)
		if last = o; n%2 == 0 {
			b.noteBegun(wire.Hash{byte(n)}, o.TableGenesis(nil))
		} else {
			b.leave(o, o.Hash, anna)
		}
	}
	err := b.post(last, there)
	testmust.Holdf(t, isRefused(err, client.RefusedTable), "a stranger posts what was taken back: %v", err)
	for range 40 {
		testmust.Do(t, b.post(b.offer(anna), there))
	}
	testmust.Do(t, b.post(first, here), "offers that anybody can post keep their organiser out")
}

// Addresses that fill the board between them, and keep out, or drive out, who has one table.
func TestBoardFillsUp(t *testing.T) {
	const room, each = 256, 64
	b, anna := newBoard(t), newOrganiser(t)
	b.most = room
	own := b.offer(anna)
	testmust.Do(t, b.post(own, testAddress(0)))
	b.hear(own, anna, testAddress(1000)) // it was posted from elsewhere first
	b.now = b.now.Add(time.Minute)
	for n := range room + 2*each {
		by := newOrganiser(t)
		o := b.offer(by)
		if err := b.post(o, testAddress(n/each)); err == nil {
			b.hear(o, by, testAddress(n/each))
		} else if n < room-1 {
			t.Fatalf("offer %d: %v", n, err)
		}
	}
	testmust.Have(b.get(own.Hash))(t, "the only table of its address was driven out")
	testmust.Equal(t, len(b.list(0, "", 2*room)), room, "offers where there is room")
	testmust.Do(t, b.post(b.offer(newOrganiser(t)), testAddress(2000)), "six addresses keep everybody out")
}

// A range of addresses, each with one offer, that drives out a club with twelve at its one address.
func TestRangeFillsTheBoard(t *testing.T) {
	b := newBoard(t)
	b.most = 128
	var club []*offer.Offer
	for range 12 {
		club = append(club, b.offer(newOrganiser(t)))
		testmust.Do(t, b.post(club[len(club)-1], here))
	}
	for n := range 300 {
		household := netip.PrefixFrom(netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 6: byte(n >> 8), 7: byte(n)}), 64)
		err := b.post(b.offer(newOrganiser(t)), household)
		testmust.Requiref(t, err == nil || n >= 116 && isFull(err), "offer %d: %v", n, err)
	}
	for _, o := range club {
		testmust.Have(b.get(o.Hash))(t, "a club's table was driven out")
	}
}

// Joins without end at one offer: of one address, or the same one again after its leave.
func TestJoinsAreBounded(t *testing.T) {
	b := newBoard(t)
	o := b.offer(newOrganiser(t))
	testmust.Do(t, b.post(o, here))
	n := 0
	for ; n < 1000; n++ {
		by := newOrganiser(t)
		j := testmust.Have(offer.SignJoin(o, by.key, "", by.signer))(t)
		_, _, err := b.join(o.Hash, j.Text, here)
		if isFull(err) {
			break
		}
		testmust.Do(t, err)
		b.leave(o, j.Hash, by)
		_, _, err = b.join(o.Hash, j.Text, here)
		testmust.Holdf(t, isRefused(err, client.SeatTaken), "somebody's join came again after its leave: %v", err)
	}
	testmust.Equal(t, n, 32, "joins of one address")
}

// A group that comes to two tables, or to none since one of them has gone away or a stranger was first; and players whose
// names look alike.
func TestOneOfferOfAGroup(t *testing.T) {
	b := newBoard(t)
	anna, bela, zoli := newOrganiser(t), newOrganiser(t), newOrganiser(t)
	first := &wire.Genesis{Format: wire.TableFormat2, Game: "g/v1", Suite: "s/v1", Options: map[string]string{}, Deals: 1, Fouls: wire.RefuseFouls, Ends: offer.EndsOf(0), Seats: []string{anna.key, bela.key}}
	again := func(by organiser, kept ...string) *offer.Offer {
		o := testmust.Have(offer.AgainTerms(wire.Hash{7}, first, by.key))(t)
		if o.Log, o.Nonce = b.log, make([]byte, wire.NonceBytes); kept != nil {
			o.Kept = kept
		}
		rand.Read(o.Nonce)
		return testmust.Have(o.Sign(by.signer))(t)
	}
	shown := func(o *offer.Offer) wire.Hash {
		t.Helper()
		open, _, err := b.offerBoard.post(o.Text, here)
		testmust.Do(t, err)
		return open.Offer.Hash
	}
	stranger, one, two := again(zoli, zoli.key, bela.key), again(anna), again(bela)
	testmust.Equal(t, shown(stranger), stranger.Hash)
	testmust.Equal(t, shown(one), one.Hash, "a stranger's offer stands in the way")
	testmust.Equal(t, shown(two), one.Hash, "two clicks at once")
	b.now = b.now.Add(50 * time.Second)
	b.hear(one, anna, here)
	b.now = b.now.Add(50 * time.Second)
	testmust.Equal(t, shown(two), one.Hash, "while its organiser is there")
	j := testmust.Have(offer.SignJoin(one, bela.key, "Béla", bela.signer))(t)
	_, _, err := b.join(one.Hash, j.Text, here)
	testmust.Do(t, err)
	j = testmust.Have(offer.SignJoin(one, anna.key, "BÉLA", anna.signer))(t)
	_, _, err = b.join(one.Hash, j.Text, here)
	named, ok := errors.AsType[*client.Problem](err)
	testmust.Holdf(t, ok && named.Free == "BÉLA 2", "a name in capitals: %v", err)
	b.now = b.now.Add(61 * time.Second)
	testmust.Equal(t, shown(two), two.Hash, "its organiser has gone away")
	b.noteBegun(wire.Hash{9}, two.TableGenesis(nil))
	b.now = b.now.Add(61 * time.Second)
	testmust.Equal(t, shown(again(anna)), two.Hash, "a second table of one group")
}
