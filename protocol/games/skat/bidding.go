package skat

import (
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// phase is what a stage that waits for moves does with them.
type phase struct {
	fields []string // the fields of a move that it takes
	movers func(State) []int
	apply  func(s State, p int, m Move) (State, table.Terms, error)
	moves  func(s State, p int, v table.View) []Move // moves to choose from, which may be provable from what v sees
}

var phases = map[Stage]phase{
	Bidding:    {[]string{"call"}, func(s State) []int { return []int{s.Deal.Auction.Turn} }, applyCall, callMoves},
	Choosing:   {[]string{"choose"}, declarer, applyChoice, choiceMoves},
	Pushing:    {[]string{"choose"}, askedMover, applyPush, pushMoves},
	PassingOn:  {[]string{"aside"}, askedMover, passOn, asideMoves},
	Announcing: {[]string{"announce"}, declarer, applyAnnouncement, announcementMoves},
	Doubling:   {[]string{"kontra"}, askedMover, applyKontra, kontraMoves},
	Redoubling: {[]string{"re"}, declarer, applyRe, reMoves},
	Opening:    {[]string{"open"}, declarer, layOpen, openingMoves},
	Playing:    {[]string{"play", "concede", "claim"}, players, playOrEnd, playMoves},
	Agreeing:   {[]string{"agree"}, askedMover, applyAgreement, agreementMoves},
	Answering:  {[]string{"answer"}, askedMover, applyAnswer, answerMoves},
	Laying:     {[]string{"lay"}, declarer, applyLaying, layingMoves},
	Proving:    {[]string{"matadors"}, declarer, proveMatadors, matadorMoves},
}

func declarer(s State) []int { return []int{s.Deal.Declarer} }

func askedMover(s State) []int { return []int{s.Deal.Asked} }

// applyCall applies a call (SK-R-15). Nothing is proved of it (B-NONE).
func applyCall(s State, _ int, m Move) (State, table.Terms, error) {
	a, err := s.Deal.Auction.AfterCall(*m.Call)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal.Auction = a
	switch {
	case a.PassedIn():
		return s.passedIn(), table.Terms{}, nil
	case a.Phase == AuctionOver:
		s.Deal.Declarer, s.Deal.Bid, s.Stage = a.Declarer, a.Last, Choosing
	}
	return s, table.Terms{}, nil
}

// callMoves are a pass, a yes and the next value. With every legal value, a player who moves at random
// would bid 264 after a few calls.
func callMoves(s State, _ int, _ table.View) []Move {
	calls := s.Deal.Auction.Legal()
	return movesFrom(calls[:min(2, len(calls))], func(m *Move, c Call) { m.Call = &c })
}

// passedIn goes on after all have passed (SK-R-20, SK-R-69, SK-R-72).
func (s State) passedIn() State {
	switch s.Rules.Ramsch {
	case OptSimple:
		s.Deal.Ramsch, s.Stage = true, Playing
		return s
	case OptSchieber:
		s.Deal.Ramsch, s.Deal.Asked, s.Stage = true, Forehand, Pushing
		return s
	}
	return s.endDeal(Ending{How: PassedIn})
}

// dealPlaces deals the places of the pack to the hands in the order of SK-R-11.
func (s State) dealPlaces() State {
	for p := range table.Card(actives) {
		s.Deal.Hands[p] = append(append(shared.PlacesFrom(3*p, 3), shared.PlacesFrom(11+4*p, 4)...), shared.PlacesFrom(23+3*p, 3)...)
	}
	s.Deal.Skat, s.Stage = shared.PlacesFrom(9, skatSize), Dealing
	return s
}
