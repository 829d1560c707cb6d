package group

// InnerProduct returns Σ u_i·v_i. Requires: equal lengths.
func InnerProduct(u, v []Scalar) Scalar {
	var sum Scalar
	for i := range u {
		sum = sum.Add(u[i].Mul(v[i]))
	}
	return sum
}

// Powers returns a, a·x, …, a·x^(n−1).
func Powers(a, x Scalar, n int) []Scalar {
	powers := make([]Scalar, n)
	for i := range powers {
		powers[i], a = a, a.Mul(x)
	}
	return powers
}
