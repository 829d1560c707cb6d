package score_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// R-ROUND-1, R-ROUND-2, R-ROUND-3, OPT-THROWIN: each of its four forms, where it differs
// from the others.
func TestThrowIn(t *testing.T) {
	for _, c := range []struct {
		form    string
		members int
		events  string
		want    []int
	}{
		{"overlap", 4, "D X X D D D D D", []int{1, 4, 4, 4, 4, 1}},
		{"overlap", 5, "X D D D D D D", []int{2, 2, 2, 2, 2, 1}},
		{"overlap", 4, "X D X D X D D D D D D", []int{2, 4, 8, 8, 4, 2, 1, 1}},
		{"none", 4, "X X D D X D", []int{1, 1, 1}},
		{"queue", 4, "X D D X D D D D D D D", []int{2, 2, 2, 2, 2, 2, 2, 2, 1}},
		{"queue", 4, "X X X D D D D D D D D D D D D D", []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1}},
		{"quad", 4, "X D D D X D D D D D", []int{2, 2, 2, 4, 4, 4, 4, 1}},
		{"quad", 4, "X D X D D X D D D D D", []int{2, 4, 4, 4, 4, 4, 4, 1}},
		{"quad", 4, "X X X X D D D D D X D D D D D", []int{4, 4, 4, 4, 1, 2, 2, 2, 2, 1}},
		{"quad", 5, "X X D D D D D D", []int{4, 4, 4, 4, 4, 1}},
	} {
		if got := multipliers(rules(t, "throw-in", c.form), c.members, c.events); !slices.Equal(got, c.want) {
			t.Errorf("%s, %d members: %s: %v, want %v", c.form, c.members, c.events, got, c.want)
		}
	}
}

// R-DEAL-5, OPT-THROWIN: a dealer who deals again although there is no double
// round, or does not although there is one.
func TestRedeals(t *testing.T) {
	for _, form := range []string{"overlap", "none", "queue", "quad"} {
		if got, want := score.Redeals(rules(t, "throw-in", form)), form != "none"; got != want {
			t.Errorf("%s: %v, want %v", form, got, want)
		}
	}
}

// Players who throw in deal after deal to make a payment that is no number any
// more: the multiplier stays within 2^16, and within that counts every running
// round, whatever comes in which order.
func TestRoundsAreBounded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 12))
	running, rounds, top := []int{}, score.Rounds{}, 0
	for range 3_000 {
		if rnd.IntN(9) > 1 {
			running, rounds = append(running, 5), rounds.ThrownIn(book, 5)
		} else {
			rounds = rounds.Completed()
			for i := range running {
				running[i]--
			}
			running = slices.DeleteFunc(running, func(left int) bool { return left == 0 })
		}
		if got, want := rounds.Multiplier(), 1<<min(len(running), 16); got != want || !slices.IsSorted(rounds) {
			t.Fatalf("%d rounds run: multiplier %d, want %d", len(running), got, want)
		}
		top = max(top, rounds.Multiplier())
	}
	if top != 1<<16 {
		t.Errorf("the multiplier rose to %d only", top)
	}
}

// A state that shares its list with the one before: what is undone would stay.
func TestRoundsAreValues(t *testing.T) {
	before := make(score.Rounds, 2, 10)
	before[0], before[1] = 2, 4
	one, two := before.ThrownIn(book, 4), before.ThrownIn(book, 5)
	before.Completed()
	if !slices.Equal(before, score.Rounds{2, 4}) || !slices.Equal(one, score.Rounds{2, 4, 4}) || !slices.Equal(two, score.Rounds{2, 4, 5}) {
		t.Errorf("%v, %v, %v", before, one, two)
	}
	if data, err := json.Marshal(score.Rounds{1}.Completed()); err != nil || string(data) != "[]" {
		t.Errorf("no round is written as %s, %v", data, err)
	}
}

// R-SESS-1: a second declaration that moves the end.
func TestDeclareTwice(t *testing.T) {
	e, err := score.Ending{}.Declare()
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		next, err := e.Declare()
		if err == nil || !strings.HasPrefix(err.Error(), "R-SESS-1: ") || next != e {
			t.Errorf("%+v becomes %+v, %v", e, next, err)
		}
		e = e.Turn(4, 1)
	}
}

// R-SESS-1, R-SESS-2, R-SESS-3, AMB-21: an end that nobody declared; a turn without a
// skíz that is observed; one that does not count once it is.
func TestEnding(t *testing.T) {
	for _, c := range []struct {
		name    string
		declare bool
		members int
		skiz    []int // of each turn
		turns   int   // when it is over
	}{
		{"not declared", false, 4, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, -1},
		{"the dealer has the skíz", true, 4, []int{0, 1, 1, 1, 1, 1}, 4},
		{"lost trials are not observed", true, 4, []int{score.NoSkiz, score.NoSkiz, 2, 0, 0, 0, 0, 0, 0}, 8},
		{"lost trials count afterwards", true, 5, []int{1, score.NoSkiz, score.NoSkiz, score.NoSkiz, score.NoSkiz, score.NoSkiz, 0}, 6},
		{"the longest", true, 5, []int{4, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 9},
	} {
		e := score.Ending{}
		if c.declare {
			e, _ = e.Declare()
		}
		over := -1
		for i, skiz := range c.skiz {
			if e.Over() {
				break
			}
			if e = e.Turn(c.members, skiz); e.Over() {
				over = i + 1
			}
		}
		if over != c.turns {
			t.Errorf("%s: over after %d turns, want %d", c.name, over, c.turns)
		}
	}
}

// R-SESS-1, R-SESS-2: the last dealer is the left neighbour of the holder,
// counter-clockwise the one before him, one round after he dealt.
func TestLastDealer(t *testing.T) {
	for _, members := range []int{4, 5} {
		for skiz := range members {
			deals, last := score.LastDeal(members, skiz)
			if dealer := (deals - 1) % members; dealer != skiz {
				t.Errorf("%d members: seat %d deals, want the holder %d", members, dealer, skiz)
			}
			if dealer, left := (last-1)%members, (skiz+members-1)%members; dealer != left || last-deals != members-1 {
				t.Errorf("%d members, holder %d: seat %d deals last, want %d", members, skiz, dealer, left)
			}
		}
	}
}

// A state that loses the ending on its way through JSON.
func TestEndingJSON(t *testing.T) {
	e, _ := score.Ending{}.Declare()
	e = e.Turn(5, 2)
	data, err := json.Marshal(e)
	var back score.Ending
	if err != nil || json.Unmarshal(data, &back) != nil || back != e || string(data) != `{"declared":true,"observed":true,"left":6}` {
		t.Errorf("%+v is written as %s and read as %+v, %v", e, data, back, err)
	}
}
