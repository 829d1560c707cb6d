package fivecarddraw

// betSituation is what a player who is asked in a round of betting knows. Amounts are chips.
type betSituation struct {
	chance   float64 // of having the best hand
	others   int     // other live players
	bluff    bool    // whether the hand is one to bluff with
	middle   int
	call     int // chips missing
	height   int
	least    int // least total of a bet or raise; 0: not allowed
	greatest int
}

// bestBet plays the pot odds. It calls if the chance exceeds the share of the pot that the call makes,
// and bets if the hand is more likely than not the best. A hand to bluff with bets like a good one,
// unless it has been raised much.
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
	case p.chance >= odds+0.04: // a call is seldom the last one to pay
		return Move{Call: true}
	}
	return Move{Fold: true}
}

// upTo returns the total nearest to total that is allowed.
func (p betSituation) upTo(total int) int { return max(p.least, min(total, p.greatest)) }
