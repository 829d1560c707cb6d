package matrix

import "io"

// DrawUnits is DrawOpening for who masks: it is repeated until all factors are units. A seat can have a modulus
// with a prime just above 2^16, and a proof with a factor that this divides would be refused.
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
