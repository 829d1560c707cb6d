package group

import (
	"crypto/sha512"
	"encoding/binary"
)

// HashToElement maps data to an element whose discrete logarithm to any other
// nobody knows: the element derivation of RFC 9496, Section 4.3.4, on SHA-512
// over the domain and each part, each preceded by its length as a big-endian
// u64. Different (domain, parts) have different inputs to the hash.
func HashToElement(domain string, parts ...[]byte) *Element {
	h := sha512.New()
	frame := func(data []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(data))))
		h.Write(data)
	}
	frame([]byte(domain))
	for _, part := range parts {
		frame(part)
	}
	return ElementFromUniform([64]byte(h.Sum(nil)))
}

// ElementFromUniform is the element derivation of RFC 9496, Section 4.3.4.
func ElementFromUniform(b [64]byte) *Element {
	e := new(Element)
	e.point.SetUniform(&b)
	return e
}
