package scene

import (
	"encoding/json"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Note is something to be said, without its words: the key of a text, and what
// stands in the places that the text has for it. words.go has the texts.
type Note struct {
	ID   string `json:"id"`
	Args []Arg  `json:"args,omitempty"`
}

// Arg is a value of a note. Beside Name one of the fields is set; which of them says
// how it is written.
type Arg struct {
	Name   string      `json:"name"`
	Number *int        `json:"number,omitempty"`
	Seat   *table.Seat `json:"seat,omitempty"` // its name
	Face   string      `json:"face,omitempty"` // a card, by its name in the deck
	Rule   string      `json:"rule,omitempty"` // a rule's number
	Text   string      `json:"text,omitempty"` // from outside: shown as text and as nothing else
	Note   *Note       `json:"note,omitempty"`
	List   []Arg       `json:"list,omitempty"` // "a, b and c"; their names are empty
}

// Say makes a note.
func Say(id string, args ...Arg) Note { return Note{id, args} }

// BothNotes is a note with another right behind it.
func BothNotes(a, b Note) Note { return Say("both", NoteArg("a", a), NoteArg("b", b)) }

// JoinNotes are notes, one at least, by the text that puts b behind a: "with.besides" is a comma,
// "and.then" a semicolon.
func JoinNotes(id string, list []Note) Note {
	if len(list) == 1 {
		return list[0]
	}
	return Say(id, NoteArg("a", list[0]), NoteArg("b", JoinNotes(id, list[1:])))
}

// TaskOf is what is waited for in a stage, of those that wait for players; none in any other.
func TaskOf[S comparable](tasks map[S]string, stage S) Note {
	if id, waits := tasks[stage]; waits {
		return Say("task." + id)
	}
	return Note{}
}

// Number is a value that is a number. A text with two forms goes by the number n.
func Number(name string, n int) Arg { return Arg{Name: name, Number: &n} }

// SeatArg is a value that is a seat.
func SeatArg(name string, seat table.Seat) Arg { return Arg{Name: name, Seat: &seat} }

// Card is a value that is a card, by its name in the deck.
func Card(name, face string) Arg { return Arg{Name: name, Face: face} }

// Rule is a value that is a rule's number.
func Rule(name, id string) Arg { return Arg{Name: name, Rule: id} }

// Text is a value from outside.
func Text(name, text string) Arg { return Arg{Name: name, Text: text} }

// NoteArg is a value that is a note itself.
func NoteArg(name string, n Note) Arg { return Arg{Name: name, Note: &n} }

// List is a value that is a list of others, whose names do not matter.
func List(name string, list ...Arg) Arg { return Arg{Name: name, List: list} }

// Notes is a list of notes.
func Notes(name string, notes ...Note) Arg {
	return listArg(name, notes, func(n Note) Arg { return NoteArg("", n) })
}

// Cards is a list of cards.
func Cards(name string, faces ...string) Arg {
	return listArg(name, faces, func(f string) Arg { return Card("", f) })
}

// Seats is a list of seats.
func Seats(name string, seats ...table.Seat) Arg {
	return listArg(name, seats, func(s table.Seat) Arg { return SeatArg("", s) })
}

func listArg[T any](name string, values []T, arg func(T) Arg) Arg {
	list := make([]Arg, len(values))
	for i, v := range values {
		list[i] = arg(v)
	}
	return List(name, list...)
}

// Face is a card of a deck as people know it.
type Face struct {
	Words  Note     `json:"words"`            // in full: "king of hearts"
	Suit   string   `json:"suit,omitempty"`   // "H", "D", "C", "S": hearts, diamonds, clubs, spades; "T": trumps with a numeral; "": none of these
	Rank   string   `json:"rank,omitempty"`   // as it stands on the card: "K", "10", "XIX"; a star if it is empty and Suit is not
	Honour bool     `json:"honour,omitempty"` // a card that stands out
	Order  int      `json:"order"`            // in a hand, from the left
	Typed  []string `json:"typed,omitempty"`  // how it may be typed besides, in capitals
}

// Words are what a game says: a text for every key of its notes in every language, its
// cards, and what people agree on before they play.
type Words struct {
	Texts map[string]map[string]string // by BCP 47 tag and key
	Face  func(name string) (Face, bool)

	Players int // how many usually play; 0: 4
	Terms   Terms
}

// Texts are texts by key, each in English, German and Hungarian.
type Texts map[string][3]string

// ReadTexts reads texts from a list of rows, [key, English, German, Hungarian]. Rows that are none are a
// fault of the program.
func ReadTexts(rows []byte) Texts {
	var list [][]string
	if err := json.Unmarshal(rows, &list); err != nil {
		panic(err)
	}
	t := make(Texts, len(list))
	for _, row := range list {
		if _, twice := t[row[0]]; twice || len(row) != 4 {
			panic(fmt.Sprintf("scene: %q are no new key and three texts", row))
		}
		t[row[0]] = [3]string(row[1:])
	}
	return t
}

// ByTag are the texts of each language, by its BCP 47 tag and by key.
func (t Texts) ByTag() map[string]map[string]string {
	all := map[string]map[string]string{}
	for i, tag := range []string{"en", "de", "hu"} {
		all[tag] = make(map[string]string, len(t))
		for key, languages := range t {
			all[tag][key] = languages[i]
		}
	}
	return all
}

// Claim is a condition in words: "{Group} held {What}", and why the game asks for it.
type Claim struct {
	ID    string `json:"id,omitempty"` // of the game's catalogue of proofs
	What  Note   `json:"what"`
	Group Note   `json:"group"`
	Why   *Note  `json:"why,omitempty"`
}

// AnyClaim is a condition of which nothing is known but its numbers.
func AnyClaim(c table.Condition) Claim {
	return Claim{ID: c.Claim, What: boundsNote(c.Min, c.Max, c.Set), Group: Say("group.any")}
}

func boundsNote(least, most int, set card.Set) Note {
	return Say("claim.any", Number("min", least), Number("max", most), Number("size", set.Len()))
}

// Sheet is how a deal ended.
type Sheet struct {
	Deal     int       `json:"deal"` // from 1
	Text     Note      `json:"text"`
	Lines    []Line    `json:"lines,omitempty"`
	Payments []Payment `json:"payments"`
}

// Line is one item of a score sheet.
type Line struct {
	Rule   string `json:"rule"`
	Text   Note   `json:"text"`
	For    *Note  `json:"for,omitempty"` // side that it counts for
	Points int    `json:"points"`
}

// Sum is a line below the deals of a list: the points, games won and lost, a bonus, the
// total, a rank. It has an amount for each seat.
type Sum struct {
	Rule    string `json:"rule,omitempty"`
	Text    Note   `json:"text"`
	Amounts []int  `json:"amounts"`
	Count   bool   `json:"count,omitempty"` // of things or a rank: written without a sign
}

// Payment is what a seat got from a deal: by the sheet, besides, and in all.
type Payment struct {
	Seat  table.Seat `json:"seat"`
	Game  int        `json:"game"`
	Other int        `json:"other"`
	Total int        `json:"total"`
}
