package tarokk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// played goes on after the last trick.
func (s State) played() State {
	s.Stage, s.Deal.Asked = Opening, 0
	if len(s.movers()) > 0 {
		return s
	}
	return s.opened()
}

// openDiscards turns up what a player laid away and is not open yet (E-OPEN,
// R-SC-1).
func (s State) openDiscards(p int, m Move) (State, table.Terms, error) {
	faces, err := want(s, m, m.Open, "open")
	if err != nil {
		return s, table.Terms{}, err
	}
	d, closed := s.Deal.Discards[p], s.Deal.closed(p)
	open, err := s.shown("R-SC-1", p, closed, faces)
	if err != nil {
		return s, table.Terms{}, err
	}
	all := slices.Clone(d.Faces)
	for i, letter := range closed {
		all[strings.IndexRune(d.Letters, letter)] = faces[i]
	}
	s.Deal.Discards[p].Faces = all
	if len(s.movers()) > 0 {
		return s, table.Terms{Open: open}, nil
	}
	return s.opened(), table.Terms{Open: open}, nil
}

// opened asks for late counts, then for the fees of the talon.
func (s State) opened() State {
	s.Stage, s.Deal.Asked = Claiming, 0
	if len(s.claimants()) > 0 {
		return s
	}
	return s.claimed()
}

// claimants may claim a count that they did not announce (R-CNT-5).
func (s State) claimants() []int { return s.late().Claimants(s.Rules) }

func (s State) late() score.Late {
	d := s.result()
	l := score.Late{Deal: d, V: score.Score(s.Rules, d).V, Announced: s.Deal.Announce.Counts}
	for p := range actives {
		l.Tarokks[p] = handSize - s.Deal.playedPlain(p)
	}
	return l
}

func (s State) claimLate(p int, m Move) (State, table.Terms, error) {
	claims, err := want(s, m, m.Claim, "claim")
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal.Claims[p] = claims
	if s.Deal.Asked++; s.Deal.Asked < len(s.claimants()) {
		return s, table.Terms{}, nil
	}
	return s.claimed(), table.Terms{}, nil
}

func (s State) claimed() State {
	if s.Rules.TalonFee {
		s.Stage, s.Deal.Asked = Paying, 0
		return s
	}
	return s.scored()
}

// payFee says which honours came from the talon (OPT-TALON-HONOUR-FEE). To
// forget it is not possible: play waits, and each answer is proved.
func (s State) payFee(p int, m Move) (State, table.Terms, error) {
	honours, err := want(s, m, m.Fee, "fee")
	if err != nil {
		return s, table.Terms{}, err
	}
	if honours == nil {
		return s, table.Terms{}, fmt.Errorf("OPT-TALON-HONOUR-FEE: the list is missing")
	}
	var named card.Set
	var last card.Face
	for i, name := range honours {
		f, err := s.face("OPT-TALON-HONOUR-FEE", name)
		if err != nil {
			return s, table.Terms{}, err
		}
		if !deck.Honours.Has(f) || i > 0 && f <= last {
			return s, table.Terms{}, fmt.Errorf("OPT-TALON-HONOUR-FEE: %s is no honour, or not after the one before in the order of the pack", name)
		}
		named, last = named.With(f), f
	}
	n := named.Len()
	if drawn := s.Deal.drawn(p); n > drawn {
		return s, table.Terms{}, fmt.Errorf("OPT-TALON-HONOUR-FEE: %d honours of %d cards from the talon", n, drawn)
	}
	claims := []claim.Claim{claim.AtLeast("E-FEE", n, claim.Drawn, named)}
	if unnamed := deck.Honours.Without(named); unnamed != (card.Set{}) {
		claims = append(claims, claim.Every("E-FEE", claim.Drawn, deck.Not(unnamed)))
	}
	terms := s.Deal.terms(p, claims)
	s.Deal.Fees[p] = honours
	s.Deal.Asked++
	if s.Deal.Asked < len(s.Deal.players(func(p int) bool { return s.Deal.drawn(p) > 0 })) {
		return s, terms, nil
	}
	return s.scored(), terms, nil
}

// result is what happened in a deal, for its score.
func (s State) result() score.Deal {
	d := s.Deal
	r := score.Deal{Level: d.Outcome.Level, Declarer: d.Outcome.Declarer, Partner: d.partner(), Contra: map[score.Item]int{}}
	for _, a := range d.Announce.Items {
		r.Contra[a.Item] = a.Contra
	}
	side := func(p int) score.Side { return r.SideOf(p) }
	taken := map[score.Side]card.Set{}
	for _, t := range d.Tricks {
		s := side(t.winner())
		taken[s] = taken[s].Union(setOf(t.Faces))
		if s == score.Dec {
			r.Tricks++
		}
		if captor, loser := d.capture(t); captor != nobody && side(captor) != side(loser) {
			r.Captured = side(captor)
		}
	}
	for s, cards := range taken {
		if deck.Honours.Without(cards) == (card.Set{}) {
			r.Trull = s
		}
		if deck.Kings.Without(cards) == (card.Set{}) {
			r.Kings = s
		}
	}
	for _, f := range taken[score.Dec].Union(setOf(d.Discards[r.Declarer].Faces)).Faces() {
		r.Points += deck.Points(f)
	}
	holder, ninth := d.pagat()
	r.Pagat, r.NinthTrick = side(holder), ninth
	return r
}

// partner holds the called card: it was played by nobody else but the declarer's
// partner (E-SIDE).
func (d Deal) partner() int {
	p := d.playerOf(*d.Announce.Called)
	if p == d.Outcome.Declarer {
		return score.Alone
	}
	return p
}

// playerOf is who played a card, or nobody.
func (d Deal) playerOf(f card.Face) int {
	for _, t := range d.Tricks {
		if i := slices.Index(t.faces(), f); i >= 0 {
			return (t.Leader + i) % actives
		}
	}
	return nobody
}

// capture is who played the skíz and the XXI, if both are in a trick.
func (d Deal) capture(t Trick) (captor, loser int) {
	skiz, xxi := slices.Index(t.faces(), deck.Skiz), slices.Index(t.faces(), deck.XXI)
	if skiz < 0 || xxi < 0 {
		return nobody, nobody
	}
	return (t.Leader + skiz) % actives, (t.Leader + xxi) % actives
}

// pagat is who held the pagát, and what became of it in the ninth trick.
func (d Deal) pagat() (holder int, ninth score.Fate) {
	holder = d.playerOf(deck.Pagat)
	last := d.Tricks[handSize-1]
	switch {
	case !slices.Contains(last.faces(), deck.Pagat):
		return holder, score.NotPlayed
	case last.winner() == holder:
		return holder, score.Won
	}
	return holder, score.Lost
}
