package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// current is the trick that the next card belongs to. A leads to the first one,
// the winner of a trick to the next (R-PLAY-1).
func (d Deal) current() Trick {
	n := len(d.Tricks)
	switch {
	case n == 0:
		return Trick{}
	case len(d.Tricks[n-1].Faces) < actives:
		return d.Tricks[n-1]
	}
	return Trick{Leader: d.Tricks[n-1].winner()}
}

func (d Deal) onTurn() int {
	t := d.current()
	return (t.Leader + len(t.Faces)) % actives
}

// winner is the player who takes a complete trick (R-PLAY-5).
func (t Trick) winner() int { return (t.Leader + deck.Winner(t.faces())) % actives }

func (t Trick) faces() []card.Face {
	list := make([]card.Face, len(t.Faces))
	for i, name := range t.Faces {
		list[i], _ = deck.Parse(name)
	}
	return list
}

// play is a card laid to a trick (R-PLAY-2, R-PLAY-3).
func (s State) play(p int, m Move) (State, table.Terms, error) {
	play, err := want(s, m, m.Play, "play")
	if err != nil {
		return s, table.Terms{}, err
	}
	if len(play.Card) != 1 {
		return s, table.Terms{}, fmt.Errorf("R-PLAY-1: one card is played, and not %.20q", play.Card)
	}
	if err := s.Deal.pick("R-PLAY-1", p, play.Card); err != nil {
		return s, table.Terms{}, err
	}
	open, err := s.shown("R-PLAY-1", p, play.Card, []string{play.Face})
	if err != nil {
		return s, table.Terms{}, err
	}
	next := s
	next.Deal.Held[p] = without(s.Deal.Held[p], play.Card)
	next, claims, err := s.lawful(next, p, open[0].Face, play.Side)
	if err != nil {
		return s, table.Terms{}, err
	}
	terms := next.Deal.terms(p, claims)
	terms.Open = open
	return next.laid(p, open[0].Face, play.Face), terms, nil
}

// lawful is what p must prove of the rest of the hand to play f, and next with
// the facts that it proves (62.4.7).
func (s State) lawful(next State, p int, f card.Face, side string) (State, []claim.Claim, error) {
	var claims []claim.Claim
	bound, err := s.bound(p, f, side)
	if err != nil {
		return s, nil, err
	}
	if side != "" {
		claims = append(claims, s.onSide(p, side)...)
		next = next.reveal(p, side == score.Dec.String())
	}
	void, id := s.lacking(p, f, bound)
	if len(void) == 0 || next.Deal.Held[p] == "" { // SK-1
		return next, claims, nil
	}
	var missing card.Set
	for _, suit := range void {
		missing = missing.Union(deck.Of(suit))
	}
	next.Deal.Proven[p] = slices.Concat(next.Deal.Proven[p], void)
	return next, append(claims, claim.Every(id, claim.Rest, deck.Not(missing))), nil
}

// lacking are the suits that p must prove not to hold besides f, and the id of
// that proof: the residual rule. The leader of a trick proves nothing.
func (s State) lacking(p int, f card.Face, bound bool) (void []deck.Suit, id string) {
	t := s.Deal.current()
	if len(t.Faces) == 0 {
		return nil, ""
	}
	led, played := deck.SuitOf(t.faces()[0]), deck.SuitOf(f)
	if led != deck.Tarokk && played != led && !s.Deal.void(p, led) {
		void, id = append(void, led), "P-VOID"
	}
	if (played != deck.Tarokk && played != led || f == deck.Pagat && bound) && !s.Deal.void(p, deck.Tarokk) {
		void = append(void, deck.Tarokk)
		switch {
		case f == deck.Pagat && led == deck.Tarokk:
			id = "P-PAG-T"
		case f == deck.Pagat:
			id = "P-PAG-S"
		case led == deck.Tarokk:
			id = "P-NOTAR"
		default:
			id = "P-VOIDNT"
		}
	}
	return void, id
}

// bound reports whether an announced ultimó binds p, who plays f (R-PLAY-6,
// R-PLAY-7). Only the pagát before the ninth trick is concerned.
func (s State) bound(p int, f card.Face, side string) (bool, error) {
	var b announce.Bound
	if f == deck.Pagat && len(s.Deal.Held[p]) > 1 {
		b = s.Deal.Announce.Bound(s.Rules, p)
	}
	switch {
	case side != "" && (b.Answer != announce.Hidden || side != b.To.Other().String()):
		return false, fmt.Errorf("R-PLAY-7: to show that player %c is on side %.10q does not matter for this card", 'A'+p, side)
	case side != "" || b.Answer == announce.No:
		return false, nil
	case len(s.Deal.current().Faces) == 0:
		return false, fmt.Errorf("R-PLAY-6: the pagát may not be led: pagátultimó was announced, and any other card may be led")
	}
	return true, nil
}

// onSide proves that p is on a side: that the called card is among p's cards, or
// is not (62.4.7).
func (s State) onSide(p int, side string) []claim.Claim {
	called := card.SetOf(*s.Deal.Announce.Called)
	shown := s.Deal.openOf(p).Has(*s.Deal.Announce.Called)
	switch {
	case side == score.Dec.String() && shown:
		return nil
	case side == score.Dec.String():
		return []claim.Claim{claim.AtLeast("P-PAG", 1, claim.Rest, called)}
	}
	return []claim.Claim{claim.Every("P-PAG", claim.Rest, deck.Not(called))}
}

// reveal makes the side of a player public.
func (s State) reveal(p int, withDeclarer bool) State {
	side := score.Def
	if withDeclarer {
		side = score.Dec
	}
	a := s.Deal.Announce.Reveal(p, side)
	s.Deal.Announce = &a
	return s
}

// void reports whether everybody knows that p has no card of a suit: it was
// proved, all its cards are open, or the count leaves none (SK-2 to SK-4).
func (d Deal) void(p int, suit deck.Suit) bool {
	if slices.Contains(d.Proven[p], suit) || deck.Of(suit).Without(d.open()) == (card.Set{}) {
		return true
	}
	if suit == deck.Tarokk {
		return false
	}
	plain := d.playedPlain(p)
	return d.Announce.Counts[p] == handSize || d.Announce.Counts[p] == handSize-1 && plain > 0
}

// playedPlain is how many suit cards p has played.
func (d Deal) playedPlain(p int) int { return d.playedBy(p).Without(deck.Tarokks).Len() }

// laid adds a card to the current trick. The called card shows whose partner its
// player is: the declarer's own, then nobody is (R-CALL-7).
func (s State) laid(p int, f card.Face, face string) State {
	if f == *s.Deal.Announce.Called {
		for _, q := range turns(p)[1:] {
			if p == s.Deal.Outcome.Declarer {
				s = s.reveal(q, false)
			}
		}
		s = s.reveal(p, true)
	}
	t := s.Deal.current()
	if len(t.Faces) == 0 {
		s.Deal.Tricks = append(slices.Clone(s.Deal.Tricks), Trick{Leader: t.Leader, Faces: []string{face}})
	} else {
		s.Deal.Tricks = slices.Clone(s.Deal.Tricks)
		s.Deal.Tricks[len(s.Deal.Tricks)-1].Faces = append(slices.Clone(t.Faces), face)
	}
	if len(s.Deal.Tricks) == handSize && len(t.Faces) == actives-1 {
		return s.played()
	}
	return s
}
