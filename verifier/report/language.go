package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/verifier/report/de"
	"github.com/pakli/pakli/verifier/report/en"
	"github.com/pakli/pakli/verifier/report/hu"
)

// Language is the words of one language.
type Language struct {
	Tag   string // BCP 47
	words map[string]string
}

var languages = map[string]map[string]string{"en": en.Words, "de": de.Words, "hu": hu.Words}

// Languages lists the tags of the languages.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// In returns the language with a tag.
func In(tag string) (Language, bool) {
	words, ok := languages[tag]
	return Language{tag, words}, ok
}

// say is a text of the language with values in the places of their names in
// braces: say("did.bid", "call", "three"). Hungarian writes {az:name} for a value
// with its article, which depends on how it is spoken. A text that is missing is a
// fault of this package, which its tests find; it is shown as its key and never in
// another language.
func (l Language) say(key string, values ...any) string {
	text, ok := l.words[key]
	if !ok {
		return "[" + key + "]"
	}
	pairs := make([]string, 0, 3*len(values))
	for i := 0; i < len(values); i += 2 {
		name, value := values[i].(string), l.write(values[i+1])
		pairs = append(pairs, "{"+name+"}", value)
		if strings.Contains(text, "z:"+name+"}") {
			az := article(value) + " " + value
			pairs = append(pairs, "{az:"+name+"}", az, "{Az:"+name+"}", sentence(az))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (l Language) write(v any) string {
	switch v := v.(type) {
	case int:
		return l.number(int64(v))
	case uint64:
		return l.number(int64(v)) // a place in the log, below 2^63
	}
	return fmt.Sprint(v)
}

// knows reports whether there is a text.
func (l Language) knows(key string) bool {
	_, ok := l.words[key]
	return ok
}

// number writes a number with the language's sign between thousands.
func (l Language) number(n int64) string {
	digits := strconv.FormatInt(max(n, -n), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + l.words["thousands"] + digits[i:]
	}
	if n < 0 {
		return "−" + digits
	}
	return digits
}

// signed is an amount: +3, −1, 0.
func (l Language) signed(n int) string {
	if n > 0 {
		return "+" + l.number(int64(n))
	}
	return l.number(int64(n))
}

// count is a number of things: the form .1 for one, .n for others.
func (l Language) count(key string, n int, values ...any) string {
	form := ".n"
	if n == 1 {
		form = ".1"
	}
	return l.say(key+form, append(values, "n", n)...)
}

// list joins words: a, b and c.
func (l Language) list(words []string) string { return l.join(words, "and") }

func (l Language) join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + l.say(last) + " " + words[n]
}

// seat is a seat of the table: A is seat 0.
func (l Language) seat(seat table.Seat, name string) string {
	return l.say("seat", "letter", letter(seat), "name", name)
}

func letter(seat table.Seat) string { return string(rune('A' + seat)) }

// article is the Hungarian one before a letter or a number: "az" before what is
// spoken with a vowel first, as 5, 58, 1 and 1000 are, and 10 and 100 are not.
func article(spoken string) string {
	digits := strings.ReplaceAll(spoken, "\u00a0", "")
	_, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil && len(spoken) == 1 && strings.Contains("AEFILMNORSUXY", spoken):
		return "az"
	case err == nil && (digits[0] == '5' || digits[0] == '1' && len(digits)%3 == 1):
		return "az"
	}
	return "a"
}

// sentence begins with a capital letter.
func sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// quote puts a text in the language's quotation marks.
func (l Language) quote(s string) string { return l.say("quote", "text", s) }
