// Package record is the game record of Hungarian tarokk: deals as text that
// people write and read, as chess has PGN (docs/spec/63-tarokk-record.md), and a
// referee who replays them.
//
// A [Session] is a file: who sat where and by which rules, and its deals, each a list of lines in the
// order of play. [Parse] reads it with the words, numerals and names that people write, and says which
// line is wrong; [Session.Text] writes its one canonical form. A record may leave out what nobody wrote
// down, such as hands that follow from tricks and discards, or which cards of a hand came from the
// talon.
//
// [Score] drives the same tarokk.Rules as a table does, but without cryptography. It compares every
// condition that they set with the cards of the record, and finds the payments, or the first rule that
// was broken. What the record does not tell is a doubt and never a fault. A [Recorder] makes records
// from the moves of a table.
package record

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
)

// Version is the version of the format.
const Version = "1"

// Bounds of a record. A deal with all its lines has about eighty.
const (
	MaxBytes = 16 << 20
	MaxLine  = 1_000 // bytes
	MaxDeals = 10_000
	maxText  = 200 // bytes in a tag's value
)

// Session is a record: deals of one evening.
type Session struct {
	Event   string            `json:"event,omitempty"` // free text
	Site    string            `json:"site,omitempty"`
	Date    string            `json:"date,omitempty"`
	Table   string            `json:"table,omitempty"` // id of the table, if it was played on a log
	Preset  string            `json:"preset"`
	Options map[string]string `json:"options"` // those that differ from the preset
	Members []string          `json:"members"` // around the table, each the right-hand neighbour of the one before
	Length  int               `json:"length"`  // number of deals after which the session is over; 0: not said
	Notes   []string          `json:"notes,omitempty"`
	Deals   []Deal            `json:"deals"`
}

// Deal is one deal. Tags that it leaves out follow from the deal before.
type Deal struct {
	Number int      `json:"number"` // from 1, counting deals that were thrown in
	Dealer string   `json:"dealer,omitempty"`
	Rounds []int    `json:"rounds"` // deals left of each double round that runs, including this one
	Pool   *int     `json:"pool,omitempty"`
	Notes  []string `json:"notes,omitempty"`
	Lines  []Line   `json:"lines"`
	At     int      `json:"-"` // line number in the text; it is no part of the record
}

// Line is one statement of a deal.
type Line struct {
	Key   string      `json:"key"`
	Seat  int         `json:"seat"` // 0 to 3 for A to D, or Nobody
	Cards []card.Face `json:"cards,omitempty"`
	Words []string    `json:"words,omitempty"` // for lines without cards
	Notes []string    `json:"notes,omitempty"` // comments after the line
	At    int         `json:"-"`
}

// Nobody stands for no seat.
const Nobody = -1

// Unknown stands for a card that the record does not name.
const Unknown = card.Face(card.MaxFaces)

const seatNames = "ABCD"

// findLine returns the line of a key and a seat, or nil.
func (d *Deal) findLine(key string, seat int) *Line {
	for i := range d.Lines {
		if l := &d.Lines[i]; l.Key == key && l.Seat == seat {
			return l
		}
	}
	return nil
}

func (d *Deal) linesOf(key string) []*Line {
	var list []*Line
	for i := range d.Lines {
		if d.Lines[i].Key == key {
			list = append(list, &d.Lines[i])
		}
	}
	return list
}

// hasLine reports whether there is a line of any of the keys.
func (d *Deal) hasLine(keys ...string) bool {
	return slices.ContainsFunc(d.Lines, func(l Line) bool { return slices.Contains(keys, l.Key) })
}

// thrownIn reports whether the deal ended without payment: all passed, or a hand was annulled.
func (d *Deal) thrownIn() bool {
	bids := d.findLine("bids", Nobody)
	return d.hasLine("annul") || bids != nil && !slices.ContainsFunc(bids.Words, func(w string) bool { _, call := cutSeat(w); return call != "pass" })
}

// lineCards are the cards of a line, or nil if there is no such line.
func (d *Deal) lineCards(key string, seat int) []card.Face {
	if l := d.findLine(key, seat); l != nil {
		return l.Cards
	}
	return nil
}

// lineWords are the words of a line without a seat.
func (d *Deal) lineWords(key string) []string {
	if l := d.findLine(key, Nobody); l != nil {
		return l.Words
	}
	return nil
}

// lineNumber is the number of the line of a key and a seat, or else of the deal.
func (d *Deal) lineNumber(key string, seat int) int {
	if l := d.findLine(key, seat); l != nil {
		return l.At
	}
	return d.At
}
