package tarokk

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Session is what stays from deal to deal.
type Session struct {
	Members   []table.Seat  `json:"members"` // around the table; each is the right-hand neighbour of the one before (R-SEAT-2)
	Dealer    int           `json:"dealer"`  // index in Members
	Deals     int           `json:"deals"`   // the most deals that the session has
	Completed int           `json:"completed"`
	Rounds    Rounds        `json:"rounds"`
	Ending    SessionEnding `json:"ending"`
	Pool      Pool          `json:"pool"`
	Scores    []int         `json:"scores"` // by seat of the table
	Mayor     *table.Seat   `json:"mayor"`  // the member who wears the hat (R-SEAT-7)
	Wishes    []string      `json:"wishes"` // words said between deals, in the order of Members from the dealer's right
}

// membersFrom lists the members counter-clockwise from a place.
func (s Session) membersFrom(place int) []table.Seat {
	return slices.Concat(s.Members[place:], s.Members[:place])
}

// seatCards are the cards that decide the seating: one for each member.
func (s Session) seatCards() []table.Card { return shared.PlacesFrom(0, len(s.Members)) }

// takeSeats orders the members by the cards they drew from a shuffled pack, the highest first, which is
// a uniformly random order (R-SEAT-6). The first is A of the first deal, so the last one deals
// (R-SEAT-5).
func (s Session) takeSeats(open map[table.Card]card.Face) Session {
	s.Members = slices.Clone(s.Members)
	slices.SortFunc(s.Members, func(a, b table.Seat) int {
		return cmp.Compare(open[table.Card(b)], open[table.Card(a)])
	})
	s.Dealer = len(s.Members) - 1
	return s
}

// The ways in which a deal ends, for [SettledDeal].
const (
	Played      = "played"
	TrialLost   = "trial lost"   // R-BID-16
	InvitBroken = "invit broken" // OPT-CONV-COMMIT
	Passed      = "passed"       // R-BID-12
	Annulled    = "annulled"     // R-ANN-1
)

// ending is a finished deal: it is paid and recorded, and the session goes on or ends.
type ending struct{ State }

// payPlayed ends a deal that was played. The rounds multiply all its payments (R-PAY-7), except those
// through the pool.
func (s ending) payPlayed() State {
	late := claiming{s.State}.lateCount()
	d := late.PlayedDeal
	sheet := ScoreDeal(s.Rules, d)
	pay := PayDeal(s.Rules, d, sheet.V).Plus(CountPay(s.Deal.Announce.Counts))
	for p, claimed := range s.Deal.Claims {
		if claimed {
			pay = pay.Plus(late.ClaimPayments(p))
		}
	}
	var drawn [actives]card.Set
	for p, names := range s.Deal.Fees {
		drawn[p] = setOf(names)
	}
	var fromPool Payments
	s.Pool, fromPool = s.Pool.SettleUltimo(s.Rules, d)
	s = s.passHatOn(d)
	ended := SettledDeal{How: Played, Level: d.Level, Points: d.Points, Sheet: &sheet}
	if d.Partner != NoPartner {
		ended.Partner = s.Deal.seatOf(d.Partner)
	}
	return s.payDeal(ended, pay.Plus(TalonFee(s.Rules, drawn)), fromPool)
}

// passHatOn hands the mayor's hat on (R-SEAT-7).
func (s ending) passHatOn(d PlayedDeal) ending {
	if d.Captured != UnknownSide {
		s.Mayor = s.Deal.seatOf(s.Deal.playerOf(XXI))
	}
	return s
}

// loseTrial ends a deal whose declarer drew no honour (R-BID-16, R-BID-17).
func (s ending) loseTrial() State {
	o := s.Deal.Outcome
	var extra Payments
	s.Pool, extra = s.Pool.TrialLost(s.Rules, o.Declarer)
	return s.payDeal(SettledDeal{How: TrialLost, Level: o.Level}, TrialPayments(s.Rules, o.Level, o.Declarer), extra)
}

// payForfeit ends a deal whose inviter cannot show the card (OPT-CONV-COMMIT). By a house rule it costs
// as much as a lost trial.
func (s ending) payForfeit(inviter int) State {
	o := s.Deal.Outcome
	return s.payDeal(SettledDeal{How: InvitBroken, Level: o.Level}, ForfeitPayments(o.Level, inviter), Payments{})
}

// payDeal pays a deal and passes it on (R-DEAL-4).
func (s ending) payDeal(ended SettledDeal, pay, extra Payments) State {
	ended.Multiplier = s.Rounds.Multiplier()
	ended.Declarer = s.Deal.seatOf(s.Deal.Outcome.Declarer)
	s = s.recordDeal(ended, pay.Times(ended.Multiplier).Plus(extra))
	s.Rounds = s.Rounds.AfterDeal()
	s.Completed++
	if s = s.passDealOn(); s.Completed == s.Deals || s.Ending.IsOver() {
		return s.closeSession()
	}
	if s.Rules.Ending == BySkiz {
		s.Stage = Between
		return s.State
	}
	return s.beginDeal()
}

// throwIn ends a deal without payment: the same dealer deals again, and a double
// round begins (R-DEAL-5, R-ROUND-1, OPT-THROWIN).
func (s ending) throwIn(ended SettledDeal) State {
	ended.Multiplier = s.Rounds.Multiplier()
	var pay Payments
	s.Pool, pay = s.Pool.ThrownIn(s.Rules)
	s = s.recordDeal(ended, pay)
	s.Rounds = s.Rounds.ThrownIn(s.Rules, len(s.Members))
	if !Redeals(s.Rules) {
		if s = s.passDealOn(); s.Ending.IsOver() {
			return s.closeSession()
		}
	}
	return s.beginDeal()
}

// recordDeal records a deal, and adds its payments to the scores.
func (s ending) recordDeal(ended SettledDeal, pay Payments) ending {
	ended.Number, ended.Dealer = s.Deal.Number, s.Members[s.Dealer]
	ended.Payments = s.bySeat(pay)
	s.Past = append(slices.Clone(s.Past), ended)
	s.Scores = slices.Clone(s.Scores)
	for seat, n := range ended.Payments {
		s.Scores[seat] += n
	}
	return s
}

// bySeat are the payments by seat of the table.
func (s ending) bySeat(pay Payments) []int {
	list := make([]int, len(s.Members))
	for p, seat := range s.Deal.Seats {
		list[seat] += pay[p]
	}
	list[s.Members[s.Dealer]] += pay[DealerSeat] // zero if there are four members
	return list
}

// passDealOn makes the dealer's right-hand neighbour the next dealer.
func (s ending) passDealOn() ending {
	s.Ending = s.Ending.EndTurn(len(s.Members), s.skizPlace())
	s.Dealer = (s.Dealer + 1) % len(s.Members)
	return s
}

// skizPlace is the number of places, counter-clockwise, from the dealer to the holder of the skíz, if
// the deal was played (R-SESS-3).
func (s ending) skizPlace() int {
	p := s.Deal.playerOf(Skiz)
	if p == nobody {
		return NoSkiz
	}
	n := len(s.Members)
	return (slices.Index(s.Members, s.Deal.Seats[p]) - s.Dealer + n) % n
}

// closeSession shares the pool and closes the session.
func (s ending) closeSession() State {
	var pay Payments
	s.Pool, pay = s.Pool.ShareOut(s.Rules, len(s.Members))
	s.Scores = slices.Clone(s.Scores)
	for i, seat := range s.membersFrom(s.Dealer) {
		s.Scores[seat] += pay[i]
	}
	s.Stage = Over
	return s.State
}

// betweenDeals waits for every member's word between deals: go on, declare the skíz procedure, or stop.
// The session stops if all say so (R-SESS-1, R-SESS-4).
type betweenDeals struct{ State }

// The words said between deals.
const (
	wishGo   = "go"
	wishStop = "stop"
	wishSkiz = "skiz"
)

// wishWords are the words that may be said now.
func (b betweenDeals) wishWords() []string {
	if b.Ending.Declared {
		return []string{wishGo, wishStop}
	}
	return []string{wishGo, wishStop, wishSkiz}
}

func (b betweenDeals) awaitedSeats() []table.Seat { return b.membersFrom(b.Dealer)[len(b.Wishes):][:1] }

func (b betweenDeals) possibleMoves(int, table.View) []Move {
	return movesFrom(b.wishWords(), func(m *Move, w string) { m.Wish = &w })
}

func (b betweenDeals) applyMove(_ int, m Move) (State, table.Terms, error) {
	word := *m.Wish
	if !slices.Contains(b.wishWords(), word) {
		return b.State, table.Terms{}, fmt.Errorf("R-SESS-1: %.10q is none of %v", word, b.wishWords())
	}
	if word == wishSkiz {
		var err error
		if b.Ending, err = b.Ending.DeclareEnd(); err != nil {
			return b.State, table.Terms{}, err
		}
	}
	b.Wishes = append(slices.Clone(b.Wishes), word)
	switch {
	case len(b.Wishes) < len(b.Members):
		return b.State, table.Terms{}, nil
	case slices.ContainsFunc(b.Wishes, func(w string) bool { return w != wishStop }):
		return b.beginDeal(), table.Terms{}, nil
	}
	return ending{b.State}.closeSession(), table.Terms{}, nil
}

// OtherShuffles is the number of shuffles that belong to no deal: one if seats are drawn (R-SEAT-4).
func (s State) OtherShuffles() int {
	if s.Rules.SeatDraw {
		return 1
	}
	return 0
}
