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

// ParseOrganisers reads verifier keys, one in a line. Empty lines, and what
// follows a # at the beginning of a line or after a space, say nothing.
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
		o[material(key)] = true
	}
	return o, lines.Err()
}

// Allow tells whether the holder of a verifier key may begin tables, under
// whatever name.
func (o Organisers) Allow(key string) bool { return o[material(key)] }

// material is the key of a verifier key without its name, which anybody may
// choose, and without the hash of both.
func material(key string) string {
	parts := strings.SplitN(key, "+", 3)
	if len(parts) < 3 {
		return ""
	}
	return parts[2]
}
