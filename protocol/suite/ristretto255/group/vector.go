package group

// Inner returns Σ u_i·v_i. Requires: equal lengths.
func Inner(u, v []Scalar) Scalar {
	var sum Scalar
	for i := range u {
		sum = sum.Add(u[i].Mul(v[i]))
	}
	return sum
}

// Fold returns c·u + v. Requires: equal lengths.
func Fold(c Scalar, u, v []Scalar) []Scalar {
	w := make([]Scalar, len(u))
	for i := range w {
		w[i] = c.Mul(u[i]).Add(v[i])
	}
	return w
}
