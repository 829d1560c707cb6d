package bundle_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/wire"
)

// A name that two tables have, or none, must not become one of them, and a word is none.
func TestNamed(t *testing.T) {
	one, other := wire.Hash{0x12, 0x34, 0x56}, wire.Hash{0x12, 0x34, 0x57}
	ids := []wire.Hash{one, other}
	for text, want := range map[string]wire.Hash{"123456": one, "12345": {}, "1234570": other, "ffff": {}, one.String(): one,
		one.Code(): one, other.Code()[:12]: other, one.Code()[:8]: one, "28T5-CZZZ": {}, strings.ToLower(other.Code()): other} {
		id, err := bundle.Named(text, ids)
		if id != want || (err == nil) != (want != wire.Hash{}) || bundle.CheckName(text) != nil {
			t.Errorf("%s: %s, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "123", "anna", "12G4", "12AB", "28T5CC0", one.Code() + "0", one.String() + "0", strings.Repeat("1", 400)} {
		if bundle.CheckName(text) == nil {
			t.Errorf("%q may name a table", text)
		}
	}
}
