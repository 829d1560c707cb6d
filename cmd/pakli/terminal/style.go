package terminal

import (
	"os"
	"strings"
)

// Style is what signs a terminal can show.
type Style struct {
	ASCII bool // suits as letters
	Brief bool // whole tricks, where a course of play is read afterwards
}

// StyleOf reads from the environment whether the terminal shows Unicode.
func StyleOf(getenv func(string) string) Style {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := getenv(name); v != "" {
			v = strings.ToUpper(v)
			return Style{ASCII: !strings.Contains(v, "UTF-8") && !strings.Contains(v, "UTF8")}
		}
	}
	return Style{ASCII: true}
}

// Environment is the style of this process's terminal.
func Environment() Style { return StyleOf(os.Getenv) }

// suits are the letters of suits and their symbols.
var suits = []struct{ letter, symbol string }{{"H", "♥"}, {"D", "♦"}, {"C", "♣"}, {"S", "♠"}}

// letters writes symbols of suits as letters, in capitals: how people may type
// cards.
func letters(text string) string {
	text = strings.ToUpper(text)
	for _, s := range suits {
		text = strings.ReplaceAll(text, s.symbol, s.letter)
	}
	return strings.ReplaceAll(text, "\uFE0F", "") // makes an emoji of a symbol
}

func (s Style) suit(letter string) string {
	for _, suit := range suits {
		if suit.letter == letter && !s.ASCII {
			return suit.symbol
		}
	}
	return letter
}

// dot parts what stands on one line.
func (s Style) dot() string {
	if s.ASCII {
		return " - "
	}
	return " · "
}

// times is the sign of multiplication.
func (s Style) times() string {
	if s.ASCII {
		return "x"
	}
	return "×"
}
