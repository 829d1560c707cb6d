package wire_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// A code that names another hash than its own, or that crashes who reads it.
func TestCodes(t *testing.T) {
	one, other := wire.HashEntry([]byte("one")), wire.HashEntry([]byte("other"))
	if len(one.Code()) != 52 || (wire.Hash{0: 0xff, 4: 0x1f}).Code()[:8] != "ZW00000Z" {
		t.Fatalf("codes are %s, %s", one.Code(), (wire.Hash{0: 0xff, 4: 0x1f}).Code())
	}
	for n := wire.MinCode; n <= 52; n++ {
		code, err := wire.ReadCode(" "+strings.ToLower(one.Code()[:4])+"-"+strings.NewReplacer("0", "o", "1", "i").Replace(one.Code()[4:n]), wire.MinCode)
		if err != nil || code != one.Code()[:n] || !one.HasCode(code) || other.HasCode(code) {
			t.Fatalf("%d letters: %s: %v", n, code, err)
		}
	}
	for _, typed := range []string{"", "-", "ABCDEFG", "ABCDEFGU", "ABCDEF+H", "ABCDÉFGH", strings.Repeat("A", 53)} {
		testmust.Fail(t, testmust.ErrorOf(wire.ReadCode(typed, wire.MinCode)), typed, "is read")
	}
}
