// Code generated from ristretto255/masking/masking.go by go generate ./protocol/suite; DO NOT EDIT.

// Package masking is protocol/suite/ristretto255/masking over the classes of squares modulo the 2048-bit
// prime of RFC 3526 (package protocol/suite/qr2048/group) in place of ristretto255.
package masking

import (
	"errors"
	"fmt"
	"sync"

	"github.com/pakli/pakli/protocol/suite/qr2048/group"
)

// Key is a public card key: of one seat, or joint. It is never the identity.
type Key struct {
	element *group.Element
	table   func() *group.Table
}

func newKey(e *group.Element) *Key {
	return &Key{e, sync.OnceValue(func() *group.Table { return group.NewTable(e) })}
}

// ParseKey decodes an element. It refuses the identity, the key of secret zero.
func ParseKey(b []byte) (*Key, error) {
	e, err := group.ParseNonIdentity(b)
	if err != nil {
		return nil, fmt.Errorf("the key: %w", err)
	}
	return newKey(e), nil
}

// Joint returns the sum of keys. It refuses no keys, a repeated key, and keys
// whose sum is the identity.
func Joint(keys []*Key) (*Key, error) {
	if len(keys) == 0 {
		return nil, errors.New("a joint key of no keys")
	}
	seat := make(map[string]int, len(keys))
	sum := group.Identity()
	for i, k := range keys {
		if j, ok := seat[string(k.Bytes())]; ok {
			return nil, fmt.Errorf("keys %d and %d are the same", j, i)
		}
		seat[string(k.Bytes())] = i
		sum = sum.Add(k.element)
	}
	if sum.IsIdentity() {
		return nil, errors.New("the keys cancel each other")
	}
	return newKey(sum), nil
}

// Bytes returns the canonical bytes.
func (k *Key) Bytes() []byte { return k.element.Bytes() }

// Element returns the key as an element of the group.
func (k *Key) Element() *group.Element { return k.element }

// Equal reports whether k and other are the same key.
func (k *Key) Equal(other *Key) bool { return k.element.Equal(other.element) }

// Table returns a table for many multiplications by the key, made once.
func (k *Key) Table() *group.Table { return k.table() }
