package tarokk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
)

// demands are the statements of a move in words, in order: "open 1", "1 of H0 in
// HONOUR" (at least one), "exactly 8 of H1 in TAROKK", "all of R in not hearts". That the cards are those
// of the group is for unspecified to say.
func (s *scene) demands(p int, move json.RawMessage) []string {
	s.Helper()
	list, terms := []string{}, testmust.Have(s.State.MoveTerms(s.seat(p), move))(s.T)
	if n := len(terms.Open); n > 0 {
		list = append(list, fmt.Sprintf("open %d", n))
	}
	for _, c := range terms.Prove {
		n := fmt.Sprintf("%d to %d", c.Min, c.Max)
		switch all := len(c.Cards); {
		case c.Trivial():
			continue
		case c.Min == all:
			n = "all"
		case c.Min == c.Max:
			n = fmt.Sprintf("exactly %d", c.Min)
		case c.Max == all:
			n = fmt.Sprint(c.Min)
		}
		list = append(list, fmt.Sprintf("%s of %s in %s", n, c.Group, setInWords(c.Set)))
	}
	return list
}

var setNames = map[card.Set]string{
	tarokk.Honours: "HONOUR", tarokk.AllBut(tarokk.Honours): "NONHONOUR", tarokk.BigHonours: "BIG", tarokk.Kings: "KINGS",
	tarokk.Discardable: "DISCARDABLE", tarokk.TarokkDiscards: "TDISC", tarokk.PlainDiscards: "PLAINDISC",
	tarokk.Plain: "SUITS", tarokk.Tarokks: "TAROKK",
}

func setInWords(set card.Set) string {
	if name, ok := setNames[set]; ok {
		return name
	}
	if set.Len() <= 9 {
		return "{" + facesInWords(set) + "}"
	}
	for _, from := range []card.Set{tarokk.TarokkDiscards, tarokk.Discardable} {
		if set.Minus(from) == (card.Set{}) {
			return setNames[from] + " without " + facesInWords(from.Minus(set))
		}
	}
	missing := tarokk.AllBut(set)
	var suits []string
	for _, suit := range append(slices.Clone(tarokk.PlainSuits), tarokk.Tarokk) {
		if tarokk.CardsOf(suit).Minus(missing) == (card.Set{}) {
			suits, missing = append(suits, suit.String()), missing.Minus(tarokk.CardsOf(suit))
		}
	}
	if missing == (card.Set{}) {
		return "not " + strings.Join(suits, "+")
	}
	return "not " + facesInWords(tarokk.AllBut(set))
}

func facesInWords(set card.Set) string {
	var names []string
	for _, f := range set.Faces() {
		names = append(names, tarokk.FaceName(f))
	}
	return strings.Join(names, " ")
}
