// Code generated from ristretto255/group/vector.go by go generate ./protocol/suite; DO NOT EDIT.

package group

// SelectScalar returns a if choice is 1 and b if it is 0, in constant time.
func SelectScalar(choice int, a, b Scalar) Scalar {
	return b.Add(ScalarFromUint64(uint64(choice)).Mul(a.Sub(b)))
}

// InnerProduct returns Σ u_i·v_i. Requires: equal lengths.
func InnerProduct(u, v []Scalar) Scalar {
	var sum Scalar
	for i := range u {
		sum = sum.Add(u[i].Mul(v[i]))
	}
	return sum
}

// ScaleAndAdd returns c·u + v. Requires: equal lengths.
func ScaleAndAdd(c Scalar, u, v []Scalar) []Scalar {
	w := make([]Scalar, len(u))
	for i := range w {
		w[i] = c.Mul(u[i]).Add(v[i])
	}
	return w
}

// Powers returns a, a·x, …, a·x^(n−1).
func Powers(a, x Scalar, n int) []Scalar {
	powers := make([]Scalar, n)
	for i := range powers {
		powers[i], a = a, a.Mul(x)
	}
	return powers
}
