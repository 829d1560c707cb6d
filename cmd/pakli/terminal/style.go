package terminal

import (
	"io"
	"os"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/pakli/pakli/protocol/scene"
)

// Style is what a terminal can show.
type Style struct {
	ASCII  bool // letters for suits, and no accents
	Colour bool
	Brief  bool // whole tricks, for reading a course of play afterwards
	Width  int  // characters in a line; 0: 80
}

// StyleOf reads from the environment whether the terminal shows Unicode, and, if it is a terminal at
// all, colours (no-color.org).
func StyleOf(getenv func(string) string, isTerminal bool) Style {
	v := strings.ToUpper(scene.Locale(getenv, "LC_CTYPE"))
	return Style{
		ASCII:  !strings.Contains(v, "UTF-8") && !strings.Contains(v, "UTF8"),
		Colour: isTerminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && getenv("TERM") != "",
	}
}

// Environment returns the style of this process's terminal, if out is one.
func Environment(out io.Writer) Style {
	width, isTerminal := 0, false
	if f, isFile := out.(*os.File); isFile {
		width, isTerminal = widthOf(f)
	}
	style := StyleOf(os.Getenv, isTerminal)
	style.Width = width
	if runtime.GOOS == "windows" && isTerminal { // no variable describes a console
		style.ASCII, style.Colour = false, os.Getenv("NO_COLOR") == ""
	}
	return style
}

// suits are the letters of suits and their symbols.
var suits = map[string]string{"H": "♥", "D": "♦", "C": "♣", "S": "♠"}

// Terminal sequences for colours.
const (
	red     = "\x1b[31m"
	yellow  = "\x1b[33m"
	bold    = "\x1b[1m"
	dim     = "\x1b[2m"
	plainly = "\x1b[0m"
)

func (s Style) paint(colour, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return colour + text + plainly
}

// card returns a card as shown: its suit and rank, or its name.
func (s Style) card(f scene.Face, name string) string {
	symbol, suited := suits[f.Suit]
	switch {
	case suited && s.ASCII:
		return s.paint(colourOf(f.Suit), f.Suit+f.Rank)
	case suited:
		return s.paint(colourOf(f.Suit), symbol+f.Rank)
	case f.Rank != "":
		name = f.Rank
	}
	if f.Honour {
		return s.paint(yellow, name)
	}
	return name
}

func colourOf(suit string) string {
	if suit == "H" || suit == "D" {
		return red
	}
	return bold
}

// folded has letters without their accents, and signs in ASCII.
var folded = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ö", "o", "ő", "o", "ú", "u", "ü", "u", "ű", "u", "ä", "a", "ß", "ss",
	"Á", "A", "É", "E", "Í", "I", "Ó", "O", "Ö", "O", "Ő", "O", "Ú", "U", "Ü", "U", "Ű", "U", "Ä", "A",
	"−", "-", "–", "-", "…", "~", "“", `"`, "”", `"`, "„", `"`, "’", "'", "×", "x", "→", "->", "\u00a0", " ", "\uFE0F", "",
	"♥", "H", "♦", "D", "♣", "C", "♠", "S")

// foldToASCII writes text in ASCII, as far as the supported languages need it.
func foldToASCII(text string) string { return folded.Replace(text) }

// finish returns a text as the terminal shows it.
func (s Style) finish(text string) string {
	if s.ASCII {
		return foldToASCII(text)
	}
	return text
}

// visible returns the length of a text without its colours.
func visible(text string) int {
	n := 0
	for {
		i := strings.IndexByte(text, '\x1b')
		if i < 0 {
			return n + utf8.RuneCountInString(text)
		}
		n += utf8.RuneCountInString(text[:i])
		_, text, _ = strings.Cut(text[i:], "m")
	}
}

func (s Style) width() int {
	if s.Width == 0 {
		return 80
	}
	return s.Width
}

// Wrap breaks a line between words and indents the next lines.
func (s Style) Wrap(line string, indent int) string {
	width := s.width()
	var b strings.Builder
	at, gap := 0, -1
	for _, word := range strings.Split(line, " ") {
		gap++
		n := visible(word)
		switch {
		case n == 0:
			continue
		case at > 0 && at+gap+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at, gap = indent, 0
		}
		b.WriteString(strings.Repeat(" ", gap) + word)
		at, gap = at+gap+n, 0
	}
	return b.String()
}
