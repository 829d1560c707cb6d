package betting_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/betting"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/drawtest"
	"github.com/pakli/pakli/protocol/games/fivecarddraw/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

type total struct {
	drawtest.Vector
	Limit                                                                string
	Unit, Height, Own, Stack, Middle, Step, Count, Call, Least, Greatest int
}

func (v total) round() (betting.Terms, betting.Round) {
	terms := betting.Terms{Limit: v.Limit, Unit: v.Unit}
	if v.Limit == ruleset.Fixed {
		terms.Cap = 4
	}
	return terms, betting.Round{Chips: []int{v.Own}, Spoken: []bool{false}, Height: v.Height, Step: v.Step, Count: v.Count, Bettor: -1}
}

// FD-R-22 to FD-R-25: a total that may not be bet, or one that may and is refused, by any
// of the 15 vectors; every total is tried.
func TestTotals(t *testing.T) {
	drawtest.Each(t, "totals", func(t *testing.T, v total) {
		terms, round := v.round()
		if got, want := terms.Bounds(round, 0, v.Stack, v.Middle), (betting.Bounds{Call: v.Call, Least: v.Least, Greatest: v.Greatest}); got != want {
			t.Errorf("bounds %+v, want %+v", got, want)
		}
		for to := range v.Own + v.Stack + 10 {
			err := terms.Check(round, 0, v.Stack, v.Middle, to)
			if may := v.Least > 0 && to >= v.Least && to <= v.Greatest; may != (err == nil) {
				t.Errorf("to %d: %v", to, err)
			}
		}
	})
}

// queue is the second opinion on FD-R-21 and FD-R-26: who is still to speak, in turn, and
// whether they may raise. A full bet puts everybody else into it; one that is not puts
// those back who had left it, to call or fold alone.
type queue struct {
	betting.Terms
	live                []bool
	put, stacks         []int
	height, step, count int
	turns               []turn
}

type turn struct {
	seat     int
	mayRaise bool
}

// next drops those from the head of the queue who have nothing to say.
func (q *queue) next() (turn, bool) {
	alive, rich := 0, 0
	for seat := range q.live {
		if q.live[seat] {
			alive++
			if q.stacks[seat] > 0 {
				rich++
			}
		}
	}
	for ; len(q.turns) > 0 && alive > 1; q.turns = q.turns[1:] {
		switch t := q.turns[0]; {
		case !q.live[t.seat] || q.stacks[t.seat] == 0:
		case q.put[t.seat] < q.height, t.mayRaise && rich > 1:
			return t, true
		}
	}
	return turn{}, false
}

// may says by the words of FD-R-22 to FD-R-25 whether a total may be bet.
func (q *queue) may(t turn, total, middle int) bool {
	all, size := q.put[t.seat]+q.stacks[t.seat], total-q.height
	if !t.mayRaise || size <= 0 || total > all {
		return false
	}
	full := max(q.step, q.Unit)
	switch q.Limit {
	case ruleset.Fixed:
		return (q.Cap == 0 || q.count < q.Cap) && (size == q.Unit || total == all && size < q.Unit)
	case ruleset.Pot:
		bound := middle + q.height - q.put[t.seat]
		return size >= full && size <= max(bound, full) || total == all && size < full
	}
	return size >= full || total == all
}

// raise is a bet of the first in the queue.
func (q *queue) raise(total int) {
	by, size := q.turns[0].seat, total-q.height
	full := max(q.step, q.Unit)
	if q.Limit == ruleset.Fixed {
		full = q.Unit
	}
	isFull := size >= full || q.Half && size*2 >= q.Unit
	if q.turns = q.turns[1:]; isFull {
		q.turns, q.step = nil, size
		q.count++
	}
	for i := range len(q.live) - 1 {
		seat := (by + 1 + i) % len(q.live)
		if !slices.ContainsFunc(q.turns, func(t turn) bool { return t.seat == seat }) {
			q.turns = append(q.turns, turn{seat, isFull})
		}
	}
	q.pay(by, total-q.put[by])
	q.height = total
}

func (q *queue) pay(seat, chips int) { q.put[seat] += chips; q.stacks[seat] -= chips }

// FD-R-20 to FD-R-26: a seat that is asked by one of two ways of reckoning and not by the
// other, or may do another thing, in rounds nobody thought of. At every decision every
// total is tried.
func TestQueues(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 26))
	rounds, decisions := 60_000, 0
	if !thorough.Tests() {
		rounds = 4_000
	}
	for range rounds {
		decisions += reckoned(t, r)
	}
	t.Logf("%d rounds, %d decisions", rounds, decisions)
}

// reckoned plays one round both ways, and counts the decisions.
func reckoned(t *testing.T, r *rand.Rand) (decisions int) {
	t.Helper()
	n := 2 + r.IntN(5)
	terms := betting.Terms{Limit: []string{ruleset.Fixed, ruleset.Pot, ruleset.None}[r.IntN(3)], Unit: 1 + r.IntN(5)}
	if terms.Limit == ruleset.Fixed {
		terms.Cap, terms.Half = r.IntN(5), r.IntN(2) == 0
	}
	q := queue{Terms: terms, live: make([]bool, n), put: make([]int, n), stacks: make([]int, n)}
	for seat := range n {
		q.stacks[seat], q.live[seat] = r.IntN(25), r.IntN(6) > 0
	}
	first, middle := r.IntN(n), r.IntN(9)
	round := betting.New(n, table.Seat((first+n-1)%n))
	if r.IntN(2) == 0 { // a blind, perhaps a short one
		big := (first + n - 1) % n
		posted := min(q.stacks[big], terms.Unit)
		round = round.Blind(table.Seat(big), posted, terms.Unit)
		q.pay(big, posted)
		q.height, q.step, q.count = terms.Unit, terms.Unit, 1
		middle += posted
	}
	for i := range n {
		q.turns = append(q.turns, turn{(first + i) % n, true})
	}
	for ; ; decisions++ {
		seat, asked := round.Next(q.live, q.stacks)
		want, due := q.next()
		if asked != due || asked && int(seat) != want.seat {
			t.Fatalf("%+v: seat %d is asked (%v), by the queue %d (%v): %+v", terms, seat, asked, want.seat, due, q)
		}
		if !asked {
			return decisions
		}
		var totals []int
		for total := range q.put[seat] + q.stacks[seat] + 3 {
			may := q.may(want, total, middle)
			if err := terms.Check(round, seat, q.stacks[seat], middle, total); may != (err == nil) {
				t.Fatalf("%+v: seat %d to %d: %v, by the queue %v: %+v", terms, seat, total, err, may, q)
			}
			if may {
				totals = append(totals, total)
			}
		}
		b := terms.Bounds(round, seat, q.stacks[seat], middle)
		if len(totals) == 0 && b.Least != 0 || len(totals) > 0 && (b.Least != totals[0] || b.Greatest != totals[len(totals)-1]) {
			t.Fatalf("%+v: bounds %+v, and may bet %v", terms, b, totals)
		}
		owes := min(max(q.height-q.put[seat], 0), q.stacks[seat])
		if b.Call != owes {
			t.Fatalf("%+v: a call of %d, want %d", terms, b.Call, owes)
		}
		switch word := r.IntN(8); {
		case word == 0:
			q.live[seat] = false
			round, q.turns = round.Pass(seat), q.turns[1:]
		case word < 5 && len(totals) > 0:
			total := totals[r.IntN(len(totals))]
			round = round.Raise(terms, seat, total)
			middle += total - q.put[seat]
			q.raise(total)
		case owes == 0:
			round, q.turns = round.Pass(seat), q.turns[1:]
		default:
			round, q.turns = round.Call(seat, owes), q.turns[1:]
			q.pay(int(seat), owes)
			middle += owes
		}
	}
}
