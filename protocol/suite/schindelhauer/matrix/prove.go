package matrix

import "io"

// DrawUnits is DrawOpening for a seat that masks: it repeats until all factors are units. A modulus may
// have a prime just above 2^16, and a proof with a factor divisible by it would be refused.
func (o Order) DrawUnits(k *Key, width, n int, stream io.Reader) (Opening, error) {
	for {
		opening, err := o.DrawOpening(k, width, n, stream)
		if err != nil {
			return Opening{}, err
		}
		units := NewUnits(k, width)
		if units.AddOpening(opening); units.CheckUnits() == nil {
			return opening, nil
		}
	}
}
