package announce_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

func togetherDV(r *ruleset.Rules) { r.DVSameTurn = true }
func partnersDV(r *ruleset.Rules) { r.DVSamePlayer = false }
func anyHolder(r *ruleset.Rules)  { r.Retention = "any-holder" }

// ladder is the game contra'd up to the mordkontra, and the declarer's turn again.
var ladder = []string{callXX, "contra:game", "", "", "contra:game", "contra:game", "", "", "contra:game", "contra:game", "", ""}

// What is publicly illegal is refused with the number of the rule it breaks, and
// changes nothing.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		scene
		rule string
	}{
		{scene{"no call", book(), public(), nil, ""}, "R-CALL-1"},
		{scene{"a count and no call", book(), public(), nil, "count:8"}, "R-CALL-1"},
		{scene{"a figure before the call", book(), public(), nil, "fig:trull call:T20"}, "R-CALL-1"},
		{scene{"a contra before the call", book(), public(), nil, "contra:game call:T20"}, "R-CALL-1"},
		{scene{"called twice", book(), public(), nil, "call:T20 call:T19"}, "R-CALL-1"},
		{scene{"called again later", book(), public(), []string{callXX, "count:8", "", ""}, "call:T19"}, "R-CALL-1"},
		{scene{"a call by another", book(), public(), []string{callXX}, "call:T19"}, "R-CALL-1"},
		{scene{"the pagát called", book(), public(discarded(0, 1)), nil, "call:T1"}, "R-CALL-5"},
		{scene{"the XXI called", book(), public(discarded(0, 1)), nil, "call:T21"}, "R-CALL-5"},
		{scene{"the skíz called", book(), public(), nil, "call:T22"}, "R-CALL-5"},
		{scene{"a king called", book(), public(), nil, "call:HK"}, "R-CALL-5"},
		{scene{"a numeral called", book(), public(), nil, "call:XX"}, "R-CALL-1"},
		{scene{"more above than a hand holds", book(), public(), nil, "call:T11"}, "R-CALL-3"},
		{scene{"a tarokk of one's own face-up discard", book(), public(opened(deck.XIX)), nil, "call:T19"}, "R-CALL-4"},
		{scene{"a free call where there is none", book(noFreeCall), public(discarded(0, 1)), nil, "call:T2"}, "R-CALL-3"},
		{scene{"the XX instead of the invited card", book(), public(invited(1, deck.XIX)), nil, callXX}, "R-CALL-6"},
		{scene{"a free call against an invit", book(), public(invited(1, deck.XVIII), discarded(0, 0, 1)), nil, "call:T19"}, "R-CALL-6"},
		{scene{"another card in a yielded game", book(), public(invited(1, deck.XX)), nil, "call:T19"}, "R-CALL-6"},

		{scene{"a turn after the end", book(), public(), []string{callXX, "", "", ""}, "count:8"}, "R-ANC-4"},
		{scene{"a count after the call", book(), public(), nil, "call:T20 count:8"}, "R-ANC-2"},
		{scene{"a count after a figure", book(), public(), []string{callXX}, "fig:trull count:8"}, "R-ANC-3, AMB-13"},
		{scene{"twenty-one statements", book(), public(), nil, strings.Repeat("count:8 ", 21)}, "R-ANC-2"},
		{scene{"a pass that is said", book(), public(), []string{callXX}, "pass"}, "R-ANC-2"},
		{scene{"a word that is none", book(), public(), []string{callXX}, "figure:trull"}, "R-ANC-2"},

		{scene{"a count of seven", book(), public(), []string{callXX}, "count:7"}, "R-CNT-1"},
		{scene{"a count with a zero before", book(), public(), []string{callXX}, "count:08"}, "R-CNT-1"},
		{scene{"counted twice in a turn", book(), public(), []string{callXX}, "count:8 count:8"}, "R-CNT-4"},
		{scene{"counted twice", book(), public(), []string{"count:8 " + callXX, "count:8", "", ""}, "count:9"}, "R-CNT-4"},
		{scene{"counted after two suit cards were proved", book(), public(), []string{callXX + " fig:pagat_ultimo", "count:8", "", ""}, "count:8"}, "R-CNT-1"},
		{scene{"R-CNT-6: a count contra'd", book(), public(), []string{"count:8 " + callXX}, "contra:DEC.count"}, "R-CON-1"},

		{scene{"no figure", book(), public(), nil, callXX + " fig:game"}, "R-FIG-1"},
		{scene{"a figure in capitals", book(), public(), nil, callXX + " fig:Trull"}, "R-FIG-1"},
		{scene{"double and volát", book(), public(), nil, callXX + " fig:double fig:volat"}, "R-FIG-7"},
		{scene{"volát and double", book(), public(), nil, callXX + " fig:volat fig:double"}, "R-FIG-7"},
		{scene{"double after volát", book(), public(), []string{callXX + " fig:volat"}, "fig:double"}, "R-FIG-8"},
		{scene{"OPT-DV-SAME-TURN: double after volát", book(togetherDV), public(), nil, callXX + " fig:volat fig:double"}, "R-FIG-8"},
		{scene{"both by one player", book(partnersDV), public(), []string{callXX + " fig:double", "", "", "contra:game"}, "fig:volat"}, "OPT-DV-SAME-PLAYER"},
		{scene{"a figure twice", book(), public(), nil, callXX + " fig:trull fig:trull"}, "AMB-12"},
		{scene{"the partner repeats a figure", book(), public(), []string{callXX + " fig:trull"}, "fig:trull"}, "R-FIG-9"},

		{scene{"the declarer contras the game", book(), public(), nil, callXX + " contra:game"}, "R-CON-3"},
		{scene{"a figure nobody announced", book(), public(), []string{callXX}, "contra:DEC.trull"}, "R-CON-1"},
		{scene{"a silent figure of the others", book(), public(), []string{callXX + " fig:trull"}, "contra:DEF.trull"}, "R-CON-5"},
		{scene{"no item", book(), public(), []string{callXX}, "contra:DEC.game"}, "R-CON-1"},
		{scene{"an item with a space", book(), public(), []string{callXX + " fig:trull"}, "contra:dec.trull"}, "R-CON-1"},
		{scene{"two steps in a turn", book(), public(), []string{callXX}, "contra:game contra:game"}, "AMB-28"},
		{scene{"a step on one's own figure of this turn", book(), public(), nil, callXX + " fig:trull contra:DEC.trull"}, "R-CON-3"},
		{scene{"a rekontra by the side that contra'd", book(), public(), []string{callXX, "contra:game", "fig:trull", "fig:four_kings", ""}, "contra:game"}, "R-CON-3"},
		{scene{"a sixth step", book(), public(), ladder, "contra:game"}, "R-CON-2"},
		{scene{"R-SIDE-7: the known partner contras the game", book(), public(invited(1, deck.XIX)), []string{"call:T19"}, "contra:game"}, "R-SIDE-7"},
		{scene{"R-SIDE-7: a known opponent rekontras", book(), public(), []string{callXX, "fig:trull", "contra:game", ""}, "contra:game contra:game"}, "AMB-28"},
		{scene{"R-SIDE-6: the other two are opponents and contra no figure of theirs", book(), public(),
			[]string{callXX, "fig:trull", "fig:trull"}, "contra:DEF.trull"}, "R-SIDE-7"},

		{scene{"a compulsory contra where none is spoken of", book(), public(discarded(0, 1)), []string{callXX}, "compulsory:game"}, "OPT-FORCED-CONTRA-SPOKEN"},
		{scene{"a compulsory contra without a discarded tarokk", book(spoken), public(), []string{callXX}, "compulsory:game"}, "R-CALL-8"},
		{scene{"a compulsory contra by the declarer", book(spoken), public(opened(deck.XX)), nil, callXX + " compulsory:game"}, "R-CALL-8"},
		{scene{"a compulsory contra of a figure", book(spoken), public(discarded(0, 1)), []string{callXX + " fig:trull"}, "compulsory:DEC.trull"}, "R-CALL-8"},
		{scene{"a compulsory contra of a contra'd game", book(spoken), public(discarded(0, 0, 1)), []string{callXX, "contra:game"}, "compulsory:game"}, "AMB-09"},
		{scene{"a compulsory contra in the second turn", book(spoken), public(discarded(0, 1)), []string{callXX, "", "", "count:8", ""}, "compulsory:game"}, "AMB-09"},
		{scene{"twice, as contra and as duty", book(spoken), public(discarded(0, 1)), []string{callXX}, "contra:game compulsory:game"}, "AMB-28"},
		{scene{"OPT-COUNT-PAIS, OPT-COUNT-SIDE: a partner in hiding counts", book(pais, countShows), public(), []string{callXX}, "count:8"}, "OPT-COUNT-PAIS"},
		{scene{"OPT-COUNT-PAIS: the declarer still counts first", book(pais), public(), nil, callXX + " count:8"}, "R-ANC-2"},
	} {
		before, after, _, err := c.speak(t)
		if err == nil || !strings.Contains(err.Error(), c.rule) {
			t.Errorf("%s: %q: got %v, want %s", c.name, c.say, err, c.rule)
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%s: a refused turn changed the state", c.name)
		}
	}
}

// What is publicly legal is not refused.
func TestAllowed(t *testing.T) {
	for _, c := range []scene{
		{"R-ANC-2: count, call, figures in any order", book(), public(), nil, "count:8 call:T20 fig:four_kings fig:trull"},
		{"R-ANC-4: a mere count keeps the phase open", book(), public(), []string{callXX, "", "", "count:8", "", ""}, "fig:trull"},
		{"R-ANC-4: who passed speaks later", book(), public(), []string{callXX, "", "", "fig:trull", ""}, "contra:DEC.trull"},
		{"R-CALL-3: eight above", book(), public(), nil, "call:T12"},
		{"R-CALL-5: the least tarokk, freely", book(), public(discarded(0, 0, 0, 1)), nil, "call:T2"},
		{"AMB-08: one's own discard, freely", book(), public(discarded(0, 1), opened(deck.T(7))), nil, "call:T7"},
		{"R-CALL-2: one's own XX, face up", book(), public(opened(deck.XX)), nil, callXX},
		{"R-CALL-6: the yielded XX", book(), public(invited(1, deck.XX)), nil, callXX},
		{"R-CNT-4: a count in any turn", book(), public(), []string{callXX, "", "", "count:8", ""}, "count:9"},
		{"R-FIG-8, AMB-11: double of the other side", book(), public(), []string{callXX + " fig:volat", "contra:game"}, "fig:double"},
		{"R-FIG-7: double and volát in two turns", book(), public(), []string{callXX + " fig:double", "", "", "contra:game"}, "fig:volat"},
		{"R-FIG-7: double and volát of two sides", book(), public(), []string{callXX + " fig:double"}, "contra:game fig:volat"},
		{"OPT-DV-SAME-TURN", book(togetherDV), public(), nil, callXX + " fig:double fig:volat"},
		{"OPT-DV-SAME-PLAYER: by the partner", book(partnersDV), public(), []string{callXX + " fig:double"}, "fig:volat"},
		{"R-FIG-3: all figures by one player", book(togetherDV), public(), []string{callXX}, "fig:trull fig:four_kings fig:double fig:volat fig:pagat_ultimo fig:xxi_capture"},
		{"R-FIG-9: both sides, one figure", book(), public(), []string{callXX + " fig:trull", "contra:game"}, "fig:trull"},
		{"R-CON-1: several items in one turn", book(), public(), []string{callXX + " fig:trull fig:volat"}, "contra:game contra:DEC.trull contra:DEC.volat"},
		{"R-CON-2: the mordkontra", book(), public(), ladder[:9], "contra:game"},
		{"R-CON-3: the rekontra by the declarer", book(), public(), []string{callXX, "contra:game", "", ""}, "contra:game"},
		{"R-CON-4: much later", book(), public(), []string{callXX + " fig:trull", "", "", "count:8", "", "count:8"}, "contra:DEC.trull"},
	} {
		if _, _, _, err := c.speak(t); err != nil {
			t.Errorf("%s: %q: %v", c.name, c.say, err)
		}
	}
}

// R-ANC-1: a seat that speaks out of turn is refused, one that is none too.
func TestOutOfTurn(t *testing.T) {
	p := public()
	p.Declarer = 2
	s := announce.New(p)
	for _, seat := range []int{-1, 0, 1, 3, 4} {
		if _, _, err := s.Turn(book(), seat, []string{callXX}); err == nil || !strings.Contains(err.Error(), "R-ANC-1") {
			t.Errorf("seat %d: %v", seat, err)
		}
		if list := s.Statements(book(), seat); list != nil {
			t.Errorf("seat %d may say %v", seat, list)
		}
	}
	for _, want := range []int{2, 3, 0, 1} {
		seat, over := s.Speaker()
		if seat != want || over {
			t.Fatalf("seat %d speaks, want %d", seat, want)
		}
		say := []string{}
		if seat == 2 {
			say = append(say, callXX)
		}
		s, _, _ = s.Turn(book(), seat, say)
	}
	if seat, over := s.Speaker(); !over || seat != auction.Nobody {
		t.Errorf("after three passes seat %d speaks", seat)
	}
}

// R-SIDE-1 to R-SIDE-6: the sides after a course, and the side of the next figure.
func TestSides(t *testing.T) {
	const u, dec, def = score.Unknown, score.Dec, score.Def
	for _, c := range []struct {
		scene
		want [4]score.Side
		last score.Side
	}{
		{scene{"R-SIDE-1: the declarer's side to begin with", book(), public(), nil, callXX}, [4]score.Side{dec, u, u, u}, dec},
		{scene{"R-SIDE-2, R-SIDE-6", book(), public(), []string{callXX, ""}, "fig:trull"}, [4]score.Side{dec, def, dec, def}, dec},
		{scene{"R-SIDE-3", book(), public(), []string{callXX}, "contra:game"}, [4]score.Side{dec, def, u, u}, def},
		{scene{"AMB-10", book(), public(), []string{callXX, "contra:game"}, "fig:trull"}, [4]score.Side{dec, def, def, u}, def},
		{scene{"AMB-10: and all three", book(), public(), []string{callXX, "contra:game", "fig:trull"}, "fig:double"}, [4]score.Side{dec, def, def, def}, def},
		{scene{"R-SIDE-1, R-CNT-6: a count moves nothing", book(), public(), []string{callXX, "contra:game", "", "", "count:8"}, ""}, [4]score.Side{dec, def, u, u}, def},
		{scene{"R-CONV-14", book(), public(invited(3, deck.XIX)), nil, "call:T19"}, [4]score.Side{dec, def, def, dec}, dec},
		{scene{"R-CALL-7: openly alone", book(), public(opened(deck.XX)), nil, callXX}, [4]score.Side{dec, def, def, def}, dec},
		{scene{"R-CALL-7, OPT-FORCED-CONTRA-SPOKEN", book(spoken), public(discarded(0, 1)), []string{callXX}, "compulsory:game"}, [4]score.Side{dec, def, def, def}, def},
		{scene{"OPT-COUNT-PAIS shows an opponent and moves nothing", book(pais), public(), []string{callXX}, "count:8"}, [4]score.Side{dec, def, u, u}, dec},
		{scene{"OPT-COUNT-SIDE", book(countShows), public(), []string{callXX}, "count:8"}, [4]score.Side{dec, dec, def, def}, dec},
	} {
		_, s, _, err := c.speak(t)
		if err != nil || s.Sides != c.want || s.Last != c.last {
			t.Errorf("%s: sides %v, last %v, want %v, %v (%v)", c.name, s.Sides, s.Last, c.want, c.last, err)
		}
	}
}

// R-SIDE-6, AMB-10: cards that are played make sides public, and never change one.
func TestReveal(t *testing.T) {
	const u, dec, def = score.Unknown, score.Dec, score.Def
	s := announce.New(public())
	one, two := s.Reveal(1, def), s.Reveal(1, def).Reveal(2, def)
	for _, c := range []struct {
		name string
		s    announce.State
		want [4]score.Side
	}{
		{"not revealed", s, [4]score.Side{dec, u, u, u}},
		{"an opponent", one, [4]score.Side{dec, def, u, u}},
		{"two opponents", two, [4]score.Side{dec, def, def, u}},
		{"the partner", two.Reveal(3, dec), [4]score.Side{dec, def, def, dec}},
		{"the partner at once", s.Reveal(2, dec), [4]score.Side{dec, def, dec, def}},
		{"an opponent again, as partner", two.Reveal(1, dec), [4]score.Side{dec, def, def, u}},
		{"the declarer as opponent", s.Reveal(0, def), [4]score.Side{dec, u, u, u}},
	} {
		if c.s.Sides != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.s.Sides, c.want)
		}
	}
}

// R-PLAY-6, R-PLAY-7, AMB-15: who must keep the pagát. A seat told that it is
// free when it is not dumps it; one told that it is bound is blamed for nothing.
func TestBound(t *testing.T) {
	no, yes := announce.Bound{Answer: announce.No}, announce.Bound{Answer: announce.Yes}
	ifDec, ifDef := announce.Bound{Answer: announce.Hidden, To: score.Dec}, announce.Bound{Answer: announce.Hidden, To: score.Def}
	for _, c := range []struct {
		scene
		want [4]announce.Bound
	}{
		{scene{"nobody announced it", book(), public(), nil, callXX + " fig:trull"}, [4]announce.Bound{no, no, no, no}},
		{scene{"nobody, for any holder", book(anyHolder), public(), nil, callXX}, [4]announce.Bound{no, no, no, no}},
		{scene{"DEC, sides hidden", book(), public(), nil, callXX + " fig:pagat_ultimo"}, [4]announce.Bound{yes, ifDec, ifDec, ifDec}},
		{scene{"DEC, sides public", book(), public(), []string{callXX}, "fig:pagat_ultimo"}, [4]announce.Bound{yes, yes, no, no}},
		{scene{"DEF, one of them known", book(), public(), []string{callXX}, "contra:game fig:pagat_ultimo"}, [4]announce.Bound{no, yes, ifDef, ifDef}},
		{scene{"both", book(), public(), []string{callXX + " fig:pagat_ultimo"}, "contra:game fig:pagat_ultimo"}, [4]announce.Bound{yes, yes, yes, yes}},
		{scene{"any holder", book(anyHolder), public(), []string{callXX}, "fig:pagat_ultimo"}, [4]announce.Bound{yes, yes, yes, yes}},
	} {
		_, s, _, err := c.speak(t)
		if err != nil {
			t.Fatal(err)
		}
		for seat, want := range c.want {
			if got := s.Bound(c.rules, seat); got != want {
				t.Errorf("%s: seat %d: %v, want %v", c.name, seat, got, want)
			}
		}
	}
}

// R-CALL-2 to R-CALL-6: the calls that a declarer is offered.
func TestCalls(t *testing.T) {
	t2to20, t12to20 := deck.TarokkDiscards.Faces(), deck.TarokkDiscards.Faces()[10:]
	for _, c := range []struct {
		scene
		want []card.Face
	}{
		{scene{name: "as the hand has it", rules: book(), public: public()}, t12to20},
		{scene{name: "free", rules: book(), public: public(discarded(0, 0, 0, 1))}, t2to20},
		{scene{name: "not free", rules: book(noFreeCall), public: public(discarded(0, 0, 0, 1))}, t12to20},
		{scene{name: "without the discarded", rules: book(), public: public(opened(deck.XIX))}, append(faces(t, "T11"), slices.DeleteFunc(slices.Clone(t12to20), func(f card.Face) bool { return f == deck.XIX })...)},
		{scene{name: "bound", rules: book(), public: public(invited(1, deck.XVIII), discarded(0, 0, 1))}, faces(t, "T18")},
		{scene{name: "called", rules: book(), public: public(), say: callXX}, nil},
	} {
		s := announce.New(c.public)
		if c.say != "" {
			_, s, _, _ = c.speak(t)
		}
		if got := s.Calls(c.rules); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Statements offers what may be said next, and no more: a bot that builds its
// turn from it is never refused.
func TestStatements(t *testing.T) {
	s := announce.New(public(invited(1, deck.XIX)))
	offered := func(seat int, said ...string) string { return strings.Join(s.Statements(book(), seat, said...), " ") }
	for _, c := range []struct{ name, got, want string }{
		{"the declarer to begin with", offered(0), "count:8 count:9 call:T19"},
		{"after its count", offered(0, "count:8"), "call:T19"},
		{"after its call", offered(0, "call:T19"), "fig:double fig:volat fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture"},
		{"after a double", offered(0, "call:T19", "fig:double"), "fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture"},
		{"after nonsense", offered(0, "fig:"), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
	s, _, _ = s.Turn(book(), 0, []string{"call:T19", "fig:trull"})
	s, _, _ = s.Turn(book(), 1, nil)
	if got, want := offered(2, "contra:game"), "fig:double fig:volat fig:trull fig:four_kings fig:pagat_ultimo fig:xxi_capture contra:DEC.trull"; got != want {
		t.Errorf("an opponent after its contra: %q, want %q", got, want)
	}
}

// OPT-DISC-ANNOUNCE: a discard that is announced at the first turn obliges in
// that turn, and does not free a call that was made before.
func TestDiscardsAnnouncedInFirstTurn(t *testing.T) {
	r := book(noFreeCall, func(r *ruleset.Rules) { r.DiscardAnnounce = "first-turn" })
	s, claimed, err := announce.New(public()).Turn(r, 0, []string{"call:T19"})
	if err != nil || len(claimed) != 2 {
		t.Fatalf("the call proves %v, %v", claimed, err)
	}
	s.Tarokks[1] = 1
	if _, claimed, err = s.Turn(r, 1, nil); err != nil || len(claimed) != 1 || claimed[0].ID != "A-DCONTRA" {
		t.Errorf("seat 1 has discarded a tarokk, passes and proves %v, %v", claimed, err)
	}
}

// A state that is written and read again is the same state.
func TestJSON(t *testing.T) {
	for _, c := range []scene{
		{"empty", book(), public(), nil, callXX},
		{"full", book(), public(invited(1, deck.XIX), mustUltimo(1), discarded(0, 0, 1), opened(deck.T(4), deck.T(9))),
			[]string{"call:T19 fig:trull", "count:8 fig:pagat_ultimo"}, "contra:DEC.pagat_ultimo contra:game"},
	} {
		_, s, _, err := c.speak(t)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		var read announce.State
		if err == nil {
			err = json.Unmarshal(text, &read)
		}
		if err != nil || !reflect.DeepEqual(read, s) {
			t.Errorf("%s: %s reads as %+v, %v", c.name, text, read, err)
		}
	}
}
