package wire

import (
	"errors"
	"fmt"
	"strings"
)

// signatureBytes is a note's 4-byte key hash and an Ed25519 signature.
const signatureBytes = 4 + 64

// parseSignatureLine checks the form "— <name> <base64>" and returns the name
// and what is in the base64.
func parseSignatureLine(line []byte) (name string, signature []byte, err error) {
	rest, ok := strings.CutPrefix(string(line), "— ")
	if !ok {
		return "", nil, errors.New("the signature line does not begin with an em dash and a space")
	}
	name, sig, ok := strings.Cut(rest, " ")
	if !ok {
		return "", nil, errors.New("the signature line has no signature")
	}
	if err := CheckName(name); err != nil {
		return "", nil, err
	}
	if signature, err = binaryOf(sig, signatureBytes); err != nil {
		return "", nil, fmt.Errorf("the signature by %s: %w", name, err)
	}
	return name, signature, nil
}

// binaryOf accepts the one padded standard base64 spelling of n bytes.
func binaryOf(s string, n int) ([]byte, error) {
	b, err := parseBase64([]byte(s))
	if err != nil || len(b) != n {
		return nil, fmt.Errorf("%.100q is not the canonical base64 of %d bytes", s, n)
	}
	return b, nil
}

// CheckName accepts the names seats and organisers sign with: 1 to MaxName of
// the letters a–z, A–Z, digits, dot, hyphen and underscore.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName {
		return fmt.Errorf("the name %.40q must have 1 to %d characters", name, MaxName)
	}
	for _, c := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", c) {
			return fmt.Errorf("the name %.40q: only letters a-z, digits, dot, hyphen and underscore are allowed", name)
		}
	}
	return nil
}
