package scene

import "strings"

// RulesIn returns what may be numbers of rules in an error of a game's rules: capitals, followed by one
// or more groups of a hyphen with capitals and digits, as in R-BID-1.
func RulesIn(text string) (list []string) {
	capital := func(c rune) bool { return c >= 'A' && c <= 'Z' }
	part := func(c rune) bool { return capital(c) || c >= '0' && c <= '9' }
	for _, word := range strings.FieldsFunc(text, func(c rune) bool {
		return c != '-' && c != '_' && !part(c) && (c < 'a' || c > 'z')
	}) {
		parts := strings.Split(strings.Trim(word, "-"), "-")
		whole := len(parts) > 1 && allRunes(parts[0], capital)
		for _, p := range parts {
			whole = whole && allRunes(p, part)
		}
		if whole {
			list = append(list, strings.Join(parts, "-"))
		}
	}
	return list
}

func allRunes(s string, of func(rune) bool) bool {
	return s != "" && strings.IndexFunc(s, func(c rune) bool { return !of(c) }) < 0
}
