package limit

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Organisers are the keys that may begin tables.
type Organisers map[string]bool // by their material: what follows the key's hash

// ParseOrganisers reads verifier keys, one a line. It ignores empty lines, and comments after a # at
// the beginning of a line or after a space.
func ParseOrganisers(text []byte) (Organisers, error) {
	o := Organisers{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		key, _, _ := strings.Cut(" "+lines.Text(), " #")
		if key = strings.TrimSpace(key); key == "" {
			continue
		}
		if _, err := note.NewVerifier(key); err != nil {
			return nil, fmt.Errorf("line %d: %.60q is no verifier key: %w", n, key, err)
		}
		o[keyMaterial(key)] = true
	}
	return o, lines.Err()
}

// AllowsKey reports whether the holder of a verifier key may begin tables, under any name.
func (o Organisers) AllowsKey(key string) bool { return o[keyMaterial(key)] }

// keyMaterial returns the part of a verifier key without its name, which anybody may choose, and the
// hash of both.
func keyMaterial(key string) string {
	parts := strings.SplitN(key, "+", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}
