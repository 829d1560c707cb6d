package group

import (
	"crypto/subtle"
	"encoding/binary"

	"github.com/pakli/pakli/protocol/suite/modp"
)

// SelectScalar returns a if choice is 1 and b if it is 0, in constant time.
func SelectScalar(choice int, a, b Scalar) Scalar {
	difference := a.Sub(b)
	if q := commonOrder(&difference, &b); q != nil {
		return b.Add(largeFromUint64(q, uint64(choice)).Mul(difference))
	}
	return b.Add(ristretto255.ScalarFromUint64(uint64(choice)).Mul(difference))
}

// ScaleAndAdd returns c·u + v. Requires: equal lengths.
func ScaleAndAdd(c Scalar, u, v []Scalar) []Scalar {
	w := make([]Scalar, len(u))
	for i := range w {
		w[i] = c.Mul(u[i]).Add(v[i])
	}
	return w
}

// ScalarsAt returns scalars[places[0]], scalars[places[1]], …. It reads all scalars for each, so that
// memory accesses do not depend on the places.
func ScalarsAt(scalars []Scalar, places []uint16) []Scalar {
	var q *modp.Modulus
	for i := 0; q == nil && i < len(scalars); i++ {
		q = commonOrder(&scalars[i], &scalars[i])
	}
	if q == nil {
		return curveScalarsAt(scalars, places)
	}
	found := make([]Scalar, len(places))
	for i, place := range places {
		found[i] = newLarge(q)
		for j := range scalars {
			modp.Choose(found[i].large.words, scalars[j].modulo(q), uint64(subtle.ConstantTimeEq(int32(place), int32(j))))
		}
	}
	return found
}

// curveScalarsAt is ScalarsAt for ristretto255.
func curveScalarsAt(scalars []Scalar, places []uint16) []Scalar {
	all := make([][4]uint64, len(scalars))
	for j := range scalars {
		b := scalars[j].onCurve().Bytes()
		for k := range all[j] {
			all[j][k] = binary.LittleEndian.Uint64(b[8*k:])
		}
	}
	found := make([]Scalar, len(places))
	for i, place := range places {
		var w [4]uint64
		for j := range all {
			mask := -uint64(subtle.ConstantTimeEq(int32(place), int32(j)))
			for k := range w {
				w[k] |= mask & all[j][k]
			}
		}
		found[i] = curveScalar(w)
	}
	return found
}
