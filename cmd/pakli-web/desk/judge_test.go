package desk_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
)

// A saved report must say that its key came from the maker of the file.
func TestReportSaysWhoseKeyWasBelieved(t *testing.T) {
	file := testmust.Have(os.ReadFile("../../../docs/spec/vectors/bundle/alone.pakli"))(t)
	b := testmust.Have(bundle.Parse(file))(t)
	for lang, want := range map[string]string{"en": "the file names it itself", "de": "Die Datei nennt ihn selbst", "hu": "a fájl maga nevezi meg"} {
		for _, keys := range [][]string{nil, {b.Keys.Log[0].String()}} {
			a := testmust.Have(judge.File(t.Context(), file, keys, lang))(t)
			a = testmust.Have(a.WithPage())(t)
			for form, text := range map[string]string{"text": a.Text, "JSON": a.JSON, "HTML": a.HTML} {
				has := strings.Contains(strings.Join(strings.Fields(text), " "), want)
				testmust.Holdf(t, has == (keys == nil) && a.Own == has && text != "", "%s in %q, with %d keys: says so %v", form, lang, len(keys), has)
			}
		}
	}
}
