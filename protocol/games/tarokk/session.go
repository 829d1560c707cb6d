package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// scored ends a deal that was played: all its payments are multiplied by the
// rounds (R-PAY-7), but for what goes through the pool.
func (s State) scored() State {
	late := s.late()
	d := late.Deal
	sheet := score.Score(s.Rules, d)
	pay := score.Pay(s.Rules, d, sheet.V).Plus(score.CountPay(s.Deal.Announce.Counts))
	for p, claimed := range s.Deal.Claims {
		if claimed {
			pay = pay.Plus(late.Pay(p))
		}
	}
	var drawn [actives]card.Set
	for p, names := range s.Deal.Fees {
		drawn[p] = setOf(names)
	}
	var fromPool score.Payments
	s.Pool, fromPool = s.Pool.Ultimo(s.Rules, d)
	s = s.crown(d)
	ended := Settled{How: "played", Level: d.Level, Points: d.Points, Sheet: &sheet}
	if d.Partner != score.Alone {
		ended.Partner = s.Deal.seat(d.Partner)
	}
	return s.complete(ended, pay.Plus(score.TalonFee(s.Rules, drawn)), fromPool)
}

// crown hands the mayor's hat on (R-SEAT-7).
func (s State) crown(d score.Deal) State {
	if d.Captured != score.Unknown {
		s.Mayor = s.Deal.seat(s.Deal.playerOf(deck.XXI))
	}
	return s
}

// loseTrial ends a deal whose declarer drew no honour (R-BID-16, R-BID-17).
func (s State) loseTrial() State {
	o := s.Deal.Outcome
	var extra score.Payments
	s.Pool, extra = s.Pool.TrialLost(s.Rules, o.Declarer)
	return s.complete(Settled{How: "trial lost", Level: o.Level}, score.Trial(s.Rules, o.Level, o.Declarer), extra)
}

// forfeit ends a deal whose inviter cannot show the card (OPT-CONV-COMMIT). A
// house rule: it costs what a lost trial costs.
func (s State) forfeit(inviter int) State {
	o := s.Deal.Outcome
	return s.complete(Settled{How: "invit broken", Level: o.Level}, score.Forfeit(o.Level, inviter), score.Payments{})
}

// complete pays a deal and passes it on (R-DEAL-4).
func (s State) complete(ended Settled, pay, extra score.Payments) State {
	ended.Multiplier = s.Rounds.Multiplier()
	ended.Declarer = s.Deal.seat(s.Deal.Outcome.Declarer)
	s = s.record(ended, pay.Times(ended.Multiplier).Plus(extra))
	s.Rounds = s.Rounds.Completed()
	s.Completed++
	if s = s.passOn(); s.Completed == s.Deals || s.Ending.Over() {
		return s.end()
	}
	if s.Rules.Ending == ruleset.BySkiz {
		s.Stage = Between
		return s
	}
	return s.shuffle()
}

// throwIn ends a deal without payment: the same dealer deals again, and a double
// round begins (R-DEAL-5, R-ROUND-1, OPT-THROWIN).
func (s State) throwIn(ended Settled) State {
	ended.Multiplier = s.Rounds.Multiplier()
	var pay score.Payments
	s.Pool, pay = s.Pool.ThrownIn(s.Rules)
	s = s.record(ended, pay)
	s.Rounds = s.Rounds.ThrownIn(s.Rules, len(s.Members))
	if score.Redeals(s.Rules) {
		return s.shuffle()
	}
	if s = s.passOn(); s.Ending.Over() {
		return s.end()
	}
	return s.shuffle()
}

// record writes a deal down and its payments into the scores.
func (s State) record(ended Settled, pay score.Payments) State {
	ended.Number, ended.Dealer = s.Deal.Number, s.Members[s.Dealer]
	ended.Payments = s.bySeat(pay)
	s.Past = append(slices.Clone(s.Past), ended)
	s.Scores = slices.Clone(s.Scores)
	for seat, n := range ended.Payments {
		s.Scores[seat] += n
	}
	return s
}

// bySeat are payments by seat of the table.
func (s State) bySeat(pay score.Payments) []int {
	list := make([]int, len(s.Members))
	for p, seat := range s.Deal.Seats {
		list[seat] += pay[p]
	}
	list[s.Members[s.Dealer]] += pay[score.Dealer] // of four members nothing
	return list
}

// passOn makes the dealer's right-hand neighbour the next dealer.
func (s State) passOn() State {
	s.Ending = s.Ending.Turn(len(s.Members), s.skizPlace())
	s.Dealer = (s.Dealer + 1) % len(s.Members)
	return s
}

// skizPlace is how far counter-clockwise from the dealer the skíz was held, if
// the deal was played (R-SESS-3).
func (s State) skizPlace() int {
	p := s.Deal.playerOf(deck.Skiz)
	if p == nobody {
		return score.NoSkiz
	}
	n := len(s.Members)
	return (slices.Index(s.Members, s.Deal.Seats[p]) - s.Dealer + n) % n
}

// wish is what a member says between deals: go on, declare the skíz procedure,
// or stop. The session stops if all say so (R-SESS-1, R-SESS-4).
func (s State) wish(m Move) (State, table.Terms, error) {
	word, err := want(s, m, m.Wish, "wish")
	if err != nil {
		return s, table.Terms{}, err
	}
	if !slices.Contains(s.wishes(), word) {
		return s, table.Terms{}, fmt.Errorf("R-SESS-1: %.10q is none of %v", word, s.wishes())
	}
	if word == "skiz" {
		if s.Ending, err = s.Ending.Declare(); err != nil {
			return s, table.Terms{}, err
		}
	}
	s.Wishes = append(slices.Clone(s.Wishes), word)
	if len(s.Wishes) < len(s.Members) {
		return s, table.Terms{}, nil
	}
	if !slices.ContainsFunc(s.Wishes, func(w string) bool { return w != "stop" }) {
		return s.end(), table.Terms{}, nil
	}
	return s.shuffle(), table.Terms{}, nil
}

// wishes are the words that may be said between deals now.
func (s State) wishes() []string {
	if s.Ending.Declared {
		return []string{"go", "stop"}
	}
	return []string{"go", "stop", "skiz"}
}

// end shares the pool and closes the session.
func (s State) end() State {
	var pay score.Payments
	s.Pool, pay = s.Pool.Share(s.Rules, len(s.Members))
	s.Scores = slices.Clone(s.Scores)
	for i, seat := range s.around(s.Dealer) {
		s.Scores[seat] += pay[i]
	}
	s.Stage = Over
	return s
}
