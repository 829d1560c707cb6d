package plain

// This file has stricter rules for names than a verdict may rest on (docs/spec/10-encoding.md,
// 10.9.3). Programs apply them when a name is chosen, and no replay does, since the tables of Unicode
// change.

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/protocol/wire"
)

// maxMarks is how many combining marks may follow one another: Vietnamese has two.
const maxMarks = 2

// CheckName refuses names that look like others, or like nothing.
func CheckName(name string) error {
	if err := wire.Text(name).Check(); err != nil {
		return err
	}
	switch {
	case name == "" || len(name) > wire.MaxText:
		return fmt.Errorf("the name %.100q has %d bytes, must have 1 to %d", name, len(name), wire.MaxText)
	case !norm.NFC.IsNormalString(name):
		return fmt.Errorf("the name %q is not in normalization form C: write it as %q", name, norm.NFC.String(name))
	case !strings.ContainsFunc(name, isSeen):
		return fmt.Errorf("the name %q has no letter and no digit", name)
	case strings.Join(strings.Fields(name), " ") != name:
		return fmt.Errorf("the name %q: only single spaces are allowed, and none at an end", name)
	}
	return checkScript(name)
}

// InKey returns a name as the key of a seat spells it (docs/spec/10-encoding.md, 10.1.3): small
// letters a to z, digits, dot, hyphen and underscore, or "seat" if nothing of it can be spelt so.
func InKey(name string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(norm.NFD.String(name)) {
		switch {
		case c == 'ß':
			b.WriteString("ss")
		case c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("._-", c)):
			b.WriteRune(c)
		case !unicode.Is(unicode.Mn, c) && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	spelt := strings.Trim(b.String()[:min(b.Len(), wire.MaxName)], "-")
	if name, isBot := strings.CutSuffix(spelt, ofBots); isBot {
		return name + ofOthers
	}
	return cmp.Or(spelt, "seat")
}

// ofBots ends the names of bots in their keys, so that lists can leave out the tables at which a
// person practises (docs/spec/70-http.md, 70.2.2).
const ofBots = "-bot"

// ofOthers replaces that ending in the key of a person.
const ofOthers = "_bot"

// IsBot reports whether a verifier key claims to be a bot's.
func IsBot(key string) bool {
	name, _, _ := strings.Cut(key, "+")
	return strings.HasSuffix(name, ofBots)
}

// InKeyOfBot returns a name as the key of a bot's seat spells it.
func InKeyOfBot(name string) string {
	spelt := strings.TrimSuffix(InKey(name), ofOthers)
	return spelt[:min(len(spelt), wire.MaxName-len(ofBots))] + ofBots
}

// isSeen reports whether a letter or digit is visible. Hangul fillers are letters, but blank.
func isSeen(c rune) bool {
	return (unicode.IsLetter(c) || unicode.IsDigit(c)) && !strings.ContainsRune("\u115f\u1160\u3164\uffa0", c)
}

// CheckPlayer is CheckName for a player of an open table, where a comma separates names.
func CheckPlayer(name string) error {
	if strings.Contains(name, ",") {
		return fmt.Errorf("the name %q has a comma, which stands between names", name)
	}
	return CheckName(name)
}

// checkScript refuses a second script besides Common and Inherited, and too many marks.
func checkScript(name string) error {
	script, marks := "", 0
	for _, c := range name {
		if marks++; !unicode.Is(unicode.Mn, c) {
			marks = 0
		}
		if marks > maxMarks {
			return fmt.Errorf("the name %q has more than %d marks on one letter", name, maxMarks)
		}
		is := scriptOf(c)
		if is == "" {
			return errors.New("a name with a character of no script")
		}
		if is == "Common" || is == "Inherited" {
			continue
		}
		if script != "" && script != is {
			return fmt.Errorf("the name %q mixes the scripts %s and %s: letters of one can look like letters of another", name, script, is)
		}
		script = is
	}
	return nil
}

func scriptOf(c rune) string {
	for name, of := range unicode.Scripts {
		if unicode.Is(of, c) {
			return name
		}
	}
	return ""
}
