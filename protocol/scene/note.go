package scene

import (
	"encoding/json"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Note is something to say, without its words: the key of a text, and the values for the places in it.
// words.go has the texts.
type Note struct {
	ID   string `json:"id"`
	Args []Arg  `json:"args,omitempty"`
}

// Arg is a value of a note. One field besides Name is set, and decides how the value is written.
type Arg struct {
	Name   string      `json:"name"`
	Number *int        `json:"number,omitempty"`
	Seat   *table.Seat `json:"seat,omitempty"` // written as its name
	Face   string      `json:"face,omitempty"` // a card, by its name in the deck
	Rule   string      `json:"rule,omitempty"` // a rule's number
	Text   string      `json:"text,omitempty"` // from outside: only ever shown as text
	Note   *Note       `json:"note,omitempty"`
	List   []Arg       `json:"list,omitempty"` // "a, b and c"; their names are empty
}

// Say returns a note.
func Say(id string, args ...Arg) Note { return Note{id, args} }

// BothNotes returns a note followed directly by another.
func BothNotes(a, b Note) Note { return Say("both", NoteArg("a", a), NoteArg("b", b)) }

// JoinNotes joins at least one note by the text that puts b behind a: "with.besides" is a comma,
// "and.then" a semicolon.
func JoinNotes(id string, list []Note) Note {
	if len(list) == 1 {
		return list[0]
	}
	return Say(id, NoteArg("a", list[0]), NoteArg("b", JoinNotes(id, list[1:])))
}

// TaskOf returns what play waits for in a stage, or the zero Note if the stage waits for no player.
func TaskOf[S comparable](tasks map[S]string, stage S) Note {
	if id, waits := tasks[stage]; waits {
		return Say("task." + id)
	}
	return Note{}
}

// Number returns a number as a value. The value "n" decides between the two forms of a text.
func Number(name string, n int) Arg { return Arg{Name: name, Number: &n} }

// SeatArg returns a seat as a value.
func SeatArg(name string, seat table.Seat) Arg { return Arg{Name: name, Seat: &seat} }

// Card returns a card as a value, by its name in the deck.
func Card(name, face string) Arg { return Arg{Name: name, Face: face} }

// Rule returns a rule's number as a value.
func Rule(name, id string) Arg { return Arg{Name: name, Rule: id} }

// Text returns a text from outside as a value.
func Text(name, text string) Arg { return Arg{Name: name, Text: text} }

// NoteArg returns a note as a value.
func NoteArg(name string, n Note) Arg { return Arg{Name: name, Note: &n} }

// List returns a list of values, whose names do not matter, as a value.
func List(name string, list ...Arg) Arg { return Arg{Name: name, List: list} }

// Notes returns a list of notes as a value.
func Notes(name string, notes ...Note) Arg {
	return listArg(name, notes, func(n Note) Arg { return NoteArg("", n) })
}

// Cards returns a list of cards as a value.
func Cards(name string, faces ...string) Arg {
	return listArg(name, faces, func(f string) Arg { return Card("", f) })
}

// Seats returns a list of seats as a value.
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
	Words Note `json:"words"` // in full: "king of hearts"
	// "H", "D", "C", "S": hearts, diamonds, clubs, spades; "T": trumps with a numeral; "": none of
	// these
	Suit string `json:"suit,omitempty"`
	// as on the card: "K", "10", "XIX"; if it is empty and Suit is not, a star
	Rank   string   `json:"rank,omitempty"`
	Honour bool     `json:"honour,omitempty"` // a card that stands out
	Order  int      `json:"order"`            // position in a hand, from the left
	Typed  []string `json:"typed,omitempty"`  // other ways to type it, in capitals
}

// Words are what a game says: a text for every key of its notes in every language, its cards, and what
// people agree on before they play.
type Words struct {
	Texts map[string]map[string]string // by BCP 47 tag and key
	Face  func(name string) (Face, bool)

	Players int // how many usually play; 0: 4
	Terms   Terms
}

// Texts are texts by key, in English, German and Hungarian.
type Texts map[string][3]string

// ReadTexts reads texts from a list of rows, [key, English, German, Hungarian]. It panics on malformed
// rows, which are a fault of the program.
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

// ByTag returns the texts of each language, by BCP 47 tag and key.
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

// AnyClaim returns the claim of a condition of which only the numbers are known.
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
	For    *Note  `json:"for,omitempty"` // the side that the line counts for
	Points int    `json:"points"`
}

// Sum is a line below the deals of a list, with an amount for each seat: the points, games won and
// lost, a bonus, the total, a rank.
type Sum struct {
	Rule    string `json:"rule,omitempty"`
	Text    Note   `json:"text"`
	Amounts []int  `json:"amounts"`
	Count   bool   `json:"count,omitempty"` // whether the amounts are counts or a rank, written without a sign
}

// Payment is what a seat got from a deal: by the sheet, otherwise, and in total.
type Payment struct {
	Seat  table.Seat `json:"seat"`
	Game  int        `json:"game"`
	Other int        `json:"other"`
	Total int        `json:"total"`
}
