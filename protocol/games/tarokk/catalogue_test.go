package tarokk_test

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// proofsOf says which proofs of the catalogue the terms of a move are, by their
// shape and the stage: the rules hand the kernel conditions without names. What
// has no name here is "?".
func proofsOf(s tarokk.State, seat table.Seat, m tarokk.Move, terms table.Terms) map[string]bool {
	ids := map[string]bool{}
	if len(terms.Open) > 0 {
		switch {
		case m.Disclose != nil, m.Say != nil:
			ids["D-OPEN"] = true
		case m.Open != nil:
			ids["E-OPEN"] = true
		}
	}
	p := slices.Index(s.Deal.Seats[:], seat)
	for _, c := range terms.Prove {
		if len(c.Cards) > 0 {
			ids[proofOf(s, p, m, c)] = true
		}
	}
	if m.Play != nil && m.Play.Side != "" {
		ids["P-PAG (side)"] = true
	}
	return ids
}

func proofOf(s tarokk.State, p int, m tarokk.Move, c table.Condition) string {
	switch {
	case m.Call != nil || m.Confirm != nil:
		return bidProof(c.Set, m.Confirm != nil && !*m.Confirm)
	case m.Trial != nil && *m.Trial:
		return "T-TRIAL-OK"
	case m.Trial != nil:
		return "T-TRIAL-FAIL"
	case m.Annul != nil:
		return "N-" + *m.Annul
	case m.Discard != nil || m.Disclose != nil:
		return "D-CLASS"
	case m.Say != nil:
		return sayProof(s, p, c)
	case m.Play != nil:
		return playProof(s, m.Play, c)
	case m.Fee != nil:
		return "E-FEE"
	}
	return "?"
}

func bidProof(set card.Set, lacks bool) string {
	id, known := map[card.Set]string{
		deck.Honours: "B-HON", deck.BigHonours: "B-YIELD", card.SetOf(deck.XX): "B-YIELD",
		card.SetOf(deck.XVII): "B-INV17", card.SetOf(deck.XVIII): "B-INV18", card.SetOf(deck.XIX): "B-INV19",
	}[set]
	switch {
	case lacks:
		return bidProof(deck.Not(set), false) + "-FAIL"
	case !known:
		return "?"
	}
	return id
}

func sayProof(s tarokk.State, p int, c table.Condition) string {
	discards := len(c.Cards) > 0 && slices.ContainsFunc([]byte(s.Deal.Discards[p].Letters), func(l byte) bool {
		return s.Deal.Cards[p][l-'a'] == c.Cards[0]
	})
	declarer := p == s.Deal.Outcome.Declarer && s.Deal.Announce.Called == nil
	missing := deck.Not(c.Set)
	switch {
	case c.Dealt, c.Set == deck.BigHonours:
		return "A-ULTI"
	case discards && (c.Set == deck.PlainDiscards || c.Set.Without(deck.TarokkDiscards) == (card.Set{})):
		return "D-CLASS"
	case discards:
		return "A-DCONTRA"
	case c.Set == deck.Tarokks && c.Max == 8:
		return "A-8"
	case c.Set == deck.Tarokks:
		return "A-9"
	case c.Set == deck.Plain:
		return "A-LE7"
	case declarer:
		return "C-BELOW"
	case missing.Len() == 1:
		return "A-OPP"
	case c.Set.Len() == 1:
		return "A-PART"
	}
	return "?"
}

// playProof names what a card's player proves to lack.
func playProof(s tarokk.State, play *tarokk.Play, c table.Condition) string {
	tricks := s.Deal.Tricks
	if len(tricks) == 0 || len(tricks[len(tricks)-1].Faces) == 4 {
		return "P-PAG (side)"
	}
	led, _ := deck.Parse(tricks[len(tricks)-1].Faces[0])
	f, _ := deck.Parse(play.Face)
	missing := deck.Not(c.Set)
	tarokks := missing.Has(deck.Pagat)
	switch {
	case missing.Len() == 1 || c.Set.Len() == 1:
		return "P-PAG (side)"
	case tarokks && f == deck.Pagat && deck.IsTarokk(led):
		return "P-PAG-T"
	case tarokks && f == deck.Pagat:
		return "P-PAG-S"
	case tarokks && deck.IsTarokk(led):
		return "P-NOTAR"
	case tarokks:
		return "P-VOIDNT"
	}
	return "P-VOID"
}
