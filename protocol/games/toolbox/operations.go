package toolbox

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// applied is a state while a move changes it.
type applied struct {
	State
	in    table.Input[Move]
	m     Move
	terms table.Terms
	err   error // the first
}

type operation struct {
	fields string // that a move of it may have
	do     func(*applied)
}

// operations by name (93.3).
var operations = map[string]operation{
	"deck":    {"", (*applied).deck},
	"create":  {"pile faces", (*applied).create},
	"mask":    {"pile", (*applied).mask},
	"private": {"pile faces", (*applied).private},
	"random":  {"pile faces", (*applied).random},
	"mix":     {"pile", func(a *applied) { a.arrange(table.Mix) }},
	"cut":     {"pile", func(a *applied) { a.arrange(table.Cut) }},
	"equal":   {"pile to", (*applied).equal},
	"insert":  {"cards pile", (*applied).insert},
	"return":  {"cards pile", (*applied).giveBack},
	"join":    {"to pile", (*applied).join},
	"split":   {"pile n to", (*applied).split},
	"take":    {"pile n to", (*applied).take},
	"deal":    {"pile n seat", (*applied).deal},
	"show":    {"cards faces", (*applied).show},
	"give":    {"cards seat", (*applied).give},
	"draw":    {"cards", (*applied).draw},
	"permute": {"", (*applied).permute},
	"state":   {"cards faces min-max", (*applied).state},
	"coin":    {"n value", (*applied).coin},
	"commit":  {"value", (*applied).commit},
	"reveal":  {"value", (*applied).reveal},
	"end":     {"", func(a *applied) { a.Over = true }},
}

func (a *applied) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// then adds a phase to what the move needs. The state before keeps its own list.
func (a *applied) then(duties ...table.Duty) { a.Steps = append(slices.Clip(a.Steps), duties) }

// me is the mover.
func (a *applied) me() []table.Seat { return []table.Seat{a.in.Seat} }

// pile is one that there is.
func (a *applied) pile(name string) []table.Card {
	pile := a.Piles[name]
	if len(pile) == 0 {
		a.fail("TB-PILE: there is no pile %q", name)
	}
	return pile
}

// open reports whether a card of a pile was laid open.
func (a *applied) open(c table.Card) bool {
	_, open := a.in.Faces[c]
	return open
}

func (a *applied) hidden(cards []table.Card) {
	if slices.ContainsFunc(cards, a.open) {
		a.fail("TB-OPEN: an open card is masked or mixed first")
	}
}

// seat is the one that is named, and is not the mover.
func (a *applied) seat() table.Seat {
	for _, s := range a.all() {
		if s.Letter() == a.m.Seat {
			return s
		}
	}
	a.fail("TB-SEAT: there is no seat %q", a.m.Seat)
	return 0
}

func (a *applied) cards(low, high int) []table.Card {
	if a.m.Cards == nil || len(*a.m.Cards) < low || len(*a.m.Cards) > high {
		a.fail("TB-CARDS: %s needs %d to %d cards", a.m.Op, low, high)
		return nil
	}
	return *a.m.Cards
}

// faces are those of the move, of the deck.
func (a *applied) faces() []card.Face {
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

// set is the faces of the move, each once, ascending.
func (a *applied) set() card.Set {
	faces := a.faces()
	set := card.SetOf(faces...)
	if !slices.Equal(set.Faces(), faces) && len(faces) > 0 {
		a.fail("TB-FACES: the faces of a set come each once, and ascend")
	}
	return set
}

// perMessage is how many cards with a proof each a message can have (10.6).
const perMessage = 32

// places are of n new cards.
func (a *applied) places(n int) []table.Card {
	list := make([]table.Card, n)
	for i := range list {
		list[i] = table.Card(a.Places + i)
	}
	a.Places += n
	return list
}

// put puts cards under a pile.
func (a *applied) put(name string, cards []table.Card) {
	a.Piles[name] = append(slices.Clip(a.Piles[name]), cards...)
}

// own takes cards out of the mover's hand.
func (a *applied) own(cards []table.Card) { a.out(a.in.Seat, cards) }

func (a *applied) out(seat table.Seat, cards []table.Card) {
	for _, c := range cards {
		i := slices.Index(a.Hands[seat], c)
		if i < 0 {
			a.fail("TB-HAND: card %d is not in the hand of seat %s, or named twice", c, seat.Letter())
			return
		}
		a.Hands[seat] = slices.Delete(slices.Clone(a.Hands[seat]), i, i+1)
	}
}

func (a *applied) to(seat table.Seat, cards []table.Card) {
	a.Hands[seat] = append(slices.Clip(a.Hands[seat]), cards...)
}

// deck: all cards of before are gone; every seat shuffles the deck.
func (a *applied) deck() {
	a.Piles, a.Hands, a.Places = map[string][]table.Card{}, make([][]table.Card, a.Seats), 0
	a.put("deck", a.places(a.Faces))
	a.then(table.Duty{Kind: table.Shuffle, Seats: a.all()})
}

func mint(seats []table.Seat, sets ...card.Set) table.Duty {
	return table.Duty{Kind: table.Mint, Seats: seats, Sets: sets}
}

func single(faces []card.Face) (sets []card.Set) {
	for _, f := range faces {
		sets = append(sets, card.SetOf(f))
	}
	return sets
}

// create lays open cards (TB-01).
func (a *applied) create() {
	faces := a.faces()
	a.put(a.m.Pile, a.places(len(faces)))
	a.then(mint(nil, single(faces)...))
}

// mask puts a masked card in the place of each open one of a pile (TB-02).
func (a *applied) mask() {
	pile := slices.Clone(a.pile(a.m.Pile))
	var faces []card.Face
	for i, c := range pile {
		if f, open := a.in.Faces[c]; open {
			faces, pile[i] = append(faces, f), a.places(1)[0]
		}
	}
	if len(faces) == 0 {
		a.fail("TB-OPEN: no card of pile %s is open", a.m.Pile)
	}
	a.Piles[a.m.Pile] = pile
	for some := range slices.Chunk(faces, perMessage) {
		a.then(mint(a.me(), single(some)...))
	}
}

// private lays a card of which its maker alone knows which of the faces it has (TB-03).
func (a *applied) private() {
	set := a.set()
	a.put(a.m.Pile, a.places(1))
	a.then(mint(a.me(), set))
}

// random lays a card of any of the faces, which nobody chose (TB-04).
func (a *applied) random() {
	set := a.set()
	all := a.places(set.Len())
	if a.err == nil {
		a.put(a.m.Pile, all[:1])
	}
	a.then(mint(nil, single(set.Faces())...))
	a.then(table.Duty{Kind: table.Cut, Seats: a.all(), Cards: all})
}

// arrange mixes or cuts a pile (TB-05, TB-08, TB-10).
func (a *applied) arrange(kind table.Kind) {
	a.then(table.Duty{Kind: kind, Seats: a.me(), Cards: a.pile(a.m.Pile)})
}

// equal makes one pile another, of which the mix proves that it has the same cards
// (TB-11).
func (a *applied) equal() {
	if len(a.Piles[a.m.To]) > 0 {
		a.fail("TB-11: there is a pile %q already; what is equal to pile %q is mixed from it", a.m.To, a.m.Pile)
	}
	a.arrange(table.Mix)
	pile := a.Piles[a.m.Pile]
	delete(a.Piles, a.m.Pile)
	a.put(a.m.To, pile)
}

// insert puts a card at a place of a pile that the mover alone knows (TB-13): a hand card
// of the mover, or one of another pile.
func (a *applied) insert() {
	cards := a.cards(1, 1)
	if a.err != nil {
		return
	}
	a.leave(cards[0])
	a.put(a.m.Pile, cards)
	a.then(table.Duty{Kind: table.Insert, Seats: a.me(), Cards: a.Piles[a.m.Pile]})
}

// leave takes a card out of its pile, or out of the mover's hand, to which it is
// returned first.
func (a *applied) leave(c table.Card) {
	for name, pile := range a.Piles {
		if i := slices.Index(pile, c); i >= 0 && name != a.m.Pile {
			a.Piles[name] = slices.Delete(slices.Clone(pile), i, i+1)
			return
		}
	}
	a.own([]table.Card{c})
	a.then(table.Duty{Kind: table.Return, Seats: a.me(), Cards: []table.Card{c}})
}

// giveBack puts hand cards under a pile, face down (TB-14).
func (a *applied) giveBack() {
	cards := a.cards(1, MaxPile)
	a.own(cards)
	a.put(a.m.Pile, cards)
	for some := range slices.Chunk(cards, perMessage) {
		a.then(table.Duty{Kind: table.Return, Seats: a.me(), Cards: some})
	}
}

// join puts one pile under another (TB-07).
func (a *applied) join() {
	pile := a.pile(a.m.Pile)
	if a.m.To == a.m.Pile {
		a.fail("TB-PILE: a pile is not joined to itself")
	}
	delete(a.Piles, a.m.Pile)
	a.put(a.m.To, pile)
}

// split puts the first n cards of a pile under another (TB-07).
func (a *applied) split() {
	a.put(a.m.To, a.top())
}

// top takes the first n cards off a pile.
func (a *applied) top() []table.Card {
	pile, n := a.pile(a.m.Pile), a.m.N
	if n < 1 || n > len(pile) || a.m.To == a.m.Pile {
		a.fail("TB-CARDS: %d cards of pile %s, which has %d", n, a.m.Pile, len(pile))
		return nil
	}
	a.Piles[a.m.Pile] = pile[n:]
	return pile[:n]
}

// take puts the n-th card of a pile, from 0, under another (TB-07).
func (a *applied) take() {
	pile, n := a.pile(a.m.Pile), a.m.N
	if n < 0 || n >= len(pile) || a.m.To == a.m.Pile {
		a.fail("TB-CARDS: card %d of pile %s, which has %d", n, a.m.Pile, len(pile))
		return
	}
	a.Piles[a.m.Pile] = slices.Delete(slices.Clone(pile), n, n+1)
	a.put(a.m.To, pile[n:n+1])
}

// deal shows the first n cards of a pile to one seat (TB-06).
func (a *applied) deal() {
	cards, to := a.top(), a.seat()
	a.hidden(cards)
	a.to(to, cards)
	a.then(table.Duty{Kind: table.Show, Seats: a.others(to), Cards: cards, To: []table.Seat{to}})
}

func (a *applied) others(seat table.Seat) []table.Seat {
	return slices.DeleteFunc(a.all(), func(s table.Seat) bool { return s == seat })
}

// show opens cards to all (TB-06): of the mover's hand, with the faces that it says they
// have, or of piles, with none.
func (a *applied) show() {
	cards := a.cards(1, MaxPile)
	if a.m.Faces != nil {
		if faces := a.faces(); len(faces) == len(cards) {
			for i, c := range cards {
				a.terms.Open = append(a.terms.Open, table.Shown{Card: c, Face: faces[i]})
			}
		} else {
			a.fail("TB-FACES: %d faces for %d cards", len(faces), len(cards))
		}
		a.own(cards)
		return
	}
	a.hidden(cards)
	for _, c := range cards {
		a.from(c)
	}
	a.then(table.Duty{Kind: table.Show, Seats: a.all(), Cards: cards})
}

// from takes a card out of its pile.
func (a *applied) from(c table.Card) {
	for name, pile := range a.Piles {
		if i := slices.Index(pile, c); i >= 0 {
			a.Piles[name] = slices.Delete(slices.Clone(pile), i, i+1)
			return
		}
	}
	a.fail("TB-PILE: card %d is in no pile", c)
}

// give hands hidden cards over (TB-15).
func (a *applied) give() {
	cards, to := a.cards(1, MaxPile), a.seat()
	if to == a.in.Seat {
		a.fail("TB-SEAT: a seat gives no card to itself")
	}
	a.own(cards)
	a.to(to, cards)
	for some := range slices.Chunk(cards, perMessage) {
		a.then(table.Duty{Kind: table.Give, Seats: a.me(), Cards: some, To: []table.Seat{to}})
	}
}

// draw takes a card at a place of another's hand (TB-16).
func (a *applied) draw() {
	cards := a.cards(1, 1)
	if a.err != nil {
		return
	}
	for _, holder := range a.others(a.in.Seat) {
		if slices.Contains(a.Hands[holder], cards[0]) {
			a.out(holder, cards)
			a.to(a.in.Seat, cards)
			a.then(table.Duty{Kind: table.Give, Seats: []table.Seat{holder}, Cards: cards, To: a.me()})
			return
		}
	}
	a.fail("TB-HAND: card %d is in no other hand", cards[0])
}

// permute shuffles the mover's hand (TB-09).
func (a *applied) permute() {
	switch n := len(a.Hands[a.in.Seat]); {
	case n < 2:
		a.fail("TB-HAND: fewer than two cards have no other order")
	case n > MaxPile:
		a.fail("TB-SIZE: a hand of %d cards, at most %d are permuted", n, MaxPile)
	}
	a.then(table.Duty{Kind: table.Permute, Seats: a.me(), Cards: a.Hands[a.in.Seat]})
}

// state proves how many of some hand cards have one of the faces (TB-12, TB-17).
func (a *applied) state() {
	cards, set := a.cards(1, MaxPile), a.set()
	if a.m.Min < 0 || a.m.Min > a.m.Max || a.m.Min > len(cards) {
		a.fail("TB-17: from %d to %d of %d cards", a.m.Min, a.m.Max, len(cards))
	}
	a.terms.Prove = []table.Condition{{Cards: cards, Set: set, Min: a.m.Min, Max: a.m.Max}}
}
