package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Settlement is what the players say after the last trick.
type Settlement struct {
	Claims [actives]bool     `json:"claims"` // late counts (R-CNT-5)
	Fees   [actives][]string `json:"fees"`   // honours from the talon
}

// beginSettlement begins after the last trick: discards are opened, then late counts and the fees of
// the talon are asked for, if any are possible.
func (s State) beginSettlement() State {
	s.Stage, s.Deal.Asked = Opening, 0
	if len(opening{s}.awaitedSeats()) > 0 {
		return s
	}
	return opening{s}.endOpening()
}

// opening waits, in any order of players, for the discards that are not open yet (E-OPEN, R-SC-1).
type opening struct{ State }

func (o opening) awaitedSeats() []table.Seat {
	return o.Deal.seatsWho(func(p int) bool { return slices.Contains(o.Deal.Discards[p].Faces, "") })
}

func (o opening) possibleMoves(p int, v table.View) []Move {
	names := o.cardNames(v, o.Deal.CardsAt(p, o.Deal.Discards[p].closedLetters()))
	return []Move{{Open: &names}}
}

func (o opening) applyMove(p int, m Move) (State, table.Terms, error) {
	d := o.Deal.Discards[p]
	open, err := o.turnUpCards("R-SC-1", p, d.closedLetters(), *m.Open)
	if err != nil {
		return o.State, table.Terms{}, err
	}
	o.Deal.Discards[p] = d.turnedUp(d.closedLetters(), *m.Open)
	if len(o.awaitedSeats()) > 0 {
		return o.State, table.Terms{Open: open}, nil
	}
	return o.endOpening(), table.Terms{Open: open}, nil
}

func (o opening) endOpening() State {
	o.Stage, o.Deal.Asked = Claiming, 0
	if next := (claiming{o.State}); len(next.lateClaimants()) == 0 {
		return next.endClaiming()
	}
	return o.State
}

// claiming asks the players in turn who may claim a count that they did not announce (R-CNT-5).
type claiming struct{ State }

func (c claiming) lateClaimants() []int { return c.lateCount().Claimants(c.Rules) }

func (c claiming) awaitedSeats() []table.Seat { return c.Deal.seatsOf(c.lateClaimants()[c.Deal.Asked]) }

func (claiming) possibleMoves(int, table.View) []Move {
	return movesFrom(yesNo, func(m *Move, b bool) { m.Claim = &b })
}

func (c claiming) applyMove(p int, m Move) (State, table.Terms, error) {
	c.Deal.Claims[p] = *m.Claim
	if c.Deal.Asked++; c.Deal.Asked < len(c.lateClaimants()) {
		return c.State, table.Terms{}, nil
	}
	return c.endClaiming(), table.Terms{}, nil
}

func (c claiming) endClaiming() State {
	if !c.Rules.TalonFee {
		return ending{c.State}.payPlayed()
	}
	c.Stage, c.Deal.Asked = Paying, 0
	return c.State
}

func (c claiming) lateCount() LateTarokks {
	d := c.Deal.scoredDeal()
	l := LateTarokks{PlayedDeal: d, V: ScoreDeal(c.Rules, d).V, Announced: c.Deal.Announce.Counts}
	for p := range actives {
		l.Tarokks[p] = handSize - c.Deal.playedPlain(p)
	}
	return l
}

// paying asks in turn which honours came from the talon (OPT-TALON-HONOUR-FEE). Nobody can forget it,
// because the table waits, and each answer is proved.
type paying struct{ State }

func (y paying) talonDrawers() []table.Seat {
	return y.Deal.seatsWho(func(p int) bool { return y.Deal.CountDrawn(p) > 0 })
}

func (y paying) awaitedSeats() []table.Seat { return y.talonDrawers()[y.Deal.Asked:][:1] }

// possibleMoves is the one move that names the honours in the order of the pack; the order of the talon
// would tell which card was drawn first.
func (y paying) possibleMoves(p int, v table.View) []Move {
	drawn := shared.CommonFaces(facesAt(v.Dealt, y.Deal.groupCards(p, DrawnCards)), Honours).Faces()
	names := make([]string, len(drawn))
	for i, f := range drawn {
		names[i] = FaceName(f)
	}
	return []Move{{Fee: &names}}
}

func (y paying) applyMove(p int, m Move) (State, table.Terms, error) {
	named, err := y.parseHonours(p, *m.Fee)
	if err != nil {
		return y.State, table.Terms{}, err
	}
	claims := []Claim{AtLeast("E-FEE", named.Len(), DrawnCards, named)}
	if unnamed := Honours.Minus(named); unnamed != (card.Set{}) {
		claims = append(claims, EveryCard("E-FEE", DrawnCards, AllBut(unnamed)))
	}
	terms := y.Deal.claimTerms(p, claims)
	y.Deal.Fees[p] = *m.Fee
	if y.Deal.Asked++; y.Deal.Asked < len(y.talonDrawers()) {
		return y.State, terms, nil
	}
	return ending{y.State}.payPlayed(), terms, nil
}

// parseHonours reads the honours that a player says he drew.
func (y paying) parseHonours(p int, honours []string) (named card.Set, err error) {
	if honours == nil {
		return named, fmt.Errorf("OPT-TALON-HONOUR-FEE: the list is missing")
	}
	var last card.Face
	for i, name := range honours {
		f, err := y.parseFace("OPT-TALON-HONOUR-FEE", name)
		if err != nil {
			return named, err
		}
		if !Honours.Has(f) || i > 0 && f <= last {
			return named, fmt.Errorf("OPT-TALON-HONOUR-FEE: %s is no honour, or not after the one before in the order of the pack", name)
		}
		named, last = named.AddFace(f), f
	}
	if n, drawn := named.Len(), y.Deal.CountDrawn(p); n > drawn {
		return named, fmt.Errorf("OPT-TALON-HONOUR-FEE: %d honours of %d cards from the talon", n, drawn)
	}
	return named, nil
}

// scoredDeal is what happened in a deal, as the score needs it.
func (d Deal) scoredDeal() PlayedDeal {
	r := PlayedDeal{Level: d.Outcome.Level, Declarer: d.Outcome.Declarer, Partner: d.declarerPartner(), Contra: map[Item]int{}}
	for _, a := range d.Announce.Items {
		r.Contra[a.Item] = a.Contra
	}
	side := func(p int) Side { return r.SideOf(p) }
	taken := map[Side]card.Set{}
	for _, t := range d.Tricks {
		s := side(t.Winner())
		taken[s] = taken[s].Union(setOf(t.Faces))
		if s == DeclarerSide {
			r.Tricks++
		}
		if captor, loser := t.xxiCapture(); captor != nobody && side(captor) != side(loser) {
			r.Captured = side(captor)
		}
	}
	for s, cards := range taken {
		if Honours.Minus(cards) == (card.Set{}) {
			r.Trull = s
		}
		if Kings.Minus(cards) == (card.Set{}) {
			r.Kings = s
		}
	}
	r.Points = shared.TrickPoints(TrickRules{}, taken[DeclarerSide].Union(setOf(d.Discards[r.Declarer].Faces)).Faces())
	holder, ninth := d.pagatFate()
	r.Pagat, r.NinthTrick = side(holder), ninth
	return r
}

// declarerPartner is the partner of the declarer, the player of the called card; none if the declarer
// played it himself (E-SIDE).
func (d Deal) declarerPartner() int {
	p := d.playerOf(*d.Announce.Called)
	if p == d.Outcome.Declarer {
		return NoPartner
	}
	return p
}
