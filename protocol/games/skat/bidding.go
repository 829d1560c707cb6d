package skat

import (
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// phase is what a stage that waits for moves does.
type phase struct {
	fields []string // of a move
	movers func(State) []int
	apply  func(s State, p int, m Move) (State, table.Terms, error)
	moves  func(s State, p int, v table.View) []Move // that may be provable from what v sees
}

var phases = map[Stage]phase{
	Bidding:    {[]string{"call"}, func(s State) []int { return []int{s.Deal.Auction.Turn} }, bid, bids},
	Choosing:   {[]string{"choose"}, declarer, choose, choices},
	Pushing:    {[]string{"choose"}, asked, push, pushes},
	PassingOn:  {[]string{"aside"}, asked, passOn, asides},
	Announcing: {[]string{"announce"}, declarer, announce, announcements},
	Doubling:   {[]string{"kontra"}, asked, kontra, kontras},
	Redoubling: {[]string{"re"}, declarer, re, res},
	Opening:    {[]string{"open"}, declarer, layOpen, openings},
	Playing:    {[]string{"play", "concede", "claim"}, players, playOrEnd, plays},
	Agreeing:   {[]string{"agree"}, asked, agree, agreements},
	Answering:  {[]string{"answer"}, asked, answer, answers},
	Laying:     {[]string{"lay"}, declarer, lay, layings},
	Proving:    {[]string{"matadors"}, declarer, prove, proofs},
}

func declarer(s State) []int { return []int{s.Deal.Declarer} }

func asked(s State) []int { return []int{s.Deal.Asked} }

// bid is a call (SK-R-15). Nothing is proved of it (B-NONE).
func bid(s State, _ int, m Move) (State, table.Terms, error) {
	a, err := s.Deal.Auction.Next(*m.Call)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal.Auction = a
	switch {
	case a.PassedIn():
		return s.passedIn(), table.Terms{}, nil
	case a.Phase == auction.Over:
		s.Deal.Declarer, s.Deal.Bid, s.Stage = a.Declarer, a.Last, Choosing
	}
	return s, table.Terms{}, nil
}

// bids are a pass, a yes and the next value: whoever tries moves by chance would name
// 264 after a few calls.
func bids(s State, _ int, _ table.View) []Move {
	calls := s.Deal.Auction.Legal()
	return each(calls[:min(2, len(calls))], func(m *Move, c auction.Call) { m.Call = &c })
}

// passedIn goes on when all have passed (SK-R-20, SK-R-69, SK-R-72).
func (s State) passedIn() State {
	switch s.Rules.Ramsch {
	case ruleset.Simple:
		s.Deal.Ramsch, s.Stage = true, Playing
		return s
	case ruleset.Schieber:
		s.Deal.Ramsch, s.Deal.Asked, s.Stage = true, auction.F, Pushing
		return s
	}
	return s.end(Ending{How: PassedIn})
}

// deal gives out the places of SK-R-11.
func (s State) deal() State {
	for p := range table.Card(actives) {
		s.Deal.Hands[p] = append(append(run(3*p, 3), run(11+4*p, 4)...), run(23+3*p, 3)...)
	}
	s.Deal.Skat, s.Stage = run(9, skatSize), Dealing
	return s
}
