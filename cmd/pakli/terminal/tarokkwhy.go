package terminal

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// why puts into words what a player could not prove. What the rules refuse
// whatever the cards they have said themselves.
func (t seen) why(m tarokk.Move, err error) error {
	var u *tarokk.Untrue
	if !errors.As(err, &u) {
		return err
	}
	switch t.Stage {
	case tarokk.Bidding:
		return t.whyNotCall(u)
	case tarokk.Discarding:
		return t.whyNotDiscard(u)
	case tarokk.Announcing:
		return t.whyNotSay(u)
	case tarokk.Playing:
		return t.whyNotPlay(m, u)
	case tarokk.Annulling, tarokk.AnnullingFirst:
		return fmt.Errorf("R-ANN-1: yours is no hand %s", *m.Annul)
	}
	return fmt.Errorf("it is not so: of your cards %s", t.missing(u))
}

// missing is a condition in words.
func (t seen) missing(u *tarokk.Untrue) string {
	return fmt.Sprintf("%s, %d to %d would have to be of %s", t.faces(u.Faces), u.Min, u.Max, t.faces(u.Set.Faces()))
}

// wrong are the cards that are not as they would have to be.
func (t seen) wrong(u *tarokk.Untrue) string {
	return t.faces(slices.DeleteFunc(slices.Clone(u.Faces), u.Set.Has))
}

// only returns the one card of a set.
func only(s card.Set) (card.Face, bool) {
	if s.Len() != 1 {
		return 0, false
	}
	return s.Faces()[0], true
}

func (t seen) whyNotCall(u *tarokk.Untrue) error {
	f, one := only(u.Set)
	switch {
	case u.Set == deck.Honours:
		return fmt.Errorf("R-BID-4: a bid needs an honour, and none of %s was dealt to you: you must pass", t.faces(u.Set.Faces()))
	case u.Set == deck.BigHonours:
		return fmt.Errorf("R-CONV-11: this call shows the XXI or the skíz, and neither was dealt to you")
	case f == deck.XX && one:
		return fmt.Errorf("R-CONV-11, R-CONV-12: this pass would yield the game, which shows the XX, and it was not dealt to you")
	case one:
		return fmt.Errorf("R-CONV-6: this call is an invit, which shows the %s, and it was not dealt to you", deck.Roman(f))
	}
	return fmt.Errorf("R-CONV-6: of the cards dealt to you, %s", t.missing(u))
}

func (t seen) whyNotDiscard(u *tarokk.Untrue) error {
	for _, f := range u.Faces {
		if deck.Honours.Has(f) || deck.Kings.Has(f) {
			return fmt.Errorf("R-DISC-2: kings and honours may not be discarded, and %s is one", t.faces([]card.Face{f}))
		}
	}
	return fmt.Errorf("R-DISC-3, OPT-DISC-XX: %s may not be discarded in this deal", t.wrong(u))
}

// whyNotSay tells the claims of the announcements apart by their sets.
func (t seen) whyNotSay(u *tarokk.Untrue) error {
	p := t.me()
	discards := slices.ContainsFunc(u.Cards, func(c table.Card) bool {
		return !slices.ContainsFunc([]byte(t.Deal.Held[p]), func(letter byte) bool { return t.Deal.Cards[p][letter-'a'] == c })
	})
	without, excludes := only(deck.Not(u.Set))
	f, one := only(u.Set)
	called := t.Deal.Announce.Called
	switch {
	case u.Set == deck.BigHonours:
		return errors.New("R-CONV-8: your only honour in the bidding was the pagát, so you must announce ultimo now")
	case u.Set == deck.Tarokks:
		return fmt.Errorf("R-CNT-1: you must say how many tarokks you hold, of %s", t.faces(u.Faces))
	case u.Set == deck.Plain:
		return errors.New("R-CNT-3: with this you must announce your eight or nine tarokks, first in the same turn")
	case called == nil:
		return errors.New("R-CALL-3: who calls below the XX must hold every tarokk from the XX down to the one called, and not that one")
	case one && f == *called && !discards:
		return fmt.Errorf("R-SIDE-7: the declarer's partner says this, and you do not hold the %s", deck.Roman(f))
	case one && f == *called:
		return fmt.Errorf("R-CALL-8: the called %s is not in your discard, and no contra of yours is compulsory", deck.Roman(f))
	case excludes && without == *called && discards:
		return fmt.Errorf("R-CALL-8: the called %s lies in your discard: you must contra the game now", deck.Roman(without))
	case excludes && without == *called:
		return fmt.Errorf("R-SIDE-7: an opponent says this, and you hold the called %s", deck.Roman(without))
	}
	return fmt.Errorf("R-ANC-2: of your cards %s", t.missing(u))
}

func (t seen) whyNotPlay(m tarokk.Move, u *tarokk.Untrue) error {
	if m.Play.Side != "" && (u.Set.Len() == 1 || deck.Not(u.Set).Len() == 1 || len(t.Deal.Tricks) == 0) {
		return fmt.Errorf("R-PLAY-7: you are not of the side %s", m.Play.Side)
	}
	f, _ := deck.Parse(m.Play.Face)
	led := t.Deal.Tricks[len(t.Deal.Tricks)-1].Faces
	first, _ := deck.Parse(led[0])
	wrong := t.wrong(u)
	switch {
	case f == deck.Pagat && deck.IsTarokk(first), f == deck.Pagat && !slices.ContainsFunc(u.Faces, deck.Of(deck.SuitOf(first)).Has):
		return fmt.Errorf("R-PLAY-6: pagátultimó was announced: you must keep the pagát while you can play %s", wrong)
	case slices.ContainsFunc(u.Faces, deck.Of(deck.SuitOf(first)).Has):
		return fmt.Errorf("R-PLAY-3: you must follow suit (%s), and can with %s", deck.SuitOf(first), wrong)
	}
	return fmt.Errorf("R-PLAY-3: who cannot follow suit must play a tarokk, and you have %s", wrong)
}
