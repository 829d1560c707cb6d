package skat

import (
	"fmt"

	"github.com/pakli/pakli/protocol/table"
)

// applyPush takes the two cards that lie as the skat, or pushes them on unseen (SK-R-72). The first
// player who takes them draws them (D-DRAW); any later one is given them (D-GIVE).
func applyPush(s State, p int, m Move) (State, table.Terms, error) {
	switch *m.Choose {
	case Push:
		s.Deal.Pushes++
		return s.afterPush(), table.Terms{}, nil
	case Take:
		if s.Deal.Taker, s.Stage = p, Taking; s.Deal.Holder != nobody {
			s.Stage = Receiving
		}
		return s, table.Terms{}, nil
	}
	return s, table.Terms{}, fmt.Errorf("SK-R-72: take the two cards or push them on, and not %.10q", *m.Choose)
}

func pushMoves(State, int, table.View) []Move {
	return movesFrom([]string{Take, Push}, func(m *Move, word string) { m.Choose = &word })
}

// passOn lays two cards aside that are not jacks (D-NOJACK).
func passOn(s State, p int, m Move) (State, table.Terms, error) {
	places := m.Aside[:]
	var err error
	if s.Deal, err = s.Deal.layAside("SK-R-72", p, *m.Aside); err != nil {
		return s, table.Terms{}, err
	}
	terms := table.Terms{Prove: []table.Condition{noneOf(dNoJack, passGroup, places, Jacks)}}
	return s.afterPush(), terms, nil
}

// asideMoves are all pairs of cards without jacks.
func asideMoves(s State, p int, v table.View) []Move {
	var plain []table.Card
	for _, c := range s.Deal.Hands[p] {
		if f, known := v.Faces[c]; known && !Jacks.Has(f) {
			plain = append(plain, c)
		}
	}
	return movesFrom(pairs(plain), func(m *Move, pair *Pair) { m.Aside = pair })
}

// afterPush asks the next player; after the last one play begins.
func (s State) afterPush() State {
	if s.Deal.Asked == Rearhand {
		s.Stage = Playing
		return s
	}
	s.Deal.Asked++
	s.Stage = Pushing
	return s
}
