package plain

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Names that look alike have one skeleton (UTS 39, section 4). Its table of confusables has thousands
// of rows; the table below is a selection by hand of single Latin, Greek and Cyrillic characters that
// look like Latin letters and digits. It omits other scripts, marks that look alike, and letters that
// look alike only in some fonts.

// like maps letters of the skeleton to the characters that look like them.
var like = map[string]string{
	"a": "аɑα", "b": "Ьƅ", "c": "сϲ", "d": "ԁ", "e": "е", "g": "ɡ", "h": "һ", "i": "іıιɩ", "j": "јϳ", "l": "1I|ІΙӀӏǀ", "n": "ո",
	"o": "оοσ", "p": "рρ", "q": "ԛ", "r": "г", "s": "ѕ", "u": "υʋ", "v": "ѵν", "w": "ԝѡɯ", "x": "х", "y": "уγүʏ",
	"A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "G": "Ԍ", "H": "НΗ", "J": "ЈͿ", "K": "КΚ", "M": "МΜ", "N": "Ν",
	"O": "0ОΟ", "P": "РΡ", "Q": "Ԛ", "S": "Ѕ", "T": "ТΤ", "V": "Ѵ", "W": "Ԝ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ",
	"3": "ЗƷӠ", "4": "Ч", "6": "б", "ĸ": "кκ", "ß": "β",
	"rn": "m", "ae": "æӕ", "AE": "ÆӔ", "oe": "œ", "OE": "Œ", "ij": "ĳ", "lJ": "Ĳ",
	"'": "’‘ʼʹ`´", "-": "‐‑‒–—−",
}

// prototypes is the inverse of like.
var prototypes = func() map[rune]string {
	m := map[rune]string{}
	for letters, all := range like {
		for _, c := range all {
			m[c] = letters
		}
	}
	return m
}()

// Skeleton returns the skeleton of a name. Names that look alike have the same one.
func Skeleton(name string) string {
	var b strings.Builder
	for _, c := range norm.NFD.String(name) {
		if letters, known := prototypes[c]; known {
			b.WriteString(letters)
		} else {
			b.WriteRune(c)
		}
	}
	return norm.NFD.String(b.String())
}

// LookAlike reports whether two names look alike as written, or in small letters, as people search
// for them.
func LookAlike(a, b string) bool {
	return Skeleton(a) == Skeleton(b) || Skeleton(strings.ToLower(a)) == Skeleton(strings.ToLower(b))
}

// Roster counts the players of an event by the skeletons of their names.
type Roster map[string]int

// NewRoster counts names.
func NewRoster[P any](players []P, name func(P) string) Roster {
	r := Roster{}
	for _, p := range players {
		r[Skeleton(name(p))]++
	}
	return r
}

// LooksAlike reports whether another player's name looks like this one.
func (r Roster) LooksAlike(name string) bool { return r[Skeleton(name)] > 1 }

// shown is how many characters of a key, the last ones, are shown beside a name. They are of the key
// itself; another key with the same short hash, in the middle, can be found in an hour.
const shown = 8

// Show returns a player's name, with the end of the key if another name looks alike: "Kovács Béla
// (…q3Zk0A1B)".
func (r Roster) Show(name, key string) string {
	if !r.LooksAlike(name) {
		return name
	}
	return fmt.Sprintf("%s (…%s)", name, key[max(0, len(key)-shown):])
}
