package skat

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// applyChoice takes the skat or declares a hand game (SK-R-24).
func applyChoice(s State, p int, m Move) (State, table.Terms, error) {
	switch *m.Choose {
	case Take:
		s.Deal.Taker, s.Stage = p, Taking
	case Hand:
		s.Stage = Announcing
	default:
		return s, table.Terms{}, fmt.Errorf("SK-R-24: the declarer takes the skat or plays a hand game, and not %.10q", *m.Choose)
	}
	return s, table.Terms{}, nil
}

func choiceMoves(State, int, table.View) []Move {
	return movesFrom([]string{Take, Hand}, func(m *Move, word string) { m.Choose = &word })
}

// takeSkat adds the skat to the hand of the player who takes it (SK-R-25).
func (s State) takeSkat() State {
	p := s.Deal.Taker
	s.Deal.Hands[p] = sortedPlaces(slices.Concat(s.Deal.Hands[p], s.Deal.Skat))
	s.Deal.Holder, s.Deal.Skat, s.Stage = p, []table.Card{}, Mixing
	return s
}

// afterMixing goes on once the twelve cards are permuted (RM-2, RM-4).
func (s State) afterMixing() State {
	if s.Stage = Announcing; s.Deal.Ramsch {
		s.Stage = PassingOn
	}
	return s
}

// layAside takes two cards out of a hand of twelve (SK-R-25, D-ANY).
func (d Deal) layAside(rule string, p int, pair Pair) (Deal, error) {
	hand := d.Hands[p]
	if pair[0] >= pair[1] || !slices.Contains(hand, pair[0]) || !slices.Contains(hand, pair[1]) {
		return d, fmt.Errorf("%s: %v are not two different places of the twelve %v, in ascending order", rule, pair, hand)
	}
	d.Hands[p], d.Skat = shared.WithoutPlaces(hand, pair[:]...), slices.Clone(pair[:])
	return d, nil
}

// applyAnnouncement lays two cards aside, if the skat was taken, and names the game. It is one
// statement and final (SK-R-27).
func applyAnnouncement(s State, p int, m Move) (State, table.Terms, error) {
	a := *m.Announce
	c := Contract{Game: a.Game, Hand: s.Deal.Taker == nobody, Ann: a.Ann, Ouvert: a.Ouvert}
	if err := s.CheckContract(c); err != nil {
		return s, table.Terms{}, err
	}
	switch {
	case c.Hand && a.Discard != nil:
		return s, table.Terms{}, fmt.Errorf("SK-R-26: in a hand game nothing is laid aside")
	case !c.Hand && a.Discard == nil:
		return s, table.Terms{}, fmt.Errorf("SK-R-25: two cards are laid aside with the announcement")
	case !c.Hand:
		var err error
		if s.Deal, err = s.Deal.layAside("SK-R-25", p, *a.Discard); err != nil {
			return s, table.Terms{}, err
		}
	}
	s.Deal.Contract = &c
	if s.overbidNull(c) {
		return s.endDeal(Ending{How: NullOverbid}), table.Terms{}, nil
	}
	return s.askKontra(), table.Terms{}, nil
}

// overbidNull reports whether a contract is a null whose value is below the bid.
func (s State) overbidNull(c Contract) bool {
	return c.Game == Null && c.OfNull() < s.Deal.Bid
}

// CheckContract is A-PUB: the announcements fit the game (SK-R-28), and a null reaches the bid
// (SK-R-29).
func (s State) CheckContract(c Contract) error {
	switch isNull := c.Game == Null; {
	case !c.Game.Valid():
		return fmt.Errorf("SK-R-27: %.10q is no game: one of C, S, H, D, G (grand) and N (null)", c.Game)
	case c.Ann < Normal || c.Ann > Schwarz:
		return fmt.Errorf("SK-R-28: 0 announces nothing, 1 Schneider, 2 Schwarz, and %d is none of them", c.Ann)
	case isNull && c.Ann != Normal:
		return fmt.Errorf("SK-R-28: null has no Schneider and no Schwarz")
	case !isNull && !c.Hand && (c.Ann != Normal || c.Ouvert):
		return fmt.Errorf("SK-R-28: after taking the skat a suit game or grand has no additions")
	case !isNull && c.Ouvert && c.Ann != Schwarz:
		return fmt.Errorf("SK-R-28: ouvert contains Schwarz: ann is 2, and not %d", c.Ann)
	case s.overbidNull(c) && s.Rules.NullOverbid == OptRefuse:
		return fmt.Errorf("SK-R-29: this null counts %d, which is below the bid of %d: announce a game that can reach it", c.OfNull(), s.Deal.Bid)
	}
	return nil
}

// contracts are all the contracts that can be announced now.
func (s State) contracts() (list []Contract) {
	for _, g := range Games {
		for ann := Normal; ann <= Schwarz; ann++ {
			for _, ouvert := range yesNo {
				c := Contract{Game: g, Hand: s.Deal.Taker == nobody, Ann: ann, Ouvert: ouvert}
				if s.CheckContract(c) == nil {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

func announcementMoves(s State, p int, _ table.View) (list []Move) {
	discards := []*Pair{nil}
	if s.Deal.Taker != nobody {
		discards = pairs(s.Deal.Hands[p])
	}
	for _, c := range s.contracts() {
		for _, discard := range discards {
			list = append(list, Move{Announce: &Announcement{Discard: discard, Game: c.Game, Ann: c.Ann, Ouvert: c.Ouvert}})
		}
	}
	return list
}

func pairs(places []table.Card) (list []*Pair) {
	for i, a := range places {
		for _, b := range places[i+1:] {
			list = append(list, &Pair{a, b})
		}
	}
	return list
}
