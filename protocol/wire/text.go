package wire

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text is text for people: UTF-8 without characters that are invisible or move their neighbours. In
// an entry it has one spelling in ASCII, "Bal%C3%A1zs" (10.9). Each field has its own bound on the
// length.
type Text string

// ReadText reads what [Text.MarshalText] writes.
func ReadText(spelt string) (Text, error) {
	var b strings.Builder
	for rest := spelt; rest != ""; {
		if rest[0] != '%' {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		c, ok := unescapeByte(rest)
		if !ok {
			return "", fmt.Errorf("%.20q in a text: want %%, and two digits of 0-9 A-F", rest)
		}
		b.WriteByte(c)
		rest = rest[3:]
	}
	t := Text(b.String())
	if again, err := t.MarshalText(); err != nil || string(again) != spelt {
		return "", errors.Join(fmt.Errorf("the text %.100q is not in its one spelling", spelt), err)
	}
	return t, nil
}

const hexDigits = "0123456789ABCDEF"

func unescapeByte(s string) (byte, bool) {
	if len(s) < 3 {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, s[1]), strings.IndexByte(hexDigits, s[2])
	return byte(high<<4 | low), high >= 0 && low >= 0
}

// MarshalText writes the spelling of t in an entry.
func (t Text) MarshalText() ([]byte, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	var b []byte
	for _, c := range []byte(t) {
		if c < 0x20 || c > 0x7e || strings.IndexByte(`%"\`, c) >= 0 {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b, nil
}

// UnmarshalText accepts exactly what MarshalText writes.
func (t *Text) UnmarshalText(spelt []byte) (err error) {
	*t, err = ReadText(string(spelt))
	return err
}

// Check refuses characters that no version of Unicode will make readable (10.9.2).
func (t Text) Check() error {
	if !utf8.ValidString(string(t)) {
		return fmt.Errorf("the text %.100q is not UTF-8", string(t))
	}
	for _, c := range t {
		if isUnreadable(c) {
			return fmt.Errorf("the text %.100q has U+%04X, which cannot be seen or is no character", string(t), c)
		}
	}
	return nil
}

// isUnreadable lists 10.9.2 by numbers, since verdicts would change with Unicode's tables.
func isUnreadable(c rune) bool {
	for _, r := range [...][2]rune{
		{0x00, 0x1f}, {0x7f, 0x9f}, // controls
		{0xad, 0xad}, {0x61c, 0x61c}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff},
		{0x180b, 0x180d}, {0x180f, 0x180f}, {0xfe00, 0xfe0f}, {0xe0100, 0xe01ef}, // variation selectors
		{0xe000, 0xf8ff}, {0xf0000, 0x10ffff}, // private use
		{0xfdd0, 0xfdef},   // noncharacters; the last two of each plane are below
		{0xe0000, 0xe007f}, // tags
	} {
		if r[0] <= c && c <= r[1] {
			return true
		}
	}
	return c&0xfffe == 0xfffe
}

// CheckLength refuses a text of more than most bytes; what names it in the error.
func (t Text) CheckLength(what string, most int) error {
	if len(t) > most {
		return fmt.Errorf("%s has %d bytes, at most %d are allowed", what, len(t), most)
	}
	return nil
}
