// Code generated from ristretto255/group/random.go by go generate ./protocol/suite; DO NOT EDIT.

package group

import (
	"fmt"
	"io"
)

// RandomScalar reads wideSize bytes and returns a uniform scalar.
func RandomScalar(rand io.Reader) (Scalar, error) {
	var b [wideSize]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return Scalar{}, fmt.Errorf("random scalar: %w", err)
	}
	return fromWide(&b), nil
}

// RandomScalars returns n uniform scalars.
func RandomScalars(rand io.Reader, n int) ([]Scalar, error) {
	scalars := make([]Scalar, n)
	for i := range scalars {
		var err error
		if scalars[i], err = RandomScalar(rand); err != nil {
			return nil, err
		}
	}
	return scalars, nil
}
