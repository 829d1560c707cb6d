package tarokk

import (
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/table"
)

// Move is a player's choice: exactly one of its fields is set, the one that its
// stage asks for. Cards are named by their letter in the mover's hand, and by
// their face where they are turned up.
//
//	{"knock":true}                               knock instead of cutting
//	{"packet":2}                                 take the third packet, from 0
//	{"call":"three"}                             pass, hold, three, two, one, solo
//	{"confirm":true}                             prove the card of an invit
//	{"trial":false}                              admit that there is no honour
//	{"annul":"d"}                                throw the deal in; "" to play it
//	{"discard":"adk"}                            lay cards away
//	{"disclose":{"tarokks":"d","open":["T7"]}}   which discards are tarokks; the declarer turns his up
//	{"say":{"turn":["call:T20","fig:trull"]}}    announce; an empty turn is a pass
//	{"play":{"card":"f","face":"HK"}}            play a card
//	{"open":["HQ","DA"]}                         turn the discards up, in the order of their letters
//	{"claim":true}                               claim a count late
//	{"fee":["T22"]}                              honours drawn from the talon
//	{"wish":"go"}                                between deals: go, skiz or stop
type Move struct {
	Knock    *bool         `json:"knock,omitempty"`
	Packet   *int          `json:"packet,omitempty"`
	Call     *auction.Call `json:"call,omitempty"`
	Confirm  *bool         `json:"confirm,omitempty"`
	Trial    *bool         `json:"trial,omitempty"`
	Annul    *string       `json:"annul,omitempty"`
	Discard  *string       `json:"discard,omitempty"`
	Disclose *Disclosure   `json:"disclose,omitempty"`
	Say      *Speech       `json:"say,omitempty"`
	Play     *Play         `json:"play,omitempty"`
	Open     *[]string     `json:"open,omitempty"`
	Claim    *bool         `json:"claim,omitempty"`
	Fee      *[]string     `json:"fee,omitempty"`
	Wish     *string       `json:"wish,omitempty"`
}

// Disclosure says which of a player's discards are tarokks. Open are the faces
// of these, of the declarer only.
type Disclosure struct {
	Tarokks string   `json:"tarokks"`
	Open    []string `json:"open,omitempty"`
}

// Speech is a turn of the announcements. Discards is set in a player's first
// turn if discards are announced only then.
type Speech struct {
	Turn     []string    `json:"turn"`
	Discards *Disclosure `json:"discards,omitempty"`
}

// Play is a card played. Side is set by a player who plays the pagát early and
// shows thereby that the announced ultimó is not of his side (R-PLAY-7).
type Play struct {
	Card string `json:"card"`
	Face string `json:"face"`
	Side string `json:"side,omitempty"`
}

// fields counts those that are set.
func (m Move) fields() int {
	n := 0
	for _, set := range []bool{m.Knock != nil, m.Packet != nil, m.Call != nil, m.Confirm != nil, m.Trial != nil, m.Annul != nil, m.Discard != nil,
		m.Disclose != nil, m.Say != nil, m.Play != nil, m.Open != nil, m.Claim != nil, m.Fee != nil, m.Wish != nil} {
		if set {
			n++
		}
	}
	return n
}

// want returns what a stage asks for, or an error if the move is anything else.
func want[T any](s State, m Move, field *T, name string) (T, error) {
	if field == nil || m.fields() != 1 {
		var none T
		return none, fmt.Errorf("stage %q: the move must have the field %q and no other", s.Stage, name)
	}
	return *field, nil
}

// face reads the name of a card as it is in this table's pack.
func (s State) face(rule, name string) (card.Face, error) {
	f, err := deck.Parse(name)
	if err != nil || deck.NameIn(s.Rules.RedLow, f) != name {
		return 0, fmt.Errorf("%s: %.10q is no card of the pack", rule, name)
	}
	return f, nil
}

// pick checks that letters are cards in the hand of p, in ascending order.
func (d Deal) pick(rule string, p int, letters string) error {
	for i := range letters {
		if !strings.Contains(d.Held[p], letters[i:i+1]) || i > 0 && letters[i] <= letters[i-1] {
			return fmt.Errorf("%s: %.20q are not different cards of the hand %q in ascending order", rule, letters, d.Held[p])
		}
	}
	return nil
}

// shown are the cards behind letters, turned up as faces.
func (s State) shown(rule string, p int, letters string, faces []string) ([]table.Shown, error) {
	if len(faces) != len(letters) {
		return nil, fmt.Errorf("%s: %d faces for %d cards", rule, len(faces), len(letters))
	}
	list := make([]table.Shown, len(faces))
	for i, name := range faces {
		f, err := s.face(rule, name)
		if err != nil {
			return nil, err
		}
		list[i] = table.Shown{Card: s.Deal.place(p, letters[i]), Face: f}
	}
	return list, nil
}

// terms are the conditions that claims of player p make of the cards as they
// are grouped in d.
func (d Deal) terms(p int, claims []claim.Claim) table.Terms {
	var t table.Terms
	for _, c := range claims {
		cards := d.group(p, c.Of)
		t.Prove = append(t.Prove, table.Condition{
			Cards: cards, Set: c.Set, Min: c.AtLeast(len(cards)), Max: min(c.Max, len(cards)),
			Dealt: c.Of == claim.Dealt || c.Of == claim.Drawn,
			Claim: c.ID, Group: c.Of.String(),
		})
	}
	return t
}

func (d Deal) group(p int, g claim.Group) []table.Card {
	switch g {
	case claim.Dealt:
		return d.Cards[p][:handSize]
	case claim.Drawn:
		return d.Cards[p][handSize:]
	case claim.Exchanged:
		return d.Cards[p]
	case claim.Hand, claim.Rest:
		return d.places(p, d.Held[p])
	case claim.Discards:
		return d.places(p, d.Discards[p].Letters)
	case claim.TarokkOf:
		return d.places(p, d.Discards[p].Tarokks)
	case claim.PlainOf:
		return d.places(p, without(d.Discards[p].Letters, d.Discards[p].Tarokks))
	}
	panic(fmt.Sprintf("tarokk: no group %d", g))
}
