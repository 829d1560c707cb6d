package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/table"
)

// askKontra asks the defenders who may say Kontra, beginning with the one after the declarer (SK-R-74).
func (s State) askKontra() State {
	if may := s.mayDouble(); len(may) > 0 {
		s.Deal.Asked, s.Stage = may[0], Doubling
		return s
	}
	return s.beginPlay()
}

func (s State) mayDouble() []int {
	defenders := s.Deal.defenders()
	return slices.DeleteFunc(defenders[:], func(p int) bool {
		return s.Rules.Kontra == OptOff || s.Rules.Kontra == OptBid18 && s.Deal.Auction.Bids[p] == 0
	})
}

// applyKontra is a defender's answer; after the first Kontra nobody else is asked.
func applyKontra(s State, p int, m Move) (State, table.Terms, error) {
	may := s.mayDouble()
	switch next := slices.Index(may, p) + 1; {
	case *m.Kontra:
		s.Deal.Kontra, s.Stage = p, Redoubling
		return s, table.Terms{}, nil
	case next < len(may):
		s.Deal.Asked = may[next]
		return s, table.Terms{}, nil
	}
	return s.beginPlay(), table.Terms{}, nil
}

// applyRe is the declarer's answer to Kontra (SK-R-75).
func applyRe(s State, _ int, m Move) (State, table.Terms, error) {
	s.Deal.Re = *m.Re
	return s.beginPlay(), table.Terms{}, nil
}

func kontraMoves(State, int, table.View) []Move {
	return movesFrom(yesNo, func(m *Move, b bool) { m.Kontra = &b })
}

func reMoves(State, int, table.View) []Move {
	return movesFrom(yesNo, func(m *Move, b bool) { m.Re = &b })
}

// beginPlay begins the play; in ouvert the declarer lays his hand open first (SK-R-31).
func (s State) beginPlay() State {
	if s.Stage = Playing; s.Deal.Contract.Ouvert {
		s.Stage = Opening
	}
	return s
}
