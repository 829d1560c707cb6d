package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/games/skat/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// askKontra asks the defenders who may say Kontra, the one next after the declarer
// first (SK-R-74).
func (s State) askKontra() State {
	if may := s.mayDouble(); len(may) > 0 {
		s.Deal.Asked, s.Stage = may[0], Doubling
		return s
	}
	return s.begin()
}

func (s State) mayDouble() []int {
	defenders := s.Deal.defenders()
	return slices.DeleteFunc(defenders[:], func(p int) bool {
		return s.Rules.Kontra == ruleset.Off || s.Rules.Kontra == ruleset.Bid18 && s.Deal.Auction.Bids[p] == 0
	})
}

// kontra is a defender's answer; the first Kontra ends the window.
func kontra(s State, p int, m Move) (State, table.Terms, error) {
	may := s.mayDouble()
	switch next := slices.Index(may, p) + 1; {
	case *m.Kontra:
		s.Deal.Kontra, s.Stage = p, Redoubling
		return s, table.Terms{}, nil
	case next < len(may):
		s.Deal.Asked = may[next]
		return s, table.Terms{}, nil
	}
	return s.begin(), table.Terms{}, nil
}

// re is the declarer's answer to Kontra (SK-R-75).
func re(s State, _ int, m Move) (State, table.Terms, error) {
	s.Deal.Re = *m.Re
	return s.begin(), table.Terms{}, nil
}

func kontras(State, int, table.View) []Move {
	return each(yesNo, func(m *Move, b bool) { m.Kontra = &b })
}

func res(State, int, table.View) []Move { return each(yesNo, func(m *Move, b bool) { m.Re = &b }) }

// begin begins the play, with the ouvert hand first (SK-R-31).
func (s State) begin() State {
	if s.Stage = Playing; s.Deal.Contract.Ouvert {
		s.Stage = Opening
	}
	return s
}
