package skat

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Move is what a player says: exactly one of its fields is set. Cards are places
// of the deal, and where they are turned up, faces by name.
//
//	{"call":"18"}                                                   a value, yes or pass
//	{"choose":"take"}                                               the skat, or "hand"; in a Schieberamsch "take" or "push"
//	{"aside":[4,31]}                                                pass two cards on (Schieberamsch)
//	{"announce":{"discard":[4,31],"game":"C","ann":0,"ouvert":false}}   after a hand game without discard
//	{"kontra":true}                                                 and {"re":false}
//	{"open":["7C",…]}                                               the ouvert hand, in the order of its places
//	{"play":{"card":3,"face":"JC"}}                                 a card
//	{"concede":true}                                                give the game up, or offer it
//	{"agree":false}                                                 to the offer of another
//	{"claim":{"level":1,"faces":["7C",…]}}                          all further tricks; the cards that are not open yet
//	{"answer":"accept"}                                             or "play-on"
//	{"lay":["7C",…]}                                                the cards that decide matadors, in the order of their places
//	{"matadors":{"with":true,"n":2}}                                and their proof
type Move struct {
	Call     *Call         `json:"call,omitempty"`
	Choose   *string       `json:"choose,omitempty"`
	Aside    *Pair         `json:"aside,omitempty"`
	Announce *Announcement `json:"announce,omitempty"`
	Kontra   *bool         `json:"kontra,omitempty"`
	Re       *bool         `json:"re,omitempty"`
	Open     *[]Face       `json:"open,omitempty"`
	Play     *Play         `json:"play,omitempty"`
	Concede  *bool         `json:"concede,omitempty"`
	Agree    *bool         `json:"agree,omitempty"`
	Claim    *Claim        `json:"claim,omitempty"`
	Answer   *string       `json:"answer,omitempty"`
	Lay      *[]Face       `json:"lay,omitempty"`
	Matadors *Matadors     `json:"matadors,omitempty"`
}

// Pair is two places, in ascending order.
type Pair [skatSize]table.Card

// Announcement is a game, with the discards if the declarer took the skat.
type Announcement struct {
	Discard *Pair `json:"discard,omitempty"`
	Game    Game  `json:"game"`
	Ann     int   `json:"ann"`
	Ouvert  bool  `json:"ouvert"`
}

// Play is a card that is played.
type Play struct {
	Card table.Card `json:"card"`
	Face Face       `json:"face"`
}

// Claim is a claim of all remaining tricks at a level, with the faces of those cards in hand that are
// not open yet, in the order of their places.
type Claim struct {
	Level int    `json:"level"`
	Faces []Face `json:"faces"`
}

// The words in moves.
const (
	Take   = "take"
	Hand   = "hand"
	Push   = "push"
	Accept = "accept"
	PlayOn = "play-on"
)

// fieldName is the name of the field that is set; empty unless exactly one is.
func (m Move) fieldName() string {
	return shared.OnlyField(map[string]bool{
		"call": m.Call != nil, "choose": m.Choose != nil, "aside": m.Aside != nil, "announce": m.Announce != nil,
		"kontra": m.Kontra != nil, "re": m.Re != nil, "open": m.Open != nil, "play": m.Play != nil, "concede": m.Concede != nil,
		"agree": m.Agree != nil, "claim": m.Claim != nil, "answer": m.Answer != nil, "lay": m.Lay != nil, "matadors": m.Matadors != nil,
	})
}

// turnUpCards pairs places with the faces turned up there.
func turnUpCards(rule string, places []table.Card, faces []Face) ([]table.ShownCard, error) {
	if len(faces) != len(places) {
		return nil, fmt.Errorf("%s: %d faces for %d cards", rule, len(faces), len(places))
	}
	list := make([]table.ShownCard, len(faces))
	for i, f := range faces {
		if slices.Contains(faces[:i], f) {
			return nil, fmt.Errorf("%s: %v is named twice", rule, f)
		}
		list[i] = table.ShownCard{Card: places[i], Face: card.Face(f)}
	}
	return list, nil
}
