package group

import "io"

// ElementFromUniform is the element of ristretto255 that is derived from uniform bytes.
var ElementFromUniform = elementFromUniform

// HoldsWith checks a batch with weights that the caller knows, as a batch of
// predictable weights would. Then an attack can be shown to work on it.
func HoldsWith(b *Batch, weights []Scalar) bool { return b.isZero(b.equations, weights) }

// Weights draws the weights that a check of b would use.
func Weights(b *Batch, rand io.Reader) ([]Scalar, error) { return drawWeights(b.equations, rand) }

// Merged returns the number of elements that are multiplied for b.
func Merged(b *Batch) int {
	b.isZero(b.equations, make([]Scalar, len(b.equations)))
	return len(b.sum.elements)
}
