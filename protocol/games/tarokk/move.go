package tarokk

import (
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Move is a player's choice: exactly one of its fields is set, the one that the stage asks for. Cards
// are named by their letters in the mover's hand, and by their faces where they are turned up.
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
	Knock    *bool       `json:"knock,omitempty"`
	Packet   *int        `json:"packet,omitempty"`
	Call     *Call       `json:"call,omitempty"`
	Confirm  *bool       `json:"confirm,omitempty"`
	Trial    *bool       `json:"trial,omitempty"`
	Annul    *string     `json:"annul,omitempty"`
	Discard  *string     `json:"discard,omitempty"`
	Disclose *Disclosure `json:"disclose,omitempty"`
	Say      *Speech     `json:"say,omitempty"`
	Play     *Play       `json:"play,omitempty"`
	Open     *[]string   `json:"open,omitempty"`
	Claim    *bool       `json:"claim,omitempty"`
	Fee      *[]string   `json:"fee,omitempty"`
	Wish     *string     `json:"wish,omitempty"`
}

// Disclosure says which of a player's discards are tarokks. Open are their faces, which only the
// declarer shows.
type Disclosure struct {
	Tarokks string   `json:"tarokks"`
	Open    []string `json:"open,omitempty"`
}

// Speech is a turn of the announcements. Discards is set in a player's first turn if discards are
// announced only then.
type Speech struct {
	Turn     []string    `json:"turn"`
	Discards *Disclosure `json:"discards,omitempty"`
}

// Play is a card that is played. A player who plays the pagát early sets Side, to show that the
// announced ultimó is not his side's (R-PLAY-7).
type Play struct {
	Card string `json:"card"`
	Face string `json:"face"`
	Side string `json:"side,omitempty"`
}

// fieldName is the name of the field that is set; empty unless exactly one is.
func (m Move) fieldName() string {
	return shared.OnlyField(map[string]bool{
		"knock": m.Knock != nil, "packet": m.Packet != nil, "call": m.Call != nil, "confirm": m.Confirm != nil, "trial": m.Trial != nil,
		"annul": m.Annul != nil, "discard": m.Discard != nil, "disclose": m.Disclose != nil, "say": m.Say != nil, "play": m.Play != nil,
		"open": m.Open != nil, "claim": m.Claim != nil, "fee": m.Fee != nil, "wish": m.Wish != nil,
	})
}

// parseFace reads the name of a card of this table's pack.
func (s State) parseFace(rule, name string) (card.Face, error) {
	f, err := ParseFace(name)
	if err != nil || FaceNameIn(s.Rules.RedLow, f) != name {
		return 0, fmt.Errorf("%s: %.10q is no card of the pack", rule, name)
	}
	return f, nil
}

// turnUpCards pairs the cards behind letters with the faces turned up there.
func (s State) turnUpCards(rule string, p int, letters string, faces []string) ([]table.ShownCard, error) {
	if len(faces) != len(letters) {
		return nil, fmt.Errorf("%s: %d faces for %d cards", rule, len(faces), len(letters))
	}
	list := make([]table.ShownCard, len(faces))
	for i, name := range faces {
		f, err := s.parseFace(rule, name)
		if err != nil {
			return nil, err
		}
		list[i] = table.ShownCard{Card: s.Deal.CardAt(p, letters[i]), Face: f}
	}
	return list, nil
}
