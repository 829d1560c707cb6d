package bundle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/wire"
)

// shortestName is the least number of digits of an id that name a table.
const shortestName = 4

// CheckName checks the form of a person's name for a table: its id, the first digits of it, or its
// code. A text that could be digits or a code counts as digits.
func CheckName(text string) error {
	_, err := BeginsWith(text)
	return err
}

// BeginsWith returns a function that reports whether an id begins with text: digits of an id, or a
// code.
func BeginsWith(text string) (begins func(id wire.Hash) bool, err error) {
	if IsDigits(text) && len(text) >= shortestName && len(text) <= 2*len(wire.Hash{}) {
		return func(id wire.Hash) bool { return strings.HasPrefix(id.String(), text) }, nil
	}
	code, err := wire.ReadCode(text, wire.MinCode)
	if err != nil || IsDigits(text) {
		return nil, fmt.Errorf("%q is no id of a table: want its 64 hexadecimal digits, or the first ones, %d at least, or its code of %d letters or more", text, shortestName, wire.MinCode)
	}
	return func(id wire.Hash) bool { return id.HasCode(code) }, nil
}

// IsDigits reports whether a name consists of digits of an id and so is not a code.
func IsDigits(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }

// FindNamed returns the one of ids that begins with text.
func FindNamed(text string, ids []wire.Hash) (wire.Hash, error) {
	begins, err := BeginsWith(text)
	if err != nil {
		return wire.Hash{}, err
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id wire.Hash) bool { return !begins(id) })
	switch len(ids) {
	case 0:
		return wire.Hash{}, fmt.Errorf("no table begins with %s, and none has that code: is it of another server or log?", text)
	case 1:
		return ids[0], nil
	}
	return wire.Hash{}, fmt.Errorf("several tables begin with %s, among them %s and %s: give more of it", text, ids[0], ids[1])
}
