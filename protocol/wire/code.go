package wire

import (
	"encoding/base32"
	"fmt"
	"strings"
)

// letters are those of Crockford's base32: no I, L, O or U.
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

var crockford = base32.NewEncoding(letters).WithPadding(base32.NoPadding)

// MinCode is how many letters of its code name what is in a log, at least.
const MinCode = 8

// Code is a hash as people type it, of 52 letters and digits. A code is the first of them.
func (h Hash) Code() string { return crockford.EncodeToString(h[:]) }

// HasCode reports whether its code begins with one that ReadCode has read.
func (h Hash) HasCode(code string) bool {
	return strings.IndexByte(letters, code[0]) == int(h[0]>>3) && strings.HasPrefix(h.Code(), code)
}

// ReadCode returns the one spelling of what a person typed as a code of so many letters at
// least: of any case, with hyphens and spaces, O for 0, I or L for 1.
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
