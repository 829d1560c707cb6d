package auction_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// vector is an entry of auctions.json and auctions_derived.json.
type vector struct {
	ID, Src, Note string
	Calls         []string
	Skipped       []string
	Expect        struct {
		Declarer string
		Level    auction.Call
		Draw     map[string]int
		Invit    *struct{ By, Card string }
		Yielded  *string
		MustCall *string `json:"must_call"`
		Honour   []string
		ThrownIn bool `json:"thrown_in"`
		// What a thrown-in deal does to the deals after it is no matter of the auction.
		SameDealer         bool `json:"same_dealer"`
		DoubleRoundStarted bool `json:"double_round_started"`
	}
}

func load[T any](t testing.TB, name string) T {
	t.Helper()
	raw, err := os.ReadFile("../../../../docs/spec/vectors/tarokk/" + name)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var v T
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

func book(t testing.TB) ruleset.Rules { return preset(t, "book") }

func preset(t testing.TB, name string) ruleset.Rules {
	t.Helper()
	r, ok := ruleset.Preset(name)
	if !ok {
		t.Fatalf("no preset %s", name)
	}
	return r
}

func seatOf(s string) int {
	if s == "" {
		return auction.Nobody
	}
	return strings.Index("ABCDE", s)
}

func said(t testing.TB, call string) auction.Said {
	t.Helper()
	seat, c, ok := strings.Cut(call, ":")
	if !ok {
		t.Fatalf("%q is not of the form seat:call", call)
	}
	return auction.Said{Seat: seatOf(seat), Call: auction.Call(c)}
}

// play says calls, given one by one ("A:three") or in one line, and returns what
// the last speaker had to prove.
func play(t testing.TB, r ruleset.Rules, calls ...string) (auction.State, []claim.Claim) {
	t.Helper()
	s, claims := auction.New(), []claim.Claim(nil)
	for i, c := range strings.Fields(strings.Join(calls, " ")) {
		var err error
		said := said(t, c)
		if s, claims, err = s.Apply(r, said.Seat, said.Call); err != nil {
			t.Fatalf("call %d, %s: %v", i, c, err)
		}
	}
	return s, claims
}

// ended plays a whole auction.
func ended(t testing.TB, r ruleset.Rules, calls ...string) auction.Outcome {
	t.Helper()
	s, _ := play(t, r, calls...)
	if seat, over := s.Speaker(r); !over {
		t.Fatalf("%v: seat %d must still speak", calls, seat)
	}
	return s.Outcome(r)
}

func roman(f *card.Face) string {
	if f == nil {
		return ""
	}
	return deck.Roman(*f)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// The auctions of the book, and those derived from its rules: another declarer,
// level, invit, duty or draw, or a seat passed over that had a call, is wrong.
func TestAuctions(t *testing.T) {
	r := book(t)
	for _, v := range slices.Concat(load[[]vector](t, "auctions.json"), load[[]vector](t, "auctions_derived.json")) {
		t.Run(v.ID, func(t *testing.T) { v.check(t, r) })
	}
}

func (v vector) check(t *testing.T, r ruleset.Rules) {
	o := ended(t, r, v.Calls...)
	if o.ThrownIn != v.Expect.ThrownIn {
		t.Fatalf("thrown in: %t, want %t", o.ThrownIn, v.Expect.ThrownIn)
	}
	if o.ThrownIn {
		return
	}
	by, shown := auction.Nobody, ""
	if v.Expect.Invit != nil {
		by, shown = seatOf(v.Expect.Invit.By), v.Expect.Invit.Card
	}
	if o.Declarer != seatOf(v.Expect.Declarer) || o.Level != v.Expect.Level.Level() {
		t.Errorf("seat %d declares at level %d, want %s at %s", o.Declarer, o.Level, v.Expect.Declarer, v.Expect.Level)
	}
	if o.Inviter != by || roman(o.Shown) != shown {
		t.Errorf("seat %d invited with %q, want %d with %q", o.Inviter, roman(o.Shown), by, shown)
	}
	if o.Yielder != seatOf(text(v.Expect.Yielded)) || roman(o.MustCall) != text(v.Expect.MustCall) {
		t.Errorf("seat %d yielded, %q must be called, want %q and %q", o.Yielder, roman(o.MustCall), text(v.Expect.Yielded), text(v.Expect.MustCall))
	}
	for seat, name := range []string{"A", "B", "C", "D"} {
		if o.Draw[seat] != v.Expect.Draw[name] {
			t.Errorf("%s draws %d, want %d", name, o.Draw[seat], v.Expect.Draw[name])
		}
		if want := slices.Contains(v.Expect.Honour, name); o.Honour[seat] != want {
			t.Errorf("%s is known to hold an honour: %t, want %t", name, o.Honour[seat], want)
		}
		spoke := slices.ContainsFunc(v.Calls, func(c string) bool { return strings.HasPrefix(c, name) })
		if want := slices.Contains(v.Skipped, name); spoke == want {
			t.Errorf("%s spoke: %t, and should have been passed over: %t", name, spoke, want)
		}
	}
}

var ruleNumbers = regexp.MustCompile(`R-[A-Z]+-[0-9]+|/[0-9]+`)

// named lists the rules that a sentence names: "R-BID-3/9" are two.
func named(why string) []string {
	var list []string
	for _, n := range ruleNumbers.FindAllString(why, -1) {
		if strings.HasPrefix(n, "/") {
			n = list[0][:strings.LastIndex(list[0], "-")+1] + n[1:]
		}
		list = append(list, n)
	}
	return list
}

// refused checks that the last of the calls is refused by one of the rules.
func refused(t *testing.T, r ruleset.Rules, calls string, rules ...string) {
	t.Helper()
	list := strings.Fields(calls)
	last := len(list) - 1
	s, _ := play(t, r, list[:last]...)
	c := said(t, list[last])
	_, _, err := s.Apply(r, c.Seat, c.Call)
	if err == nil {
		t.Errorf("%s: %s is accepted", calls, list[last])
		return
	}
	for _, rule := range rules {
		if strings.Contains(err.Error()+":", rule+":") || strings.Contains(err.Error(), rule+",") {
			return
		}
	}
	t.Errorf("%s: %v, want one of the rules %v", calls, err, rules)
}

func TestIllegalCalls(t *testing.T) {
	for _, v := range load[[]struct {
		ID, Why string
		Calls   []string
	}](t, "illegal_calls.json") {
		t.Run(v.ID, func(t *testing.T) { refused(t, book(t), strings.Join(v.Calls, " "), named(v.Why)...) })
	}
}

// holds reports whether a claim is true of a hand.
func holds(c claim.Claim, hand []card.Face) bool {
	n := 0
	for _, f := range hand {
		if c.Set.Has(f) {
			n++
		}
	}
	return n >= min(c.Min, len(hand)) && n <= c.Max
}

func handOf(t *testing.T, names []string) []card.Face {
	t.Helper()
	var hand []card.Face
	for _, n := range names {
		f := testmust.Have(deck.Parse(n))(t)
		hand = append(hand, f)
	}
	return hand
}

// R-BID-4, R-CONV-6, R-CONV-12, R-BID-14, R-CONV-3: a claim too few lets a hand
// call that must not, a claim too many stops one that may.
func TestCallsOfHands(t *testing.T) {
	r := book(t)
	for _, v := range load[[]struct {
		ID, Why, Duty string
		Calls         []string
		HandA         []string `json:"hand_of_A"`
		HandD         []string `json:"hand_of_D"`
		Legal         bool
	}](t, "illegal_with_hands.json") {
		t.Run(v.ID, func(t *testing.T) {
			s, claims := play(t, r, v.Calls...)
			hand := handOf(t, slices.Concat(v.HandA, v.HandD))
			if by := s.Said[len(s.Said)-1].Seat; (by == 3) != (v.HandD != nil) {
				t.Fatalf("the hand is not that of the last speaker, seat %d", by)
			}
			legal := !slices.ContainsFunc(claims, func(c claim.Claim) bool { return !holds(c, hand) })
			if legal != v.Legal {
				t.Errorf("all of %+v are true: %t, want %t (%s)", claims, legal, v.Legal, v.Why)
			}
			if v.Duty != "" {
				pagatDuty(t, r, v.Calls, hand)
			}
		})
	}
}

// pagatDuty: R-CONV-8, the inviter without a big honour, A, must announce.
func pagatDuty(t *testing.T, r ruleset.Rules, calls []string, hand []card.Face) {
	t.Helper()
	o := ended(t, r, append(slices.Clone(calls), "B:one", "C:pass", "D:pass", "A:pass")...)
	big := claim.AtLeast("A-ULTI", 1, claim.Dealt, deck.BigHonours)
	if o.Ultimo != 0 || holds(big, hand) {
		t.Errorf("the duty is of seat %d, want A; A has a big honour: %t", o.Ultimo, holds(big, hand))
	}
}

// The auctions of the book under other options.
func TestOptionOverrides(t *testing.T) {
	vectors := map[string]vector{}
	for _, v := range load[[]vector](t, "auctions.json") {
		vectors[v.ID] = v
	}
	for _, o := range load[[]struct {
		Vector, Option, Value string
		InvitCard             json.RawMessage `json:"invit_card"`
		MustCall              json.RawMessage `json:"must_call"`
		IllegalCallIndex      *int            `json:"illegal_call_index"`
	}](t, "option_overrides.json") {
		t.Run(o.Vector+"/"+o.Option+"="+o.Value, func(t *testing.T) {
			r, calls := overridden(t, o.Option, o.Value), vectors[o.Vector].Calls
			if o.IllegalCallIndex != nil {
				refused(t, r, strings.Join(calls[:*o.IllegalCallIndex+1], " "), "OPT-BID-HOLD=old", "R-BID-9")
				return
			}
			got := ended(t, r, calls...)
			isCard(t, "shown", got.Shown, o.InvitCard)
			isCard(t, "must be called", got.MustCall, o.MustCall)
		})
	}
}

func overridden(t *testing.T, option, value string) ruleset.Rules {
	t.Helper()
	r := book(t)
	switch option {
	case "OPT-CONV-SOLO-JUMP":
		r.SoloJump = ruleset.SoloJump(value)
	case "OPT-CONV-XVII":
		r.XVII = ruleset.XVII(value)
	case "OPT-BID-HOLD":
		r.BidHold = ruleset.BidHold(value)
	case "PRESET":
		r = preset(t, strings.ToLower(value))
	default:
		t.Fatalf("no test knows the option %s", option)
	}
	return r
}

// isCard compares a card with a field that may be missing, null or a numeral.
func isCard(t *testing.T, what string, got *card.Face, want json.RawMessage) {
	t.Helper()
	if want == nil {
		return
	}
	var name *string
	testmust.Do(t, json.Unmarshal(want, &name))
	if roman(got) != text(name) {
		t.Errorf("%q %s, want %q", roman(got), what, text(name))
	}
}

// R-TAL-1: the blocks of the talon go round from the declarer.
func TestTalonTable(t *testing.T) {
	table := load[map[auction.Call][4]int](t, "talon_table.json")
	if len(table) != 4 {
		t.Fatalf("%d bids, want 4", len(table))
	}
	for bid, blocks := range table {
		for declarer := range 4 {
			got := auction.Draw(bid.Level(), declarer)
			for i, want := range blocks {
				if seat := (declarer + i) % 4; got[seat] != want {
					t.Errorf("%s by seat %d: seat %d draws %d, want %d", bid, declarer, seat, got[seat], want)
				}
			}
		}
	}
}
