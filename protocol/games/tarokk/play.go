package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Trickplay is what has been played.
type Trickplay struct {
	Tricks []Trick         `json:"tricks"`
	Proven [actives][]Suit `json:"proven"` // by player, the suits he has proved not to hold
}

// Trick is the cards played to a trick, from the leader on.
type Trick struct {
	Leader int      `json:"leader"`
	Faces  []string `json:"faces"`
}

// currentTrick is the trick to which the next card belongs. A leads to the first, then the winner of
// each trick to the next (R-PLAY-1).
func (d Trickplay) currentTrick() Trick {
	n := len(d.Tricks)
	switch {
	case n == 0:
		return Trick{}
	case len(d.Tricks[n-1].Faces) < actives:
		return d.Tricks[n-1]
	}
	return Trick{Leader: d.Tricks[n-1].Winner()}
}

func (d Trickplay) onTurn() int {
	t := d.currentTrick()
	return (t.Leader + len(t.Faces)) % actives
}

// Winner is the player who takes a complete trick (R-PLAY-5).
func (t Trick) Winner() int {
	return (t.Leader + shared.TrickWinner(TrickRules{}, t.parsedFaces())) % actives
}

func (t Trick) parsedFaces() []card.Face {
	list := make([]card.Face, len(t.Faces))
	for i, name := range t.Faces {
		list[i], _ = ParseFace(name)
	}
	return list
}

// playing waits for a card to the trick (R-PLAY-2, R-PLAY-3).
type playing struct{ State }

func (y playing) awaitedSeats() []table.Seat { return y.Deal.seatsOf(y.Deal.onTurn()) }

// possiblePlays are all the cards of the hand; the pagát also as the card of a player who shows his
// side.
func (y playing) possiblePlays(p int, v table.View) []Play {
	var list []Play
	for i, name := range y.cardNames(v, y.Deal.CardsAt(p, y.Deal.Held[p])) {
		play := Play{Card: y.Deal.Held[p][i : i+1], Face: name}
		list = append(list, play)
		if name == FaceName(Pagat) {
			for _, side := range []Side{DeclarerSide, DefenderSide} {
				play.Side = side.String()
				list = append(list, play)
			}
		}
	}
	return list
}

func (y playing) possibleMoves(p int, v table.View) []Move {
	return movesFrom(y.possiblePlays(p, v), func(m *Move, play Play) { m.Play = &play })
}

func (y playing) applyMove(p int, m Move) (State, table.Terms, error) {
	play := *m.Play
	if len(play.Card) != 1 {
		return y.State, table.Terms{}, fmt.Errorf("R-PLAY-1: one card is played, and not %.20q", play.Card)
	}
	if err := y.Deal.checkPicked("R-PLAY-1", p, play.Card); err != nil {
		return y.State, table.Terms{}, err
	}
	open, err := y.turnUpCards("R-PLAY-1", p, play.Card, []string{play.Face})
	if err != nil {
		return y.State, table.Terms{}, err
	}
	deal, claims, err := y.proofsToPlay(p, play, open[0].Face)
	if err != nil {
		return y.State, table.Terms{}, err
	}
	terms := deal.claimTerms(p, claims)
	terms.Open = open
	if y.Deal = deal.withCard(p, open[0].Face, play.Face); y.Deal.hasAllTricks() {
		return y.beginSettlement(), terms, nil
	}
	return y.State, terms, nil
}

// proofsToPlay is the deal after p has played the card, with the facts that this proves, and what p
// must prove about the rest of his hand in order to play it (62.4.7).
func (y playing) proofsToPlay(p int, play Play, f card.Face) (Deal, []Claim, error) {
	bound, shown, err := y.ultimoBinds(p, f, play.Side)
	if err != nil {
		return y.Deal, nil, err
	}
	next := y.Deal
	next.Held[p] = withoutLetters(next.Held[p], play.Card)
	var claims []Claim
	if shown != UnknownSide {
		claims, next = y.onSide(p, shown), next.revealSide(p, shown)
	}
	void, id := y.Deal.lackedSuits(p, f, bound)
	if len(void) == 0 || next.Held[p] == "" { // SK-1
		return next, claims, nil
	}
	var missing card.Set
	for _, suit := range void {
		missing = missing.Union(CardsOf(suit))
	}
	next.Proven[p] = slices.Concat(next.Proven[p], void)
	return next, append(claims, EveryCard(id, RestOfHand, AllBut(missing))), nil
}

// lackedSuits are the suits that p must prove not to hold when he plays f, and the id of that proof:
// the residual rule. The leader of a trick proves nothing.
func (d Deal) lackedSuits(p int, f card.Face, bound bool) (void []Suit, id string) {
	t := d.currentTrick()
	if len(t.Faces) == 0 {
		return nil, ""
	}
	led, pagat := t.parsedFaces()[0], f == Pagat && bound
	void = shared.LackedClasses(TrickRules{}, led, f, func(suit Suit) bool { return d.isKnownVoid(p, suit) })
	if pagat && !d.isKnownVoid(p, Tarokk) {
		void = append(void, Tarokk)
	}
	switch {
	case !slices.Contains(void, Tarokk):
		return void, "P-VOID"
	case pagat && IsTarokk(led):
		return void, "P-PAG-T"
	case pagat:
		return void, "P-PAG-S"
	case IsTarokk(led):
		return void, "P-NOTAR"
	}
	return void, "P-VOIDNT"
}

// ultimoBinds reports whether an announced ultimó binds p, who plays f (R-PLAY-6, R-PLAY-7), and the
// side that p shows, which frees him. It concerns only the pagát before the ninth trick.
func (y playing) ultimoBinds(p int, f card.Face, side string) (bound bool, shown Side, err error) {
	var b PagatRetention
	if f == Pagat && len(y.Deal.Held[p]) > 1 {
		b = y.Deal.Announce.RetentionOf(y.Rules, p)
	}
	switch {
	case side != "" && (b.Answer != AnswerHidden || side != b.To.OtherSide().String()):
		return false, shown, fmt.Errorf("R-PLAY-7: to show that player %c is on side %.10q does not matter for this card", 'A'+p, side)
	case side != "":
		return false, b.To.OtherSide(), nil
	case b.Answer != AnswerNo && len(y.Deal.currentTrick().Faces) == 0:
		return false, shown, fmt.Errorf("R-PLAY-6: the pagát may not be led: pagátultimó was announced, and any other card may be led")
	}
	return b.Answer != AnswerNo, shown, nil
}

// onSide proves that p is on a side: that the called card is among p's cards, or is not (62.4.7).
func (y playing) onSide(p int, side Side) []Claim {
	called := card.SetOf(*y.Deal.Announce.Called)
	switch {
	case side == DefenderSide:
		return []Claim{EveryCard("P-PAG", RestOfHand, AllBut(called))}
	case y.Deal.openOf(p).Has(*y.Deal.Announce.Called):
		return nil
	}
	return []Claim{AtLeast("P-PAG", 1, RestOfHand, called)}
}

// revealSide makes the side of a player public.
func (d Deal) revealSide(p int, side Side) Deal {
	a := d.Announce.RevealSide(p, side)
	d.Announce = &a
	return d
}

// isKnownVoid reports whether everybody knows that p has no card of a suit: he has proved it, all its
// cards are open, or his announced count leaves no room for one (SK-2 to SK-4).
func (d Deal) isKnownVoid(p int, suit Suit) bool {
	if slices.Contains(d.Proven[p], suit) || CardsOf(suit).Minus(d.openCards()) == (card.Set{}) {
		return true
	}
	count := d.Announce.Counts[p] // of tarokks
	return suit != Tarokk && (count == handSize || count == handSize-1 && d.playedPlain(p) > 0)
}

func (d Trickplay) playedBy(p int) card.Set {
	var faces []string
	for _, t := range d.Tricks {
		if i := (p - t.Leader + actives) % actives; i < len(t.Faces) {
			faces = append(faces, t.Faces[i])
		}
	}
	return setOf(faces)
}

// playedPlain is the number of cards other than tarokks that p has played.
func (d Trickplay) playedPlain(p int) int { return d.playedBy(p).Minus(Tarokks).Len() }

// hasAllTricks reports whether all tricks are complete.
func (d Trickplay) hasAllTricks() bool {
	return len(d.Tricks) == handSize && len(d.Tricks[handSize-1].Faces) == actives
}

// withCard adds a card to the current trick. The called card shows the declarer's partner; if the
// declarer himself plays it, he has none (R-CALL-7).
func (d Deal) withCard(p int, f card.Face, face string) Deal {
	if f == *d.Announce.Called {
		for _, q := range playersFrom(p)[1:] {
			if p == d.Outcome.Declarer {
				d = d.revealSide(q, DefenderSide)
			}
		}
		d = d.revealSide(p, DeclarerSide)
	}
	t := d.currentTrick()
	d.Tricks = slices.Clone(d.Tricks)
	if len(t.Faces) == 0 {
		d.Tricks = append(d.Tricks, Trick{Leader: t.Leader})
	}
	d.Tricks[len(d.Tricks)-1].Faces = append(slices.Clone(t.Faces), face)
	return d
}

// playerOf is the player of a card, or nobody.
func (d Trickplay) playerOf(f card.Face) int {
	for _, t := range d.Tricks {
		if i := slices.Index(t.parsedFaces(), f); i >= 0 {
			return (t.Leader + i) % actives
		}
	}
	return nobody
}

// xxiCapture are the players of the skíz and of the XXI, if both are in the trick.
func (t Trick) xxiCapture() (captor, loser int) {
	skiz, xxi := slices.Index(t.parsedFaces(), Skiz), slices.Index(t.parsedFaces(), XXI)
	if skiz < 0 || xxi < 0 {
		return nobody, nobody
	}
	return (t.Leader + skiz) % actives, (t.Leader + xxi) % actives
}

// pagatFate is the holder of the pagát, and what became of it in the ninth trick.
func (d Trickplay) pagatFate() (holder int, ninth Fate) {
	holder = d.playerOf(Pagat)
	last := d.Tricks[handSize-1]
	switch {
	case !slices.Contains(last.parsedFaces(), Pagat):
		return holder, NotPlayed
	case last.Winner() == holder:
		return holder, UltimoWon
	}
	return holder, UltimoLost
}
