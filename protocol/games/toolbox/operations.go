package toolbox

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// stateChange is a state being changed by a move.
type stateChange struct {
	State
	in    table.Input[Move]
	m     Move
	terms table.Terms
	err   error // the first error
}

type operation struct {
	fields string // fields that a move of it may have
	do     func(*stateChange)
}

// operations by name (93.3).
var operations = map[string]operation{
	"deck":    {"", (*stateChange).shuffleDeck},
	"create":  {"pile faces", (*stateChange).createCards},
	"mask":    {"pile", (*stateChange).maskPile},
	"private": {"pile faces", (*stateChange).createPrivate},
	"random":  {"pile faces", (*stateChange).createRandom},
	"mix":     {"pile", func(a *stateChange) { a.arrangePile(table.Mix) }},
	"cut":     {"pile", func(a *stateChange) { a.arrangePile(table.Cut) }},
	"equal":   {"pile to", (*stateChange).mixEqualPile},
	"insert":  {"cards pile", (*stateChange).insertCard},
	"return":  {"cards pile", (*stateChange).giveBack},
	"join":    {"to pile", (*stateChange).joinPiles},
	"split":   {"pile n to", func(a *stateChange) { a.putUnderPile(a.m.To, a.takeTop()) }},
	"take":    {"pile n to", (*stateChange).takeCard},
	"deal":    {"pile n seat", (*stateChange).dealToSeat},
	"show":    {"cards faces", (*stateChange).showCards},
	"give":    {"cards seat", (*stateChange).giveCards},
	"draw":    {"cards", (*stateChange).drawCard},
	"permute": {"", (*stateChange).permuteHand},
	"state":   {"cards faces min-max", (*stateChange).stateCondition},
	"coin":    {"n value", (*stateChange).beginThrow},
	"commit":  {"value", (*stateChange).addCommitment},
	"reveal":  {"value", (*stateChange).revealShare},
	"end":     {"", func(a *stateChange) { a.Over = true }},
}

func (a *stateChange) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// addPhase adds a phase that the move needs. The state before keeps its own list.
func (a *stateChange) addPhase(duties ...table.Duty) { a.Steps = append(slices.Clip(a.Steps), duties) }

func (a *stateChange) moverSeats() []table.Seat { return []table.Seat{a.in.Seat} }

// existingPile returns a pile, and fails if there is none.
func (a *stateChange) existingPile(name string) []table.Card {
	pile := a.Piles[name]
	if len(pile) == 0 {
		a.fail("TB-PILE: there is no pile %q", name)
	}
	return pile
}

// isOpen reports whether a card of a pile was laid open.
func (a *stateChange) isOpen(c table.Card) bool {
	_, open := a.in.Faces[c]
	return open
}

func (a *stateChange) requireHidden(cards []table.Card) {
	if slices.ContainsFunc(cards, a.isOpen) {
		a.fail("TB-OPEN: an open card is masked or mixed first")
	}
}

// namedSeat returns the named seat, which must not be the mover.
func (a *stateChange) namedSeat() table.Seat {
	for _, s := range a.allSeats() {
		if s.Letter() == a.m.Seat {
			return s
		}
	}
	a.fail("TB-SEAT: there is no seat %q", a.m.Seat)
	return 0
}

func (a *stateChange) namedCards(low, high int) []table.Card {
	if a.m.Cards == nil || len(*a.m.Cards) < low || len(*a.m.Cards) > high {
		a.fail("TB-CARDS: %s needs %d to %d cards", a.m.Op, low, high)
		return nil
	}
	return *a.m.Cards
}

// namedFaces returns the faces of the move, which must be of the deck.
func (a *stateChange) namedFaces() []card.Face {
	if a.m.Faces == nil || len(*a.m.Faces) < 1 || len(*a.m.Faces) > MaxPile {
		a.fail("TB-FACES: %s needs 1 to %d faces", a.m.Op, MaxPile)
		return nil
	}
	for _, f := range *a.m.Faces {
		if int(f) >= a.Faces {
			a.fail("TB-FACES: there is no face %d, the deck has %d", f, a.Faces)
		}
	}
	return *a.m.Faces
}

// namedSet returns the faces of the move, which must be distinct and ascend.
func (a *stateChange) namedSet() card.Set {
	faces := a.namedFaces()
	set := card.SetOf(faces...)
	if !slices.Equal(set.Faces(), faces) && len(faces) > 0 {
		a.fail("TB-FACES: the faces of a set come each once, and ascend")
	}
	return set
}

// perMessage is how many cards with a proof each a message can have (10.6).
const perMessage = 32

func (a *stateChange) newPlaces(n int) []table.Card {
	list := make([]table.Card, n)
	for i := range list {
		list[i] = table.Card(a.Places + i)
	}
	a.Places += n
	return list
}

func (a *stateChange) putUnderPile(name string, cards []table.Card) {
	a.Piles[name] = append(slices.Clip(a.Piles[name]), cards...)
}

func (a *stateChange) takeFromMover(cards []table.Card) { a.takeFromHand(a.in.Seat, cards) }

func (a *stateChange) takeFromHand(seat table.Seat, cards []table.Card) {
	for _, c := range cards {
		i := slices.Index(a.Hands[seat], c)
		if i < 0 {
			a.fail("TB-HAND: card %d is not in the hand of seat %s, or named twice", c, seat.Letter())
			return
		}
		a.Hands[seat] = slices.Delete(slices.Clone(a.Hands[seat]), i, i+1)
	}
}

func (a *stateChange) addToHand(seat table.Seat, cards []table.Card) {
	a.Hands[seat] = append(slices.Clip(a.Hands[seat]), cards...)
}

// shuffleDeck drops all earlier cards; every seat shuffles the deck.
func (a *stateChange) shuffleDeck() {
	a.Piles, a.Hands, a.Places = map[string][]table.Card{}, make([][]table.Card, a.Seats), 0
	a.putUnderPile("deck", a.newPlaces(a.Faces))
	a.addPhase(table.Duty{Kind: table.Shuffle, Seats: a.allSeats()})
}

func mintDuty(seats []table.Seat, sets ...card.Set) table.Duty {
	return table.Duty{Kind: table.Mint, Seats: seats, Sets: sets}
}

func singleSets(faces []card.Face) (sets []card.Set) {
	for _, f := range faces {
		sets = append(sets, card.SetOf(f))
	}
	return sets
}

// createCards lays open cards (TB-01).
func (a *stateChange) createCards() {
	faces := a.namedFaces()
	a.putUnderPile(a.m.Pile, a.newPlaces(len(faces)))
	a.addPhase(mintDuty(nil, singleSets(faces)...))
}

// maskPile puts a masked card in the place of each open one of a pile (TB-02).
func (a *stateChange) maskPile() {
	pile := slices.Clone(a.existingPile(a.m.Pile))
	var faces []card.Face
	for i, c := range pile {
		if f, open := a.in.Faces[c]; open {
			faces, pile[i] = append(faces, f), a.newPlaces(1)[0]
		}
	}
	if len(faces) == 0 {
		a.fail("TB-OPEN: no card of pile %s is open", a.m.Pile)
	}
	a.Piles[a.m.Pile] = pile
	for some := range slices.Chunk(faces, perMessage) {
		a.addPhase(mintDuty(a.moverSeats(), singleSets(some)...))
	}
}

// createPrivate lays a card of which only its maker knows which of the faces it has (TB-03).
func (a *stateChange) createPrivate() {
	set := a.namedSet()
	a.putUnderPile(a.m.Pile, a.newPlaces(1))
	a.addPhase(mintDuty(a.moverSeats(), set))
}

// createRandom lays a card of any of the faces, which nobody chose (TB-04).
func (a *stateChange) createRandom() {
	set := a.namedSet()
	all := a.newPlaces(set.Len())
	if a.err == nil {
		a.putUnderPile(a.m.Pile, all[:1])
	}
	a.addPhase(mintDuty(nil, singleSets(set.Faces())...))
	a.addPhase(table.Duty{Kind: table.Cut, Seats: a.allSeats(), Cards: all})
}

// arrangePile mixes or cuts a pile (TB-05, TB-08, TB-10).
func (a *stateChange) arrangePile(kind table.Kind) {
	a.addPhase(table.Duty{Kind: kind, Seats: a.moverSeats(), Cards: a.existingPile(a.m.Pile)})
}

// mixEqualPile makes a pile by mixing another, which proves that both have the same cards (TB-11).
func (a *stateChange) mixEqualPile() {
	if len(a.Piles[a.m.To]) > 0 {
		a.fail("TB-11: there is a pile %q already; what is equal to pile %q is mixed from it", a.m.To, a.m.Pile)
	}
	a.arrangePile(table.Mix)
	pile := a.Piles[a.m.Pile]
	delete(a.Piles, a.m.Pile)
	a.putUnderPile(a.m.To, pile)
}

// insertCard puts a hand card of the mover, or a card of another pile, at a place of a pile that only
// the mover knows (TB-13).
func (a *stateChange) insertCard() {
	cards := a.namedCards(1, 1)
	if a.err != nil {
		return
	}
	a.leavePile(cards[0])
	a.putUnderPile(a.m.Pile, cards)
	a.addPhase(table.Duty{Kind: table.Insert, Seats: a.moverSeats(), Cards: a.Piles[a.m.Pile]})
}

// leavePile takes a card out of its pile, or out of the mover's hand, from which it is returned first.
func (a *stateChange) leavePile(c table.Card) {
	for name, pile := range a.Piles {
		if i := slices.Index(pile, c); i >= 0 && name != a.m.Pile {
			a.Piles[name] = slices.Delete(slices.Clone(pile), i, i+1)
			return
		}
	}
	a.takeFromMover([]table.Card{c})
	a.addPhase(table.Duty{Kind: table.Return, Seats: a.moverSeats(), Cards: []table.Card{c}})
}

// giveBack puts hand cards under a pile, face down (TB-14).
func (a *stateChange) giveBack() {
	cards := a.namedCards(1, MaxPile)
	a.takeFromMover(cards)
	a.putUnderPile(a.m.Pile, cards)
	for some := range slices.Chunk(cards, perMessage) {
		a.addPhase(table.Duty{Kind: table.Return, Seats: a.moverSeats(), Cards: some})
	}
}

// joinPiles puts one pile under another (TB-07).
func (a *stateChange) joinPiles() {
	pile := a.existingPile(a.m.Pile)
	if a.m.To == a.m.Pile {
		a.fail("TB-PILE: a pile is not joined to itself")
	}
	delete(a.Piles, a.m.Pile)
	a.putUnderPile(a.m.To, pile)
}

// takeTop takes the first n cards from a pile.
func (a *stateChange) takeTop() []table.Card {
	pile, n := a.existingPile(a.m.Pile), a.m.N
	if n < 1 || n > len(pile) || a.m.To == a.m.Pile {
		a.fail("TB-CARDS: %d cards of pile %s, which has %d", n, a.m.Pile, len(pile))
		return nil
	}
	a.Piles[a.m.Pile] = pile[n:]
	return pile[:n]
}

// takeCard puts the n-th card of a pile, from 0, under another (TB-07).
func (a *stateChange) takeCard() {
	pile, n := a.existingPile(a.m.Pile), a.m.N
	if n < 0 || n >= len(pile) || a.m.To == a.m.Pile {
		a.fail("TB-CARDS: card %d of pile %s, which has %d", n, a.m.Pile, len(pile))
		return
	}
	a.Piles[a.m.Pile] = slices.Delete(slices.Clone(pile), n, n+1)
	a.putUnderPile(a.m.To, pile[n:n+1])
}

// dealToSeat shows the first n cards of a pile to one seat (TB-06).
func (a *stateChange) dealToSeat() {
	cards, to := a.takeTop(), a.namedSeat()
	a.requireHidden(cards)
	a.addToHand(to, cards)
	a.addPhase(table.Duty{Kind: table.Show, Seats: a.otherSeats(to), Cards: cards, To: []table.Seat{to}})
}

func (a *stateChange) otherSeats(seat table.Seat) []table.Seat {
	return slices.DeleteFunc(a.allSeats(), func(s table.Seat) bool { return s == seat })
}

// showCards opens cards to all (TB-06): of the mover's hand, with the faces that it says they have, or
// of piles, without faces.
func (a *stateChange) showCards() {
	cards := a.namedCards(1, MaxPile)
	if a.m.Faces != nil {
		if faces := a.namedFaces(); len(faces) == len(cards) {
			for i, c := range cards {
				a.terms.Open = append(a.terms.Open, table.ShownCard{Card: c, Face: faces[i]})
			}
		} else {
			a.fail("TB-FACES: %d faces for %d cards", len(faces), len(cards))
		}
		a.takeFromMover(cards)
		return
	}
	a.requireHidden(cards)
	for _, c := range cards {
		a.takeFromPile(c)
	}
	a.addPhase(table.Duty{Kind: table.Show, Seats: a.allSeats(), Cards: cards})
}

func (a *stateChange) takeFromPile(c table.Card) {
	for name, pile := range a.Piles {
		if i := slices.Index(pile, c); i >= 0 {
			a.Piles[name] = slices.Delete(slices.Clone(pile), i, i+1)
			return
		}
	}
	a.fail("TB-PILE: card %d is in no pile", c)
}

// giveCards hands hidden cards over (TB-15).
func (a *stateChange) giveCards() {
	cards, to := a.namedCards(1, MaxPile), a.namedSeat()
	if to == a.in.Seat {
		a.fail("TB-SEAT: a seat gives no card to itself")
	}
	a.takeFromMover(cards)
	a.addToHand(to, cards)
	for some := range slices.Chunk(cards, perMessage) {
		a.addPhase(table.Duty{Kind: table.Give, Seats: a.moverSeats(), Cards: some, To: []table.Seat{to}})
	}
}

// drawCard takes a card at a place of another seat's hand (TB-16).
func (a *stateChange) drawCard() {
	cards := a.namedCards(1, 1)
	if a.err != nil {
		return
	}
	for _, holder := range a.otherSeats(a.in.Seat) {
		if slices.Contains(a.Hands[holder], cards[0]) {
			a.takeFromHand(holder, cards)
			a.addToHand(a.in.Seat, cards)
			a.addPhase(table.Duty{Kind: table.Give, Seats: []table.Seat{holder}, Cards: cards, To: a.moverSeats()})
			return
		}
	}
	a.fail("TB-HAND: card %d is in no other hand", cards[0])
}

// permuteHand shuffles the mover's hand (TB-09).
func (a *stateChange) permuteHand() {
	switch n := len(a.Hands[a.in.Seat]); {
	case n < 2:
		a.fail("TB-HAND: fewer than two cards have no other order")
	case n > MaxPile:
		a.fail("TB-SIZE: a hand of %d cards, at most %d are permuted", n, MaxPile)
	}
	a.addPhase(table.Duty{Kind: table.Permute, Seats: a.moverSeats(), Cards: a.Hands[a.in.Seat]})
}

// stateCondition proves how many of some hand cards have one of the faces (TB-12, TB-17).
func (a *stateChange) stateCondition() {
	cards, set := a.namedCards(1, MaxPile), a.namedSet()
	if a.m.Min < 0 || a.m.Min > a.m.Max || a.m.Min > len(cards) {
		a.fail("TB-17: from %d to %d of %d cards", a.m.Min, a.m.Max, len(cards))
	}
	a.terms.Prove = []table.Condition{{Cards: cards, Set: set, Min: a.m.Min, Max: a.m.Max}}
}
