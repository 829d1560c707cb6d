package names_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/names"
	"github.com/pakli/pakli/internal/testmust"
)

// A name that reads like another person's, or like nothing; and a person who cannot use
// her own. (Attack 33)
func TestCheck(t *testing.T) {
	for _, name := range []string{"Kovács Béla", "anna", "Nguyễn Thị Ánh", "Đặng", "山田", "Ольга", "O’Neil-Smith 3.", "Šćepan", "عمر"} {
		testmust.Do(t, names.Check(name), name, "is refused")
	}
	for what, name := range map[string]string{
		"nothing": "", "a space before": " anna", "two spaces": "anna  b", "no-break space": "anna\u00a0b", "decomposed": "Be\u0301la",
		"two scripts": "аnna", "an override": "anna\u202e", "zero width": "an\u200bna", "97 bytes": strings.Repeat("a", 97), "three marks": "a\u0316\u0317\u0318",
	} {
		if names.Check(name) == nil {
			t.Errorf("%s: %q is taken", what, name)
		}
	}
}
