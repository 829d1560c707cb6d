package fivecarddraw

// betSituation is what a player knows who is asked in a round of betting. Amounts are chips.
type betSituation struct {
	chance   float64 // to have the best hand
	others   int     // live
	bluff    bool    // the hand is one to bluff with
	middle   int
	call     int // what is missing
	height   int
	least    int // total to bet or raise to; 0: none may be
	greatest int
}

// bestBet plays the odds of the pot: a call is paid if the chance is more than its share of the
// pot that it makes, and a bet is made where the hand is the best more often than not; a
// hand to bluff with bets as a good one does, if it has not been raised much.
func (p betSituation) bestBet() Move {
	share := 1 / float64(p.others+1)
	strong, good := p.chance > (1+share)/2, p.chance > max(share*1.25, 0.5)
	small := p.call*4 <= p.middle
	switch odds := float64(p.call) / float64(p.middle+p.call); {
	case p.least > 0 && strong:
		return Move{To: p.upTo(p.height + p.call + p.middle)}
	case p.least > 0 && (good || p.bluff && small) && p.call <= p.middle/2:
		return Move{To: p.upTo(p.height + (p.middle+p.call)/2)}
	case p.call == 0:
		return Move{Check: true}
	case p.chance >= odds+0.04: // a call is seldom the last one to be paid
		return Move{Call: true}
	}
	return Move{Fold: true}
}

// upTo is a total as near as may be.
func (p betSituation) upTo(total int) int { return max(p.least, min(total, p.greatest)) }
