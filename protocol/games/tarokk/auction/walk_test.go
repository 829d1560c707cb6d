package auction_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

var allCalls = []auction.Call{auction.Pass, auction.Hold, auction.Three, auction.Two, auction.One, auction.Solo}

// auctionOptions are those that an auction depends on.
var auctionOptions = map[string]bool{
	"bid-hold": true, "raise-sole": true, "trial-level": true, "conventions": true, "solo-jump": true, "first-bid": true,
	"invit-commit": true, "invit-to": true, "hold-refuses": true, "xvii": true, "yield-shows": true,
}

// ruleSets are the presets, each with every value of every option of auctions,
// and the pairs of options that meet in one rule.
func ruleSets(t testing.TB) map[string]ruleset.Rules {
	sets, seen := map[string]ruleset.Rules{}, map[ruleset.Rules]bool{}
	add := func(options map[string]string) {
		r, err := ruleset.Parse(table.Config{Seats: 4, Options: options})
		if err == nil && !seen[r] { // what makes no sense together is refused there
			sets[fmt.Sprint(options)], seen[r] = r, true
		}
	}
	for _, preset := range ruleset.Presets() {
		add(map[string]string{"preset": preset})
		for _, o := range ruleset.Options() {
			values := o.Values
			if values == nil {
				values = []string{"true", "false"}
			}
			for _, v := range values {
				if auctionOptions[o.Name] {
					add(map[string]string{"preset": preset, o.Name: v})
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
		add(map[string]string{pair[0]: pair[1], pair[2]: pair[3]})
	}
	if len(sets) < 35 {
		t.Fatalf("%d rule sets: the options have other names", len(sets))
	}
	return sets
}

// naive is the auction of R-BID-13, written from its text alone: who may say
// what, as a second opinion.
type naive struct {
	r                 ruleset.Rules
	level, last, next int
	held              bool
	called, out       [4]bool
	said              []auction.Said
}

func newNaive(r ruleset.Rules) naive { return naive{r: r, level: -1, last: auction.Nobody} }

func (n naive) canHold(p int) bool {
	return n.level >= 0 && n.last != p && n.called[p] && !n.held && (n.r.BidHold != "old" || p < n.last)
}

func (n naive) canAny(p int) bool {
	return !n.out[p] && n.last != p && (n.canHold(p) || n.level < 3)
}

// lone reports whether the bidder of a lone three has his second turn.
func (n naive) lone() bool {
	bids, passes := 0, 0
	for _, s := range n.said {
		if s.Call != auction.Pass {
			bids++
		} else if s.Seat != n.last {
			passes++
		}
	}
	tail := len(n.said) > 0 && n.said[len(n.said)-1].Call == auction.Pass && !n.out[max(n.last, 0)]
	return n.r.RaiseSole && bids == 1 && n.level == 0 && passes == 3 && tail
}

// legal lists what seat p may say. Who has no call left may pass in his turn.
func (n naive) legal(p int) []auction.Call {
	if n.lone() {
		if p != n.last {
			return nil
		}
		return []auction.Call{auction.Pass, auction.Two, auction.One}
	}
	for i := range 4 {
		q := (n.next + i) % 4
		switch {
		case n.out[q] || q == n.last:
		case n.canAny(q) && q == p:
			return n.options(p)
		case n.canAny(q):
			return nil
		case q == p && n.anyAfter():
			return []auction.Call{auction.Pass}
		}
	}
	return nil
}

func (n naive) anyAfter() bool { return n.canAny(0) || n.canAny(1) || n.canAny(2) || n.canAny(3) }

func (n naive) options(p int) []auction.Call {
	list := []auction.Call{auction.Pass}
	if n.canHold(p) {
		list = append(list, auction.Hold)
	}
	return append(list, allCalls[2+n.level+1:]...)
}

func (n naive) say(p int, c auction.Call) naive {
	n.said = append(slices.Clip(n.said), auction.Said{Seat: p, Call: c})
	n.next = (p + 1) % 4
	switch c {
	case auction.Pass:
		n.out[p] = true
		return n
	case auction.Hold:
		n.held = true
	default:
		n.level, n.held = c.Level(), false
	}
	n.last, n.called[p] = p, true
	return n
}

// walk follows every auction from s and returns how many there are.
func walk(r ruleset.Rules, s auction.State, n naive, proved []claim.Claim) (int, error) {
	if err := sameCalls(r, s, n); err != nil {
		return 0, fmt.Errorf("%v: %w", s.Said, err)
	}
	speaker, over := s.Speaker(r)
	if over {
		if err := checkEnd(r, s, n, proved); err != nil {
			return 0, fmt.Errorf("%v: %w", s.Said, err)
		}
		return 1, nil
	}
	if err := neverStuck(r, s, speaker); err != nil {
		return 0, fmt.Errorf("%v: %w", s.Said, err)
	}
	return walkOn(r, s, n, proved)
}

func walkOn(r ruleset.Rules, s auction.State, n naive, proved []claim.Claim) (int, error) {
	if len(s.Said) > 16 { // four passes, four bids, a hold of each, and those passed over
		return 0, fmt.Errorf("%v goes on and on", s.Said)
	}
	sum, before := 0, encode(s)
	for seat := range 4 {
		for _, c := range s.Calls(r, seat) {
			next, claims, err := s.Apply(r, seat, c)
			if err != nil {
				return 0, err
			}
			all, err := checkClaims(r, proved, claims, seat, s)
			if err != nil {
				return 0, fmt.Errorf("%v: %w", next.Said, err)
			}
			ways, err := walk(r, next, n.say(seat, c), all)
			if err != nil {
				return 0, err
			}
			sum += ways
		}
	}
	if !bytes.Equal(encode(s), before) {
		return 0, fmt.Errorf("%v has been changed", s.Said)
	}
	return sum, nil
}

func encode(s auction.State) []byte {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

// sameCalls: Calls, Apply and the naive auction agree on every call of every
// seat, and the state survives JSON.
func sameCalls(r ruleset.Rules, s auction.State, n naive) error {
	for seat := -1; seat <= 4; seat++ {
		want := []auction.Call(nil)
		if seat >= 0 && seat < 4 {
			want = n.legal(seat)
		}
		if got := s.Calls(r, seat); !slices.Equal(got, want) {
			return fmt.Errorf("seat %d may say %v, want %v", seat, got, want)
		}
		for _, c := range append(slices.Clone(allCalls), "", "four") {
			if _, _, err := s.Apply(r, seat, c); (err == nil) != slices.Contains(want, c) {
				return fmt.Errorf("seat %d says %s: %v, but he may say %v", seat, c, err, want)
			}
		}
	}
	var again auction.State
	if err := json.Unmarshal(encode(s), &again); err != nil || !reflect.DeepEqual(again, s) {
		return fmt.Errorf("%+v comes back from JSON as %+v: %v", s, again, err)
	}
	return nil
}

// neverStuck: the speaker has a call, and one that asks nothing of his cards. A
// player who had to prove what he does not hold could not go on honestly.
func neverStuck(r ruleset.Rules, s auction.State, speaker int) error {
	for _, c := range s.Calls(r, speaker) {
		if _, claims, err := s.Apply(r, speaker, c); err == nil && len(claims) == 0 {
			return nil
		}
	}
	return fmt.Errorf("seat %d can say nothing without a card", speaker)
}

// checkClaims: nothing is proved twice, all of the dealt cards, and an honour
// with the first positive call alone. It returns all claims so far, with the
// seat in front of their names.
func checkClaims(r ruleset.Rules, before, claims []claim.Claim, seat int, s auction.State) ([]claim.Claim, error) {
	all := slices.Clone(before)
	for _, c := range claims {
		if c.Of != claim.Dealt || c.Min != 1 || c.Max != claim.All {
			return nil, fmt.Errorf("odd claim %+v", c)
		}
		if c.ID == "B-HON" && slices.ContainsFunc(s.Said, func(x auction.Said) bool { return x.Seat == seat }) {
			return nil, errors.New("an honour is proved after the first turn (SK-6)")
		}
		if !r.Conventions && c.ID != "B-HON" {
			return nil, fmt.Errorf("%s without conventions", c.ID)
		}
		c.ID = strconv.Itoa(seat) + c.ID
		if slices.Contains(all, c) {
			return nil, fmt.Errorf("%s is proved again", c.ID)
		}
		all = append(all, c)
	}
	return all, nil
}

// checkEnd: what holds of every outcome.
func checkEnd(r ruleset.Rules, s auction.State, n naive, proved []claim.Claim) error {
	o := s.Outcome(r)
	if o.ThrownIn != (n.last == auction.Nobody) {
		return fmt.Errorf("thrown in: %t", o.ThrownIn)
	}
	if o.ThrownIn {
		return nil
	}
	sum := 0
	for seat, k := range o.Draw {
		sum += k
		honour := slices.ContainsFunc(proved, func(c claim.Claim) bool { return c.ID == strconv.Itoa(seat)+"B-HON" })
		if o.Honour[seat] != honour {
			return fmt.Errorf("seat %d is known to hold an honour: %t, has proved it: %t (R-BID-18)", seat, o.Honour[seat], honour)
		}
	}
	switch {
	case o.Declarer != n.last || o.Level != n.level:
		return fmt.Errorf("seat %d declares at level %d, want the last caller %d at %d", o.Declarer, o.Level, n.last, n.level)
	case sum != 6:
		return fmt.Errorf("%d cards are drawn, want 6", sum)
	case o.Honour[o.Declarer] == o.Trial:
		return fmt.Errorf("trial: %t, the declarer's honour is known: %t (R-BID-14)", o.Trial, o.Honour[o.Declarer])
	}
	return checkPartner(r, s, o, proved)
}

// checkPartner: a tarokk that must be called was proved by a partner who is not
// the declarer, at most one invit was proved, and who must confirm can.
func checkPartner(r ruleset.Rules, s auction.State, o auction.Outcome, proved []claim.Claim) error {
	invits, called := 0, false
	for _, c := range proved {
		if c.Set.Len() != 1 {
			continue
		}
		invits++
		called = called || o.MustCall != nil && c.Set.Has(*o.MustCall) && c.ID[0] == byte('0'+o.Partner)
	}
	switch {
	case invits > 1:
		return errors.New("two tarokks are shown (R-CONV-4)")
	case (o.Inviter != auction.Nobody || o.Yielder != auction.Nobody) != (invits == 1):
		return fmt.Errorf("%d tarokks are shown: %+v", invits, o)
	case called != (o.MustCall != nil), (o.Partner != auction.Nobody) != called, called && o.Partner == o.Declarer:
		return fmt.Errorf("the tarokk to be called was not proved by the partner: %+v", o)
	case o.Ultimo != auction.Nobody && o.Ultimo != o.Partner, o.Trial && invits > 0:
		return fmt.Errorf("a duty without an invit: %+v", o)
	}
	return checkConfirm(r, s, o)
}

func checkConfirm(r ruleset.Rules, s auction.State, o auction.Outcome) error {
	if o.Confirm == auction.Nobody {
		return nil
	}
	if r.InvitCommit != "if-other-declares" || o.Level != 3 || o.Inviter != auction.Nobody {
		return fmt.Errorf("a needless confirmation: %+v", o)
	}
	before, over := encode(s), naive{r: r, out: [4]bool{true, true, true, true}}
	for _, holds := range []bool{true, false} {
		next, claims, err := s.Confirm(r, o.Confirm, holds)
		after := next.Outcome(r)
		if err != nil || len(claims) != 1 || after.Confirm != auction.Nobody {
			return fmt.Errorf("seat %d confirms %t: %v, %+v", o.Confirm, holds, err, after)
		}
		if bound := after.Partner == o.Confirm; bound != holds || (after.Breach == o.Confirm) == holds {
			return fmt.Errorf("seat %d confirms %t: %+v", o.Confirm, holds, after)
		}
		if err := sameCalls(r, next, over); err != nil {
			return err
		}
	}
	if !bytes.Equal(encode(s), before) {
		return errors.New("confirming changes the state before it")
	}
	return nil
}

// Every auction under every rule set, or some of them without PAKLI_TESTS=thorough: it ends, with what all outcomes have in
// common, and says nothing that the naive auction does not.
func TestEveryAuction(t *testing.T) {
	sets := ruleSets(t)
	counts := map[int]int{}
	chosen := thorough.Some(t, len(sets), 12)
	for i, name := range slices.Sorted(maps.Keys(sets)) {
		if !chosen(i) {
			continue
		}
		r := sets[name]
		n, err := walk(r, auction.New(), newNaive(r), nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		counts[n]++
	}
	t.Logf("%d rule sets; how many of them have how many auctions: %v", len(sets), counts)
}
