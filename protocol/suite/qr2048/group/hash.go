// Code generated from qr3072/group/hash.go by go generate ./protocol/suite; DO NOT EDIT.

package group

import (
	"crypto/sha3"
	"encoding/binary"
)

// HashToElement maps data to an element whose discrete logarithm to any other
// nobody knows: the class of a number from SHAKE256 over the domain and each part, each
// preceded by its length as a big-endian u64. Different (domain, parts) have different
// inputs to the hash.
func HashToElement(domain string, parts ...[]byte) *Element {
	h := sha3.NewSHAKE256()
	frame := func(data []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
		h.Write(data)
	}
	frame([]byte(domain))
	for _, part := range parts {
		frame(part)
	}
	wide := make([]byte, wideSize)
	h.Read(wide)
	return fromNumber(wide)
}
