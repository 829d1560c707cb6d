package skat

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/pakli/pakli/protocol/card"
)

// weights are what each feature of ten cards adds to the strength of a hand, the logarithm of the odds
// that it wins. They come from a logistic regression over about ten thousand deals that the bot played
// against itself, rounded.
type weights struct {
	none       float64    // a hand without any feature
	jacks      [4]float64 // clubs, spades, hearts, diamonds
	trump      float64    // each trump that is no jack
	trumpAce   float64    // in addition
	trumpTen   float64    // in addition
	ace        float64    // of a side suit
	aceTen     float64    // a ten beside its ace
	ten        float64    // a ten without its ace, with another card of the suit
	bareTen    float64    // a ten alone in its suit
	void       float64    // a side suit without a card
	loser      float64    // each side card, except an ace, and ten and king beside it
	asidePoint float64    // each card point laid aside
	leads      float64    // being forehand
}

var (
	suitGame = weights{-6.2, [4]float64{1.4, 1.2, 1, 0.95}, 0.55, 0.95, 0.8, 1.35, 0.2, 1, -0.2, 1.1, -0.45, 0.08, -0.35}
	grand    = weights{-6.5, [4]float64{1.25, 1, 0.9, 0.9}, 0, 0, 0, 1.5, 0.75, 1.1, 0.35, 0.6, -0.17, 0.105, -0.6}
)

// cardMasks are the cards of a game as bit masks: a set of a Skat pack fits in its first word.
type cardMasks struct {
	jacks                      [4]uint64
	trumps, trumpAce, trumpTen uint64 // of the trump suit alone
	sides                      []uint64
}

const (
	aces  = 1<<7 | 1<<15 | 1<<23 | 1<<31
	tens  = 1<<3 | 1<<11 | 1<<19 | 1<<27
	kings = 1<<6 | 1<<14 | 1<<22 | 1<<30
)

// masksOf are the masks of a game.
func masksOf(g Game) *cardMasks { return masksByGame[g] }

var masksByGame = func() map[Game]*cardMasks {
	all := map[Game]*cardMasks{}
	for _, g := range Games {
		var c cardMasks
		for _, suit := range Suits {
			if Class(g) != suit {
				c.sides = append(c.sides, g.Cards(suit)[0])
			}
		}
		for i, f := range g.Trumps() {
			if bit := card.SetOf(f)[0]; i < len(c.jacks) {
				c.jacks[i] = bit
			} else {
				c.trumps |= bit
			}
		}
		c.trumpAce, c.trumpTen = c.trumps&aces, c.trumps&tens
		all[g] = &c
	}
	return all
}()

// oddsToChance is the probability that has this logarithm of its odds.
func oddsToChance(log float64) float64 { return 1 / (1 + math.Exp(-log)) }

// strength is the logarithm of the odds that ten cards win a game, with these cards laid aside; leads
// says that the player is forehand.
func strength(g Game, ten, aside card.Set, leads bool) float64 {
	if g == Null {
		return nullStrength(ten)
	}
	w, c, hand := &suitGame, masksOf(g), ten[0]
	if g == Grand {
		w = &grand
	}
	sum := w.none
	add := func(weight float64, n int) { sum += weight * float64(n) }
	for i, jack := range c.jacks {
		add(w.jacks[i], bits.OnesCount64(hand&jack))
	}
	add(w.trump, bits.OnesCount64(hand&c.trumps))
	add(w.trumpAce, bits.OnesCount64(hand&c.trumpAce))
	add(w.trumpTen, bits.OnesCount64(hand&c.trumpTen))
	for _, side := range c.sides {
		own := hand & side
		n, king := bits.OnesCount64(own), bits.OnesCount64(own&kings)
		switch ace, ten := own&aces != 0, own&tens != 0; {
		case ace && ten:
			add(w.ace+w.aceTen, 1)
			n -= 2 + king
		case ace:
			add(w.ace, 1)
			n--
		case ten && n > 1:
			add(w.ten, 1)
		case ten:
			add(w.bareTen, 1)
		case n == 0:
			add(w.void, 1)
		}
		add(w.loser, n)
	}
	add(w.asidePoint, PointsOf(aside))
	if leads {
		sum += w.leads
	}
	return sum
}

// nullStrength is the strength of ten cards in null. A suit is safe if no card below its lowest is in
// another hand, at most two that can be played before are below its second, and so on: 7, 9, jack,
// king.
func nullStrength(ten card.Set) float64 {
	sum := nullSafe
	for _, side := range masksOf(Null).sides {
		own := ten[0] & side
		for i := 0; own != 0; i++ {
			rank := bits.TrailingZeros64(own) % 8
			sum -= nullGap * float64(max(rank-2*i, 0))
			own &= own - 1
		}
	}
	return sum
}

// The weights of a null; and what it costs to play it open, to play without having seen the skat, and
// to need 90 points or all tricks.
const (
	nullSafe      = 2.9
	nullGap       = 0.75
	nullOpen      = 1.5
	byHand        = 0.9
	schneiderCost = 3.7
	schwarzCost   = 6
)

// Plan is what a declarer would play.
type Plan struct {
	Contract Contract
	Aside    card.Set // none in a hand game
	Expected float64  // mean classic score
}

// PlanAfterSkat is the best plan for twelve cards that won the auction at a bid.
func PlanAfterSkat(twelve card.Set, bid int, leads bool) Plan {
	best := Plan{Expected: math.Inf(-1)}
	faces := twelve.Faces()
	for _, g := range Games {
		var aside card.Set
		most := math.Inf(-1)
		for i, a := range faces {
			for _, b := range faces[:i] {
				pair := card.SetOf(a, b)
				if log := strength(g, twelve.Minus(pair), pair, leads); log > most {
					aside, most = pair, log
				}
			}
		}
		best = best.betterOf(stakesOf(Contract{Game: g}, CountMatadors(g, twelve), bid), most, aside)
	}
	return best
}

// PlanByHand is the best plan without taking the skat.
func PlanByHand(ten card.Set, bid int, leads bool) Plan {
	best := Plan{Expected: math.Inf(-1)}
	for _, g := range Games {
		log := strength(g, ten, card.Set{}, leads)
		if g != Null {
			log += byHand
		}
		best = best.betterOf(stakesOf(Contract{Game: g, Hand: true}, CountMatadors(g, ten), bid), log, card.Set{})
	}
	return best
}

// betterOf is the better one of a plan and the stakes at a strength.
func (best Plan) betterOf(stakes []stake, log float64, aside card.Set) Plan {
	for _, s := range stakes {
		if expected := s.expectedScore(log); expected > best.Expected {
			best = Plan{s.Contract, aside, expected}
		}
	}
	return best
}

// stake is what a contract scores by how it ends.
type stake struct {
	Contract
	lost, won, schneider, schwarz float64
}

// stakesOf are a contract as it is and with each announcement that may be added.
func stakesOf(c Contract, m Matadors, bid int) (list []stake) {
	add := func() {
		score := func(points, tricks int) float64 { return float64(c.PlayedResult(bid, m, points, tricks).Score) }
		list = append(list, stake{c, score(60, 5), score(61, 5), score(90, 9), score(120, 10)})
	}
	switch add(); {
	case c.Game == Null && c.OfNull() < bid:
		list = list[:0] // SK-R-29
		fallthrough
	case c.Game == Null:
		if c.Ouvert = true; c.OfNull() >= bid {
			add()
		}
	case c.Hand:
		c.Ann = Schneider
		add()
		c.Ann, c.Ouvert = Schwarz, true
		add()
	}
	return list
}

// winChance is the probability that ten cards win a contract without announcements, with these cards
// laid aside.
func winChance(c Contract, ten, aside card.Set, leads bool) float64 {
	log := strength(c.Game, ten, aside, leads)
	if c.Hand {
		log += byHand
	}
	return oddsToChance(log)
}

// expectedScore is the mean score at a strength.
func (s stake) expectedScore(log float64) float64 {
	if s.Game == Null {
		if s.Ouvert {
			log -= nullOpen
		}
		wins := oddsToChance(log)
		return (1-wins)*-2*float64(s.OfNull()) + wins*float64(s.OfNull())
	}
	wins, more, all := oddsToChance(log), oddsToChance(log-schneiderCost), oddsToChance(log-schwarzCost)
	return (1-wins)*s.lost + (wins-more)*s.won + (more-all)*s.schneider + all*s.schwarz
}

// samples is the number of possible skats that are tried.
const samples = 20

// HandWorth is the score that a declarer with ten cards can expect at a bid.
func HandWorth(ten card.Set, bid int, leads bool) float64 {
	rest := AllFaces.Minus(ten).Faces()
	random := rand.New(rand.NewPCG(ten[0], uint64(bid))) // the same hand is always judged the same
	sum := 0.0
	for range samples {
		random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		sum += PlanAfterSkat(ten.Union(card.SetOf(rest[0], rest[1])), bid, leads).Expected
	}
	return max(sum/samples, PlanByHand(ten, bid, leads).Expected)
}
