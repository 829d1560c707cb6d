package auction_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// with returns the book's rules, changed.
func with(t testing.TB, change func(*ruleset.Rules)) ruleset.Rules {
	r := book(t)
	change(&r)
	return r
}

// describe writes claims as "B-HON B-INV19".
func describe(claims []claim.Claim) string {
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, " ")
}

// describeOutcome writes what a test compares: "C two, invit A XIX, must XIX,
// partner A, ultimo A".
func describeOutcome(o auction.Outcome) string {
	if o.ThrownIn {
		return "thrown in"
	}
	seat := func(s int) string { return "ABCD"[s : s+1] }
	words := []string{seat(o.Declarer) + " " + []string{"three", "two", "one", "solo"}[o.Level]}
	add := func(is bool, what string, who int, more string) {
		if is {
			words = append(words, strings.TrimSpace(what+" "+seat(who)+" "+more))
		}
	}
	if o.Trial {
		words = append(words, "trial")
	}
	add(o.Inviter >= 0, "invit", o.Inviter, roman(o.Shown))
	add(o.Yielder >= 0, "yields", o.Yielder, "")
	if o.MustCall != nil {
		words = append(words, "must "+roman(o.MustCall))
	}
	add(o.Partner >= 0, "partner", o.Partner, "")
	add(o.Ultimo >= 0, "ultimo", o.Ultimo, "")
	add(o.Confirm >= 0, "confirm", o.Confirm, "")
	add(o.Breach >= 0, "breach", o.Breach, "")
	return strings.Join(words, ", ")
}

// Each rule with a call that breaks it.
func TestRulesRefuse(t *testing.T) {
	for _, c := range []struct{ rule, calls string }{
		{"R-BID-1", "B:three"}, // A speaks first
		{"R-BID-1", "A:three C:two"},
		{"R-BID-1", "A:three D:two"}, // clockwise
		{"R-BID-2", "A:four"},
		{"R-BID-3", "A:pass B:three C:two D:pass A:solo"},
		{"R-BID-3", "A:three B:two C:pass D:pass A:hold C:one"},
		{"R-BID-5", "A:one B:one"},
		{"R-BID-5", "A:three B:solo C:one"}, // also from a seat that is passed over
		{"R-BID-6", "A:hold"},
		{"R-BID-6", "A:two B:hold"},
		{"R-BID-6", "A:three B:pass C:two D:hold"},
		{"R-BID-7", "A:three B:two C:pass D:pass A:hold B:hold"},
		{"R-BID-8", "A:three B:pass C:pass A:two"},
		{"R-BID-8", "A:three A:pass"},
		{"R-BID-9", "A:three B:pass C:pass D:pass A:pass"},
		{"R-BID-9", "A:three B:solo A:hold C:pass"}, // all others passed over
		{"R-BID-9", "A:pass B:solo C:pass"},
		{"R-BID-3", "A:three B:solo C:pass D:pass C:pass"}, // R-BID-11: the pass of one who is passed over counts
		{"R-BID-1", "A:three B:solo D:pass C:pass"},        // R-BID-11: and his turn goes by
		{"R-SEAT-3", "E:three"},
	} {
		refused(t, book(t), c.calls, c.rule)
	}
}

// What each rule lets be said, and what must be proved with it. The claims are
// those of the last call.
func TestClaims(t *testing.T) {
	for _, c := range []struct{ why, calls, want string }{
		{"R-BID-3: a pass proves nothing", "A:pass", ""},
		{"R-BID-4: every first bid shows an honour", "A:three", "B-HON"},
		{"R-BID-4, SK-6: the second does not", "A:three B:two C:pass D:pass A:hold", ""},
		{"R-BID-5: any number of steps", "A:pass B:pass C:solo", "B-HON"},
		{"R-BID-14: the fourth after three passes", "A:pass B:pass C:pass D:three", ""},
		{"R-BID-14: two passes are not three", "A:pass B:pass C:three", "B-HON"},
		{"R-BID-14: the fourth after a bid", "A:pass B:pass C:three D:two", "B-HON"},
		{"R-BID-15: at any level", "A:pass B:pass C:pass D:solo", ""},
		{"R-CONV-1, R-CONV-6: card and honour", "A:three B:one", "B-HON B-INV19"},
		{"R-CONV-1: two steps", "A:three B:solo", "B-HON B-INV18"},
		{"R-CONV-1: over a hold", "A:three B:two C:pass D:pass A:one", "B-INV19"},
		{"R-CONV-1: over a hold, two steps", "A:three B:two C:pass D:pass A:solo", "B-INV18"},
		{"R-CONV-2: opening two", "A:two", "B-HON B-INV19"},
		{"R-CONV-2: opening one, after passes", "A:pass B:one", "B-HON B-INV18"},
		{"R-CONV-3: opening solo", "A:solo", "B-HON"},
		{"R-CONV-4: a second jump", "A:two B:solo", "B-HON"},
		{"R-CONV-5: a jump after three passes", "A:pass B:pass C:pass D:two", ""},
		{"R-CONV-9: the inviter bids on", "A:two B:one C:pass D:pass A:solo", ""},
		{"R-CONV-9: or passes", "A:two B:one C:pass D:pass A:pass", ""},
		{"R-CONV-11, R-CONV-12: the yielding pass", "A:three B:two C:pass D:pass A:pass", "B-YIELD B-YIELD"},
		{"R-CONV-12: who holds shows nothing", "A:three B:two C:pass D:pass A:hold", ""},
		{"R-CONV-13: another has bid", "A:three B:two C:one D:pass A:pass", ""},
		{"R-CONV-13: the three was answered by one", "A:three B:pass C:one D:pass A:pass", ""},
		{"R-CONV-13: the two was held before", "A:three B:two C:pass D:pass A:hold B:one A:pass", ""},
		{"R-CONV-13: the two opened", "A:two B:one C:pass D:pass A:pass", ""},
	} {
		_, claims := play(t, book(t), c.calls)
		if got := describe(claims); got != c.want {
			t.Errorf("%s: %s proves %q, want %q", c.why, c.calls, got, c.want)
		}
	}
}

// The claims speak of the nine cards as they were dealt, and of the right ones.
func TestClaimSets(t *testing.T) {
	_, invit := play(t, book(t), "A:one")
	_, yield := play(t, book(t), "A:three B:two C:pass D:pass A:pass")
	_, pais := play(t, with(t, func(r *ruleset.Rules) { r.XVII = "pais" }), "A:three B:two C:pass D:pass A:one")
	one := func(id string, hand ...string) claim.Claim {
		c := claim.Claim{ID: id, Of: claim.Dealt, Min: 1, Max: claim.All}
		for _, f := range handOf(t, hand) {
			c.Set = c.Set.With(f)
		}
		return c
	}
	for _, c := range []struct {
		name      string
		got, want []claim.Claim
	}{
		{"opening one", invit, []claim.Claim{one("B-HON", "T1", "T21", "T22"), one("B-INV18", "T18")}},
		{"yield", yield, []claim.Claim{one("B-YIELD", "T20"), one("B-YIELD", "T21", "T22")}},
		{"XVII", pais, []claim.Claim{one("B-INV17", "T17"), one("B-INV17", "T21", "T22")}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

// What auctions decide, rule by rule, in the book.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct{ why, calls, want string }{
		{"R-BID-10: the last positive caller", "A:three B:two C:pass D:pass A:hold B:pass", "A two"},
		{"R-BID-11: C and D may pass or be passed over", "A:three B:solo C:pass A:pass", "B solo, invit B XVIII"},
		{"R-BID-12", "A:pass B:pass C:pass D:pass", "thrown in"},
		{"R-BID-14, R-BID-16", "A:pass B:pass C:pass D:three", "D three, trial"},
		{"R-BID-15, R-BID-17: the level says what a lost trial costs", "A:pass B:pass C:pass D:solo", "D solo, trial"},
		{"R-CONV-7, R-CONV-8, R-CONV-14", "A:two B:pass C:one D:pass A:pass", "C one, invit A XIX, must XIX, partner A, ultimo A"},
		{"R-CONV-7: the inviter declares", "A:two B:pass C:one D:pass A:hold C:pass", "A one, invit A XIX"},
		{"R-CONV-7: whoever declares is bound", "A:two B:one C:solo A:pass B:hold", "B solo, invit A XIX, must XIX, partner A, ultimo A"},
		{"R-CONV-10, R-CONV-14", "A:three B:pass C:pass D:two A:pass", "D two, yields A, must XX, partner A"},
		{"R-CONV-13", "A:three B:pass C:pass D:one A:pass", "D one, invit D XIX"},
	} {
		if got := describeOutcome(ended(t, book(t), c.calls)); got != c.want {
			t.Errorf("%s: %s decides %q, want %q", c.why, c.calls, got, c.want)
		}
	}
}

// R-BID-18, R-BID-14: who has bid is known to hold an honour, but for a trial.
func TestKnownHonours(t *testing.T) {
	for calls, want := range map[string][4]bool{
		"A:three B:pass C:two D:pass A:hold C:pass": {true, false, true, false},
		"A:pass B:pass C:pass D:one":                {},
	} {
		if got := ended(t, book(t), calls).Honour; got != want {
			t.Errorf("%s: honours %v, want %v", calls, got, want)
		}
	}
}

// The table of section 5: what each bid shows in each position.
func TestJumps(t *testing.T) {
	for _, c := range []struct{ situation, calls, seat, three, two, one, solo string }{
		{"opening", "", "A", "plain", "XIX", "XVIII", "plain"},
		{"opening, after two passes", "A:pass B:pass", "C", "plain", "XIX", "XVIII", "plain"},
		{"over three, may not hold", "A:three", "B", "-", "plain", "XIX", "XVIII"},
		{"over two, may hold", "A:three B:two C:pass D:pass", "A", "-", "-", "XIX", "XVIII"},
		{"over two, may not hold", "A:three B:two", "C", "-", "-", "plain", "XIX"},
		{"over two, already held", "A:three B:two C:pass D:pass A:hold", "B", "-", "-", "plain", "XIX"},
		{"over one, may hold", "A:three B:two C:one D:pass", "A", "-", "-", "-", "XIX"},
		{"over one, may not hold", "A:three B:two C:one", "D", "-", "-", "-", "plain"},
		{"over one, already held", "A:three B:two C:one D:pass A:hold B:pass", "C", "-", "-", "-", "plain"},
		{"over solo, may hold", "A:three B:two C:one D:solo", "A", "-", "-", "-", "-"},
		{"fourth after three passes", "A:pass B:pass C:pass", "D", "plain", "plain", "plain", "plain"},
		{"the second jump", "A:two", "B", "-", "-", "plain", "plain"},
	} {
		s, _ := play(t, book(t), c.calls)
		for bid, want := range map[auction.Call]string{"three": c.three, "two": c.two, "one": c.one, "solo": c.solo} {
			if got := shownBy(t, s, seatOf(c.seat), bid); got != want {
				t.Errorf("%s: %s by %s is %s, want %s", c.situation, bid, c.seat, got, want)
			}
		}
	}
}

// shownBy says in the table's words what a bid would show.
func shownBy(t *testing.T, s auction.State, seat int, bid auction.Call) string {
	next, _, err := s.Apply(book(t), seat, bid)
	switch {
	case err != nil:
		return "-"
	case next.Invit == nil || next.Invit.By != seat:
		return "plain"
	}
	return deck.Roman(next.Invit.Card)
}

// R-CONV-3: the openings whose "over solo, may hold" is a hold.
func TestHoldOverSolo(t *testing.T) {
	s, _ := play(t, book(t), "A:three B:two C:one D:solo")
	if got, want := fmt.Sprint(s.Calls(book(t), 0)), "[pass hold]"; got != want {
		t.Errorf("A may say %s, want %s", got, want)
	}
}

// Each option: an auction that it changes, with and without it.
func TestOptions(t *testing.T) {
	set := func(change func(*ruleset.Rules)) ruleset.Rules { return with(t, change) }
	old := set(func(r *ruleset.Rules) { r.SoloJump = "old" })
	bga1 := set(func(r *ruleset.Rules) { r.SoloJump = "bga" })
	bga2 := set(func(r *ruleset.Rules) { r.HoldRefuses = true })
	bga3 := set(func(r *ruleset.Rules) { r.FirstBid = "withdrawn" })
	bga4 := set(func(r *ruleset.Rules) { r.YieldShows = "honour" })
	never := set(func(r *ruleset.Rules) { r.FirstBid = "never" })
	toBidder := set(func(r *ruleset.Rules) { r.InvitTo = "bidder-hold" })
	pais := set(func(r *ruleset.Rules) { r.XVII = "pais" })
	off := set(func(r *ruleset.Rules) { r.Conventions = false })
	sole := set(func(r *ruleset.Rules) { r.RaiseSole = true })
	low := set(func(r *ruleset.Rules) { r.TrialLevel = "three" })
	oldHold := set(func(r *ruleset.Rules) { r.BidHold = "old" })
	commit := set(func(r *ruleset.Rules) { r.InvitCommit = "if-other-declares" })
	for _, c := range []struct {
		option       string
		r            ruleset.Rules
		calls, claim string // of the last call
		want         string
	}{
		{"OPT-CONV-SOLO-JUMP=new", book(t), "A:three B:two C:solo A:pass B:hold", "", "B solo, invit C XIX, must XIX, partner C, ultimo C"},
		{"OPT-CONV-SOLO-JUMP=old", old, "A:three B:two C:solo A:pass B:hold", "", "B solo, invit C XVIII, must XVIII, partner C, ultimo C"},
		{"OPT-CONV-SOLO-JUMP=old: opening solo", old, "A:solo", "B-HON", "A solo"},
		{"OPT-CONV-SOLO-JUMP=old: no jump", old, "A:pass B:three C:one D:solo B:pass C:pass", "", "D solo, invit C XIX, must XIX, partner C, ultimo C"},
		{"BGA-1", bga1, "A:pass B:three C:two D:pass B:hold C:solo B:hold", "", "B solo"},
		{"BGA-1: old knows no exception", old, "A:pass B:three C:two D:pass B:hold C:solo B:hold", "", "B solo, invit C XVIII, must XVIII, partner C, ultimo C"},
		{"BGA-1: another jump", bga1, "A:three B:two C:pass D:solo A:hold", "", "A solo, invit D XVIII, must XVIII, partner D, ultimo D"},
		{"BGA-2: accepted by solo", bga2, "A:three B:two C:pass D:pass A:one B:solo A:pass", "", "B solo, invit A XVIII, must XVIII, partner A, ultimo A"},
		{"BGA-2: refused by holding", bga2, "A:three B:two C:pass D:pass A:one B:hold A:pass", "", "B one, invit A XVIII"},
		{"BGA-2, PAK-11: refused for good", bga2, "A:three B:two C:pass D:pass A:one B:hold A:solo B:hold", "", "B solo, invit A XVIII"},
		{"BGA-2: no other invit is refused so", bga2, "A:three B:pass C:one D:pass A:hold C:pass", "", "A one, invit C XIX, must XIX, partner C, ultimo C"},
		{"BGA-2: nor is a one of a third an invit", bga2, "A:three B:two C:one D:pass A:pass B:pass", "", "C one"},
		{"BGA-3: the opener passes and proves", bga3, "A:two B:one C:pass D:pass A:pass", "B-INV19", "B one, invit A XIX, must XIX, partner A, ultimo A"},
		{"BGA-3: he holds, and passes later", bga3, "A:two B:one C:pass D:pass A:hold B:solo A:pass", "", "B solo"},
		{"BGA-3: two others bid, he passes", bga3, "A:two B:one C:solo A:pass B:pass", "", "C solo, invit A XIX, must XIX, partner A, ultimo A"},
		{"BGA-3: he overcalls", bga3, "A:two B:one C:pass D:pass A:solo B:hold", "", "B solo"},
		{"BGA-3: nobody answers", bga3, "A:one B:pass C:pass D:pass", "", "A one"},
		{"BGA-3: later invits are as ever", bga3, "A:three B:one C:pass D:pass A:hold B:pass", "", "A one, invit B XIX, must XIX, partner B, ultimo B"},
		{"BGA-4", bga4, "A:three B:two C:pass D:pass A:pass", "B-YIELD", "B two, yields A, must XX, partner A, ultimo A"},
		{"OPT-CONV-FIRST-BID=never", never, "A:one B:pass C:pass D:solo A:pass", "", "D solo"},
		{"OPT-CONV-FIRST-BID=never: the second turn", never, "A:three B:two C:pass D:pass A:one B:hold A:pass", "", "B one, invit A XIX, must XIX, partner A, ultimo A"},
		{"OPT-CONV-FIRST-BID=never: after a plain opening two", never, "A:two B:solo A:hold", "", "A solo, invit B XIX, must XIX, partner B, ultimo B"},
		{"OPT-CONV-ADDRESSEE: no opening", toBidder, "A:two B:one C:pass D:pass A:pass", "", "B one"},
		{"OPT-CONV-ADDRESSEE: held", toBidder, "A:three B:one C:pass D:pass A:hold B:pass", "", "A one, invit B XIX, must XIX, partner B, ultimo B"},
		{"OPT-CONV-ADDRESSEE: overcalled by the bidder", toBidder, "A:three B:one C:pass D:pass A:solo B:pass", "", "A solo, invit B XIX"},
		{"OPT-CONV-ADDRESSEE: overcalled by a third", toBidder, "A:three B:pass C:one D:solo A:hold", "", "A solo, invit C XIX"},
		{"OPT-CONV-XVII=pais", pais, "A:three B:two C:pass D:pass A:one B:hold A:pass", "", "B one, invit A XVII, must XVII, partner A"},
		{"OPT-CONV-XVII=pais: the first turn", pais, "A:three B:one C:pass D:pass A:pass", "", "B one, invit B XIX"},
		{"OPT-CONV-XVII=pais: two steps", pais, "A:three B:two C:pass D:pass A:solo B:hold", "", "B solo, invit A XVIII, must XVIII, partner A, ultimo A"},
		{"OPT-CONV=off: no invit", off, "A:two B:one C:pass D:pass A:pass", "", "B one"},
		{"OPT-CONV=off: no yield", off, "A:three B:two C:pass D:pass A:pass", "", "B two"},
		{"OPT-BID-RAISE-SOLE: raised", sole, "A:pass B:three C:pass D:pass B:one", "", "B one"},
		{"OPT-BID-RAISE-SOLE: left", sole, "A:three B:pass C:pass D:pass A:pass", "", "A three"},
		{"OPT-BID-RAISE-SOLE: raised to two is not yielded", sole, "A:three B:pass C:pass D:pass A:two", "", "A two"},
		{"OPT-BID-RAISE-SOLE, PAK-12: not the fourth", sole, "A:pass B:pass C:pass D:three", "", "D three, trial"},
		{"AMB-03, trial-level=three: a three", low, "A:pass B:pass C:pass D:three", "", "D three, trial"},
		{"AMB-03, trial-level=three: a two needs an honour and is no invit", low, "A:pass B:pass C:pass D:two", "B-HON", "D two"},
		{"OPT-BID-HOLD=old: who bid before D holds D's solo", oldHold, "A:pass B:three C:one D:solo B:pass C:hold", "", "C solo, invit C XIX"},
		{"OPT-CONV-COMMIT: the inviter declares", commit, "A:two B:one C:pass D:pass A:hold B:pass", "", "A one"},
		{"OPT-CONV-COMMIT: he passes and proves", commit, "A:two B:one C:pass D:pass A:pass", "B-INV19", "B one, invit A XIX, must XIX, partner A, ultimo A"},
		{"OPT-CONV-COMMIT: he had no turn", commit, "A:three B:pass C:one D:solo A:hold", "", "A solo, confirm C"},
	} {
		s, claims := play(t, c.r, c.calls)
		if _, over := s.Speaker(c.r); !over {
			t.Errorf("%s: %s: it is not over", c.option, c.calls)
			continue
		}
		if got := describe(claims); got != c.claim {
			t.Errorf("%s: %s proves %q, want %q", c.option, c.calls, got, c.claim)
		}
		if got := describeOutcome(s.Outcome(c.r)); got != c.want {
			t.Errorf("%s: %s decides %q, want %q", c.option, c.calls, got, c.want)
		}
	}
	refused(t, sole, "A:three B:pass C:pass D:pass A:solo", "OPT-BID-RAISE-SOLE")
	refused(t, sole, "A:two B:pass C:pass D:pass A:one", "R-BID-9")
	refused(t, sole, "A:three B:pass C:pass D:pass A:pass A:one", "R-BID-3")
	refused(t, oldHold, "A:pass B:three C:one D:pass B:pass C:hold", "R-BID-9")
	refused(t, oldHold, "A:three B:two C:pass D:pass A:one B:hold", "OPT-BID-HOLD=old")
}

// OPT-CONV-COMMIT: an inviter who had no turn left proves his card, or that he
// lacks it; he cannot do so twice, nor can another, nor before the end.
func TestConfirm(t *testing.T) {
	r := with(t, func(r *ruleset.Rules) { r.InvitCommit = "if-other-declares" })
	open, _ := play(t, r, "A:three B:pass C:one D:solo")
	s, _ := play(t, r, "A:three B:pass C:one D:solo A:hold")
	for _, c := range []struct {
		holds       bool
		claim, want string
		min         int
	}{
		{true, "B-INV19", "A solo, invit C XIX, must XIX, partner C, ultimo C", 1},
		{false, "B-INV19-FAIL", "A solo, breach C", claim.All},
	} {
		next, claims, err := s.Confirm(r, 2, c.holds)
		if err != nil || describe(claims) != c.claim || claims[0].Of != claim.Dealt || claims[0].Min != c.min {
			t.Errorf("holds %t: %+v, %v; want one claim %s", c.holds, claims, err, c.claim)
			continue
		}
		if claims[0].Set.Has(deck.XIX) != c.holds {
			t.Errorf("holds %t: the claim allows the XIX: %t", c.holds, !c.holds)
		}
		if got := describeOutcome(next.Outcome(r)); got != c.want {
			t.Errorf("holds %t: decides %q, want %q", c.holds, got, c.want)
		}
		if _, _, err := next.Confirm(r, 2, true); err == nil {
			t.Errorf("holds %t: a second word is accepted", c.holds)
		}
	}
	for _, seat := range []int{-1, 0, 1, 3, 4} {
		if _, _, err := s.Confirm(r, seat, true); err == nil || !strings.Contains(err.Error(), "OPT-CONV-COMMIT") {
			t.Errorf("seat %d confirms: %v", seat, err)
		}
	}
	if _, _, err := open.Confirm(r, 2, true); err == nil {
		t.Error("an invit is confirmed while the auction goes on")
	}
}
