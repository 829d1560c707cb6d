package tlog

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"filippo.io/mldsa"
	"golang.org/x/mod/sumdb/note"
)

// An Algorithm is a signature type of c2sp.org/signed-note.
type Algorithm byte

// Algorithms. A log signs with Ed25519, and with MLDSA44 as well if it chooses. A cosigner signs
// with Ed25519Cosignature or MLDSA44.
const (
	Ed25519            Algorithm = 0x01 // signs the note's text
	Ed25519Cosignature Algorithm = 0x04 // signs a timestamp and the text, c2sp.org/tlog-cosignature
	MLDSA44            Algorithm = 0x06 // signs a timestamp, origin, size and root, c2sp.org/tlog-cosignature
)

// publicSize returns the length of a public key in bytes, or 0 if a is unknown. Private keys are
// seeds of 32 bytes for every algorithm.
func (a Algorithm) publicSize() int {
	switch a {
	case Ed25519, Ed25519Cosignature:
		return ed25519.PublicKeySize
	case MLDSA44:
		return mldsa.MLDSA44PublicKeySize
	}
	return 0
}

const seedSize = 32

// A VerifierKey is a public key of a log or a cosigner. It is a note.Verifier.
type VerifierKey struct {
	name      string
	algorithm Algorithm
	public    []byte
	lattice   *mldsa.PublicKey // if algorithm is MLDSA44
}

// ParseVerifierKey reads a verifier key of c2sp.org/signed-note,
//
//	<name>+<8 hex digits of the key ID>+<base64 of the algorithm and the public key>
//
// in its one spelling. Errors are ErrMalformed.
func ParseVerifierKey(vkey string) (*VerifierKey, error) {
	name, rest, _ := strings.Cut(vkey, "+")
	_, text, _ := strings.Cut(rest, "+")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, malformedError("verifier key", "%.80q", vkey)
	}
	k, err := newVerifierKey(name, Algorithm(raw[0]), raw[1:])
	if err != nil {
		return nil, err
	}
	if k.String() != vkey {
		return nil, malformedError("verifier key", "%.80q: the ID or the encoding is not that of the key", vkey)
	}
	return k, nil
}

// ParseLogKey reads the verifier key of a log: of Ed25519, or of ML-DSA-44. Errors
// are ErrMalformed.
func ParseLogKey(vkey string) (*VerifierKey, error) {
	k, err := ParseVerifierKey(vkey)
	if err == nil && k.algorithm == Ed25519Cosignature {
		return nil, malformedError("verifier key", "the key of %q is a cosigner's, not a log's", k.name)
	}
	return k, err
}

// ParseCosignerKey reads the verifier key of a cosigner. Errors are ErrMalformed.
func ParseCosignerKey(vkey string) (*VerifierKey, error) {
	k, err := ParseVerifierKey(vkey)
	if err == nil && k.algorithm == Ed25519 {
		return nil, malformedError("verifier key", "the key of %q is a log's, not a cosigner's", k.name)
	}
	return k, err
}

// unnameable reports whether r is forbidden in names. Besides spaces and plus signs, which
// signed-note forbids, these are invisible characters: names are shown to people.
func unnameable(r rune) bool { return r == '+' || unicode.IsSpace(r) || !unicode.IsPrint(r) }

func newVerifierKey(name string, a Algorithm, public []byte) (*VerifierKey, error) {
	if name == "" || len(name) > maxKeyName || !utf8.ValidString(name) || strings.ContainsFunc(name, unnameable) {
		return nil, malformedError("verifier key", "name %.80q", name)
	}
	if a.publicSize() == 0 || len(public) != a.publicSize() {
		return nil, malformedError("verifier key", "%.80q: %d bytes of algorithm %#02x", name, len(public), byte(a))
	}
	k := &VerifierKey{name: name, algorithm: a, public: public}
	if a == MLDSA44 {
		var err error
		if k.lattice, err = mldsa.NewPublicKey(mldsa.MLDSA44(), public); err != nil {
			return nil, malformedError("verifier key", "%.80q: %v", name, err)
		}
	}
	return k, nil
}

// Name implements note.Verifier.
func (k *VerifierKey) Name() string { return k.name }

// Algorithm returns the signature type that k verifies.
func (k *VerifierKey) Algorithm() Algorithm { return k.algorithm }

// KeyHash implements note.Verifier: the key ID,
// SHA-256(name || 0x0A || algorithm || public key)[:4].
func (k *VerifierKey) KeyHash() uint32 {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%c", k.name, byte(k.algorithm))
	h.Write(k.public)
	return binary.BigEndian.Uint32(h.Sum(nil))
}

// String returns the verifier key as text.
func (k *VerifierKey) String() string {
	raw := append([]byte{byte(k.algorithm)}, k.public...)
	return fmt.Sprintf("%s+%08x+%s", k.name, k.KeyHash(), base64.StdEncoding.EncodeToString(raw))
}

// Verify implements note.Verifier.
func (k *VerifierKey) Verify(text, sig []byte) bool {
	if k.algorithm == Ed25519 {
		return ed25519.Verify(k.public, text, sig)
	}
	if len(sig) < timestampSize {
		return false
	}
	timestamp := binary.BigEndian.Uint64(sig)
	signed, err := cosignedBytes(k.algorithm, k.name, timestamp, text)
	if err != nil {
		return false
	}
	if k.algorithm == MLDSA44 {
		return mldsa.Verify(k.lattice, signed, sig[timestampSize:], nil) == nil
	}
	return ed25519.Verify(k.public, signed, sig[timestampSize:])
}

// A SignerKey is a private key of a log or a cosigner. It is a note.Signer.
type SignerKey struct {
	*VerifierKey
	now     func() time.Time
	ed25519 ed25519.PrivateKey
	lattice *mldsa.PrivateKey
}

const signerPrefix = "PRIVATE+KEY+"

// GenerateKey makes a key and returns it as text for ParseSignerKey and ParseVerifierKey.
func GenerateKey(rand io.Reader, name string, a Algorithm) (skey, vkey string, err error) {
	raw := make([]byte, 1+seedSize)
	raw[0] = byte(a)
	if _, err := io.ReadFull(rand, raw[1:]); err != nil {
		return "", "", err
	}
	s, err := newSignerKey(name, a, raw[1:], nil)
	if err != nil {
		return "", "", err
	}
	skey = fmt.Sprintf("%s%s+%08x+%s", signerPrefix, name, s.KeyHash(), base64.StdEncoding.EncodeToString(raw))
	return skey, s.String(), nil
}

// ParseSignerKey reads a private key,
//
//	PRIVATE+KEY+<name>+<8 hex digits of the key ID>+<base64 of the algorithm and a seed>
//
// as golang.org/x/mod/sumdb/note writes it for Ed25519. The timestamps of cosignatures come from
// now; if it is nil they are 0, which says nothing about time. Errors are ErrMalformed and do not
// quote the key.
func ParseSignerKey(skey string, now func() time.Time) (*SignerKey, error) {
	rest, ok := strings.CutPrefix(skey, signerPrefix)
	name, rest, _ := strings.Cut(rest, "+")
	id, text, _ := strings.Cut(rest, "+")
	raw, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(raw) != 1+seedSize {
		return nil, malformedError("signer key", "not in the format")
	}
	s, err := newSignerKey(name, Algorithm(raw[0]), raw[1:], now)
	if err != nil {
		return nil, err
	}
	if fmt.Sprintf("%08x", s.KeyHash()) != id {
		return nil, malformedError("signer key", "the ID is not that of the key")
	}
	return s, nil
}

func newSignerKey(name string, a Algorithm, seed []byte, now func() time.Time) (*SignerKey, error) {
	s := &SignerKey{now: now}
	var public []byte
	switch a {
	case Ed25519, Ed25519Cosignature:
		s.ed25519 = ed25519.NewKeyFromSeed(seed)
		public = s.ed25519.Public().(ed25519.PublicKey)
	case MLDSA44:
		var err error
		if s.lattice, err = mldsa.NewPrivateKey(mldsa.MLDSA44(), seed); err != nil {
			return nil, malformedError("signer key", "seed of ML-DSA-44")
		}
		public = s.lattice.PublicKey().Bytes()
	}
	v, err := newVerifierKey(name, a, public)
	s.VerifierKey = v
	return s, err
}

// Verifier returns the public key.
func (s *SignerKey) Verifier() *VerifierKey { return s.VerifierKey }

var _ note.Signer = (*SignerKey)(nil)

// Sign implements note.Signer.
func (s *SignerKey) Sign(text []byte) ([]byte, error) {
	if s.algorithm == Ed25519 {
		return ed25519.Sign(s.ed25519, text), nil
	}
	var timestamp uint64
	if s.now != nil {
		timestamp = uint64(max(s.now().Unix(), 0))
	}
	signed, err := cosignedBytes(s.algorithm, s.name, timestamp, text)
	if err != nil {
		return nil, err
	}
	sig := binary.BigEndian.AppendUint64(nil, timestamp)
	if s.algorithm == Ed25519Cosignature {
		return append(sig, ed25519.Sign(s.ed25519, signed)...), nil
	}
	lattice, err := s.lattice.Sign(nil, signed, nil)
	return append(sig, lattice...), err
}
