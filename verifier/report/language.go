package report

import (
	"github.com/pakli/pakli/protocol/scene/words"
	"github.com/pakli/pakli/protocol/table"
)

// Language is the words of one language: those of package words, and the report's.
type Language struct{ words.Language }

var languages = texts.ByTag()

// Languages lists the tags of the languages.
func Languages() []string { return words.Languages() }

// In returns the language with a tag.
func In(tag string) (Language, bool) {
	l, ok := words.In(tag)
	return Language{l.With(languages[l.Tag])}, ok
}

// seat is a seat of the table, by letter and name.
func (l Language) seat(seat table.Seat, name string) string {
	return l.Say("seat", "letter", Letter(seat), "name", name)
}

// Letter is a seat's: A is seat 0.
func Letter(seat table.Seat) string { return string(rune('A' + seat)) }
