package choices

import "crypto/subtle"

// byClass returns order sorted by class, the lowest class first; things of one class keep their order.
// class[i] ≥ 0 is the class of thing i. Both arguments are secret, but not their lengths: neither time
// nor memory accesses reveal which thing went where. It takes quadratic time.
//
// From a uniform order it makes one that is uniform among all orders sorted by class.
func byClass(order []uint16, class []int) []uint16 {
	classes := make([]int, len(order))
	for i, thing := range order {
		for j, c := range class {
			hit := subtle.ConstantTimeEq(int32(thing), int32(j))
			classes[i] = subtle.ConstantTimeSelect(hit, c, classes[i])
		}
	}
	sorted := make([]uint16, len(order))
	for i, thing := range order {
		place := countBefore(classes, i)
		for p := range sorted {
			hit := subtle.ConstantTimeEq(int32(p), int32(place))
			sorted[p] = uint16(subtle.ConstantTimeSelect(hit, int(thing), int(sorted[p])))
		}
	}
	return sorted
}

// countBefore returns how many things come before the i-th in sorted order.
func countBefore(classes []int, i int) int {
	before := 0
	for j, c := range classes {
		before += subtle.ConstantTimeLessOrEq(c+1, classes[i])
		if j < i {
			before += subtle.ConstantTimeEq(int32(c), int32(classes[i]))
		}
	}
	return before
}
