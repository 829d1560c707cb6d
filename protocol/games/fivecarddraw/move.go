package fivecarddraw

import (
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Move is what a seat says; exactly one field is set (92.10). Cards are places of the deal, ascending.
// Cards that are turned up also have their faces, by name.
//
//	{"fold":true}  {"check":true}  {"call":true}
//	{"to":12}                                  a bet or raise to so many chips in this round
//	{"discard":[3,8]}                          cards of the hand put away; [] is none
//	{"pick":[17,40]}                           places for the other seat
//	{"muck":true}
//	{"show":[{"card":0,"face":"AS"},…]}        the hand, five cards
//	{"openers":[{"card":0,"face":"JS"},…]}     two to five of the cards dealt; [] is: I cannot
type Move struct {
	Fold    bool          `json:"fold,omitempty"`
	Check   bool          `json:"check,omitempty"`
	Call    bool          `json:"call,omitempty"`
	To      int           `json:"to,omitempty"`
	Discard *[]table.Card `json:"discard,omitempty"`
	Pick    []table.Card  `json:"pick,omitempty"`
	Muck    bool          `json:"muck,omitempty"`
	Show    []ShownCard   `json:"show,omitempty"`
	Openers *[]ShownCard  `json:"openers,omitempty"`
}

// ShownCard is a card turned up.
type ShownCard struct {
	Card table.Card `json:"card"`
	Face Face       `json:"face"`
}

// Names of the fields of a move.
const (
	fold    = "fold"
	check   = "check"
	call    = "call"
	to      = "to"
	discard = "discard"
	pick    = "pick"
	muck    = "muck"
	show    = "show"
	openers = "openers"
)

// fieldName returns the name of the field that is set, or "" unless exactly one is.
func (m Move) fieldName() string {
	return shared.OnlyField(map[string]bool{
		fold: m.Fold, check: m.Check, call: m.Call, to: m.To != 0, discard: m.Discard != nil,
		pick: len(m.Pick) > 0, muck: m.Muck, show: len(m.Show) > 0, openers: m.Openers != nil,
	})
}
