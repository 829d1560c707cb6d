package offers_test

import (
	"crypto/rand"
	"errors"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/offers"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

// newOffer is by an organiser of its own.
func newOffer(t *testing.T, log string) *offer.Offer {
	o, _ := offered(t, log)
	return o
}

func offered(t *testing.T, log string) (*offer.Offer, note.Signer) {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, "anna")
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	return offerOf(t, log, public, s), s
}

func offerOf(t *testing.T, log, organiser string, s note.Signer) *offer.Offer {
	t.Helper()
	o := offer.Offer{Table: wire.Genesis{Game: "g/v1", Suite: "s/v1", Deals: 1, Fouls: wire.RefuseFouls, Organiser: organiser}, Places: 2, Log: log, Nonce: make([]byte, wire.NonceBytes)}
	rand.Read(o.Nonce)
	signed, err := o.Sign(s)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// newBoard is a board, the time by which it goes, and its log.
func newBoard(t *testing.T) (b *offers.Board, now *time.Time, log string) {
	t.Helper()
	_, log, err := note.GenerateKey(rand.Reader, "log")
	if err != nil {
		t.Fatal(err)
	}
	now = new(time.Time)
	*now = time.Unix(0, 0)
	return offers.New(offers.Options{Clock: func() time.Time { return *now }, Random: rand.Reader, Playable: func(*wire.Genesis, int) error { return nil }, Log: log}), now, log
}

// hears has a board hear an organiser.
func hears(t *testing.T, b *offers.Board, o *offer.Offer, s note.Signer, address netip.Prefix) error {
	t.Helper()
	open, err := b.Get(o.Hash)
	if err != nil {
		t.Fatal(err)
	}
	p, err := offer.SignPresent(o.Hash, open.Challenge, s)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = b.Present(o.Hash, p.Text, address)
	return err
}

// A board that fills up for ever: by offers whose organisers have gone, or by one address
// under many keys.
func TestBoardForgets(t *testing.T) {
	b, now, log := newBoard(t)
	here, there := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	kept, anna := offered(t, log)
	lost, bela := offered(t, log)
	never := newOffer(t, log)
	for _, o := range []*offer.Offer{kept, lost, never} {
		if _, again, err := b.Post(o.Text, there); err != nil || again {
			t.Fatal(again, err)
		}
	}
	err := errors.Join(hears(t, b, kept, anna, there), hears(t, b, lost, bela, there))
	*now = now.Add(offers.Unheard + time.Second)
	b.Post(never.Text, there) // by anybody
	if _, gone := b.Get(never.Hash); err != nil || len(b.List(0, "", 10)) != 2 {
		t.Errorf("of three offers %d are listed: %v, %v", len(b.List(0, "", 10)), err, gone)
	}
	*now = now.Add(offers.Lifetime - offers.Unheard - time.Second)
	b.Post(lost.Text, there)
	if err := hears(t, b, kept, anna, there); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(time.Second)
	for _, o := range []*offer.Offer{lost, never} {
		if _, err := b.Get(o.Hash); !errors.Is(err, offers.ErrUnknown) {
			t.Errorf("an offer without its organiser stays: %v", err)
		}
	}
	if list := b.List(0, "", 10); len(list) != 1 || list[0].Offer.Hash != kept.Hash {
		t.Errorf("there are %d offers", len(list))
	}
	n := 0
	for ; n < 1000 && err == nil; n++ {
		_, _, err = b.Post(newOffer(t, log).Text, here)
	}
	if !errors.Is(err, offers.ErrFull) || n > 100 {
		t.Errorf("%d offers of one address: %v", n, err)
	}
	if _, _, err := b.Post(newOffer(t, log).Text, there); err != nil {
		t.Errorf("one address keeps others out: %v", err)
	}
	codes := map[string]bool{}
	for _, row := range b.List(0, offer.Code(kept.Hash)[:offer.MinCode], 1000) {
		code := offer.Code(row.Offer.Hash)[:row.Code]
		if found := b.List(0, code, 10); len(found) != 1 || codes[code] {
			t.Errorf("the code %s is that of %d", code, len(found))
		}
		codes[code] = true
	}
}

// An organiser, or an address, whose places on the board are taken: by tables that have begun,
// by what was taken back, or by an organiser's old offers that a stranger posts.
func TestBoardCountsWhatWaits(t *testing.T) {
	b, _, log := newBoard(t)
	here, there := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	first, anna := offered(t, log)
	organiser := first.Table.Organiser
	var last *offer.Offer
	for n := range 100 {
		o := offerOf(t, log, organiser, anna)
		if _, _, err := b.Post(o.Text, here); err != nil {
			t.Fatalf("offer %d: %v", n, err)
		}
		if err := hears(t, b, o, anna, here); err != nil {
			t.Fatal(err)
		}
		if last = o; n%2 == 0 {
			b.Begun(wire.Hash{byte(n)}, o.Genesis(nil))
			continue
		}
		l, err := offer.SignLeave(o.Hash, o.Hash, anna)
		if err == nil {
			_, _, err = b.Leave(o.Hash, l.Text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Post(last.Text, there); !errors.As(err, new(*offers.TermsError)) {
		t.Errorf("a stranger posts what was taken back: %v", err)
	}
	for range 40 {
		if _, _, err := b.Post(offerOf(t, log, organiser, anna).Text, there); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := b.Post(first.Text, here); err != nil {
		t.Errorf("offers that anybody can post keep their organiser out: %v", err)
	}
}

// Addresses that fill the board between them, and keep out, or drive out, who has one table.
func TestBoardFillsUp(t *testing.T) {
	if testing.Short() {
		t.Skip("signs thousands of offers")
	}
	b, now, log := newBoard(t)
	addressOf := func(n int) netip.Prefix {
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 32)
	}
	own, anna := offered(t, log)
	if _, _, err := b.Post(own.Text, addressOf(0)); err != nil {
		t.Fatal(err)
	}
	if err := hears(t, b, own, anna, addressOf(1000)); err != nil { // it was posted from elsewhere first
		t.Fatal(err)
	}
	*now = now.Add(time.Minute)
	for n := range 70 * 64 {
		o, s := offered(t, log)
		if _, _, err := b.Post(o.Text, addressOf(n/64)); err != nil {
			if n < 4095 {
				t.Fatalf("offer %d: %v", n, err)
			}
			continue
		}
		if err := hears(t, b, o, s, addressOf(n/64)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Get(own.Hash); err != nil {
		t.Errorf("the only table of its address was driven out: %v", err)
	}
	late := newOffer(t, log)
	if _, _, err := b.Post(late.Text, addressOf(2000)); err != nil {
		t.Errorf("seventy addresses keep everybody out: %v", err)
	}
}

// Joins without end at one offer: of one address, or the same one again after its leave.
func TestJoinsAreBounded(t *testing.T) {
	b, _, log := newBoard(t)
	here := netip.MustParsePrefix("192.0.2.1/32")
	o := newOffer(t, log)
	if _, _, err := b.Post(o.Text, here); err != nil {
		t.Fatal(err)
	}
	n := 0
	for ; n < 1000; n++ {
		by, s := offered(t, log)
		j, err := offer.SignJoin(o, by.Table.Organiser, s)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = b.Join(o.Hash, j.Text, here); errors.Is(err, offers.ErrFull) {
			break
		}
		l, wrong := offer.SignLeave(o.Hash, j.Hash, s)
		if wrong == nil {
			_, _, wrong = b.Leave(o.Hash, l.Text)
		}
		if err != nil || wrong != nil {
			t.Fatal(err, wrong)
		}
		if _, _, err := b.Join(o.Hash, j.Text, here); !errors.As(err, new(*offers.SeatError)) {
			t.Errorf("somebody's join came again after its leave: %v", err)
		}
	}
	if n != 32 {
		t.Errorf("%d joins of one address", n)
	}
}
