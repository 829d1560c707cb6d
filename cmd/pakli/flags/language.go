package flags

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/verifier/report"
)

// Language is the flag of a language. Its default is that of the locale.
type Language struct{ Given string }

// LanguageOf declares the flag.
func LanguageOf(f *command.Flags) *Language {
	l := new(Language)
	f.Var(l, "lang", "`language`: "+strings.Join(scene.Languages(), ", ")+" (default: as LC_ALL or LANG says)")
	f.Offer("lang", scene.Languages()...)
	return l
}

func (l *Language) String() string { return "" }

func (l *Language) Set(s string) error {
	if _, known := scene.LanguageFor(s); !known {
		return fmt.Errorf("want one of %s", strings.Join(scene.Languages(), ", "))
	}
	l.Given = s
	return nil
}

// Tag returns the tag of the language.
func (l *Language) Tag() string { return cmp.Or(l.Given, scene.PreferredTag(os.Getenv)) }

// Reports returns the language for reports.
func (l *Language) Reports() report.Language {
	language, _ := report.LanguageOf(l.Tag())
	return language
}
