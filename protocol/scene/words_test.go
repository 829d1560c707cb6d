package scene_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
)

// A text of the kernel that a language lacks, or that says less than the others.
func TestTexts(t *testing.T) {
	scenetest.CheckTexts(t, scene.Kernel, regexp.MustCompile(`^(thousands|quote|text|both|and\.then|with\.besides|two\.sentences|list|suit\..*|card)$`))
}

// Who looks at acorns and reads of clubs does not find the card.
func TestGermanCards(t *testing.T) {
	if got, same := len(scene.GermanCards["en"]), regexp.MustCompile(`^rank\.[QJ]$`); got != 7 {
		t.Errorf("%d names", got)
	} else {
		scenetest.CheckTexts(t, scene.GermanCards, same)
	}
	l, ok := scene.LanguageFor("de" + scene.WithGermanPack)
	l = l.WithTexts(map[string]string{"suit.clubs": "Kreuz", "other": "x"})
	if !ok || l.Tag != "de" || l.Say("suit.clubs") != "Eichel" || l.Say("other") != "x" || l.Say("rank.K") != "König" {
		t.Errorf("%s: %s, %s, %s", l.Tag, l.Say("suit.clubs"), l.Say("other"), l.Say("rank.K"))
	}
	_, ok = scene.LanguageFor("fr" + scene.WithGermanPack)
	testmust.Hold(t, !ok, "French words of German cards")
}

// Numbers and lists as each language writes them.
func TestNumbers(t *testing.T) {
	for tag, want := range map[string]string{"en": "1,234,567 −1,000 +42 0 999", "de": "1.234.567 −1.000 +42 0 999", "hu": "1\u00a0234\u00a0567 −1\u00a0000 +42 0 999"} {
		l, _ := scene.LanguageFor(tag)
		got := fmt.Sprint(l.Number(1234567), " ", l.Signed(-1000), " ", l.Signed(42), " ", l.Signed(0), " ", l.Number(999))
		testmust.Equal(t, got, want, tag)
	}
	for spoken, want := range map[string]string{"1": "az", "10": "a", "100": "a", "1\u00a0000": "az", "10\u00a0000": "a", "5": "az", "58": "az", "5\u00a0000": "az",
		"4": "a", "0": "a", "1\u00a0000\u00a0000": "az", "A": "az", "B": "a", "E": "az", "XX": "a", "": "a"} {
		testmust.Equal(t, scene.Article(spoken), want, spoken)
	}
	l, _ := scene.LanguageFor("en")
	testmust.Equal(t, l.List([]string{"a", "b", "c"}), "a, b and c")
}
