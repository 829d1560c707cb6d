package plain

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Names that look alike have one skeleton (UTS 39, section 4). Its table of confusables has
// thousands of rows; the one below is a choice by hand: what looks like letters and digits
// of Latin, in Latin, Greek and Cyrillic, one letter at a time. What it leaves out are other
// scripts, marks that look alike, and letters that look alike in some fonts alone.

// like is by the letters of the skeleton what looks like them.
var like = map[string]string{
	"a": "аɑα", "b": "Ьƅ", "c": "сϲ", "d": "ԁ", "e": "е", "g": "ɡ", "h": "һ", "i": "іıιɩ", "j": "јϳ", "l": "1I|ІΙӀӏǀ", "n": "ո",
	"o": "оοσ", "p": "рρ", "q": "ԛ", "r": "г", "s": "ѕ", "u": "υʋ", "v": "ѵν", "w": "ԝѡɯ", "x": "х", "y": "уγүʏ",
	"A": "АΑ", "B": "ВΒ", "C": "СϹ", "E": "ЕΕ", "G": "Ԍ", "H": "НΗ", "J": "ЈͿ", "K": "КΚ", "M": "МΜ", "N": "Ν",
	"O": "0ОΟ", "P": "РΡ", "Q": "Ԛ", "S": "Ѕ", "T": "ТΤ", "V": "Ѵ", "W": "Ԝ", "X": "ХΧ", "Y": "УΥҮ", "Z": "Ζ",
	"3": "ЗƷӠ", "4": "Ч", "6": "б", "ĸ": "кκ", "ß": "β",
	"rn": "m", "ae": "æӕ", "AE": "ÆӔ", "oe": "œ", "OE": "Œ", "ij": "ĳ", "lJ": "Ĳ",
	"'": "’‘ʼʹ`´", "-": "‐‑‒–—−",
}

// prototypes are the letters of the skeleton by what looks like them.
var prototypes = func() map[rune]string {
	m := map[rune]string{}
	for letters, all := range like {
		for _, c := range all {
			m[c] = letters
		}
	}
	return m
}()

// Skeleton is what a name looks like. Two names that look alike have the same.
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

// LookAlike reports whether two names look alike as they are written or in small letters, by which people
// look for them.
func LookAlike(a, b string) bool {
	return Skeleton(a) == Skeleton(b) || Skeleton(strings.ToLower(a)) == Skeleton(strings.ToLower(b))
}

// Roster is how many players of one event have a name with a skeleton.
type Roster map[string]int

// NewRoster counts names.
func NewRoster[P any](players []P, name func(P) string) Roster {
	r := Roster{}
	for _, p := range players {
		r[Skeleton(name(p))]++
	}
	return r
}

// LooksAlike reports whether another player has a name that looks like this one.
func (r Roster) LooksAlike(name string) bool { return r[Skeleton(name)] > 1 }

// shown is how many characters of a key are shown beside a name. Its last ones are of the key
// proper; the short hash in a key's middle anybody finds again in an hour.
const shown = 8

// Show is a player's name; if others look like it, with the end of the key:
// "Kovács Béla (…q3Zk0A1B)".
func (r Roster) Show(name, key string) string {
	if !r.LooksAlike(name) {
		return name
	}
	return fmt.Sprintf("%s (…%s)", name, key[max(0, len(key)-shown):])
}
