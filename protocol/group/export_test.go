package group

import "io"

// HoldsWith checks a batch with weights that the caller knows, as a batch of
// predictable weights would. Then an attack can be shown to work on it.
func HoldsWith(b *Batch, weights []Scalar) bool {
	sum := newSum(b.equations)
	for i, e := range b.equations {
		for _, t := range e.terms {
			sum.add(weights[i], t)
		}
	}
	return VartimeMultiMul(sum.scalars, sum.elements).IsIdentity()
}

// Weights draws the weights that a check of b would use.
func Weights(b *Batch, rand io.Reader) ([]Scalar, error) { return drawWeights(b.equations, rand) }

// Merged returns the number of elements that are multiplied for b.
func Merged(b *Batch) int {
	sum := newSum(b.equations)
	for _, e := range b.equations {
		for _, t := range e.terms {
			sum.add(one, t)
		}
	}
	return len(sum.elements)
}
