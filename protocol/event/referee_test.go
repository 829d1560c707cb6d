package event_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

//go:generate go test -run Vectors -update .

// recorded is an event without rulings as docs/spec/vectors/event has it.
type recorded struct {
	Event     string             `json:"event"`
	Seeds     []string           `json:"seeds"` // by round
	Sizes     []int              `json:"sizes"`
	Seating   []bulletin.Seating `json:"seating"`
	Window    int                `json:"window"`
	Apart     bool               `json:"apart,omitempty"`
	Groups    [][][]int          `json:"groups,omitempty"` // by round, of one by rank those named before the first draw
	Score     string             `json:"score"`
	Places    []int              `json:"places"`
	Bye       bulletin.Bye       `json:"bye"`
	Ties      []bulletin.Tie     `json:"ties"`
	Players   []recordedOne      `json:"players"`
	Plan      [][][]int          `json:"plan"`
	Rounds    []recordedRound    `json:"rounds"`
	Upto      uint64             `json:"upto"`
	Standings []string           `json:"standings"` // lines
	Digest    string             `json:"digest"`
}

type recordedOne struct {
	Number int    `json:"number"`
	Club   string `json:"club,omitempty"`
	First  int    `json:"first"`
	Away   []int  `json:"away"` // rounds
}

type recordedRound struct {
	Tables []recordedTable `json:"tables"`
	Byes   []int           `json:"byes"`
}

type recordedTable struct {
	Players  []int `json:"players"`
	Payments []int `json:"payments"`
	Won      []int `json:"won"`
	Lost     []int `json:"lost"`
}

// referee is a second implementation of 56, written from its sections alone. It is slow.
type referee struct {
	recorded
}

// lot is 56.1.3, for the draw of a round.
func (r *referee) lot(drawn, round, player int) string {
	var b bytes.Buffer
	b.WriteString("pakli-lot/v1\n")
	seed, _ := hex.DecodeString(r.Seeds[drawn-1])
	b.Write(seed)
	binary.Write(&b, binary.BigEndian, []uint16{uint16(round), uint16(player)})
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
}

func (r *referee) lots(drawn, round int, list []int) []int {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b int) int { return strings.Compare(r.lot(drawn, round, a), r.lot(drawn, round, b)) })
	return list
}

// cut is 56.3.1 and 56.3.2: for each number of byes, ascending, each x, descending.
func (r *referee) cut(order []int, round int) (tables [][]int, byes []int) {
	had := map[int]int{}
	for _, before := range r.Rounds[:round-1] {
		for _, p := range before.Byes {
			had[p]++
		}
	}
	for {
		n := len(order)
		for x := n / r.Sizes[0]; x >= 0; x-- {
			rest := n - x*r.Sizes[0]
			if rest != 0 && (len(r.Sizes) == 1 || rest%r.Sizes[1] != 0) {
				continue
			}
			for i := 0; i < n; {
				size := r.Sizes[0]
				if len(tables) >= x {
					size = r.Sizes[1]
				}
				tables = append(tables, slices.Clone(order[i:i+size]))
				i += size
			}
			return tables, byes
		}
		pick := -1
		for i, p := range order {
			if pick < 0 || had[p] <= had[order[pick]] {
				pick = i
			}
		}
		byes = append(byes, order[pick])
		order = slices.Delete(slices.Clone(order), pick, pick+1)
	}
}

// cost is the cost of p among others, 56.3.4.
func (r *referee) cost(p int, others []int, round int) (sum int) {
	for _, q := range others {
		n := 0
		for _, before := range r.Rounds[:round-1] {
			for _, t := range before.Tables {
				if slices.Contains(t.Players, p) && slices.Contains(t.Players, q) {
					n++
				}
			}
		}
		sum += n * n
		if r.Apart {
			sum += 1_000_000_000 * r.reasons(p, q, round)
		}
	}
	return sum
}

// spellings are the spellings of each club that people write; "" is no club, and keeps nobody apart.
var spellings = map[string]string{
	"Pagát SE": "pagat", "PAGAT S.E.": "pagat", "pagát-se": "pagat", "Győri Kártyakör": "gyor", " győri KÁRTYAKÖR ": "gyor", "Gyori Kartyakor II": "second",
	"Skatclub Füchse „Ost“": "ost", "skatclub fuchse ost": "ost", "Пагат": "cyrillic", "ПАГАТ": "cyrillic", "Øst": "o", "øst": "o", "": "", "–": "", "- ": "",
}

// reasons is 56.3.7.
func (r *referee) reasons(p, q, round int) (n int) {
	of := func(p int) string {
		i := slices.IndexFunc(r.Players, func(one recordedOne) bool { return one.Number == p })
		return spellings[r.Players[i].Club]
	}
	if club := of(p); club != "" && club == of(q) {
		n++
	}
	if r.Groups != nil {
		for _, g := range r.Groups[round-1] {
			if slices.Contains(g, p) && slices.Contains(g, q) {
				n++
			}
		}
	}
	return n
}

func but(list []int, i int) []int { return slices.Delete(slices.Clone(list), i, i+1) }

func (r *referee) part(tables [][]int, round, window int) {
	if r.Apart {
		window = min(window, 16)
	}
	for range 16 {
		exchanged := false
		for t := range tables {
			for i := range tables[t] {
				if r.cost(tables[t][i], but(tables[t], i), round) == 0 {
					continue
				}
				type move struct{ u, j int }
				var moves []move
				for d := 1; d <= window; d++ {
					for _, u := range []int{t + d, t - d} {
						if u >= 0 && u < len(tables) {
							for j := range tables[u] {
								moves = append(moves, move{u, j})
							}
						}
					}
				}
				for _, m := range moves {
					p, q := tables[t][i], tables[m.u][m.j]
					rest, other := but(tables[t], i), but(tables[m.u], m.j)
					if r.cost(p, other, round)+r.cost(q, rest, round) < r.cost(p, rest, round)+r.cost(q, other, round) {
						tables[t][i], tables[m.u][m.j] = q, p
						exchanged = true
						break
					}
				}
			}
		}
		if !exchanged {
			return
		}
	}
}

// here are the players of a round.
func (r *referee) here(round int) (list []int) {
	for _, p := range r.Players {
		if p.First <= round && !slices.Contains(p.Away, round) {
			list = append(list, p.Number)
		}
	}
	return list
}

func (r *referee) seat(round int) (tables [][]int, byes []int) {
	switch r.Seating[round-1] {
	case bulletin.SeatAtRandom:
		tables, byes = r.cut(r.lots(round, round, r.here(round)), round)
		r.part(tables, round, len(tables))
	case bulletin.SeatByRank:
		ranks := r.ranks(round - 1)
		order := r.here(round)
		slices.SortFunc(order, func(a, b int) int {
			if ranks[a] != ranks[b] {
				return ranks[a] - ranks[b]
			}
			return strings.Compare(r.lot(round, round, a), r.lot(round, round, b))
		})
		tables, byes = r.cut(order, round)
		if round < len(r.Seating) {
			r.part(tables, round, r.Window)
		}
	case bulletin.SeatByPlan:
		tables, byes = r.planned(round)
	}
	for i := range tables {
		tables[i] = r.lots(round, round, tables[i])
	}
	slices.Sort(byes)
	return tables, byes
}

func (r *referee) planned(round int) (tables [][]int, byes []int) {
	var first, late []int
	for _, p := range r.Players {
		if p.First == 1 {
			first = append(first, p.Number)
		} else if p.First <= round {
			late = append(late, p.Number)
		}
	}
	places := append(r.lots(1, 0, first), late...)
	byes = r.here(round)
	for _, t := range r.Plan[round-1] {
		var players []int
		for _, place := range t {
			if place <= len(places) && slices.Contains(r.here(round), places[place-1]) {
				players = append(players, places[place-1])
			}
		}
		if slices.Contains(r.Sizes, len(players)) {
			tables = append(tables, players)
			byes = slices.DeleteFunc(byes, func(p int) bool { return slices.Contains(players, p) })
		}
	}
	return tables, byes
}

// points are 56.4, for the rounds up to one: of each player by round, and in all.
func (r *referee) points(rounds int) (scores map[int]map[int]int, totals map[int]int) {
	scores, totals = map[int]map[int]int{}, map[int]int{}
	for _, p := range r.Players {
		scores[p.Number] = map[int]int{}
	}
	for i, round := range r.Rounds[:rounds] {
		for _, t := range round.Tables {
			for seat, p := range t.Players {
				n := t.Payments[seat]
				if r.Score == bulletin.ScorePlaces {
					above, same, sum := 0, 0, 0
					for _, other := range t.Payments {
						if other > t.Payments[seat] {
							above++
						} else if other == t.Payments[seat] {
							same++
						}
					}
					for k := above; k < above+same && k < len(r.Places); k++ {
						sum += 60 * r.Places[k]
					}
					n = down(sum, same)
				}
				scores[p][i+1] = n
				totals[p] += n
			}
		}
	}
	worth := map[int]int{}
	for p, s := range scores {
		worth[p] = r.Bye.Points
		if r.Score == bulletin.ScorePlaces {
			worth[p] *= 60
		}
		if r.Bye.Average {
			worth[p] = 0
			if len(s) > 0 {
				worth[p] = down(totals[p], len(s))
			}
		}
	}
	for i, round := range r.Rounds[:rounds] {
		for _, p := range round.Byes {
			scores[p][i+1] = worth[p]
			totals[p] += worth[p]
		}
	}
	return scores, totals
}

func down(a, n int) int {
	for a%n != 0 {
		a--
	}
	return a / n
}

// ranks is 56.5: one more than the number of players who are better.
func (r *referee) ranks(rounds int) map[int]int {
	_, totals := r.points(rounds)
	group := []int{}
	for _, p := range r.Players {
		if p.First <= rounds+1 {
			group = append(group, p.Number)
		}
	}
	ranks := map[int]int{}
	r.order(group, r.Ties, rounds, totals, 1, ranks)
	return ranks
}

func (r *referee) order(group []int, ties []bulletin.Tie, rounds int, value map[int]int, first int, ranks map[int]int) {
	for _, p := range group {
		var same []int
		better := 0
		for _, q := range group {
			if value[q] > value[p] {
				better++
			} else if value[q] == value[p] {
				same = append(same, q)
			}
		}
		if same[0] != p {
			continue
		}
		switch {
		case len(same) == 1 || len(ties) == 0 || ties[0] == bulletin.TieShared:
			for _, q := range same {
				ranks[q] = first + better
			}
		case ties[0] == bulletin.TieLot:
			for i, q := range r.lots(min(rounds+1, len(r.Seeds)), 0, same) {
				ranks[q] = first + better + i
			}
		default:
			r.order(same, ties[1:], rounds, r.tie(ties[0], same, rounds), first+better, ranks)
		}
	}
}

func (r *referee) tie(tie bulletin.Tie, group []int, rounds int) map[int]int {
	scores, totals := r.points(rounds)
	value := map[int]int{}
	for _, p := range group {
		value[p] += r.met(tie, p, group, scores, totals, rounds)
	}
	if tie == bulletin.TieBest {
		for _, p := range group {
			value[p] = 0
			list := []int{}
			for _, n := range scores[p] {
				list = append(list, n)
			}
			if len(list) > 0 {
				value[p] = slices.Max(list)
			}
		}
	}
	return value
}

// met is the value that a tie-break takes from each round.
func (r *referee) met(tie bulletin.Tie, p int, group []int, scores map[int]map[int]int, totals map[int]int, rounds int) (value int) {
	for i, round := range r.Rounds[:rounds] {
		played := false
		for _, t := range round.Tables {
			seat := slices.Index(t.Players, p)
			if seat < 0 {
				continue
			}
			played = true
			switch tie {
			case bulletin.TieWon:
				value += t.Won[seat]
			case bulletin.TieLost:
				value -= t.Lost[seat]
			case bulletin.TieDirect:
				if slices.ContainsFunc(but(t.Players, seat), func(q int) bool { return slices.Contains(group, q) }) {
					value += scores[p][i+1]
				}
			case bulletin.TieOpponents:
				for _, q := range but(t.Players, seat) {
					value += totals[q]
				}
			}
		}
		if tie == bulletin.TieOpponents && !played {
			value += totals[p] * (r.Sizes[0] - 1)
		}
		if tie == bulletin.TieLast && i == rounds-1 {
			value += scores[p][rounds]
		}
	}
	return value
}

// judge recomputes everything that is recorded, and lists the differences.
func (r *referee) judge() (wrong []string) {
	for i, round := range r.Rounds {
		tables, byes := r.seat(i + 1)
		var got [][]int
		for _, t := range round.Tables {
			got = append(got, t.Players)
		}
		if !slices.EqualFunc(got, tables, slices.Equal[[]int]) || !slices.Equal(byes, round.Byes) {
			wrong = append(wrong, fmt.Sprintf("round %d: %v %v, the referee seats %v %v", i+1, got, round.Byes, tables, byes))
		}
	}
	_, totals := r.points(len(r.Rounds))
	ranks := r.ranks(len(r.Rounds))
	players := slices.Clone(r.Players)
	slices.SortStableFunc(players, func(a, b recordedOne) int { return ranks[a.Number] - ranks[b.Number] })
	var lines []string
	for _, p := range players {
		lines = append(lines, fmt.Sprintf("%d %d %d", ranks[p.Number], p.Number, totals[p.Number]))
	}
	if !slices.Equal(lines, r.Standings) {
		wrong = append(wrong, fmt.Sprintf("standings %q, the referee's %q", r.Standings, lines))
	}
	if sum := sha256.Sum256(fmt.Appendf(nil, "pakli-standings/v1\n%s\n%d\n%s\n", r.Event, r.Upto, strings.Join(lines, "\n"))); hex.EncodeToString(sum[:]) != r.Digest {
		wrong = append(wrong, "another hash of the standings")
	}
	return wrong
}

// random is an event with random terms, players that come late, skip and withdraw, and
// payments small enough for ties.
func random(t *testing.T, seed uint64, apart bool) recorded {
	d := rand.New(rand.NewPCG(seed, 0))
	n := 2 + d.IntN(20)
	if apart && seed%8 == 0 {
		n += 50 // more tables than people are exchanged within
	}
	w := newWorld(t, func(e *bulletin.Event) {
		e.Name, e.Rounds, e.Window, e.Deals = wire.Text(fmt.Sprintf("event %d", seed)), 1+d.IntN(5), d.IntN(4), 1
		e.Sizes = [][]int{{2}, {3}, {4}, {4, 3}, {3, 4}, {5, 4}, {2, 3}}[d.IntN(7)]
		e.Seating, e.Ties = nil, []bulletin.Tie{}
		for range e.Rounds {
			e.Seating = append(e.Seating, []bulletin.Seating{bulletin.SeatByPlan, bulletin.SeatAtRandom, bulletin.SeatByRank}[d.IntN(3)])
		}
		all := []bulletin.Tie{bulletin.TieWon, bulletin.TieLost, bulletin.TieLast, bulletin.TieBest, bulletin.TieDirect, bulletin.TieOpponents, bulletin.TieLot, bulletin.TieShared}
		for _, i := range d.Perm(len(all))[:d.IntN(len(all)+1)] {
			e.Ties = append(e.Ties, all[i])
		}
		e.Bye = bulletin.Bye{Average: d.IntN(2) == 0}
		if !e.Bye.Average {
			e.Bye.Points = d.IntN(3) - 1
		}
		if d.IntN(2) == 0 {
			e.Score, e.Places = bulletin.ScorePlaces, []int{3, 1, 0, -1}[:1+d.IntN(4)]
		}
		e.Registration.Late = e.Rounds
		if e.Apart = apart; apart && d.IntN(4) > 0 {
			e.Draw, e.Drawers = bulletin.DrawTable, 1
		}
	})
	w.random = d
	if apart {
		clubs := slices.Sorted(maps.Keys(spellings))
		w.club = func() string { return clubs[d.IntN(len(clubs))] }
	}
	w.enter(n)
	plan := event.Plan(n+3, w.terms.Sizes, w.terms.Rounds)
	for i, s := range w.terms.Seating {
		if s == bulletin.SeatByPlan {
			w.decide("organiser", bulletin.DecidePlan, bulletin.PlanBody{Round: i + 1, Part: 1, Parts: 1, Tables: append([][]int{}, plan[i]...)})
		}
	}
	away, first := map[int][]int{}, map[int]int{} // by number; of who is not here first of all
	late := func(round int) {
		w.register(fmt.Sprintf("late-%d", len(w.h.Players)))
		w.roster()
		first[len(w.h.Players)] = round
	}
	var groups [][][]int // by round
	named, early := [][]int{}, [][]int{}
	for r := 1; r <= w.terms.Rounds; r++ {
		if w.terms.Apart && w.terms.Draw == bulletin.DrawTable && d.IntN(2) == 0 {
			named = w.nameGroups(d)
		}
		if r == 1 {
			early = named
		}
		groups = append(groups, named)
		if w.terms.Seating[r-1] == bulletin.SeatByRank {
			groups[r-1] = early
		}
		if r > 1 && d.IntN(3) == 0 {
			late(r)
		}
		if p := w.h.Players[d.IntN(len(w.h.Players))]; d.IntN(2) == 0 {
			name, _, _ := strings.Cut(p.Key, "+")
			if d.IntN(2) == 0 {
				w.tell(name, bulletin.Skip, bulletin.RoundBody{Round: r})
				away[p.Number] = append(away[p.Number], r)
			} else {
				w.tell(name, bulletin.Withdraw, bulletin.RoundBody{Round: r})
				for later := r; later <= w.terms.Rounds; later++ {
					away[p.Number] = append(away[p.Number], later)
				}
			}
		}
		if w.drawAny(); apart && w.terms.Draw == bulletin.DrawTable && d.IntN(4) == 0 {
			named = w.nameGroups(d) // for the rounds to come
		}
		if d.IntN(4) == 0 { // has no lot yet
			late(r + 1)
		}
		if p := w.h.Players[0]; d.IntN(4) == 0 { // has one all the same
			name, _, _ := strings.Cut(p.Key, "+")
			w.tell(name, bulletin.Skip, bulletin.RoundBody{Round: r})
		}
		w.round()
	}
	w.final()
	j := w.judge()
	w.departs(j, event.Confirmed)
	out := w.record(j, plan, away, first)
	if apart {
		out.Apart = true
		if slices.ContainsFunc(groups, func(g [][]int) bool { return len(g) > 0 }) {
			out.Groups = groups
		}
		for i, p := range w.h.Players {
			out.Players[i].Club = string(p.Club)
		}
	}
	return out
}

// drawAny draws the next round, by a secret or at a table.
func (w *world) drawAny() {
	if w.terms.Draw == bulletin.DrawCommit {
		w.draw()
		return
	}
	w.sit(testmust.Have(w.h.DrawTable(w.tables, w.size))(w.t))
}

// nameGroups names some groups of players, and pairs in several of them.
func (w *world) nameGroups(d *rand.Rand) [][]int {
	list := [][]int{}
	for range d.IntN(4) {
		var group []int
		for _, i := range d.Perm(len(w.h.Players))[:min(len(w.h.Players), 2+d.IntN(3))] {
			group = append(group, w.h.Players[i].Number)
		}
		list = append(list, group)
	}
	w.decide("organiser", bulletin.DecideGroups, bulletin.GroupsBody{Groups: list})
	return list
}

func (w *world) record(j *event.Judgement, plan [][][]int, away map[int][]int, first map[int]int) recorded {
	e := w.terms
	out := recorded{Event: w.h.ID.String(), Sizes: e.Sizes, Seating: e.Seating, Window: e.Window, Score: e.Score, Places: e.Places, Bye: e.Bye, Ties: e.Ties, Plan: plan, Upto: j.Upto, Digest: j.Digest}
	for _, p := range w.h.Players {
		out.Players = append(out.Players, recordedOne{p.Number, "", cmp.Or(first[p.Number], 1), append([]int{}, away[p.Number]...)})
	}
	next := 0
	played := slices.DeleteFunc(slices.Clone(w.tables), func(t *event.Table) bool { return t.Terms.Round == 0 })
	for _, r := range w.h.Rounds {
		seed := j.Draws[r.Number].Seed
		out.Seeds = append(out.Seeds, hex.EncodeToString(seed[:]))
		round := recordedRound{Tables: []recordedTable{}, Byes: append([]int{}, r.Byes...)}
		for _, players := range r.Tables {
			l := played[next].Lines[0]
			round.Tables = append(round.Tables, recordedTable{players, l.Payments, l.Tallies["won"], l.Tallies["lost"]})
			next++
		}
		out.Rounds = append(out.Rounds, round)
	}
	for _, s := range j.Standings {
		out.Standings = append(out.Standings, fmt.Sprintf("%d %d %d", s.Rank, s.Number, s.Total))
	}
	return out
}

// Seatings and ranks that follow from the code and not from the specification.
func TestTwoOpinions(t *testing.T) {
	n := uint64(1000)
	if !testmust.Thorough() {
		n = 25
	}
	for seed := range n {
		r := &referee{recorded: random(t, seed, seed%3 == 0)}
		wrong := r.judge()
		testmust.Requiref(t, len(wrong) == 0 && !t.Failed(), "event %d: %s", seed, strings.Join(wrong, "\n"))
	}
}

// Vectors that nobody can reproduce, or that the code does not.
func TestEventVectors(t *testing.T) {
	var b bytes.Buffer
	for seed := range uint64(20) {
		line := testmust.Have(json.Marshal(random(t, 5000+seed, seed >= 12)))(t)
		b.Write(append(line, '\n'))
	}
	for line := range bytes.Lines(same(t, "events.jsonl", b.Bytes())) {
		var r referee
		testmust.Do(t, json.Unmarshal(line, &r.recorded))
		wrong := r.judge()
		testmust.Hold(t, len(wrong) == 0, strings.Join(wrong, "\n"))
	}
}

// same holds a file of vectors to what is made here.
func same(t *testing.T, name string, made []byte) []byte {
	t.Helper()
	return testmust.Same(t, filepath.Join("..", "..", "docs", "spec", "vectors", "event", name), made)
}
