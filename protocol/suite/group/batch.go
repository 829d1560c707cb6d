package group

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha3"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Term is S·P.
type Term struct {
	S Scalar
	P Element
}

// Plus returns the term p.
func Plus(p Element) Term { return Term{p.Group().one, p} }

// Minus returns the term −p.
func Minus(p Element) Term { return Term{p.Group().minusOne, p} }

// Batch collects equations Σ S·P = 0 over public values. Its zero value is
// empty and ready. It is for one goroutine.
//
// Small-exponent batching (Bellare, Garay, Rabin, Eurocrypt 1998): equations
// with left sides L_e hold if Σ w_e·L_e = 0 for random 128-bit weights w_e,
// except with probability 2^-128. The weights are drawn anew in every check,
// from the whole batch and from fresh randomness of the verifier: those who made
// the proofs can neither know nor repeat them, and a broken random source
// still leaves weights that depend on every bit of every equation.
type Batch struct {
	label     uint64
	equations []equation
	sum       termSum // the sum of the last check, kept for its memory
}

type equation struct {
	label uint64
	terms []Term
}

// EquationError says which equations of a batch do not hold.
type EquationError struct{ Labels []uint64 } // ascending, at least one

func (e *EquationError) Error() string {
	return fmt.Sprintf("group: equations of labels %d do not hold", e.Labels)
}

// Label names the equations added next. Labels ascend.
func (b *Batch) Label(n uint64) { b.label = n }

// Add adds the equation Σ S·P = 0. It keeps terms, which must not be changed afterwards.
func (b *Batch) Add(terms ...Term) {
	b.equations = append(b.equations, equation{b.label, terms})
}

// Len returns the number of equations.
func (b *Batch) Len() int { return len(b.equations) }

// Check checks all equations and empties the batch. If one does not hold, it returns all labels with
// such equations as an *EquationError. It reads 32 bytes of rand for each multiplication that it does.
// If that fails, it returns rand's error, and nothing is known about the batch.
func (b *Batch) Check(rand io.Reader) error {
	defer b.clearEquations()
	holds, err := b.holdsRange(0, len(b.equations), rand)
	if holds || err != nil {
		return err
	}
	labels, err := b.searchWrong(b.labelRuns(), rand)
	if err != nil {
		return err
	}
	return &EquationError{labels}
}

// searchWrong returns all labels at fault, given that the runs do not hold together. Each level of the
// halving multiplies every equation at most once. So it costs at most log₂ of the number of labels
// times a check of all, however many are wrong.
func (b *Batch) searchWrong(runs []int, rand io.Reader) ([]uint64, error) {
	last := len(runs) - 1
	if last == 1 {
		return []uint64{b.equations[runs[0]].label}, nil
	}
	middle := last / 2
	left, err := b.searchHalf(runs[:middle+1], false, rand)
	if err != nil {
		return nil, err
	}
	right, err := b.searchHalf(runs[middle:], len(left) == 0, rand) // if the left half holds, the right one does not
	return append(left, right...), err
}

// searchHalf returns all labels at fault, and none if the runs hold; wrong says that they are known not
// to.
func (b *Batch) searchHalf(runs []int, wrong bool, rand io.Reader) ([]uint64, error) {
	if !wrong {
		holds, err := b.holdsRange(runs[0], runs[len(runs)-1], rand)
		if holds || err != nil {
			return nil, err
		}
	}
	return b.searchWrong(runs, rand)
}

// labelRuns returns the index where each run of equations with one label begins, and the number of
// equations at the end.
func (b *Batch) labelRuns() []int {
	var starts []int
	for i, e := range b.equations {
		if i == 0 || e.label != b.equations[i-1].label {
			starts = append(starts, i)
		}
	}
	return append(starts, len(b.equations))
}

// holdsRange checks Σ w_e·L_e = 0 over the equations from ≤ e < to.
func (b *Batch) holdsRange(from, to int, rand io.Reader) (bool, error) {
	if from == to {
		return true, nil
	}
	equations := b.equations[from:to]
	weights, err := drawWeights(equations, rand)
	if err != nil {
		return false, err
	}
	return b.isZero(equations, weights), nil
}

// isZero reports whether Σ w_e·L_e = 0.
func (b *Batch) isZero(equations []equation, weights []Scalar) bool {
	g := groupOf(equations)
	if g == nil {
		return true
	}
	sum := &b.sum
	sum.resetFor(equations)
	for i, e := range equations {
		w := weights[i]
		if e.hasMinusOne(g.minusOne) {
			w = w.Neg() // the equation times −1, so that its commitments are multiplied by w itself
		}
		for j := range e.terms {
			t := &e.terms[j]
			sum.scalars[sum.placeOf(t.P)].addProduct(&w, &t.S)
		}
	}
	return g.VartimeMultiMul(sum.scalars, sum.elements).IsIdentity()
}

// groupOf returns the group of the first element, or nil if there is none.
func groupOf(equations []equation) *Group {
	for _, e := range equations {
		if len(e.terms) > 0 {
			return e.terms[0].P.Group()
		}
	}
	return nil
}

// hasMinusOne reports whether an element has coefficient −1, mostly a commitment that occurs nowhere
// else. Modulo the group order, −1 turns a weight of 128 bits into a factor of full length, which is
// slower.
func (e equation) hasMinusOne(minusOne Scalar) bool {
	return slices.ContainsFunc(e.terms, func(t Term) bool { return t.S == minusOne })
}

// drawWeights draws one weight per equation from
// SHAKE256("pakli/v1/batch" ‖ SHA-256(equations) ‖ 32 fresh bytes).
func drawWeights(equations []equation, rand io.Reader) ([]Scalar, error) {
	var fresh [32]byte
	g := groupOf(equations)
	if g == nil {
		g = ristretto255 // equations without terms multiply the weights by nothing
	}
	if _, err := io.ReadFull(rand, fresh[:]); err != nil {
		return nil, fmt.Errorf("weights of a batch: %w", err)
	}
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/batch"))
	stream.Write(hashEquations(equations))
	stream.Write(fresh[:])
	weights := make([]Scalar, len(equations))
	for i := range weights {
		var w [64]byte // 128 bits, below the group order
		stream.Read(w[:16])
		weights[i] = g.ScalarFromUniform(w)
	}
	return weights, nil
}

// hashEquations returns the SHA-256 of each equation's number of terms and its terms.
func hashEquations(equations []equation) []byte {
	h := sha256.New()
	var scratch []byte
	for _, e := range equations {
		scratch = binary.BigEndian.AppendUint64(scratch[:0], uint64(len(e.terms)))
		for i := range e.terms {
			scratch = e.terms[i].appendTo(scratch)
		}
		h.Write(scratch)
	}
	return h.Sum(nil)
}

// appendTo appends S, with the length of a scalar of its element's group, and P.
func (t *Term) appendTo(b []byte) []byte {
	if g := t.P.Group(); t.S.large == nil && g != ristretto255 {
		b = append(b, make([]byte, g.ScalarSize)...)
	} else {
		b = t.S.appendTo(b)
	}
	return append(b, t.P.encodeOnce()...)
}

// clearEquations drops the elements and keeps the memory.
func (b *Batch) clearEquations() {
	clear(b.equations)
	b.equations = b.equations[:0]
	b.sum.resetFor(nil)
}

// termSum is a linear combination in which no element occurs twice: decks of a chain of shuffles,
// generators and keys are multiplied once.
type termSum struct {
	scalars  []Scalar
	elements []Element
	places   map[uint64]int // by the first eight bytes of the encoding
}

// resetFor empties s and makes room for equations.
func (s *termSum) resetFor(equations []equation) {
	terms := 0
	for _, e := range equations {
		terms += len(e.terms)
	}
	if s.places == nil {
		s.places = make(map[uint64]int, terms/2) // most elements of a shuffle occur twice
	}
	clear(s.places)
	clear(s.elements)
	s.scalars, s.elements = slices.Grow(s.scalars[:0], terms/2), slices.Grow(s.elements[:0], terms/2)
}

// placeOf returns the place of p, which it adds if needed. Two elements that begin alike, which
// somebody must have searched for, are not always merged; that costs only time.
func (s *termSum) placeOf(p Element) int {
	encoding := p.encodeOnce()
	key := binary.LittleEndian.Uint64(encoding)
	i, ok := s.places[key]
	if ok && (s.elements[i] == p || bytes.Equal(s.elements[i].encodeOnce(), encoding)) {
		return i
	}
	s.places[key] = len(s.elements)
	s.elements, s.scalars = append(s.elements, p), append(s.scalars, Scalar{})
	return len(s.elements) - 1
}
