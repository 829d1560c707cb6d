package scene

// Notes become English, German and Hungarian here, with numbers, lists, the Hungarian article, and the
// kernel's own texts. Each game's folder has the texts of the game.
//
// A text has the names of values in braces: "drew card {n} from {from}". {+n} is a number with its
// sign. {az:n} and {Az:n} are a value with the Hungarian article, which depends on how the value is
// spoken. Two texts with the endings .1 and .n in place of one are for n = 1, and for any other number
// n.

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pakli/pakli/protocol/table"
)

var kernel, german = texts.ByTag(), germanCards.ByTag()

// Languages returns the tags of the languages.
func Languages() []string { return []string{"de", "en", "hu"} }

// Locale returns the value that the environment gives a category of the locale (POSIX).
func Locale(getenv func(string) string, category string) string {
	return cmp.Or(getenv("LC_ALL"), getenv(category), getenv("LANG"))
}

// PreferredTag returns the tag of the language that the environment asks for, if it is supported, or
// "en".
func PreferredTag(getenv func(string) string) string {
	tag, _, _ := strings.Cut(strings.ToLower(Locale(getenv, "LC_MESSAGES")), "_")
	if slices.Contains(Languages(), tag) {
		return tag
	}
	return "en"
}

// WithGermanPack appended to a language's tag selects the words for German pictures (picture.go):
// "de-x-german" calls ♣J Eichel-Unter.
const WithGermanPack = "-x-german"

// Language is the words of one language.
type Language struct {
	Tag   string            // BCP 47
	cards map[string]string // take precedence over texts
	texts []map[string]string
}

// LanguageFor returns the language with a tag, which WithGermanPack may follow, with the kernel's
// texts.
func LanguageFor(tag string) (Language, bool) {
	tag, pictures := strings.CutSuffix(tag, WithGermanPack)
	texts, ok := kernel[tag]
	l := Language{Tag: tag, texts: []map[string]string{texts}}
	if pictures {
		l.cards = german[tag]
	}
	return l, ok
}

// LanguageOrEnglish returns the language with a tag, or English if there is none.
func LanguageOrEnglish(tag string) Language {
	l, ok := LanguageFor(tag)
	if !ok {
		l, _ = LanguageFor("en")
	}
	return l
}

// WithTexts returns the language with texts that take precedence over those it has.
func (l Language) WithTexts(texts map[string]string) Language {
	l.texts = slices.Concat([]map[string]string{texts}, l.texts)
	return l
}

func (l Language) findText(key string) (string, bool) {
	if text, ok := l.cards[key]; ok {
		return text, true
	}
	for _, texts := range l.texts {
		if text, ok := texts[key]; ok {
			return text, true
		}
	}
	return "", false
}

// HasText reports whether the language has a text for a key.
func (l Language) HasText(key string) bool {
	_, ok := l.findText(key)
	return ok
}

// Say returns a text with values in the places of their names: Say("foul", "entry", 12, "seat", name).
// A missing text is a fault of this program, which its tests find. It is shown as its key, never in
// another language.
func (l Language) Say(key string, values ...any) string {
	text, ok := l.findText(key)
	if !ok {
		return "[" + key + "]"
	}
	said := strings.Builder{}
	for {
		before, rest, found := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			said.WriteString(text)
			return said.String()
		}
		value, known := l.valueText(name, values)
		if !known {
			value = "{" + name + "}"
		}
		said.WriteString(before)
		said.WriteString(value)
		text = after
	}
}

// valueText returns what stands in the place of a name, which may ask for a sign or an article.
func (l Language) valueText(name string, values []any) (string, bool) {
	form, bare, asks := strings.Cut(name, ":")
	if !asks {
		form, bare = "", strings.TrimPrefix(name, "+")
	}
	for i := 0; i < len(values); i += 2 {
		if values[i] != bare {
			continue
		}
		n, isInt := values[i+1].(int)
		switch value := l.writeValue(values[i+1]); {
		case form == "az":
			return hungarianArticle(value) + " " + value, true
		case form == "Az":
			return AsSentence(hungarianArticle(value) + " " + value), true
		case asks || bare != name && !isInt:
			return "", false
		case bare != name:
			return l.Signed(n), true
		default:
			return value, true
		}
	}
	return "", false
}

func (l Language) writeValue(v any) string {
	switch v := v.(type) {
	case int:
		return l.Number(int64(v))
	case uint64:
		return l.Number(int64(v)) // an index in the log, below 2^63
	}
	return fmt.Sprint(v)
}

// Number writes a number with the language's separator of thousands.
func (l Language) Number(n int64) string {
	digits := strconv.FormatInt(max(n, -n), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + l.Say("thousands") + digits[i:]
	}
	if n < 0 {
		return "−" + digits
	}
	return digits
}

// Signed writes an amount: +3, −1, 0.
func (l Language) Signed(n int) string {
	if n > 0 {
		return "+" + l.Number(int64(n))
	}
	return l.Number(int64(n))
}

// Count writes a number of things: the form .1 for one, .n for others.
func (l Language) Count(key string, n int, values ...any) string {
	form := ".n"
	if n == 1 {
		form = ".1"
	}
	return l.Say(key+form, append(values, "n", n)...)
}

// List joins words: a, b and c.
func (l Language) List(words []string) string { return l.Join(words, "and") }

// Join joins words, with another word before the last: "and", "or".
func (l Language) Join(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + l.Say(last) + " " + words[n]
}

// Quote puts a text in the language's quotation marks.
func (l Language) Quote(s string) string { return l.Say("quote", "text", s) }

// hungarianArticle returns the Hungarian article before a letter or a number: "az" if the spoken form
// begins with a vowel, as for 5, 58, 1 and 1000, but not for 10 and 100.
func hungarianArticle(spoken string) string {
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

// AsSentence returns s with a capital first letter.
func AsSentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// Voice speaks of one table in one language.
type Voice struct {
	Language
	Game Game
	Seat func(table.Seat) string // returns the seat's name
	Card func(Face) string       // returns a card as it is shown; nil: in words
}

// VoiceOf returns the voice of a game, whose texts take precedence over the language's.
func (l Language) VoiceOf(g Game, seat func(table.Seat) string) Voice {
	return Voice{l.WithTexts(g.Texts(l.Tag)), g, seat, nil}
}

// Text returns a note in words, and "" for the zero Note.
func (v Voice) Text(n Note) string {
	if n.ID == "" {
		return ""
	}
	var values []any
	for _, a := range n.Args {
		if a.Number != nil {
			values = append(values, a.Name, *a.Number)
		} else {
			values = append(values, a.Name, v.argText(a))
		}
	}
	return v.Say(v.textKey(n), values...)
}

// textKey returns the key of a note's text. If the text has two forms, the number n decides between
// them; they take precedence over a text with the bare key, which may be the language's text for
// something else.
func (v Voice) textKey(n Note) string {
	for _, a := range n.Args {
		if a.Name == "n" && a.Number != nil && v.HasText(n.ID+".n") {
			if *a.Number == 1 {
				return n.ID + ".1"
			}
			return n.ID + ".n"
		}
	}
	return n.ID
}

func (v Voice) argText(a Arg) string {
	switch {
	case a.Number != nil:
		return v.Number(int64(*a.Number))
	case a.Seat != nil:
		return v.Seat(*a.Seat)
	case a.Face != "":
		return v.Face(a.Face)
	case a.Note != nil:
		return v.Text(*a.Note)
	case a.List != nil:
		list := make([]string, len(a.List))
		for i, e := range a.List {
			list[i] = v.argText(e)
		}
		return v.List(list)
	}
	return a.Rule + a.Text
}

// Face returns a card as it is shown, by its name in the deck.
func (v Voice) Face(name string) string {
	f := v.Game.Face(name)
	if v.Card != nil {
		return v.Card(f)
	}
	return v.Text(f.Words)
}
