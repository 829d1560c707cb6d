package event

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// Check names one check of an event (55.6).
type Check string

// Checks, in order.
const (
	CheckEvent     Check = "V1-event"     // the announcing entry has the right form and the organiser's signature
	CheckChain     Check = "V2-chain"     // decisions are one chain by those entitled
	CheckRoster    Check = "V3-roster"    // registrations were answered, in order
	CheckDraw      Check = "V4-draw"      // the seed is that of the draw
	CheckSeating   Check = "V5-seating"   // players sit as the method seats them
	CheckTables    Check = "V6-tables"    // every place has its table, which is over
	CheckRulings   Check = "V7-rulings"   // rulings do what rulings can
	CheckAppeals   Check = "V8-appeals"   // all were decided before the end
	CheckStandings Check = "V9-standings" // the published standings are those that follow
)

// Checks lists the checks of an event, in order.
func Checks() []Check {
	return []Check{CheckEvent, CheckChain, CheckRoster, CheckDraw, CheckSeating, CheckTables, CheckRulings, CheckAppeals, CheckStandings}
}

// Outcome is what became of a check.
type Outcome string

// Outcomes.
const (
	Passed   Outcome = "passed"
	Departed Outcome = "departed" // something departs from the method; it counts, and is listed
	Failed   Outcome = "failed"
	NotYet   Outcome = "not yet" // what it is about has not come, or is going on
)

// Departure is a place where an event is not as its method says. Which numbers and hashes are set
// depends on the kind.
type Departure struct {
	Check  Check         `json:"check"`
	What   DepartureKind `json:"what"`
	Round  int           `json:"round,omitempty"`
	Table  int           `json:"table,omitempty"`  // number in the round
	Player int           `json:"player,omitempty"` // number
	Entry  wire.Hash     `json:"entry"`
	Index  uint64        `json:"index"`
}

// DepartureKind names a kind of departure.
type DepartureKind string

// Kinds of departures (55.6.2).
const (
	RosterSkipped   DepartureKind = "roster-skipped"   // a registration below upto was neither accepted nor refused
	RosterRefused   DepartureKind = "roster-refused"   // a registration was refused though the method accepts it
	RosterOrder     DepartureKind = "roster-order"     // numbers do not ascend in the order of the log, from 1, without a gap
	RosterWithdrawn DepartureKind = "roster-withdrawn" // accepted though withdrawn before
	RosterTicket    DepartureKind = "roster-ticket"    // accepted without the door's ticket
	RosterFull      DepartureKind = "roster-full"      // more than max
	RosterLate      DepartureKind = "roster-late"      // too late for every round that takes late entrants
	Unanswered      DepartureKind = "unanswered"       // a registration that nobody answered in time
	DrawNone        DepartureKind = "draw-none"        // a seated round has no draw of its own
	DrawOther       DepartureKind = "draw-other"       // a decision names a table that is no round's draw
	DrawTerms       DepartureKind = "draw-terms"       // a table of the draw has other terms or seats than the event's
	DrawClosed      DepartureKind = "draw-closed"      // the organiser closed a table of the draw
	DrawUnfinished  DepartureKind = "draw-unfinished"  // a table of the draw gave no seed; Player is one for whom it waited
	DrawAgain       DepartureKind = "draw-again"       // a table of the draw came after the draw of its round
	DrawSecret      DepartureKind = "draw-secret"      // the secret is not the one committed to
	PlanLate        DepartureKind = "plan-late"        // a plan was published after the first draw, which assigns its places, had begun
	SeatingUpto     DepartureKind = "seating-upto"     // a round was seated by what the log had at another index than that of the draw's beginning
	SeatingEarly    DepartureKind = "seating-early"    // a round was drawn before a table of an earlier round was over
	SeatingAway     DepartureKind = "seating-away"     // seats a player who is not there
	SeatingLeft     DepartureKind = "seating-left"     // a player who is there has neither table nor bye
	SeatingTable    DepartureKind = "seating-table"    // players sit otherwise than the method seats them
	SeatingByes     DepartureKind = "seating-byes"     // other players have byes
	RoundMissing    DepartureKind = "round-missing"    // a round was not seated when the standings were published
	TableMissing    DepartureKind = "table-missing"    // nobody began the table
	TableTerms      DepartureKind = "table-terms"      // a table with other terms or players: it does not count
	TableSecond     DepartureKind = "table-second"     // another table of a place; it does not count
	TableUnfinished DepartureKind = "table-unfinished" // a table without a ruling was not over when the standings were published
	TableFoul       DepartureKind = "table-foul"       // a foul without a ruling
	RulingSum       DepartureKind = "ruling-sum"       // adjusted payments do not sum to zero
	RulingTable     DepartureKind = "ruling-table"     // a ruling is about a table that is not of the event
	RulingDeal      DepartureKind = "ruling-deal"      // a ruling is about a deal that the table, which is over, does not have
	AppealOpen      DepartureKind = "appeal-open"      // an appeal was not decided
	// standings published sooner after the last ruling than the event promises, as far as marks
	// show
	ProtestShort    DepartureKind = "protest-short"
	StandingsDiffer DepartureKind = "standings-differ" // the published standings do not follow
)

// DepartureKinds lists the kinds of departures.
func DepartureKinds() []DepartureKind {
	return []DepartureKind{
		RosterSkipped, RosterRefused, RosterOrder, RosterWithdrawn, RosterTicket, RosterFull, RosterLate, Unanswered,
		DrawNone, DrawOther, DrawTerms, DrawClosed, DrawUnfinished, DrawAgain, DrawSecret,
		PlanLate, SeatingUpto, SeatingEarly, SeatingAway, SeatingLeft, SeatingTable, SeatingByes, RoundMissing,
		TableMissing, TableTerms, TableSecond, TableUnfinished, TableFoul, RulingSum, RulingTable, RulingDeal, AppealOpen, ProtestShort, StandingsDiffer,
	}
}

// Verdict is what an event came to.
type Verdict string

// Verdicts.
const (
	Confirmed       Verdict = "confirmed"
	VerdictAdjusted Verdict = "adjudicated"
	NotFinal        Verdict = "unfinished"
	Misreported     Verdict = "misreported"
	FoulOpen        Verdict = "foul"
	CannotCheck     Verdict = "cannot check"
)

// ExitCode returns the exit code of a command that ends with this verdict.
func (v Verdict) ExitCode() int {
	return map[Verdict]int{Confirmed: 0, VerdictAdjusted: 6, NotFinal: 3, Misreported: 7, FoulOpen: 4, CannotCheck: 1}[v]
}

// Options are further facts that a judgement may use.
type Options struct {
	Without LeftOutLayers
	// Elapsed returns the least seconds that passed between two entries of the log, by marks; nil:
	// there are no marks.
	Elapsed func(from, to uint64) int64
}

// Judgement is what is true of an event as far as its entries and tables show.
type Judgement struct {
	Verdict    Verdict         `json:"verdict"`
	Checks     []CheckResult   `json:"checks"`
	Departures []Departure     `json:"departures"`
	Draws      map[int]Draw    `json:"-"` // by round
	Tables     []SeatedPlace   `json:"-"` // by round and number
	Standings  []Standing      `json:"standings"`
	Upto       uint64          `json:"upto"` // index below which entries count for the standings
	Digest     string          `json:"digest"`
	Seatings   map[int]Seating `json:"-"` // what the method gives, by round
	// seconds of the time to appeal that are not shown to have passed, at the end or so far
	Protest int64 `json:"-"`
}

// Draw is the draw of a round. The seating rests on it and on what the log has below From, so
// nobody who has seen the seed can change the seating.
type Draw struct {
	Seed  Seed
	From  uint64 // index of the entry that began the draw
	Over  uint64 // index of the entry that gave the seed
	Table *Table // nil: the organiser opened a secret
}

// CheckResult is a check with its outcome.
type CheckResult struct {
	ID      Check   `json:"id"`
	Outcome Outcome `json:"outcome"`
}

// SeatedPlace is a place of a round, with the table that counts there, or nil if there is none.
type SeatedPlace struct {
	Round, Number int
	Players       []int
	Table         *Table
}

// judge computes what an event should be.
type judge struct {
	h       *History
	o       Options
	tables  map[tablePlace]*Table // the first of each place that agrees with the event
	others  map[string]*Table     // all tables of a place, by id
	first   []*Table              // all tables, in the order of the log
	draws   map[int]Draw          // by round
	all     []Departure
	seating map[int]Seating
}

// Judge says what an event came to. Tables are all tables that name it, of any organiser; size is
// the size of the log.
func Judge(h *History, tables []*Table, size uint64, o Options) *Judgement {
	j := newJudge(h, tables, o)
	j.judgeRoster()
	j.judgeSeatings()
	upto, at := size, ^uint64(0)
	if h.Final != nil {
		upto, at = h.Final.Body.(*bulletin.FinalBody).Upto, h.Final.Index
	}
	j.judgeTables(upto)
	j.judgeRulings()
	list := j.computeStandings(upto, at, j.lastSeed(at), o.Without)
	digest := HashStandings(h.ID, upto, j.computeStandings(upto, at, j.lastSeed(at), LeftOutLayers{}))
	differs := h.Final != nil && h.Final.Body.(*bulletin.FinalBody).Standings != hex.EncodeToString(digest[:])
	if differs {
		j.addDeparture(Departure{Check: CheckStandings, What: StandingsDiffer, Entry: h.Final.Hash, Index: h.Final.Index})
	}
	out := &Judgement{Departures: j.all, Draws: j.draws, Standings: list, Upto: upto, Digest: hex.EncodeToString(digest[:]), Seatings: j.seating}
	out.Tables = j.seatedPlaces()
	out.Protest = j.protestLeft(min(size, at))
	out.Checks = j.checkResults(differs)
	out.Verdict = j.worstVerdict(differs)
	return out
}

func newJudge(h *History, tables []*Table, o Options) *judge {
	j := &judge{h: h, o: o, tables: map[tablePlace]*Table{}, others: map[string]*Table{}, draws: map[int]Draw{}, seating: map[int]Seating{}}
	j.first = slices.SortedFunc(slices.Values(tables), func(a, b *Table) int { return cmp.Compare(a.Index, b.Index) })
	j.placeTables()
	if h.Terms.Draw == bulletin.DrawCommit {
		j.openSecrets()
	} else {
		j.playDraws()
	}
	return j
}

func (j *judge) addDeparture(d Departure) { j.all = append(j.all, d) }

// placeTables finds the first table of each place that agrees with the event.
func (j *judge) placeTables() {
	for _, t := range j.first {
		g := t.Terms
		if g.Round == 0 || !j.h.hasTerms(t) || !j.h.hasGame(t) || !j.h.hasPlayers(t, j.playersAt(tablePlace{g.Round, g.Number})) {
			continue
		}
		j.others[t.ID.String()] = t
		if at := (tablePlace{g.Round, g.Number}); j.tables[at] == nil {
			j.tables[at] = t
		}
	}
}

// playersAt returns the players seated at a place.
func (j *judge) playersAt(at tablePlace) []int {
	if at.round < 1 || at.round > len(j.h.Rounds) {
		return nil
	}
	r := j.h.Rounds[at.round-1]
	if !r.isComplete() || at.number < 1 || at.number > len(r.Tables) {
		return nil
	}
	return r.Tables[at.number-1]
}

// judgeRoster compares every roster with what 55.3 asked when it was decided.
func (j *judge) judgeRoster() {
	number := 0
	var last uint64 // index of the notice accepted last
	for _, d := range j.h.Decisions {
		b, is := d.Body.(*bulletin.RosterBody)
		if !is {
			continue
		}
		depart := func(what DepartureKind, n *Notice, player int) {
			j.addDeparture(Departure{Check: CheckRoster, What: what, Player: player, Entry: n.Hash, Index: d.Index})
		}
		for _, a := range b.Accept {
			n := j.h.byNotice[a.Notice]
			if a.Number != number+1 || n.Index < last {
				depart(RosterOrder, n, a.Number)
			}
			number, last = a.Number, n.Index
			if j.h.hasWithdrawn(n, b.Upto) {
				depart(RosterWithdrawn, n, a.Number)
			}
			if door := j.h.Terms.Registration.Door; door != "" && !bulletin.CheckTicket(n.Body.(*bulletin.RegisterBody).Ticket, j.h.ID, n.By, door) {
				depart(RosterTicket, n, a.Number)
			}
			if a.Number > j.h.Terms.Registration.Max {
				depart(RosterFull, n, a.Number)
			}
			if p := j.h.byNumber[a.Number]; p.First > max(1, j.h.Terms.Registration.Late) {
				depart(RosterLate, n, a.Number)
			}
		}
		for _, r := range b.Refuse {
			if n := j.h.byNotice[r.Notice]; n.ground == "" {
				depart(RosterRefused, n, 0)
			}
		}
		for _, n := range j.h.unansweredNotices(d.Index, b.Upto) {
			depart(RosterSkipped, n, 0)
		}
	}
	// A registration that was left unanswered while there was room cannot be refused afterwards as
	// too late. Nor is an answer after upto in time for the round: the player would play a round
	// later, or none.
	for _, r := range j.h.Rounds {
		for _, n := range j.h.unansweredNotices(r.Upto, r.Upto) {
			if r.isComplete() && r.Number <= max(1, j.h.Terms.Registration.Late) {
				j.addDeparture(Departure{Check: CheckRoster, What: Unanswered, Round: r.Number, Entry: n.Hash, Index: n.Index})
			}
		}
	}
	if f := j.h.Final; f != nil {
		for _, n := range j.h.unansweredNotices(f.Index, f.Body.(*bulletin.FinalBody).Upto) {
			j.addDeparture(Departure{Check: CheckRoster, What: Unanswered, Entry: n.Hash, Index: n.Index})
		}
	}
}

// unansweredNotices returns the registrations below upto that no roster up to the index decided has
// answered and that were not withdrawn below upto.
func (h *History) unansweredNotices(decided, upto uint64) (list []*Notice) {
	for _, n := range h.Notices {
		if n.Kind == bulletin.Register && n.Index < upto && (n.Answer == nil || n.Answer.Index > decided) && !h.hasWithdrawn(n, upto) {
			list = append(list, n)
		}
	}
	return list
}

// openSecrets takes the seed of each round from the first decision before its seating that opens
// its secret.
func (j *judge) openSecrets() {
	for _, d := range j.h.Decisions {
		b, is := d.Body.(*bulletin.DrawBody)
		round := j.h.roundAt(d.Index)
		if _, drawn := j.draws[round]; !is || drawn {
			continue
		}
		if round > j.h.Terms.Rounds || hex.EncodeToString(HashSecret(b.Secret, round)) != j.h.Terms.Commit {
			j.addDeparture(Departure{Check: CheckDraw, What: DrawSecret, Entry: d.Hash, Index: d.Index})
			continue
		}
		var accepted []wire.Hash
		for _, p := range j.h.Players {
			if p.Since < d.Index {
				accepted = append(accepted, p.Notice)
			}
		}
		j.draws[round] = Draw{Seed: SeedOfSecret(b.Secret, accepted), From: d.Index, Over: d.Index}
	}
}

// drawTables returns the tables that the organiser began for the draws of all rounds.
func (j *judge) drawTables() (list []*Table) {
	for _, t := range j.first {
		if t.Terms.Round == 0 && t.Terms.Organiser == j.h.Terms.Organiser && t.Terms.Event == j.h.ID.String() {
			list = append(list, t)
		}
	}
	return list
}

// failedKeys returns the keys that were late, resigned or broke a rule at a table of the draw,
// below an index. Later failures do not matter to a table that begins there.
func (j *judge) failedKeys(upto uint64) (keys []string) {
	for _, t := range j.drawTables() {
		for key, index := range t.Failed {
			if index < upto {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// isDraw reports whether a table has the terms and the seats of the draw.
func (j *judge) isDraw(t *Table) bool {
	return j.h.hasTerms(t) && t.Terms.Game == DrawGame && t.Terms.Deals == 1 && len(t.Terms.Options) == 0 && slices.Equal(t.Terms.Seats, j.h.Drawers(t.Index, j.failedKeys(t.Index)))
}

// playDraws finds the draw of each round. Of the tables that began after the seating of the round
// before and were over by their rules before the round was seated, the draw is the one over first.
// So if two are in play, nobody can choose afterwards which one counts.
func (j *judge) playDraws() {
	list := j.drawTables()
	gives := func(t *Table) bool { return j.isDraw(t) && t.State == Sound && len(t.Faces) == Faces }
	for _, t := range list {
		round := j.h.roundAt(t.Index)
		if d, drawn := j.draws[round]; round <= j.h.Terms.Rounds && gives(t) && j.h.roundAt(t.Last) == round && (!drawn || t.Last < d.Over) {
			j.draws[round] = Draw{SeedOfTable(t.ID, t.Faces), t.Index, t.Last, t}
		}
	}
	for i, t := range list {
		depart := func(what DepartureKind) {
			j.addDeparture(Departure{Check: CheckDraw, What: what, Entry: t.ID, Index: t.Index})
		}
		round := j.h.roundAt(t.Index)
		switch d, drawn := j.draws[round]; {
		case t == d.Table:
		case gives(t), drawn && t.Index > d.From, round > j.h.Terms.Rounds:
			depart(DrawAgain)
		case !j.isDraw(t):
			depart(DrawTerms)
		case t.Closed:
			j.departUnfinished(DrawClosed, t)
		case drawn || i < len(list)-1 || round <= j.h.CountSeated():
			j.departUnfinished(DrawUnfinished, t)
		}
	}
	for _, d := range j.h.Decisions {
		if b, is := d.Body.(*bulletin.DrawBody); is && !j.isDrawn(b.Table) {
			j.addDeparture(Departure{Check: CheckDraw, What: DrawOther, Entry: d.Hash, Index: d.Index})
		}
	}
}

// isDrawn reports whether the table with this id is the draw of a round.
func (j *judge) isDrawn(id string) bool {
	for _, d := range j.draws {
		if d.Table != nil && d.Table.ID.String() == id {
			return true
		}
	}
	return false
}

// departUnfinished lists a table of the draw that gave no seed, once for each key that failed there
// or, if none did, for which it waited. The number is 0 for the organiser and for a substitute who
// is not on the roster.
func (j *judge) departUnfinished(what DepartureKind, t *Table) {
	who := slices.Sorted(maps.Keys(t.Failed))
	if len(who) == 0 {
		who = t.Waits
	}
	numbers := []int{0}
	if len(who) > 0 {
		numbers = nil
	}
	for _, key := range who {
		number := 0
		if p := j.h.PlayerByKey(key); p != nil && key != j.h.Terms.Organiser {
			number = p.Number
		}
		numbers = append(numbers, number)
	}
	for _, number := range numbers {
		j.addDeparture(Departure{Check: CheckDraw, What: what, Player: number, Entry: t.ID, Index: t.Index})
	}
}

// Drawers returns the keys that sit at a table of the draw beginning at an index: the organiser,
// and the first players of the round who said they would, without those who failed at an earlier
// table of a draw.
func (h *History) Drawers(index uint64, failed []string) []string {
	keys := []string{h.Terms.Organiser}
	for _, n := range h.presentPlayers(h.roundAt(index), index) {
		if p := h.byNumber[n]; len(keys) <= h.Terms.Drawers && p.Draw && !slices.ContainsFunc(failed, p.hasKey) && wire.KeyMaterial(p.Key) != wire.KeyMaterial(h.Terms.Organiser) {
			keys = append(keys, p.Key)
		}
	}
	return keys
}

// lastSeed returns the seed of the last draw that was over before an index.
func (j *judge) lastSeed(at uint64) (seed Seed) {
	for round := range j.h.Terms.Rounds {
		if d, drawn := j.draws[round+1]; drawn && d.Over < at {
			seed = d.Seed
		}
	}
	return seed
}

func (j *judge) judgeSeatings() {
	first, drawn := j.draws[1]
	for _, d := range j.h.Decisions {
		if b, is := d.Body.(*bulletin.PlanBody); is && drawn && d.Index > first.From {
			j.addDeparture(Departure{Check: CheckSeating, What: PlanLate, Round: b.Round, Entry: d.Hash, Index: d.Index})
		}
	}
	j.walkRounds(j.judgeSeating)
	for r := j.h.CountSeated() + 1; j.h.Final != nil && r <= j.h.Terms.Rounds; r++ {
		j.addDeparture(Departure{Check: CheckSeating, What: RoundMissing, Round: r, Entry: j.h.Final.Hash, Index: j.h.Final.Index})
	}
}

// walkRounds calls see for each seated round with the meetings and byes of the rounds before, and
// returns those of all rounds.
func (j *judge) walkRounds(see func(r *Round, met Meetings, byes map[int]int)) (met Meetings, byes map[int]int) {
	met, byes = Meetings{}, map[int]int{}
	for _, r := range j.h.Rounds {
		if !r.isComplete() {
			continue
		}
		see(r, met, byes)
		met.Add(r.Tables)
		for _, p := range r.Byes {
			byes[p]++
		}
	}
	return met, byes
}

func (j *judge) judgeSeating(r *Round, met Meetings, byes map[int]int) {
	depart := func(what DepartureKind, table, player int) {
		j.addDeparture(Departure{Check: CheckSeating, What: what, Round: r.Number, Table: table, Player: player, Index: r.Index})
	}
	draw, drawn := j.draws[r.Number]
	switch {
	case !drawn:
		draw.From = r.Upto
		j.addDeparture(Departure{Check: CheckDraw, What: DrawNone, Round: r.Number, Index: r.Index})
	case draw.From != r.Upto:
		depart(SeatingUpto, 0, 0)
	}
	for _, t := range j.first {
		at := tablePlace{t.Terms.Round, t.Terms.Number}
		if j.tables[at] == t && at.round < r.Number && (!t.State.IsOver() || t.Last >= draw.From) {
			j.addDeparture(Departure{Check: CheckSeating, What: SeatingEarly, Round: r.Number, Entry: t.ID, Index: r.Index})
		}
	}
	want := j.seatRound(r.Number, draw, met, byes)
	j.seating[r.Number] = want
	here := j.h.presentPlayers(r.Number, draw.From)
	for _, list := range append(slices.Clone(r.Tables), r.Byes) {
		for _, p := range list {
			if !slices.Contains(here, p) {
				depart(SeatingAway, 0, p)
			}
			here = slices.DeleteFunc(here, func(q int) bool { return q == p })
		}
	}
	for _, p := range here {
		depart(SeatingLeft, 0, p)
	}
	for n := range max(len(r.Tables), len(want.Tables)) {
		if n >= len(r.Tables) || n >= len(want.Tables) || !slices.Equal(r.Tables[n], want.Tables[n]) {
			depart(SeatingTable, n+1, 0)
		}
	}
	if got := slices.Sorted(slices.Values(r.Byes)); !slices.Equal(got, want.Byes) {
		depart(SeatingByes, 0, 0)
	}
}

// presentPlayers returns the numbers of the players of a round, ascending, by what the log has
// below an index: on the roster, and neither withdrawn, absent nor disqualified.
func (h *History) presentPlayers(round int, upto uint64) []int {
	out := map[int]bool{}
	for _, r := range h.rulingsAt(upto) {
		if r.Do == bulletin.RuleDisqualify && r.About.Round <= round {
			out[r.About.Player] = true
		}
	}
	list := []int{}
	for _, p := range h.Players {
		if p.Since < upto && !p.isAway(round, upto) && !out[p.Number] {
			list = append(list, p.Number)
		}
	}
	return list
}

// seatRound computes how the method seats a round.
func (j *judge) seatRound(round int, draw Draw, met Meetings, byes map[int]int) Seating {
	s := seatingBasis{terms: j.h.Terms, seed: draw.Seed, round: round, players: j.h.presentPlayers(round, draw.From), parting: parting{met, j.h.separationFor(round, draw.From, j.draws[1].From)}, byes: byes, plan: j.h.plan[round]}
	switch j.h.Terms.Seating[round-1] {
	case bulletin.SeatByPlan:
		s.places = j.playersByPlace(draw.From)
	case bulletin.SeatByRank:
		s.ranks = map[int]int{}
		for _, row := range j.computeStandings(draw.From, draw.From, draw.Seed, LeftOutLayers{}) {
			s.ranks[row.Number] = row.Rank
		}
		s.lastRank = round == j.h.Terms.Rounds
	}
	return s.computeSeating()
}

// playersByPlace returns the players by their place in the plan: those with a lot in the first
// round by lot, then late entrants by number.
func (j *judge) playersByPlace(upto uint64) []int {
	var first, late []int
	for _, p := range j.h.Players {
		switch {
		case p.Since >= upto:
		case p.Since < j.draws[1].From:
			first = append(first, p.Number)
		default:
			late = append(late, p.Number)
		}
	}
	return append(j.draws[1].Seed.byLot(0, first), late...)
}

func (j *judge) judgeTables(upto uint64) {
	for _, t := range j.first {
		g := t.Terms
		at := tablePlace{g.Round, g.Number}
		switch {
		case g.Round == 0 || g.Organiser != j.h.Terms.Organiser: // of the draw, or a stranger's
		case j.others[t.ID.String()] == nil:
			j.departTable(TableTerms, at, t)
		case j.tables[at] != t && !j.isNamedInstead(t):
			j.departTable(TableSecond, at, t)
		}
	}
	for _, s := range j.seatedPlaces() {
		at := tablePlace{s.Round, s.Number}
		switch t := s.Table; {
		case t == nil && j.tables[at] == nil && j.h.Final != nil:
			j.addDeparture(Departure{Check: CheckTables, What: TableMissing, Round: s.Round, Table: s.Number, Index: j.h.Final.Index})
		case t == nil:
		case t.State == Foul && !j.isSettled(t):
			j.departTable(TableFoul, at, t)
		case j.h.Final != nil && (!t.State.IsOver() || t.Last >= upto) && !j.isSettled(t):
			j.departTable(TableUnfinished, at, t)
		}
	}
}

func (j *judge) departTable(what DepartureKind, at tablePlace, t *Table) {
	j.addDeparture(Departure{Check: CheckTables, What: what, Round: at.round, Table: at.number, Entry: t.ID, Index: t.Index})
}

// seatedPlaces lists all places, with the tables that count there.
func (j *judge) seatedPlaces() (list []SeatedPlace) {
	rulings := j.h.rulingsAt(^uint64(0))
	for _, r := range j.h.Rounds {
		if !r.isComplete() {
			continue
		}
		for n := range r.Tables {
			at := tablePlace{r.Number, n + 1}
			t := j.countingTable(at, rulings, ^uint64(0))
			list = append(list, SeatedPlace{r.Number, n + 1, r.Tables[n], t})
		}
	}
	return list
}

// isNamedInstead reports whether a ruling lets a table count in place of another.
func (j *judge) isNamedInstead(t *Table) bool {
	return slices.ContainsFunc(j.h.Rulings, func(r *Ruling) bool { return r.Instead == t.ID.String() })
}

// isSettled reports whether a ruling settles a table that ended badly.
func (j *judge) isSettled(t *Table) bool {
	return slices.ContainsFunc(j.h.Rulings, func(r *Ruling) bool {
		return r.Overturned == 0 && r.About.Table == t.ID.String() && (r.Do == bulletin.RuleStands || r.Do == bulletin.RuleAdjust || r.Do == bulletin.RuleReplay)
	})
}

func (j *judge) judgeRulings() {
	for _, r := range j.h.Rulings {
		depart := func(c Check, what DepartureKind, entry wire.Hash) {
			j.addDeparture(Departure{Check: c, What: what, Entry: entry, Index: r.Index})
		}
		for _, id := range []string{r.About.Table, r.Instead} {
			if id != "" && j.others[id] == nil && !j.isDrawn(id) {
				depart(CheckRulings, RulingTable, r.Hash)
			}
		}
		if t := j.others[r.About.Table]; r.Do == bulletin.RuleAdjust && r.About.Deal > 0 && t != nil && t.State.IsOver() && !t.HasDeal(r.About.Deal) {
			depart(CheckRulings, RulingDeal, r.Hash)
		}
		sum := 0
		for _, p := range r.Points {
			sum += p.Points
		}
		if r.Do == bulletin.RuleAdjust && sum != 0 && j.sumsToZero(r.About.Table) {
			depart(CheckRulings, RulingSum, r.Hash)
		}
		for _, a := range r.Appeals {
			if r.Upheld+r.Overturned == 0 && j.h.Final != nil {
				depart(CheckAppeals, AppealOpen, a.Hash)
			}
		}
	}
	if f := j.h.Final; f != nil && j.protestLeft(f.Index) > 0 {
		j.addDeparture(Departure{Check: CheckAppeals, What: ProtestShort, Entry: f.Hash, Index: f.Index})
	}
}

// protestLeft returns how many seconds of the time to appeal are not shown to have passed below an
// index (55.6.3). That time begins at the last ruling or at the end of the last table.
func (j *judge) protestLeft(end uint64) int64 {
	var ends []uint64
	for _, s := range j.seatedPlaces() {
		if s.Table != nil && s.Table.State.IsOver() {
			ends = append(ends, s.Table.Last)
		}
	}
	begins := j.h.appealBegins(ends, end)
	if begins == nil || j.h.Terms.Protest == 0 {
		return 0
	}
	left := int64(j.h.Terms.Protest)
	if j.o.Elapsed != nil {
		left -= j.o.Elapsed(slices.Max(begins), end)
	}
	return max(left, 0)
}

// appealBegins returns the entries below an index at which the time to appeal may begin, given the
// ends of tables. The last of them counts.
func (h *History) appealBegins(ends []uint64, below uint64) (begins []uint64) {
	if n := len(h.Rulings); n > 0 {
		begins = append(begins, h.Rulings[n-1].Index)
	}
	for _, index := range ends {
		if index < below {
			begins = append(begins, index)
		}
	}
	return begins
}

// Protest returns the index of the final standings before which the event promises time to appeal,
// and the entries at the last of which that time begins, given the ends of tables. A caller that
// does not know which tables count passes all ends.
func (h *History) Protest(ends []uint64) (begins []uint64, final uint64) {
	if h.Final == nil || h.Terms.Protest == 0 {
		return nil, 0
	}
	return h.appealBegins(ends, h.Final.Index), h.Final.Index
}

// AwaitsProtest reports whether all rounds are seated and the event promises time to appeal before
// its final standings. Then somebody has to show how much time has passed.
func (h *History) AwaitsProtest() bool {
	return h.Terms.Protest > 0 && !h.Terms.Clock.IsNone() && h.Final == nil && h.Canceled == nil && h.CountSeated() == h.Terms.Rounds
}

// sumsToZero reports whether the payments of each line of a table sum to zero.
func (j *judge) sumsToZero(id string) bool {
	t := j.others[id]
	if t == nil {
		return false
	}
	for _, l := range t.Lines {
		sum := 0
		for _, points := range l.Payments {
			sum += points
		}
		if sum != 0 {
			return false
		}
	}
	return true
}

func (j *judge) checkResults(differs bool) []CheckResult {
	var list []CheckResult
	for _, c := range Checks() {
		outcome := Passed
		switch {
		case c == CheckStandings && differs:
			outcome = Failed
		case slices.ContainsFunc(j.all, func(d Departure) bool { return d.Check == c }):
			outcome = Departed
		case j.h.Final == nil && !j.hasCome(c):
			outcome = NotYet
		}
		list = append(list, CheckResult{c, outcome})
	}
	return list
}

// hasCome reports whether everything that a check is about has come, in an event without final
// standings (55.6).
func (j *judge) hasCome(c Check) bool {
	seated := j.h.CountSeated()
	switch c {
	case CheckRoster:
		return seated > 0 || len(j.h.Players) > 0 && j.h.CountUnanswered(^uint64(0)) == 0
	case CheckDraw:
		return len(j.draws) > 0
	case CheckSeating:
		return seated > 0
	case CheckTables:
		return seated == j.h.Terms.Rounds && !slices.ContainsFunc(j.seatedPlaces(), func(s SeatedPlace) bool { return s.Table == nil || !s.Table.State.IsOver() })
	case CheckAppeals, CheckStandings:
		return false
	}
	return true
}

// worstVerdict returns the worst verdict that holds, in the order of 55.7.
func (j *judge) worstVerdict(differs bool) Verdict {
	is := func(what DepartureKind) bool {
		return slices.ContainsFunc(j.all, func(d Departure) bool { return d.What == what })
	}
	sound, unknown := !slices.ContainsFunc(j.first, j.brokenDraw), false
	for _, s := range j.seatedPlaces() {
		sound = sound && s.Table != nil && s.Table.State == Sound
		unknown = unknown || s.Table != nil && s.Table.State == Unknown
	}
	switch {
	case is(TableFoul):
		return FoulOpen
	case differs:
		return Misreported
	case unknown:
		return CannotCheck
	case j.h.Final == nil:
		return NotFinal
	case len(j.all) > 0 || len(j.h.Rulings) > 0 || !sound:
		return VerdictAdjusted
	}
	return Confirmed
}

// brokenDraw reports whether a table of the draw ended otherwise than by its rules.
func (j *judge) brokenDraw(t *Table) bool {
	return t.Terms.Round == 0 && j.h.hasTerms(t) && t.State != Sound
}

// String describes the departure in a few words, for logs and tests; reports have their own texts.
func (d Departure) String() string {
	return fmt.Sprintf("%s round %d table %d player %d at %d", d.What, d.Round, d.Table, d.Player, d.Index)
}
