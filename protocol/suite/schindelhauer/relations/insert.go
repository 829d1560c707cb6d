package relations

import "crypto/subtle"

// insertionOrder is the order in which the last of n cards comes to a place, in constant time.
func insertionOrder(place, n int) []uint16 {
	p := make([]uint16, n)
	for i := range p {
		after := subtle.ConstantTimeLessOrEq(place+1, i)
		from := subtle.ConstantTimeSelect(subtle.ConstantTimeEq(int32(i), int32(place)), n-1, i-after)
		p[i] = uint16(from)
	}
	return p
}
