package tarokk_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
)

// demands are the statements of a move in words, in order: "open 1", "1 of H0 in
// HONOUR" (at least one), "exactly 8 of H1 in TAROKK", "all of R in not hearts".
func (s *scene) demands(p int, move json.RawMessage) []string {
	s.Helper()
	list := []string{}
	statements, _ := s.Statements(s.seat(p), move)
	for _, st := range statements {
		list = append(list, s.inWords(p, move, st))
	}
	return list
}

func (s *scene) inWords(p int, move json.RawMessage, st proof.Statement) string {
	s.Helper()
	if reveal, ok := st.(proof.Reveal); ok {
		return fmt.Sprintf("open %d", len(reveal.Cards))
	}
	c := st.(proof.Condition)
	n := fmt.Sprintf("%d to %d", c.Min, c.Max)
	switch all := len(c.Cards); {
	case c.Min == all:
		n = "all"
	case c.Min == c.Max:
		n = fmt.Sprintf("exactly %d", c.Min)
	case c.Max == all:
		n = fmt.Sprint(c.Min)
	}
	return fmt.Sprintf("%s of %s in %s", n, s.vectorOf(p, move, c.Cards), setInWords(c.Set))
}

// vectorOf is the name that the catalogue gives to a list of masked cards.
func (s *scene) vectorOf(p int, move json.RawMessage, cards []proof.Masked) string {
	s.Helper()
	for _, v := range s.vectors(p, move) {
		if slices.EqualFunc(v.cards, cards, func(a, b proof.Masked) bool { return string(a.Bytes()) == string(b.Bytes()) }) {
			return v.name
		}
	}
	s.Errorf("a statement about %d cards that are no vector of the catalogue", len(cards))
	return "?"
}

type vector struct {
	name  string
	cards []proof.Masked
}

// vectors are those of 62.1, as far as they are there.
func (s *scene) vectors(p int, move json.RawMessage) []vector {
	s.Helper()
	var m tarokk.Move
	testmust.Do(s.T, json.Unmarshal(move, &m))
	d, seat := s.public().Deal, s.seat(p)
	held, gone, tarokks, said := d.Held[p], d.Discards[p].Letters, d.Discards[p].Tarokks, d.Discards[p].Said
	var list []vector
	add := func(name string, cards []proof.Masked) {
		if len(cards) > 0 {
			list = append(list, vector{name, cards})
		}
	}
	now := func(letters string) []proof.Masked {
		var places []table.Card
		for _, letter := range letters {
			places = append(places, d.Cards[p][letter-'a'])
		}
		return s.State.Masked(places)
	}
	switch {
	case m.Play != nil:
		add("R", now(strings.ReplaceAll(held, m.Play.Card, "")))
	case m.Discard != nil:
		gone = *m.Discard
		add("X", now(gone))
	case m.Disclose != nil:
		tarokks, said = m.Disclose.Tarokks, true
	case m.Say != nil && m.Say.Discards != nil:
		tarokks, said = m.Say.Discards.Tarokks, true
	case m.Fee != nil:
		add("D", s.State.MaskedDealt(d.Cards[p][9:]))
		return list
	}
	if said {
		add("XT", now(tarokks))
		add("XP", now(strings.Map(func(r rune) rune {
			if strings.ContainsRune(tarokks, r) {
				return -1
			}
			return r
		}, gone)))
	}
	add("X", now(gone))
	if len(s.State.Dealt(seat)) > 0 {
		add("H0", s.State.MaskedDealt(d.Cards[p][:9]))
	}
	if gone == "" {
		add("G", now(held))
	}
	add("H1", now(held))
	return list
}

var setNames = map[card.Set]string{
	deck.Honours: "HONOUR", deck.Not(deck.Honours): "NONHONOUR", deck.BigHonours: "BIG", deck.Kings: "KINGS",
	deck.Discardable: "DISCARDABLE", deck.TarokkDiscards: "TDISC", deck.PlainDiscards: "PLAINDISC",
	deck.Plain: "SUITS", deck.Tarokks: "TAROKK",
}

func setInWords(set card.Set) string {
	if name, ok := setNames[set]; ok {
		return name
	}
	if set.Len() <= 9 {
		return "{" + facesInWords(set) + "}"
	}
	for _, from := range []card.Set{deck.TarokkDiscards, deck.Discardable} {
		if set.Without(from) == (card.Set{}) {
			return setNames[from] + " without " + facesInWords(from.Without(set))
		}
	}
	missing := deck.Not(set)
	var suits []string
	for _, suit := range append(slices.Clone(deck.PlainSuits), deck.Tarokk) {
		if deck.Of(suit).Without(missing) == (card.Set{}) {
			suits, missing = append(suits, suit.String()), missing.Without(deck.Of(suit))
		}
	}
	if missing == (card.Set{}) {
		return "not " + strings.Join(suits, "+")
	}
	return "not " + facesInWords(deck.Not(set))
}

func facesInWords(set card.Set) string {
	var names []string
	for _, f := range set.Faces() {
		names = append(names, deck.Name(f))
	}
	return strings.Join(names, " ")
}
