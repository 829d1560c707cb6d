package report

import (
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Language has the words of one language: those of package words, and the report's.
type Language struct{ scene.Language }

var languages = texts.ByTag()

// Languages lists the tags of the languages.
func Languages() []string { return scene.Languages() }

// LanguageOf returns the language with a tag.
func LanguageOf(tag string) (Language, bool) {
	l, ok := scene.LanguageFor(tag)
	return Language{l.WithTexts(languages[l.Tag])}, ok
}

// seatText returns a seat's letter and name.
func (l Language) seatText(seat table.Seat, name string) string {
	return l.Say("seat", "letter", SeatLetter(seat), "name", plain.Isolate(name))
}

// SeatLetter returns a seat's letter: A for seat 0.
func SeatLetter(seat table.Seat) string { return string(rune('A' + seat)) }
