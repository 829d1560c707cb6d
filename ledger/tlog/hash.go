package tlog

import (
	"crypto/sha256"
	"encoding/base64"

	"golang.org/x/mod/sumdb/tlog"
)

// A Hash is a SHA-256 hash of an entry, a node or a root. It prints as base64.
type Hash = tlog.Hash

// LeafHash returns the hash of an entry: SHA-256(0x00 || entry), RFC 6962 §2.1.
func LeafHash(entry []byte) Hash { return tlog.RecordHash(entry) }

// EmptyRoot returns the root of the tree of size 0: SHA-256(""), RFC 6962 §2.1.
func EmptyRoot() Hash { return sha256.Sum256(nil) }

// parseHash reads a hash as a line of text. Only the canonical base64 encoding
// is accepted: encoding/base64 would let bits of padding and line breaks pass.
func parseHash(s string) (Hash, bool) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b) != tlog.HashSize || base64.StdEncoding.EncodeToString(b) != s {
		return Hash{}, false
	}
	return Hash(b), true
}

// MarshalHashes writes hashes one after another, in base64.
func MarshalHashes(hashes []Hash) string {
	b := make([]byte, 0, len(hashes)*tlog.HashSize)
	for _, h := range hashes {
		b = append(b, h[:]...)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// ParseHashes reads what MarshalHashes writes, and nothing else. Errors are
// ErrMalformed.
func ParseHashes(s string) ([]Hash, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b)%tlog.HashSize != 0 || base64.StdEncoding.EncodeToString(b) != s {
		return nil, malformed("hashes", "%d characters are no base64 of hashes", len(s))
	}
	hashes := make([]Hash, 0, len(b)/tlog.HashSize)
	for ; len(b) > 0; b = b[tlog.HashSize:] {
		hashes = append(hashes, Hash(b[:tlog.HashSize]))
	}
	return hashes, nil
}

// byteSlices adapts hashes to the proofs of package merkle.
func byteSlices(hashes []Hash) [][]byte {
	bs := make([][]byte, len(hashes))
	for i := range hashes {
		bs[i] = hashes[i][:]
	}
	return bs
}
