package fivecarddraw_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	seam "github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/record"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/sra"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// counts are how many hands there are of each kind, the best first.
var counts = map[bool][9]int{
	true:  {40, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 1_302_540},
	false: {36, 624, 3_744, 5_112, 9_180, 54_912, 123_552, 1_098_240, 1_303_560},
}

// AllHands is the variable of the environment that has every hand compared, and not one of
// some hundred:
//
//	PAKLI_ALL_HANDS=1 go test -run TestTwoOpinions ./protocol/games/fivecarddraw
const AllHands = "PAKLI_ALL_HANDS"

// FD-R-44: a hand that two ways of ranking put into two classes; and, of all 2,598,960,
// kinds that are more or fewer than there are.
func TestTwoOpinions(t *testing.T) {
	testmust.Requiref(t, len(ordinals[true]) == 7462 && len(ordinals[false]) == 7462,
		"the referee has %d and %d classes", len(ordinals[true]), len(ordinals[false]))
	for _, wheel := range []bool{true, false} {
		step := 101
		if os.Getenv(AllHands) != "" {
			step = 1
		}
		var kinds [9]int
		compared := 0
		eachHand(step, func(h [fivecarddraw.HandSize]fivecarddraw.Face) {
			var names []string
			for _, f := range h {
				names = append(names, f.String())
			}
			got, want := fivecarddraw.HandClass(h, wheel), handClass(names, wheel)
			testmust.Requiref(t, got == want, "wheel=%v: %v is of class %d, and %d in the list", wheel, h, got, want)
			kinds[fivecarddraw.StraightFlush-fivecarddraw.KindOf(got, wheel)]++
			compared++
		})
		testmust.Holdf(t, step != 1 || kinds == counts[wheel] && compared == 2_598_960,
			"wheel=%v: %d hands, kinds %v, want %v", wheel, compared, kinds, counts[wheel])
		t.Logf("wheel=%v: %d hands compared", wheel, compared)
	}
}

// eachHand calls use with every step-th hand.
func eachHand(step int, use func([fivecarddraw.HandSize]fivecarddraw.Face)) {
	n := 0
	for a := fivecarddraw.Face(0); a < fivecarddraw.DeckSize; a++ {
		for b := a + 1; b < fivecarddraw.DeckSize; b++ {
			for c := b + 1; c < fivecarddraw.DeckSize; c++ {
				for d := c + 1; d < fivecarddraw.DeckSize; d++ {
					for e := d + 1; e < fivecarddraw.DeckSize; e++ {
						if n%step == 0 {
							use([fivecarddraw.HandSize]fivecarddraw.Face{c, a, e, b, d})
						}
						n++
					}
				}
			}
		}
	}
}

// FD-R-50 to FD-R-52: chips that the code of the game gives to another seat than the referee, in
// cases nobody thought of.
func TestPotsOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 51))
	for range 20_000 {
		n := 2 + r.IntN(5)
		paid, live, classes := make([]int, n), make([]bool, n), make([]int, n)
		for seat := range n {
			paid[seat], classes[seat], live[seat] = 1+r.IntN(12), 1+r.IntN(4), r.IntN(3) > 0
		}
		most, dealer := slices.Max(paid), r.IntN(n)
		for seat, p := range paid { // who put in most has not folded
			live[seat] = live[seat] || p == most
		}
		back := fivecarddraw.UncalledChips(paid)
		if want := uncalledChips(paid); !slices.Equal(back, want) {
			t.Fatalf("paid %v: %v come back, by the referee %v", paid, back, want)
		}
		var order []table.Seat
		for i := range n {
			paid[i] -= back[i]
			order = append(order, table.Seat((dealer+1+i)%n))
		}
		got, want := make([]int, n), make([]int, n)
		for _, p := range fivecarddraw.PotLayers(paid, live, 0) {
			winners := p.Winners(order, classes)
			for i, chips := range fivecarddraw.PotShares(p.Chips, len(winners)) {
				got[winners[i]] += chips
			}
		}
		for _, h := range heaps(paid, live, 0) {
			best := slices.MinFunc(h.claimants, func(a, b int) int { return classes[a] - classes[b] })
			winners := slices.DeleteFunc(slices.Clone(h.claimants), func(s int) bool { return classes[s] != classes[best] })
			for s, chips := range share(h.chips, winners, dealer, n) {
				want[s] += chips
			}
		}
		testmust.Requiref(t, slices.Equal(got, want), "paid %v, live %v, classes %v, dealer %d: %v, by the referee %v", paid, live, classes, dealer, got, want)
	}
}

// FD-R-20 to FD-R-26: a seat that the code of the game asks and the referee does not, or lets do another thing, in
// rounds nobody thought of. At every decision every total is tried.
func TestRoundsOfChance(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 26))
	rounds, decisions := 60_000, 0
	if !testmust.Thorough() {
		rounds = 1_500
	}
	for range rounds {
		decisions += playRound(t, r)
	}
	t.Logf("%d rounds, %d decisions", rounds, decisions)
}

// playRound plays one round by both, and counts the decisions.
func playRound(t *testing.T, r *rand.Rand) (decisions int) {
	t.Helper()
	n := 2 + r.IntN(5)
	terms := fivecarddraw.BetTerms{Limit: []string{fivecarddraw.OptFixed, fivecarddraw.OptPot, fivecarddraw.OptNone}[r.IntN(3)], Unit: 1 + r.IntN(5)}
	if terms.Limit == fivecarddraw.OptFixed {
		terms.Cap, terms.Half = r.IntN(5), r.IntN(2) == 0
	}
	h := house{"limit": terms.Limit, "bet": strconv.Itoa(terms.Unit), "cap": strconv.Itoa(terms.Cap), "reopen": map[bool]string{true: "half", false: "full"}[terms.Half]}
	want := round{house: h, unit: terms.Unit, live: make([]bool, n), in: make([]int, n), stack: make([]int, n), middle: r.IntN(9)}
	for s := range n {
		want.stack[s], want.live[s] = r.IntN(25), r.IntN(6) > 0
	}
	before := r.IntN(n)
	got := fivecarddraw.NewRound(n, table.Seat(before))
	if r.IntN(2) == 0 { // a blind, perhaps a short one
		posted := min(want.stack[before], terms.Unit)
		got = got.Blind(table.Seat(before), posted, terms.Unit)
		want.pay(before, posted)
		want.height, want.step, want.count = terms.Unit, terms.Unit, 1
	}
	for want.beginFrom(before); ; decisions++ {
		seat, asked := got.NextSpeaker(want.live, want.stack)
		s, due := want.awaitedSeat()
		testmust.Requiref(t, asked == due && (!asked || int(seat) == s),
			"%+v: seat %d is asked (%v), by the referee %d (%v): %+v", terms, seat, asked, s, due, want)
		if !asked {
			return decisions
		}
		for total := range want.in[s] + want.stack[s] + 3 {
			err, lawful := terms.CheckTotal(got, seat, want.stack[s], want.middle, total), want.checkTotal(s, total)
			testmust.Requiref(t, (err == nil) == (lawful == nil), "%+v: seat %d to %d: %v, by the referee %v: %+v", terms, seat, total, err, lawful, want)
		}
		bounds := fivecarddraw.Bounds{Call: want.missing(s)}
		bounds.Least, bounds.Greatest = want.bounds(s)
		b := terms.Bounds(got, seat, want.stack[s], want.middle)
		testmust.Requiref(t, b == bounds, "%+v: bounds %+v, by the referee %+v: %+v", terms, b, bounds, want)
		m := heardMove{seat: s, verb: "check"}
		switch word := r.IntN(8); {
		case word == 0:
			m.verb = "fold"
			got = got.Pass(seat)
		case word < 5 && bounds.Least > 0:
			m.verb, m.to = "to", bounds.Least+r.IntN(bounds.Greatest-bounds.Least+1)
			got = got.Raise(terms, seat, m.to)
		case bounds.Call == 0:
			got = got.Pass(seat)
		default:
			m.verb = "call"
			got = got.Call(seat, bounds.Call)
		}
		testmust.Have(want.hearMove(m))(t)
	}
}

// TestDeals plays tables under random options: every one ends, and the referee who sees all
// cards agrees with every move, every hand, every pot, what may be bet, and every result (FD-R-03,
// FD-R-04, FD-R-10 to FD-R-12, FD-R-31 to FD-R-33, FD-R-55, FD-A-02, FD-A-04, FD-A-17, FD-A-20).
//
// It plays 300 deals, or 12 without PAKLI_TESTS=thorough. PAKLI_DEALS=10000 go test -run TestDeals
// ./protocol/games/fivecarddraw plays ten thousand. PAKLI_SUITE names a suite to
// play all of them with, in place of one that hides nothing.
func TestDeals(t *testing.T) {
	met := map[string]int{}
	var mu sync.Mutex
	enough := tabletest.PlayDeals(t, 300, 12, func(number int) (int, error) {
		c, w, err := playTable(number)
		if err != nil {
			err = fmt.Errorf("%v: %w", c, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, told := range w.past {
			count(met, told)
		}
		return len(w.past), err
	})
	t.Logf("deals: %v", met)
	for _, what := range []string{"shown", "mucked", "unseen", "folded", "side pots", "passed in", "opened", "forfeited", "returned", "out", "mixed again"} {
		testmust.Holdf(t, met[what] != 0 || !enough || os.Getenv("PAKLI_SUITE") != "", "no deal was %s", what)
	}
}

// count notes what a deal had.
func count(met map[string]int, t *tale) {
	text := strings.Join(t.lines, "\n")
	for what, had := range map[string]bool{
		"shown": len(t.shown) > 0, "mucked": strings.Contains(text, " mucks"), "unseen": t.alive() > 1 && len(t.shown) == 0 && !t.passed,
		"folded": t.alive() == 1, "side pots": len(t.heaps) > 1, "passed in": t.passed, "opened": len(t.given) > 0,
		"forfeited": strings.Contains(text, "opens ?"), "returned": strings.Contains(text, "back "), "mixed again": len(t.again) > 0,
	} {
		if had {
			met[what]++
		}
	}
	for _, h := range t.heaps {
		if n := len(t.winners(h)); n > 1 && h.chips%n > 0 {
			met["odd chips"]++
		}
	}
	for _, s := range t.in {
		if t.stack[s] == 0 {
			met["out"]++
		}
	}
}

// playTable plays a table that its number decides.
func playTable(number int) (tabletest.Config, *watcher, error) {
	choice := rand.New(rand.NewPCG(uint64(number), 92))
	c := randomConfig(choice)
	t, err := tabletest.New(game, c, uint64(number))
	if err != nil {
		return c, &watcher{}, err
	}
	w := newWatcher(t)
	for len(t.State.Duties()) > 0 {
		entry, err := message(t, choice)
		if err == nil {
			err = t.Add(entry)
		}
		if err == nil {
			err = w.catchUp()
		}
		if err != nil {
			return c, w, fmt.Errorf("after message %d: %w", t.State.CountApplied(), err)
		}
	}
	return c, w, nil
}

// message is an honest message of who is due. Folding is rarer than other moves, so that most
// deals are played; where the stock is to run out, a seat mostly puts away all it may.
func message(t *tabletest.Table, choice *rand.Rand) ([]byte, error) {
	d := t.State.Duties()[0]
	if d.Kind != table.Move {
		return t.Next()
	}
	moves := t.Moves(d.Seats[0])
	for {
		m := moves[choice.IntN(len(moves))]
		if t.Config.Options["reshuffle"] == "discards" && strings.HasPrefix(string(m), `{"discard"`) && choice.IntN(8) > 0 {
			m = slices.MaxFunc(moves, func(a, b json.RawMessage) int { return len(a) - len(b) })
		}
		if !strings.HasPrefix(string(m), `{"fold"`) || choice.IntN(4) == 0 {
			return t.HonestMessage(d.Seats[0], d, json.RawMessage(m))
		}
	}
}

// randomConfig draws every option that fits the others.
func randomConfig(choice *rand.Rand) tabletest.Config {
	any := func(values ...string) string { return values[choice.IntN(len(values))] }
	c := tabletest.Config{Seats: 2 + choice.IntN(5), Deals: 1 + choice.IntN(6)}
	o := map[string]string{
		"stack": any("3", "7", "20", "41", "200"), "limit": any("fixed", "pot", "none"), "exchange": any("5", "5", "3", "0"),
		"draw": any("together", "one-by-one"), "second-betting": any("true", "true", "false"), "showdown": any("muck", "all"),
		"wheel": any("true", "false"), "payout": any("chips", "places"), "ante": any("0", "1", "3"),
	}
	switch any("blinds", "openers", "") {
	case "blinds":
		o["bet"], o["big-blind"], o["small-blind"] = "3", "3", any("1", "2", "3")
	case "openers":
		o["openers"], o["bet"] = "jacks", any("1", "2", "3")
	}
	if o["limit"] == "fixed" {
		o["reopen"], o["cap"] = any("full", "half"), any("0", "1", "4")
	}
	if o["payout"] == "places" {
		o["prizes"] = any("100", "60,40")
	}
	if c.Seats == 2 {
		o["pick"] = any("order", "opponent")
		if choice.IntN(6) == 0 {
			o = map[string]string{"rules": "by-email", "stack": o["stack"]}
		}
	}
	if c.Seats == 6 {
		o["reshuffle"] = any("no", "discards")
	}
	if choice.IntN(4) == 0 && o["reshuffle"] != "discards" {
		c.Suite = clear.DeferredSuite{}
		if o["rules"] == "" {
			o["disclose"], o["silent"] = any("table", "deal"), any("waits", "forfeits")
		}
	}
	if s, ok := suite.Lookup(os.Getenv("PAKLI_SUITE")); ok {
		c.Suite = s
	}
	if c.Suite != nil && !proof.Proves(c.Suite, "transfer") {
		delete(o, "reshuffle")
	}
	if c.Suite != nil && !proof.Proves(c.Suite, proof.Disclosure) {
		delete(o, "disclose")
		delete(o, "silent")
	}
	c.Options = o
	return c
}

// moves are what mutants are made of.
var moves = tabletest.Vocabulary{
	Words: append(fivecarddraw.FaceNames(), "0", "1"),
	Verbs: []string{"fold", "check", "call", "to", "discard", "pick", "muck", "show", "openers"},
	Move:  func() any { return new(fivecarddraw.Move) },
}

func campaign() *tabletest.Campaign {
	return &tabletest.Campaign{Effort: tabletest.ChosenEffort(tabletest.Effort{Bytes: 2, Moves: 24}), Words: moves, Legal: func(t *tabletest.Table) error {
		_, err := judgeTable(t)
		return err
	}}
}

// Nothing slips through: for every kind of entry that a table of five-card draw has, each
// field, value, proof and signature altered, by an outsider and by the seat itself. A mutant
// that is applied, unless the referee finds it legal; a foul that another seat is blamed for.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every kind of entry")
	}
	var s proof.Suite // nil is the clear suite: whole logs have the proofs of others
	if testmust.Thorough() {
		s, _ = suite.Lookup(suite.Default)
	}
	c := campaign()
	for seed, config := range []tabletest.Config{
		{Seats: 4, Deals: 8, Suite: s},
		{Seats: 2, Deals: 4, Suite: s, Options: map[string]string{"rules": "by-email"}},
		{Seats: 3, Deals: 6, Suite: s, Options: map[string]string{"openers": "jacks"}},
		{Seats: 4, Deals: 5, Suite: s, Options: map[string]string{"second-betting": "false"}},
		{Seats: 5, Deals: 4, Suite: s, Options: map[string]string{"second-betting": "false", "cap": "1"}},
	} {
		played := testmust.Have(tabletest.Play(game, config, uint64(seed+2)))(t)
		c.AlterNewKinds(t, played)
	}
	c.RequireWords(t, append([]string{"key", "shuffle", "show"}, moves.Verbs...)...)
}

// The same of every entry of whole logs: a deal after another, with card keys for the
// table and for one deal (sra255), with a seat that has lost its chips and sits out.
func TestMutantsOfLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("alters every entry of logs")
	}
	for _, name := range testmust.ChosenSuites(t, []string{suite.Default, sra.Name}) {
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			s, _ := suite.Lookup(name)
			played, c := bustedSeat(t, s), campaign()
			c.Effort = tabletest.ChosenEffort(tabletest.Effort{Bytes: 2, Moves: 8})
			c.AlterAll(t, played)
			c.RequireWords(t, "key", "shuffle", "show", "move")
		})
	}
}

// bustedSeat is the first table on which a seat has no chips before the last deal.
func bustedSeat(t *testing.T, s proof.Suite) *tabletest.Table {
	t.Helper()
	config := tabletest.Config{Seats: 3, Deals: 2, Suite: s, Options: map[string]string{"limit": "none", "stack": "4"}}
	for seed := range uint64(100) {
		played := testmust.Have(tabletest.Play(game, config, seed))(t)
		if last, _ := table.Public[fivecarddraw.State](played.State); last.Deal.Number == 2 && len(last.Deal.In) == 2 {
			return played
		}
	}
	t.Fatal("no seat ever lost its chips")
	return nil
}

// recorded is the record of a table, made from its log.
func recorded(t *testing.T, played *tabletest.Table) string {
	t.Helper()
	g := played.State.Genesis()
	var names []string
	for seat := range played.Config.Seats {
		names = append(names, played.State.SeatName(table.Seat(seat)))
	}
	r := record.NewRecorder(played.State.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
	b := seam.NewRecord[fivecarddraw.State, fivecarddraw.Move](r)
	for at, entry := range played.Entries[1:] {
		m := testmust.Have(wire.Parse(entry))(t).Message
		var body wire.MoveBody
		if m.Kind == wire.KindMove {
			testmust.Do(t, wire.DecodeBody(m.Body, &body))
			testmust.Do(t, b.AddMove(played.States[at], played.States[at+1], table.Seat(m.Seat), body.Move))
		}
	}
	testmust.Do(t, b.Close(played.State))
	return string(r.Text())
}

// A record that tells a hand that nobody saw, or another pot or payment than the referee,
// who made his own; and a true record in which the scorer finds something.
func TestRecords(t *testing.T) {
	first, step := 1, 5 // tables that have among them all that a record can tell
	if testmust.Thorough() {
		first, step = 0, 1
	}
	for number := first; number < 60; number += step {
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			c, w, err := playTable(number)
			testmust.Do(t, err, c)
			got := recorded(t, w.table)
			testmust.Equal(t, w.record(), got, c, "the record of the log is", "and the referee's")
			scored, err := record.Score([]byte(got))
			testmust.Holdf(t, err == nil && len(scored.Findings) == 0 && scored.Stops == "" && fmt.Sprint(scored.Result) == fmt.Sprint(w.result()),
				"%v: scored as %+v, %v:\n%s", c, scored, err, got)
			altered := strings.Replace(got, "pays ", "pays 1", 1)
			scored, err = record.Score([]byte(altered))
			testmust.Holdf(t, err == nil && len(scored.Findings) == 1, "%v: another payment is scored as %+v, %v", c, scored, err)
		})
	}
}
