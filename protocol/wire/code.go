package wire

import (
	"encoding/base32"
	"fmt"
	"strings"
)

// letters is the alphabet of Crockford's base32: no I, L, O or U.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var crockford = base32.NewEncoding(letters).WithPadding(base32.NoPadding)

// MinCode is the least number of letters of a code that names an entry of a log.
const MinCode = 8

// Code returns the hash as people type it, in 52 letters and digits. Any prefix of it is a code.
func (h Hash) Code() string { return crockford.EncodeToString(h[:]) }

// HasCode reports whether the hash's code begins with code, which ReadCode has returned.
func (h Hash) HasCode(code string) bool {
	return strings.IndexByte(letters, code[0]) == int(h[0]>>3) && strings.HasPrefix(h.Code(), code)
}

// ReadCode returns the one spelling of a code that a person typed, of at least so many letters. It
// accepts either case, hyphens and spaces, O for 0, and I or L for 1.
func ReadCode(typed string, least int) (string, error) {
	code := strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1").Replace(strings.ToUpper(typed))
	if len(code) < least || len(code) > len(Hash{}.Code()) {
		return "", fmt.Errorf("a code has %d letters and digits or more", least)
	}
	if strings.Trim(code, letters) != "" {
		return "", fmt.Errorf("a code has letters and digits alone, and no U: %.60q", typed)
	}
	return code, nil
}
