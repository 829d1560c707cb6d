package wire

import (
	"errors"
	"fmt"
	"strings"
)

// signatureBytes is a note's 4-byte key hash and an Ed25519 signature.
const signatureBytes = 4 + 64

// parseSignatureLine checks the form "— <name> <base64>" and returns the name.
func parseSignatureLine(line []byte) (string, error) {
	rest, ok := strings.CutPrefix(string(line), "— ")
	if !ok {
		return "", errors.New("wire: signature line does not begin with an em dash and a space")
	}
	name, sig, ok := strings.Cut(rest, " ")
	if !ok {
		return "", errors.New("wire: signature line has no signature")
	}
	if err := CheckName(name); err != nil {
		return "", err
	}
	if err := checkBase64(sig, signatureBytes); err != nil {
		return "", fmt.Errorf("wire: signature by %s: %w", name, err)
	}
	return name, nil
}

// checkBase64 accepts the one padded standard base64 spelling of n bytes.
func checkBase64(s string, n int) error {
	b, err := parseBase64([]byte(s))
	if err != nil || len(b) != n {
		return fmt.Errorf("%.100q is not the canonical base64 of %d bytes", s, n)
	}
	return nil
}

// CheckName accepts the names seats and organisers sign with: 1 to MaxName of
// the letters a–z, A–Z, digits, dot, hyphen and underscore.
func CheckName(name string) error {
	if name == "" || len(name) > MaxName {
		return fmt.Errorf("wire: name %.40q must have 1 to %d characters", name, MaxName)
	}
	for _, c := range name {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", c) {
			return fmt.Errorf("wire: name %.40q: only letters a-z, digits, dot, hyphen and underscore are allowed", name)
		}
	}
	return nil
}
