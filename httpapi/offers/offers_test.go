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
	t.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, "anna")
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	o := offer.Offer{Table: wire.Genesis{Game: "g/v1", Suite: "s/v1", Deals: 1, Fouls: wire.RefuseFouls, Organiser: public}, Places: 2, Log: log, Nonce: make([]byte, wire.NonceBytes)}
	signed, err := o.Sign(s)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// A board that fills up for ever: by offers whose organisers have gone, or by one address
// under many keys.
func TestBoardForgets(t *testing.T) {
	_, log, err := note.GenerateKey(rand.Reader, "log")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	b := offers.New(offers.Options{Clock: func() time.Time { return now }, Playable: func(*wire.Genesis, int) error { return nil }, Log: log})
	here, there := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	kept, lost := newOffer(t, log), newOffer(t, log)
	for _, o := range []*offer.Offer{kept, lost} {
		if _, again, err := b.Post(o.Text, there); err != nil || again {
			t.Fatal(again, err)
		}
	}
	now = now.Add(offers.Lifetime)
	if o, again, err := b.Post(kept.Text, there); err != nil || !again || o.Away != 0 {
		t.Fatal(o.Away, again, err)
	}
	now = now.Add(time.Second)
	if _, err := b.Get(lost.Hash); !errors.Is(err, offers.ErrUnknown) {
		t.Errorf("an offer without its organiser stays: %v", err)
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
	for _, row := range b.List(0, "", 1000) {
		code := offer.Code(row.Offer.Hash)[:row.Code]
		if found := b.List(0, code, 10); len(found) != 1 || codes[code] {
			t.Errorf("the code %s is that of %d", code, len(found))
		}
		codes[code] = true
	}
}
