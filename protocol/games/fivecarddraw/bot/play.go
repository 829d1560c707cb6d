package bot

// Situation is what a player knows who is asked in a round of betting. Amounts are chips.
type Situation struct {
	Chance   float64 // to have the best hand
	Others   int     // live
	Bluff    bool    // the hand is one to bluff with
	Middle   int
	Call     int // what is missing
	Height   int
	Least    int // total to bet or raise to; 0: none may be
	Greatest int
}

// Action is what the player does: fold, check, call or bet to a total.
type Action struct {
	Fold, Check, Call bool
	To                int
}

// Act plays the odds of the pot: a call is paid if the chance is more than its share of the
// pot that it makes, and a bet is made where the hand is the best more often than not; a
// hand to bluff with bets as a good one does, if it has not been raised much.
func (p Situation) Act() Action {
	share := 1 / float64(p.Others+1)
	strong, good := p.Chance > (1+share)/2, p.Chance > max(share*1.25, 0.5)
	small := p.Call*4 <= p.Middle
	switch odds := float64(p.Call) / float64(p.Middle+p.Call); {
	case p.Least > 0 && strong:
		return Action{To: p.upTo(p.Height + p.Call + p.Middle)}
	case p.Least > 0 && (good || p.Bluff && small) && p.Call <= p.Middle/2:
		return Action{To: p.upTo(p.Height + (p.Middle+p.Call)/2)}
	case p.Call == 0:
		return Action{Check: true}
	case p.Chance >= odds+0.04: // a call is seldom the last one to be paid
		return Action{Call: true}
	}
	return Action{Fold: true}
}

// upTo is a total as near as may be.
func (p Situation) upTo(total int) int { return max(p.Least, min(total, p.Greatest)) }
