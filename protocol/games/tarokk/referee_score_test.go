package tarokk_test

import "slices"

// doubleRounds is R-ROUND as a list of ends: a round runs until so many deals
// are completed.
type doubleRounds struct {
	ends []int
	quad int // OPT-THROWIN=quad: fourfold until then
}

// score is R-SC: what the deal is worth to the declarer's side.
func (r *referee) score() {
	side := func(p int) int { return map[string]int{"DEC": 0, "DEF": 1}[r.truly(p)] }
	var taken [2][]string
	var tricks [2]int
	captured := none
	for i, trick := range r.tricks {
		by := side((r.leads[i] + taker(trick)) % 4)
		taken[by] = append(taken[by], trick...)
		tricks[by]++
		skiz, xxi := slices.Index(trick, "T22"), slices.Index(trick, "T21")
		if skiz >= 0 && xxi >= 0 && side((r.leads[i]+skiz)%4) != side((r.leads[i]+xxi)%4) {
			captured = by
		}
	}
	all := [2]int{}
	for s := range 2 {
		for _, c := range taken[s] {
			all[s] += points(c)
		}
	}
	for p := range 4 { // R-DISC-5, AMB-29
		s := 1
		if p == r.declarer {
			s = 0
		}
		for _, c := range r.named(p, r.gone[p]) {
			all[s] += points(c)
		}
	}
	if all[0]+all[1] != 94 || len(taken[0])+len(taken[1]) != 36 {
		r.fail("R-SC-1: %v points and %d cards", all, len(taken[0])+len(taken[1]))
	}
	r.points = all[0]
	r.v = r.gameDoubleVolat(all, tricks) + r.figures(taken, tricks, captured, side)
	r.paid()
	if captured != none {
		for p := range 4 {
			if slices.Contains(r.playedBy(p), "T21") {
				r.mayor = r.seats[p]
			}
		}
	}
}

// paid is R-PAY, of a deal that is worth so much.
func (r *referee) paid() {
	for p := range 4 {
		switch {
		case r.truly(p) == "DEF":
			r.pay[p] = -r.v
		case r.helper() == none:
			r.pay[p] = 3 * r.v
		default:
			r.pay[p] = r.v
		}
	}
	for p, n := range r.counts { // R-PAY-3
		for q := range 4 {
			if n > 0 {
				r.pay[p] += n - 7
				r.pay[q] -= n - 7
			}
		}
	}
	if r.o.DealerWeeps {
		r.pay[4] -= r.v
		r.pay[r.declarer] += r.v
	}
}

var sideName = [2]string{"DEC", "DEF"}

// announced returns the value of an announcement with its contras, or none.
func (r *referee) announced(side int, figure string, value int) (worth int, is bool) {
	i := r.item(sideName[side] + "." + figure)
	if i == nil {
		return 0, false
	}
	return value << i.step, true
}

// gameDoubleVolat is R-SC-11 by its six rules: first what was announced, then
// the winner of the game.
func (r *referee) gameDoubleVolat(points [2]int, tricks [2]int) int {
	b := slices.Index(bidNames, r.level) + 1
	worth := [2]int{}
	var saidDouble, saidVolat [2]bool
	double := [2]bool{points[0] >= 71, points[1] >= 71}
	volat := [2]bool{tricks[0] == 9, tricks[1] == 9}
	settle := func(s int, said *[2]bool, figure string, value int, made bool) {
		if worthOf, is := r.announced(s, figure, value); is {
			said[s] = true
			if made {
				worth[s] += worthOf
			} else {
				worth[1-s] += worthOf
			}
		}
	}
	for s := range 2 {
		settle(s, &saidDouble, "double", 4*b, double[s])
		settle(s, &saidVolat, "volat", 6*b, volat[s])
	}
	step := r.item("game").step
	w := 1
	if points[0] >= 48 || step > 0 && r.o.ContraTie == 48 && points[0] >= 47 {
		w = 0
	}
	exclusive := r.o.ScoreGDV == "exclusive"
	silentAllowed := !(w == 1 && r.o.DefSilent == "contra-only" && step == 0)
	silent := 0
	switch {
	case !silentAllowed:
	case volat[w] && !saidVolat[w]:
		if silent = 3 * b; step > 0 && r.o.ContraVolat == "triple" {
			silent = 2 * b << step
		}
	case double[w] && !saidDouble[w] && !saidVolat[w] && !(exclusive && saidVolat[1-w]):
		silent = 2 * b
	}
	plain := b << step
	said := saidDouble[w] || saidVolat[w] || exclusive && (saidDouble[1-w] || saidVolat[1-w])
	if step == 0 && (silent > 0 || said) {
		plain = 0
	}
	worth[w] += silent + plain
	return worth[0] - worth[1]
}

// figures is R-SC-12 to R-SC-17.
func (r *referee) figures(taken [2][]string, tricks [2]int, captured int, side func(int) int) int {
	volat := tricks[0] == 9 || tricks[1] == 9
	pagat := 0
	for p := range 4 {
		if slices.Contains(r.playedBy(p), "T1") {
			pagat = side(p)
		}
	}
	last := r.tricks[8]
	ninth := slices.Contains(last, "T1")
	won := ninth && last[taker(last)] == "T1"
	worth := [2]int{}
	figure := func(name string, silent, said int, made func(s int) bool, mute bool, lost func(s int) bool) {
		for s := range 2 {
			value, is := r.announced(s, name, said)
			switch {
			case is && made(s):
				worth[s] += value
			case is:
				worth[1-s] += value
			case mute:
			case made(s):
				worth[s] += silent
			case lost(s):
				worth[1-s] += silent
			}
		}
	}
	never := func(int) bool { return false }
	kingsMute := volat || r.o.DoubleKings == "not" && r.scoredSilentDouble(taken, tricks)
	figure("trull", 1, 2, func(s int) bool { return hasAll(taken[s], honours...) }, volat && r.o.VolatTrull == "neither", never)
	figure("four_kings", r.o.KingsSilent, r.o.KingsAnnounced, func(s int) bool { return hasAll(taken[s], "HK", "DK", "CK", "SK") }, kingsMute, never)
	figure("pagat_ultimo", r.o.UltimoSilent, r.o.UltimoAnnounced, func(s int) bool { return s == pagat && won }, !ninth, func(s int) bool { return s == pagat && !won })
	figure("xxi_capture", r.o.XXISilent, r.o.XXIAnnounced, func(s int) bool { return s == captured }, false, never)
	return worth[0] - worth[1]
}

// scoredSilentDouble is BGA-9's condition: somebody scores a silent double.
func (r *referee) scoredSilentDouble(taken [2][]string, tricks [2]int) bool {
	w := 0
	if r.points < 71 {
		w = 1
	}
	if w == 1 && 94-r.points < 71 || tricks[w] == 9 {
		return false
	}
	if w == 1 && r.o.DefSilent == "contra-only" && r.item("game").step == 0 {
		return false
	}
	if r.o.ScoreGDV == "exclusive" && r.has(sideName[1-w]+".volat") {
		return false
	}
	return !r.has(sideName[w]+".double") && !r.has(sideName[w]+".volat")
}

// lateClaimants is R-CNT-5 and AMB-19.
func (r *referee) lateClaimants() []int {
	var list []int
	for p := range 4 {
		n := countTarokks(r.playedBy(p))
		gain := r.v
		if r.truly(p) == "DEF" {
			gain = -gain
		}
		alone := p == r.declarer && r.helper() == none
		if n >= 8 && r.counts[p] == 0 && !alone && (r.o.LateCount == "always" || r.o.LateCount == "covered" && gain >= n-7) {
			list = append(list, p)
		}
	}
	return list
}

func (r *referee) payLate(p int) {
	n := countTarokks(r.playedBy(p)) - 7
	for q := range 4 {
		if q != p && r.truly(q) == r.truly(p) {
			r.pay[p] += n
			r.pay[q] -= n
		}
	}
}

// settle pays the deal, multiplied, moves the pool, and passes the deal on; then
// it compares all that with the state.
func (r *referee) settle() {
	before := slices.Clone(r.scores)
	m := r.multiplier()
	pool, thrownIn := r.worth()
	for i := range pool {
		r.pool -= pool[i]
		seat := r.members[r.dealer]
		if i < 4 {
			seat = r.seats[i]
		}
		r.scores[seat] += m*r.pay[i] + pool[i]
	}
	r.compare(before, m)
	r.passOn(thrownIn)
}

// worth is what a deal of its kind moves between players besides R-PAY, and between them and
// the pool; and whether it was thrown in.
func (r *referee) worth() (pool [5]int, thrownIn bool) {
	b := slices.Index(bidNames, r.level) + 1
	pays := func(p, value int) {
		for q := range 4 {
			r.pay[q] += value
			r.pay[p] -= value
		}
	}
	switch r.how {
	case "passed", "annulled":
		thrownIn = true
		if r.o.UltimoPool {
			pool = [5]int{-2, -2, -2, -2}
		}
	case "trial lost":
		switch {
		case r.o.UltimoPool:
			pool[r.declarer] = -8
		case r.o.TrialPays == "two":
			pays(r.declarer, 2)
		default:
			pays(r.declarer, b)
		}
	case "invit broken":
		pays(r.owing, b)
	case "played":
		if r.o.UltimoPool {
			pool = r.fromPool()
		}
	}
	return pool, thrownIn
}

// fromPool is BGA-7: what each gets from the pool, and the odd points one each
// from A on.
func (r *referee) fromPool() (get [5]int) {
	now := r.pool
	share := func(s, amount int) {
		var members []int
		for p := range 4 {
			if r.truly(p) == sideName[s] {
				members = append(members, p)
			}
		}
		sign := 1
		if amount < 0 {
			sign, amount = -1, -amount
		}
		for i := range amount {
			get[members[i%len(members)]] += sign
		}
		now -= sign * amount
	}
	last := r.tricks[8]
	made := none
	if i := slices.Index(last, "T1"); i >= 0 && taker(last) == i {
		made = map[string]int{"DEC": 0, "DEF": 1}[r.truly((r.leads[8]+i)%4)]
	}
	stake := min(r.pool, 1<<16)
	for s := range 2 {
		if r.has(sideName[s]+".pagat_ultimo") && s != made {
			share(s, -stake)
		}
	}
	if made != none && r.has(sideName[made]+".pagat_ultimo") {
		share(made, now)
	}
	return get
}

// multiplier is R-ROUND-2.
func (r *referee) multiplier() int {
	m := 1
	for _, end := range r.rounds.ends {
		if r.completed < end {
			m *= 2
		}
	}
	if r.completed < r.rounds.quad {
		m = 4
	}
	return m
}

// passOn is R-DEAL-4, R-DEAL-5, R-ROUND and R-SESS-2.
func (r *referee) passOn(thrownIn bool) {
	n := len(r.members)
	if thrownIn {
		r.double(n)
		if r.o.ThrowIn != "none" {
			return
		}
	} else {
		r.completed++
	}
	if r.declared && r.lastTurn == none && r.how == "played" {
		for p := range 4 {
			if slices.Contains(r.playedBy(p), "T22") {
				r.lastTurn = r.turn + n + (slices.Index(r.members, r.seats[p])-r.dealer+n)%n
			}
		}
	}
	r.turn++
	r.dealer = (r.dealer + 1) % n
}

// double begins a double round.
func (r *referee) double(n int) {
	ends := slices.DeleteFunc(r.rounds.ends, func(end int) bool { return end <= r.completed })
	running := len(ends) > 0
	switch r.o.ThrowIn {
	case "overlap":
		ends = append(ends, r.completed+n)
		ends = ends[max(0, len(ends)-16):]
	case "queue":
		if running {
			ends[0] += n
		} else {
			ends = []int{r.completed + n}
		}
	case "quad":
		if running {
			r.rounds.quad = r.completed + n
		}
		ends = []int{r.completed + n}
	}
	r.rounds.ends = ends
}

// compare holds what the state says of the deal against what the referee says.
func (r *referee) compare(before []int, m int) {
	s := decode(r.table.States[r.at-1])
	if len(s.Past) != len(r.deals) {
		r.fail("%d deals are over, the referee says %d", len(s.Past), len(r.deals))
	}
	p := s.Past[len(s.Past)-1]
	paid := make([]int, len(before))
	sum := r.pool
	for seat := range before {
		paid[seat] = r.scores[seat] - before[seat]
		sum += r.scores[seat]
	}
	switch {
	case sum != 0:
		r.fail("R-PAY-6: %v and a pool of %d do not sum to zero", r.scores, r.pool)
	case p.How != r.how, p.Multiplier != m, int(p.Dealer) != r.members[r.dealer]:
		r.fail("%s, times %d, dealt by %d; the referee says %s, times %d, by %d", p.How, p.Multiplier, p.Dealer, r.how, m, r.members[r.dealer])
	case !slices.Equal(p.Payments, paid):
		r.fail("payments %v, the referee says %v", p.Payments, paid)
	case r.how == "played" && (p.Points != r.points || p.Sheet.V != r.v):
		r.fail("%d points and V = %d, the referee says %d and %d", p.Points, p.Sheet.V, r.points, r.v)
	case (s.Mayor == nil) != (r.mayor == none), s.Mayor != nil && int(*s.Mayor) != r.mayor:
		r.fail("R-SEAT-7: the wrong head under the hat")
	case len(r.table.State.Duties()) > 0 && int(s.Pool) != r.pool:
		r.fail("BGA-7: a pool of %d, the referee says %d", s.Pool, r.pool)
	case r.how == "played" && (p.Partner == nil) != (r.helper() == none), p.Partner != nil && int(*p.Partner) != r.seats[r.helper()]:
		r.fail("E-SIDE: partner %v, the referee says player %d", p.Partner, r.helper())
	}
	if thrownIn := r.how == "passed" || r.how == "annulled"; !thrownIn && (p.Declarer == nil || int(*p.Declarer) != r.seats[r.declarer]) {
		r.fail("declarer %v, the referee says %d", p.Declarer, r.seats[r.declarer])
	}
}
