package matrix

import "math/big"

// SharedFactorGroups groups moduli with common factors, by their places. It uses a tree of products and
// a tree of remainders (Bernstein 2004), so that many moduli take little longer than few.
func SharedFactorGroups(moduli []*Modulus) [][]int {
	if len(moduli) == 0 {
		return nil
	}
	numbers := make([]*big.Int, len(moduli))
	for i, m := range moduli {
		numbers[i] = m.n
	}
	var sharing []int
	for i, rest := range squareRemainders(multiplyAll(numbers), numbers) {
		// rest is the product of all moduli, modulo n²; divided by n, it is that of the others modulo
		// n.
		n := numbers[i]
		if others := new(big.Int).Quo(rest, n); new(big.Int).GCD(nil, nil, others, n).Cmp(one) != 0 {
			sharing = append(sharing, i)
		}
	}
	return groupSharing(numbers, sharing)
}

// squareRemainders returns x modulo the square of each number.
func squareRemainders(x *big.Int, numbers []*big.Int) []*big.Int {
	p := multiplyAll(numbers)
	rest := new(big.Int).Mod(x, new(big.Int).Mul(p, p))
	if len(numbers) == 1 {
		return []*big.Int{rest}
	}
	half := len(numbers) / 2
	return append(squareRemainders(rest, numbers[:half]), squareRemainders(rest, numbers[half:])...)
}

// groupSharing groups the few moduli that share factors: each group are those that share one with each
// other or with the same others.
func groupSharing(numbers []*big.Int, sharing []int) (list [][]int) {
	for len(sharing) > 0 {
		group, left := sharing[:1:1], sharing[1:]
		for at := 0; at < len(group); at++ {
			var apart []int
			for _, i := range left {
				if new(big.Int).GCD(nil, nil, numbers[group[at]], numbers[i]).Cmp(one) != 0 {
					group = append(group, i)
				} else {
					apart = append(apart, i)
				}
			}
			left = apart
		}
		list, sharing = append(list, group), left
	}
	return list
}
