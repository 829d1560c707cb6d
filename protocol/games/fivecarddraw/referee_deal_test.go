package fivecarddraw_test

import (
	"fmt"
	"slices"
	"strings"
)

// handSize is how many cards a hand has; packSize the pack.
const (
	handSize = 5
	packSize = 52
)

// deal is a deal as it was played so far: all that [deal.tell] needs.
type deal struct {
	house
	number, deals int
	dealer        int
	chips         []int    // when it began, by seat
	before        int      // in the middle from deals before
	pack          []string // by place
	heard         []heardMove
}

// tale is a deal told from its beginning.
type tale struct {
	deal
	rest  []heardMove
	wait  awaitedTurn
	in    []int  // seats of the deal, from the left of the dealer
	live  []bool // by seat
	stack []int
	paid  []int
	dealt [][]int // places, by seat
	hands [][]int
	taken []bool // places that somebody got
	again []int  // places whose cards were put away and mixed into the stock
	round *round
	lines []string

	opener int
	heaps  []heap
	back   []int
	shown  map[int]bool
	given  map[int][]string // what openers showed
	passed bool             // in: nobody opened
	pays   []int
	left   int  // in the middle for the next deal
	over   bool // the deal
	last   bool // of the table
}

// awaitedTurn is whom play waits for, and at which stage.
type awaitedTurn struct {
	stage string
	seat  int
}

// pause ends the telling where a move is waited for.
type pause struct{}

// brokenRule is a rule that a move does not keep.
type brokenRule struct{ error }

// tell tells the deal. The error says which move breaks which rule.
func (d deal) tell() (t *tale, err error) {
	n := len(d.chips)
	t = &tale{deal: d, rest: d.heard, live: make([]bool, n), stack: slices.Clone(d.chips), paid: make([]int, n), dealt: make([][]int, n),
		hands: make([][]int, n), taken: make([]bool, packSize), opener: -1, shown: map[int]bool{}, given: map[int][]string{}}
	defer func() {
		switch e := recover().(type) {
		case nil, pause:
		case brokenRule:
			err = e.error
		default:
			panic(e)
		}
	}()
	t.play()
	if t.over = true; len(t.rest) > 0 {
		t.fail("FD-R-17: the deal is over, and %s speaks", letter(t.rest[0].seat))
	}
	return t, nil
}

func (t *tale) fail(format string, args ...any) { panic(brokenRule{fmt.Errorf(format, args...)}) }

func (t *tale) addLine(format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

// awaitMove is the next move, which must be of this seat and of one of these kinds.
func (t *tale) awaitMove(stage string, seat int, verbs ...string) heardMove {
	if len(t.rest) == 0 {
		t.wait = awaitedTurn{stage, seat}
		panic(pause{})
	}
	m := t.rest[0]
	t.rest = t.rest[1:]
	switch {
	case m.seat != seat:
		t.fail("FD-R-21: %s speaks, and %s is due", letter(m.seat), letter(seat))
	case !slices.Contains(verbs, m.verb):
		t.fail("92.10: %s says %s at the stage %s", letter(seat), m.verb, stage)
	}
	return m
}

// play is FD-R-10 to FD-R-17.
func (t *tale) play() {
	t.in = seatsLeftOf(t.dealer, len(t.chips), func(s int) bool { return t.chips[s] > 0 })
	for _, s := range t.in {
		t.live[s] = true
	}
	t.addLine("deal %d dealer %s stacks %s", t.number, letter(t.dealer), joinNumbers(t.chips))
	blinds := t.post()
	t.distribute()
	t.bets("bet", blinds)
	if t.hasOption("openers", "jacks") && t.opener < 0 {
		t.passIn()
		return
	}
	if t.alive() > 1 {
		t.exchange()
		if t.hasOption("second-betting", "true") {
			t.bets("bet-after", nil)
		}
	}
	t.divide()
	if t.alive() > 1 {
		t.showdown()
	}
	t.proveOpening()
	t.payOut()
}

func (t *tale) alive() (n int) {
	for _, l := range t.live {
		if l {
			n++
		}
	}
	return n
}

func (t *tale) middle() int {
	sum := t.before
	for _, n := range t.paid {
		sum += n
	}
	return sum
}

func (t *tale) payChips(s, n int) int {
	n = min(n, t.stack[s])
	t.stack[s] -= n
	t.paid[s] += n
	return n
}

// post puts in antes and blinds (FD-R-11); it returns what the blinds put in, by seat.
func (t *tale) post() (blinds map[int]int) {
	for _, s := range t.in {
		t.payChips(s, t.intOption("ante"))
	}
	if t.hasOption("big-blind", "0") {
		return nil
	}
	small, big := t.in[0], t.in[1]
	if len(t.in) == 2 {
		small, big = t.in[1], t.in[0]
	}
	blinds = map[int]int{}
	blinds[small] = t.payChips(small, t.intOption("small-blind"))
	blinds[big] = t.payChips(big, t.intOption("big-blind"))
	return blinds
}

// distribute deals five cards to each (FD-R-12), or has the other seat choose (FD-R-35).
func (t *tale) distribute() {
	for i, s := range t.in {
		for j := range handSize {
			if t.hasOption("pick", "order") {
				t.dealt[s] = append(t.dealt[s], t.takePlace(j*len(t.in)+i))
			}
		}
		if t.hasOption("pick", "opponent") {
			t.dealt[s] = t.pick(s, handSize)
		}
		t.hands[s] = t.dealt[s]
	}
}

func (t *tale) takePlace(place int) int {
	t.taken[place] = true
	return place
}

// pick is the choice of places for a seat by the other one.
func (t *tale) pick(for1, n int) []int {
	m := t.awaitMove("pick", 1-for1, "pick")
	if len(m.places) != n || !isAscending(m.places) {
		t.fail("FD-R-35: %v are not %d places in order", m.places, n)
	}
	for _, p := range m.places {
		if p >= packSize || t.taken[p] {
			t.fail("FD-R-35: place %d is taken, or none", p)
		}
		t.takePlace(p)
	}
	return m.places
}

func isAscending(places []int) bool {
	for i := 1; i < len(places); i++ {
		if places[i] <= places[i-1] {
			return false
		}
	}
	return true
}

// bets is a round of betting.
func (t *tale) bets(stage string, blinds map[int]int) {
	r := &round{house: t.house, unit: t.intOption("bet"), stack: t.stack, live: t.live, in: make([]int, len(t.stack)), middle: t.middle()}
	if stage == "bet-after" && t.hasOption("limit", "fixed") {
		r.unit = t.intOption("later-bet")
	}
	from := t.dealer
	if blinds != nil {
		r.height, r.step, r.count = t.intOption("big-blind"), t.intOption("big-blind"), 1
		from = t.in[min(1, len(t.in)-1)]
		if len(t.in) == 2 {
			from = t.in[0]
		}
		for s, n := range blinds {
			r.in[s] = n
		}
	}
	r.beginFrom(from)
	t.round = r
	for {
		s, asked := r.awaitedSeat()
		if !asked {
			return
		}
		m := t.awaitMove(stage, s, "fold", "check", "call", "to")
		held := t.stack[s]
		line, err := r.hearMove(m)
		if err != nil {
			panic(brokenRule{err})
		}
		t.paid[s] += held - t.stack[s]
		t.addLine("%s", line)
		if m.verb == "to" && stage == "bet" && t.hasOption("openers", "jacks") && t.opener < 0 {
			t.opener = s
		}
	}
}

// exchange is FD-R-30 to FD-R-35.
func (t *tale) exchange() {
	var stock []int
	for p := handSize * len(t.in); p < packSize; p++ {
		stock = append(stock, p)
	}
	order := seatsLeftOf(t.dealer, len(t.live), func(s int) bool { return t.live[s] })
	wants, away := map[int]int{}, map[int][]int{}
	draw := func(s int) {
		if wants[s] == 0 {
			return
		}
		var got []int
		if t.hasOption("pick", "opponent") {
			got = t.pick(s, wants[s])
		} else {
			for range wants[s] {
				got = append(got, t.takePlace(stock[0]))
				stock = stock[1:]
			}
		}
		t.hands[s] = slices.Sorted(slices.Values(slices.Concat(t.hands[s], got)))
	}
	asked := 0
	for _, s := range order {
		m := t.awaitMove("exchange", s, "discard")
		n, others := len(m.places), t.returnableCards(s, away)
		rest := packSize - handSize*len(t.in) + len(t.again) - asked
		switch {
		case n > t.intOption("exchange"):
			t.fail("FD-R-30: %d cards are more than %s", n, t.house["exchange"])
		case !isAscending(m.places):
			t.fail("FD-R-30: %v are not in order", m.places)
		case n > rest+len(others):
			t.fail("FD-R-33: %d cards are more than are left", n)
		}
		for _, p := range m.places {
			if !slices.Contains(t.hands[s], p) {
				t.fail("FD-R-30: %s does not hold the card at %d", letter(s), p)
			}
		}
		t.hands[s] = slices.DeleteFunc(slices.Clone(t.hands[s]), func(p int) bool { return slices.Contains(m.places, p) })
		wants[s], asked, away[s] = n, asked+n, m.places
		if n > rest {
			t.again, stock = others, append(stock, others...)
		}
		t.addLine("%s draws %d", letter(s), n)
		if t.hasOption("draw", "one-by-one") {
			draw(s)
		}
	}
	if t.hasOption("draw", "together") {
		for _, s := range order {
			draw(s)
		}
	}
}

// returnableCards are the cards that FD-R-34 would bring back for a seat: those that others put away
// and that are not back already, but for the opener's.
func (t *tale) returnableCards(s int, away map[int][]int) (list []int) {
	if !t.hasOption("reshuffle", "discards") || len(t.again) > 0 {
		return nil
	}
	for other, places := range away {
		if other != s && other != t.opener {
			list = append(list, places...)
		}
	}
	slices.Sort(list)
	return list
}

// divide takes back what nobody called and lays the rest into heaps (92.7).
func (t *tale) divide() {
	t.back = uncalledChips(t.paid)
	for s, n := range t.back {
		t.paid[s] -= n
		t.stack[s] += n
	}
	t.heaps = heaps(t.paid, t.live, t.before)
}

// showdown is FD-R-40 to FD-R-43.
func (t *tale) showdown() {
	first := seatsLeftOf(t.dealer, len(t.live), func(s int) bool { return t.live[s] })[0]
	if t.round.bettor >= 0 {
		first = t.round.bettor
	}
	n, spoke := len(t.live), map[int]bool{}
	for _, s := range seatsLeftOf((first+n-1)%n, n, func(s int) bool { return t.live[s] }) {
		contested := func(h heap) bool {
			return slices.Contains(h.claimants, s) && slices.ContainsFunc(h.claimants, func(x int) bool { return x != s && (t.shown[x] || !spoke[x]) })
		}
		if !slices.ContainsFunc(t.heaps, contested) {
			continue
		}
		m := t.awaitMove("show", s, "show", "muck")
		spoke[s] = true
		if m.verb == "show" {
			t.turnUp(m, t.hands[s])
			if len(m.places) != handSize {
				t.fail("FD-R-41: %d cards are not the whole hand", len(m.places))
			}
			t.shown[s] = true
			t.addLine("%s shows %s", letter(s), strings.Join(inOrder(m.faces), " "))
			continue
		}
		if t.hasOption("showdown", "all") {
			t.fail("FD-R-41: every hand is to be shown")
		}
		t.addLine("%s mucks", letter(s))
		gave := slices.Clone(t.heaps)
		for i, h := range gave {
			if contested(h) {
				gave[i].claimants = withoutSeat(h.claimants, s)
			}
		}
		t.heaps = gave
	}
}

func withoutSeat(list []int, s int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x == s })
}

// turnUp sees whether cards are turned up in order, of those allowed, with their true faces.
func (t *tale) turnUp(m heardMove, of []int) {
	if !isAscending(m.places) {
		t.fail("92.10: %v are not in order", m.places)
	}
	for i, p := range m.places {
		if !slices.Contains(of, p) {
			t.fail("FD-R-41: %s has no card at %d", letter(m.seat), p)
		}
		if m.faces[i] != t.pack[p] {
			t.fail("FD-P-06: the card at %d is not %s", p, m.faces[i])
		}
	}
}

// inOrder are cards as records list them: from the highest rank, then clubs, spades,
// hearts, diamonds.
func inOrder(faces []string) []string {
	at := func(f string) int {
		return 4*strings.IndexByte(ranks, rankOf(f)) + strings.IndexByte("CSHD", f[len(f)-1])
	}
	return slices.SortedFunc(slices.Values(faces), func(a, b string) int { return at(a) - at(b) })
}

// proveOpening is FD-R-61 and FD-R-62.
func (t *tale) proveOpening() {
	if t.opener < 0 {
		return
	}
	m := t.awaitMove("openers", t.opener, "openers")
	t.turnUp(m, t.dealt[t.opener])
	if len(m.places) > 0 {
		if len(m.places) < 2 || len(m.places) > handSize || !opens(m.faces, t.hasOption("wheel", "true")) {
			t.fail("FD-R-61: %s is no pair of jacks or better", strings.Join(m.faces, " "))
		}
		t.given[t.opener] = m.faces
		t.addLine("%s opens %s", letter(t.opener), strings.Join(inOrder(m.faces), " "))
		return
	}
	t.addLine("%s opens ?", letter(t.opener))
	forfeit := slices.Clone(t.heaps)
	for i, h := range forfeit {
		forfeit[i].claimants = withoutSeat(h.claimants, t.opener)
	}
	t.heaps = forfeit
}

// passIn is a deal that nobody opened (FD-R-60).
func (t *tale) passIn() {
	t.passed, t.left, t.back = true, t.middle(), make([]int, len(t.stack))
	t.addLine("pot %d: stays", t.left)
	t.settleDeal()
}

// payOut is FD-R-52.
func (t *tale) payOut() {
	for s, n := range t.back {
		if n > 0 {
			t.addLine("back %s %d", letter(s), n)
		}
	}
	for _, h := range t.heaps {
		winners := t.winners(h)
		if len(winners) == 0 {
			t.left += h.chips
			t.addLine("pot %d: stays", h.chips)
			continue
		}
		t.addLine("pot %d: %s", h.chips, t.deliver(h.chips, winners))
	}
	t.settleDeal()
}

// deliver shares chips, and says who got what, from the left of the dealer.
func (t *tale) deliver(chips int, winners []int) string {
	got := share(chips, winners, t.dealer, len(t.stack))
	var list []string
	for _, s := range seatsLeftOf(t.dealer, len(t.stack), func(s int) bool { return slices.Contains(winners, s) }) {
		t.stack[s] += got[s]
		list = append(list, fmt.Sprintf("%s %d", letter(s), got[s]))
	}
	return strings.Join(list, ", ")
}

func (t *tale) winners(h heap) (best []int) {
	if len(h.claimants) == 1 {
		return h.claimants
	}
	least := 0
	for _, s := range h.claimants {
		if !t.shown[s] {
			continue
		}
		switch c := t.classOf(s); {
		case least == 0 || c < least:
			least, best = c, []int{s}
		case c == least:
			best = append(best, s)
		}
	}
	return best
}

func (t *tale) classOf(s int) int {
	return handClass(t.faces(t.hands[s]), t.hasOption("wheel", "true"))
}

func (t *tale) faces(places []int) (list []string) {
	for _, p := range places {
		list = append(list, t.pack[p])
	}
	return list
}

// settleDeal is FD-R-53 and the end of the deal.
func (t *tale) settleDeal() {
	with := 0
	for _, n := range t.stack {
		with += min(n, 1)
	}
	if t.last = with < 2 || t.number == t.deals; t.last && t.left > 0 {
		t.addLine("left %d: %s", t.left, t.deliver(t.left, t.in))
		t.left = 0
	}
	for s, n := range t.stack {
		t.pays = append(t.pays, n-t.chips[s])
	}
	t.addLine("pays %s", joinNumbers(t.pays))
}

// record are the lines of a deal that is over, with the hands as dealt, as far as anybody
// outside has seen them.
func (t *tale) record() []string {
	list := []string{t.lines[0]}
	for _, s := range t.in {
		hand, known := "", false
		for _, p := range t.dealt[s] {
			face := "?"
			if t.shown[s] && slices.Contains(t.hands[s], p) || slices.Contains(t.given[s], t.pack[p]) {
				face, known = t.pack[p], true
			}
			hand += " " + face
		}
		if known {
			list = append(list, "hand "+letter(s)+hand)
		}
	}
	return append(list, t.lines[1:]...)
}
