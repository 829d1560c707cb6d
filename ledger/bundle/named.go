package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/wire"
)

// shortestName is how many digits of its id name a table at least.
const shortestName = 4

// CheckName checks the form of what a person names a table by: its id, or the first digits
// of it.
func CheckName(text string) error {
	if strings.Trim(text, "0123456789abcdef") != "" || len(text) < shortestName || len(text) > 2*len(wire.Hash{}) {
		return fmt.Errorf("%q is no id of a table: want its 64 hexadecimal digits, or the first ones, %d at least", text, shortestName)
	}
	return nil
}

// Named returns the one of ids that begins with text.
func Named(text string, ids []wire.Hash) (wire.Hash, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id wire.Hash) bool { return !strings.HasPrefix(id.String(), text) })
	switch len(ids) {
	case 0:
		return wire.Hash{}, fmt.Errorf("no table begins with %s", text)
	case 1:
		return ids[0], nil
	}
	return wire.Hash{}, fmt.Errorf("several tables begin with %s, among them %s and %s: give more digits", text, ids[0], ids[1])
}
