// Package scenetest tests presentations of games and their texts.
package scenetest

import (
	"regexp"
	"slices"
	"testing"
)

var (
	placeholder = regexp.MustCompile(`\{\+?[a-z]+\}`)
	withArticle = regexp.MustCompile(`\{[Aa]z:`) // in Hungarian, an article and nothing else
	ruleNumber  = regexp.MustCompile(`\b[A-Z]+-[A-Z0-9-]*[0-9]`)
)

func placeholders(text string) []string {
	list := placeholder.FindAllString(withArticle.ReplaceAllString(text, "{"), -1)
	slices.Sort(list)
	return slices.Compact(list)
}

// CheckTexts tests texts by language and key: no language lacks one, leaves one empty or in English,
// drops a value that the others show, or cites another rule. The texts whose keys match same may be the
// same in two languages.
func CheckTexts(t *testing.T, texts map[string]map[string]string, same *regexp.Regexp) {
	t.Helper()
	english := texts["en"]
	if len(english) == 0 || len(texts) != 3 {
		t.Fatalf("%d English texts in %d languages", len(english), len(texts))
	}
	for tag, words := range texts {
		for key := range words {
			if _, ok := english[key]; !ok {
				t.Errorf("%s has %q, which English lacks", tag, key)
			}
		}
		for key, text := range english {
			said := words[key]
			if said == "" {
				t.Errorf("%s: %q is empty", tag, key)
			}
			if got, want := placeholders(said), placeholders(text); !slices.Equal(got, want) {
				t.Errorf("%s: %q has the values %v, in English %v", tag, key, got, want)
			}
			if got, want := ruleNumber.FindAllString(said, -1), ruleNumber.FindAllString(text, -1); !slices.Equal(got, want) {
				t.Errorf("%s: %q cites %v, in English %v", tag, key, got, want)
			}
			if tag != "en" && said == text && !same.MatchString(key) {
				t.Errorf("%s: %q is %q as in English", tag, key, said)
			}
		}
	}
}
