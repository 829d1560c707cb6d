package tarokk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/table"
)

// annul throws a bad hand in, or plays on with "" (R-ANN-1 to R-ANN-5).
func (s State) annul(p int, m Move) (State, table.Terms, error) {
	hand, err := want(s, m, m.Annul, "annul")
	if err != nil {
		return s, table.Terms{}, err
	}
	if hand != "" {
		claims, err := s.annulClaims(p, hand)
		if err != nil {
			return s, table.Terms{}, err
		}
		return s.throwIn(Settled{How: "annulled", Annulled: hand}), s.Deal.terms(p, claims), nil
	}
	if s.Deal.Asked++; s.Deal.Asked < actives {
		return s, table.Terms{}, nil
	}
	if s.Stage == AnnullingFirst {
		s.Stage = Permuting
		return s, table.Terms{}, nil
	}
	return s.announce(), table.Terms{}, nil
}

// annulClaims are N-a to N-e.
func (s State) annulClaims(p int, hand string) ([]claim.Claim, error) {
	if len(hand) != 1 || !strings.Contains(s.Rules.AnnulHands, hand) {
		return nil, fmt.Errorf("R-ANN-1: %.10q is none of the hands that may be annulled, %q", hand, s.Rules.AnnulHands)
	}
	id, group, n := "N-"+hand, claim.Hand, handSize
	if s.Stage == AnnullingFirst {
		group, n = claim.Exchanged, len(s.Deal.Cards[p])
	}
	if hand == "a" {
		return []claim.Claim{claim.Exactly(id, deck.Kings.Len(), group, deck.Kings)}, nil
	}
	claims, err := s.noTarokkDiscarded(p, id)
	if err != nil {
		return nil, err
	}
	tarokks := map[string][]card.Face{"b": {deck.XXI}, "c": {deck.Pagat}, "d": {}, "e": {deck.XXI, deck.Pagat}}[hand]
	for _, f := range tarokks {
		claims = append(claims, claim.AtLeast(id, 1, group, card.SetOf(f)))
	}
	return append(claims, claim.AtLeast(id, n-len(tarokks), group, deck.Plain)), nil
}

// noTarokkDiscarded is R-ANN-2.
func (s State) noTarokkDiscarded(p int, id string) ([]claim.Claim, error) {
	switch d := s.Deal.Discards[p]; {
	case s.Rules.AnnulTarokk == ruleset.AnnulAll || d.Letters == "":
		return nil, nil
	case !d.Said:
		return []claim.Claim{claim.Every(id, claim.Discards, deck.PlainDiscards)}, nil
	case d.Tarokks != "":
		return nil, fmt.Errorf("R-ANN-2: %s is not open to a player who discarded a tarokk", id)
	}
	return nil, nil
}

// discard lays cards away, face down (R-DISC-1).
func (s State) discard(p int, m Move) (State, table.Terms, error) {
	gone, err := want(s, m, m.Discard, "discard")
	if err != nil {
		return s, table.Terms{}, err
	}
	if err := s.Deal.pick("R-DISC-1", p, gone); err != nil {
		return s, table.Terms{}, err
	}
	if n := s.Deal.drawn(p); len(gone) != n {
		return s, table.Terms{}, fmt.Errorf("R-DISC-1: %d cards, who drew %d discards %d", len(gone), n, n)
	}
	s.Deal.Held[p] = without(s.Deal.Held[p], gone)
	s.Deal.Discards[p] = Discard{Letters: gone, Faces: make([]string, len(gone))}
	var claims []claim.Claim
	if s.Rules.DiscardAnnounce == ruleset.AnnounceFirstTurn {
		claims = append(claims, claim.Every("D-CLASS", claim.Discards, deck.Discardable.Without(s.undiscardable())))
	}
	terms := s.Deal.terms(p, claims)
	if len(s.movers()) > 0 {
		return s, terms, nil
	}
	if s.Rules.DiscardAnnounce == ruleset.AnnounceFirstTurn {
		return s.disclosed(), terms, nil
	}
	s.Stage = Disclosing
	return s, terms, nil
}

// Discardable are the cards that may be discarded in this deal.
func (s State) Discardable() card.Set { return deck.Discardable.Without(s.undiscardable()) }

// undiscardable are the tarokks that may not be discarded besides the honours
// (R-DISC-3, OPT-DISC-XX).
func (s State) undiscardable() card.Set {
	var f card.Set
	indicated := s.Deal.Outcome.MustCall
	if indicated != nil {
		f = f.With(*indicated)
	}
	if s.Rules.DiscardXX == ruleset.XXForbidden || s.Rules.DiscardXX == ruleset.XXUninvited && indicated == nil {
		f = f.With(deck.XX)
	}
	return f
}

// disclose says how many of the discards are tarokks (R-DISC-6).
func (s State) disclose(p int, m Move) (State, table.Terms, error) {
	said, err := want(s, m, m.Disclose, "disclose")
	if err != nil {
		return s, table.Terms{}, err
	}
	s, terms, err := s.tell(p, said)
	if err != nil || len(s.Deal.players(func(p int) bool { return !s.Deal.Discards[p].Said })) > 0 {
		return s, terms, err
	}
	return s.disclosed(), terms, nil
}

// tell is D-CLASS and D-OPEN.
func (s State) tell(p int, said Disclosure) (State, table.Terms, error) {
	d := s.Deal.Discards[p]
	for i := range said.Tarokks {
		if !strings.Contains(d.Letters, said.Tarokks[i:i+1]) || i > 0 && said.Tarokks[i] <= said.Tarokks[i-1] {
			return s, table.Terms{}, fmt.Errorf("R-DISC-6: %.20q are not different discards of %q in ascending order", said.Tarokks, d.Letters)
		}
	}
	d.Said, d.Tarokks = true, said.Tarokks
	allowed := deck.TarokkDiscards.Without(s.undiscardable())
	var open []table.Shown
	claims := []claim.Claim{claim.Every("D-CLASS", claim.PlainOf, deck.PlainDiscards)}
	if p == s.Deal.Outcome.Declarer {
		var err error
		if open, err = s.shown("R-DISC-6", p, said.Tarokks, said.Open); err != nil {
			return s, table.Terms{}, err
		}
		d.Faces = slices.Clone(d.Faces)
		for i, name := range said.Open {
			if !allowed.Has(open[i].Face) {
				return s, table.Terms{}, fmt.Errorf("R-DISC-2: %s may not be discarded", name)
			}
			d.Faces[strings.IndexByte(d.Letters, said.Tarokks[i])] = name
		}
	} else {
		if len(said.Open) > 0 {
			return s, table.Terms{}, fmt.Errorf("R-DISC-6: only the declarer turns discards up")
		}
		claims = append(claims, claim.Every("D-CLASS", claim.TarokkOf, allowed))
	}
	s.Deal.Discards[p] = d
	terms := s.Deal.terms(p, claims)
	terms.Open = open
	return s, terms, nil
}

// disclosed goes on after the disclosures.
func (s State) disclosed() State {
	if s.Deal.Asked = 0; s.Rules.AnnulTime == ruleset.AnnulAfterDiscard && s.Rules.AnnulHands != "" {
		s.Stage = Annulling
		return s
	}
	return s.announce()
}

// announce begins the announcements (R-ANC-1).
func (s State) announce() State {
	o := s.Deal.Outcome
	a := announce.New(announce.Public{
		Declarer: o.Declarer, MustCall: o.MustCall, Partner: o.Partner, Ultimo: o.Ultimo,
		Tarokks: s.Deal.tarokksDiscarded(), Opened: s.Deal.openOf(o.Declarer).Faces(),
	})
	s.Deal.Announce, s.Stage = &a, Announcing
	return s
}

func (d Deal) tarokksDiscarded() (n [actives]int) {
	for p := range actives {
		n[p] = len(d.Discards[p].Tarokks)
	}
	return n
}

// speak is a turn of the announcements. Under OPT-DISC-ANNOUNCE a player's first
// one says what was discarded, too.
func (s State) speak(p int, m Move) (State, table.Terms, error) {
	say, err := want(s, m, m.Say, "say")
	if err != nil {
		return s, table.Terms{}, err
	}
	if say.Turn == nil {
		return s, table.Terms{}, fmt.Errorf("R-ANC-2: the turn is missing")
	}
	a := *s.Deal.Announce
	var told table.Terms
	switch due := !s.Deal.Discards[p].Said; {
	case due != (say.Discards != nil):
		return s, table.Terms{}, fmt.Errorf("OPT-DISC-ANNOUNCE: discards are disclosed in the first turn and in no other")
	case due:
		if s, told, err = s.tell(p, *say.Discards); err != nil {
			return s, table.Terms{}, err
		}
		a.Public.Tarokks = s.Deal.tarokksDiscarded()
		a.Public.Opened = s.Deal.openOf(s.Deal.Outcome.Declarer).Faces()
	}
	a, claims, err := a.Turn(s.Rules, p, say.Turn)
	if err != nil {
		return s, table.Terms{}, err
	}
	s.Deal.Announce = &a
	terms := s.Deal.terms(p, claims)
	terms.Open, terms.Prove = told.Open, slices.Concat(told.Prove, terms.Prove)
	if _, over := a.Speaker(); over {
		s.Stage = Playing
	}
	return s, terms, nil
}
