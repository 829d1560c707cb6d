package tarokk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// auctionOptions are those that an auction depends on.
var auctionOptions = []string{"bid-hold", "raise-sole", "trial-level", "conventions", "solo-jump", "first-bid",
	"invit-commit", "invit-to", "hold-refuses", "xvii", "yield-shows"}

// auctionRules are the presets, each with every value of every option of auctions,
// and the pairs of options that meet in one rule.
func auctionRules(t *testing.T) []tarokk.RuleSet {
	var list []tarokk.RuleSet
	add := func(o options) {
		r, err := tarokk.ParseRuleSet(table.Config{Seats: 4, Options: o})
		if err == nil && !slices.Contains(list, r) { // what makes no sense together is refused there
			list = append(list, r)
		}
	}
	for _, preset := range tarokk.PresetNames() {
		add(options{"preset": preset})
		for _, o := range tarokk.Options() {
			for _, v := range allValues(o) {
				if slices.Contains(auctionOptions, o.Name) {
					add(options{"preset": preset, o.Name: v})
				}
			}
		}
	}
	for _, pair := range [][4]string{
		{"invit-commit", "if-other-declares", "bid-hold", "old"},
		{"invit-commit", "if-other-declares", "invit-to", "bidder-hold"},
		{"invit-commit", "if-other-declares", "first-bid", "withdrawn"},
		{"invit-commit", "if-other-declares", "hold-refuses", "true"},
		{"invit-commit", "if-other-declares", "xvii", "pais"},
		{"invit-to", "bidder-hold", "bid-hold", "old"},
		{"raise-sole", "true", "trial-level", "three"},
		{"xvii", "pais", "solo-jump", "old"},
	} {
		add(options{pair[0]: pair[1], pair[2]: pair[3]})
	}
	testmust.Requiref(t, len(list) >= 35, "%d rule sets: the options have other names", len(list))
	return list
}

// hand is one of those that calls are tried with: all cards that one can depend on, but
// for some.
type hand struct {
	names []string
	faces []card.Face
}

var hands = func() (list []hand) {
	for _, without := range []string{"", "T17", "T18", "T19", "T20", "T21", "T22", "T21 T22", "T1 T21 T22", "T1 T17 T18 T19 T20 T21 T22"} {
		var h hand
		for _, name := range strings.Fields("T1 T17 T18 T19 T20 T21 T22 T16 HK") {
			if !slices.Contains(strings.Fields(without), name) {
				h.names, h.faces = append(h.names, name), append(h.faces, *faceOf(name))
			}
		}
		list = append(list, h)
	}
	return list
}()

// holds reports whether all claims are true of cards.
func holds(cards []card.Face, claims []tarokk.Claim) bool {
	for _, c := range claims {
		n := 0
		for _, f := range cards {
			if c.Set.Has(f) {
				n++
			}
		}
		if n < c.AtLeast(len(cards)) || n > c.Max {
			return false
		}
	}
	return true
}

// auctionWalk is an auction to the referee and to the rules, and what each player
// has proved in it.
type auctionWalk struct {
	*referee
	said   tarokk.Auction
	proved [4][]tarokk.Claim
}

func newAuctionWalk(r tarokk.RuleSet) auctionWalk {
	return auctionWalk{referee: &referee{o: r, openDeal: &openDeal{refBids: newRefBids()}}, said: tarokk.NewAuction()}
}

// every follows all auctions that begin as this one, and returns how many there are.
func (w auctionWalk) every() (int, error) {
	speaker, over := w.said.Speaker(w.o)
	if want := w.bidder(); speaker != want || over != (want == none) {
		return 0, fmt.Errorf("seat %d speaks, over: %t; want %d", speaker, over, want)
	}
	if over {
		return 1, w.ended()
	}
	sum, free := 0, false
	for p := -1; p <= 4; p++ {
		for _, call := range []string{"pass", "hold", "three", "two", "one", "solo", "", "four"} {
			next, legal, err := w.calls(p, call)
			if err != nil {
				return 0, fmt.Errorf("%c says %s: %w", 'A'+p, call, err)
			}
			if !legal {
				continue
			}
			free = free || p == speaker && len(next.proved[p]) == len(w.proved[p])
			n, err := next.every()
			if err != nil {
				return 0, fmt.Errorf("%c:%s %w", 'A'+p, call, err)
			}
			sum += n
		}
	}
	if !free {
		return 0, fmt.Errorf("%c can say nothing without a card", 'A'+speaker)
	}
	return sum, nil
}

// calls is the auction after a call, if that is legal with some hand.
func (w auctionWalk) calls(p int, call string) (next auctionWalk, legal bool, err error) {
	said, claims, refused := w.said.ApplyCall(w.o, p, tarokk.Call(call))
	if listed := slices.Contains(w.said.LegalCalls(w.o, p), tarokk.Call(call)); listed != (refused == nil) {
		return w, false, fmt.Errorf("%v, and it is listed: %t", refused, listed)
	}
	if refused != nil && !reflect.DeepEqual(said, w.said) {
		return w, false, fmt.Errorf("%w, and something is done", refused)
	}
	if p < 0 || p > 3 {
		return w, false, check(refused != nil, "R-BID-1")
	}
	for _, hand := range hands {
		if !holds(hand.faces, w.proved[p]) {
			continue
		}
		w.dealt[p] = hand.names
		want := w.legal(p, call)
		if got := refused == nil && holds(hand.faces, claims); got != (want == nil) {
			return w, false, fmt.Errorf("with %v: %v, to be proved %+v; the referee: %v", hand.names, refused, claims, want)
		}
	}
	if refused != nil {
		return w, false, nil
	}
	for _, c := range claims {
		if c.Of != tarokk.DealtHand || slices.Contains(w.proved[p], c) {
			return w, false, fmt.Errorf("%+v is proved again (SK-6), or of other cards", c)
		}
	}
	return w.after(said, p, claims, func(r *referee) { r.say(p, call) }), true, nil
}

// legal is the referee's word on a call. Who has no call left owes none, and may pass in
// his turn (R-BID-11).
func (w auctionWalk) legal(p int, call string) error {
	speaker := w.bidder()
	if p == speaker {
		return w.mayCall(p, call)
	}
	for i := 1; ; i++ {
		switch q := (w.lastSaid + i) % 4; {
		case q == speaker:
			return errors.New("R-BID-1")
		case q == p && !w.out[p] && p != w.declarer:
			return check(call == "pass", "R-BID-11")
		}
	}
}

func (w auctionWalk) after(said tarokk.Auction, p int, claims []tarokk.Claim, enter func(*referee)) auctionWalk {
	d := *w.openDeal
	d.positive, d.callers = slices.Clip(d.positive), slices.Clip(d.callers)
	next := auctionWalk{&referee{o: w.o, openDeal: &d}, said, w.proved}
	next.proved[p] = append(slices.Clip(w.proved[p]), claims...)
	enter(next.referee)
	return next
}

// ended compares what is decided, and follows an inviter's last word.
func (w auctionWalk) ended() error {
	var again tarokk.Auction
	if text, err := json.Marshal(w.said); err != nil || json.Unmarshal(text, &again) != nil || !reflect.DeepEqual(again, w.said) {
		return fmt.Errorf("%+v is not what was written of it", again)
	}
	got := w.said.Outcome(w.o)
	if got.ThrownIn || w.declarer == none {
		return check(got.ThrownIn && w.declarer == none, "R-BID-12")
	}
	w.conclude()
	want := tarokk.Outcome{Declarer: w.declarer, Level: w.index(), Trial: w.trial, Inviter: none, Yielder: w.yielder,
		Partner: w.partner, Ultimo: w.ultimo, Confirm: w.owing, Breach: none, Honour: w.bid, Draw: got.Draw}
	if w.sure {
		want.Inviter, want.Shown = w.inviter, faceOf(w.shown)
	}
	if want.MustCall = faceOf(w.forced); w.trial {
		want.Honour[w.declarer] = false
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%+v, want %+v", got, want)
	}
	for p := range 4 {
		for _, yes := range []bool{true, false} {
			if err := w.confirms(p, yes); err != nil {
				return fmt.Errorf("%c confirms %t: %w", 'A'+p, yes, err)
			}
		}
	}
	return nil
}

func (w auctionWalk) confirms(p int, yes bool) error {
	said, claims, refused := w.said.ConfirmInvit(w.o, p, yes)
	if (refused == nil) != (p == w.owing) {
		return fmt.Errorf("%v, owed by %d", refused, w.owing)
	}
	if refused != nil {
		return nil
	}
	for _, hand := range hands {
		if holds(hand.faces, claims) != (slices.Contains(hand.names, w.shown) == yes) {
			return fmt.Errorf("with %v: %+v", hand.names, claims)
		}
	}
	if !yes {
		o := said.Outcome(w.o)
		return check(o.Breach == p && o.Confirm == none && o.Partner != p, "OPT-CONV-COMMIT")
	}
	next := w.after(said, p, nil, func(r *referee) { r.owing, r.sure = none, true })
	return next.ended()
}

func faceOf(name string) *card.Face {
	f, err := tarokk.ParseFace(name)
	if err != nil {
		return nil
	}
	return &f
}

// Every auction under every rule set, or some of them without PAKLI_TESTS=thorough: who
// speaks, what he may say with which cards, and what is decided is what the referee says
// (R-BID-1 to R-BID-18, R-CONV-1 to R-CONV-14, BGA-1 to BGA-4, AMB-03, PAK-11, PAK-12,
// OPT-CONV-SOLO-JUMP, OPT-CONV-FIRST-BID, OPT-CONV-ADDRESSEE, OPT-CONV-XVII, OPT-CONV, OPT-CONV-COMMIT,
// OPT-BID-RAISE-SOLE, OPT-BID-HOLD; B-INV17, B-INV17-FAIL).
func TestEveryAuction(t *testing.T) {
	sets := auctionRules(t)
	for i := range testmust.ChosenIndexes(t, len(sets), 8) {
		n := testmust.Have(newAuctionWalk(sets[i]).every())(t, sets[i])
		t.Logf("%d auctions", n)
	}
}
