package schindelhauer

import (
	"bytes"
	"crypto/sha3"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

const (
	rounds   = 128
	seedSize = 64
)

// Branch is rows of numbers, all of equal length.
type Branch [][][]uint64

// Relation is a statement in the form that this package's one argument proves: in one of the branches
// the bits of every column of numbers cancel. Row i of each branch is modulo Moduli[i]. With a single
// row it proves that all numbers are squares. All of it must be computed from a statement that the
// transcript has absorbed.
//
//	statement  rows i of numbers u_ij modulo m_i, in some branches, one of which holds
//	witness    bits b_ij and s_ij with u_ij = (−1)^b_ij·s_ij² and ⊕_i b_ij = 0 for every j
//
//	R_li  = (−1)^β_li·ρ_li²,  ⊕_i β_li = 0               for l = 1 … 128
//	c_l   ∈ {0,1}^columns, from a seed that is drawn after all R
//	a_li  = ρ_li/Π_j s_ij^c_lj, up to its sign;  β'_li = β_li ⊕ ⟨c_l, b_i⟩
//	check R_li = (−1)^β'_li·a_li²·Π_j u_ij^c_lj, and all a_li are units
//
// Why it holds. R fixes which c_l can be answered. These are at most half of all if a column's bits do
// not cancel, or if a number is not ± a square. With several branches, the seeds add up to the drawn
// one (Cramer, Damgård and Schoenmakers 1994).
//
// A root of a number that somebody else has chosen never leaves the prover: a_li is as random as ρ_li,
// and the root that it hides is the same at every use.
type Relation struct {
	Moduli   []*matrix.Modulus
	Branches []Branch
}

// Size returns the length of a proof, in bytes.
func (r Relation) Size() int { return len(r.Branches) * r.branchSize() }

func (r Relation) branchSize() int {
	n := seedSize + r.packedSize()
	for _, m := range r.Moduli {
		n += rounds * m.Size()
	}
	return n
}

// packedSize returns the number of bytes of the bits β' of a branch, for all rows but the last.
func (r Relation) packedSize() int { return rounds / 8 * (len(r.Moduli) - 1) }

// branchAnswer is the answer for one branch: its seed, and a and β' by round and row.
type branchAnswer struct {
	seed  []byte
	roots [][][]uint64
	bits  [][]uint64
}

func (r Relation) parseAnswers(b []byte) ([]branchAnswer, error) {
	if len(b) != r.Size() {
		return nil, fmt.Errorf("the proof has %d bytes, must have %d", len(b), r.Size())
	}
	list := make([]branchAnswer, len(r.Branches))
	for i := range list {
		var err error
		if list[i], err = r.parseBranch(b[:r.branchSize()]); err != nil {
			return nil, err
		}
		b = b[r.branchSize():]
	}
	return list, nil
}

func (r Relation) parseBranch(b []byte) (branchAnswer, error) {
	bits := matrix.UnpackBits(b[r.branchSize()-r.packedSize():], rounds, len(r.Moduli), 1)
	a := branchAnswer{b[:seedSize], make([][][]uint64, rounds), bits}
	b = b[seedSize:]
	for l := range rounds {
		for _, m := range r.Moduli {
			z, err := m.ParseSmall(b[:m.Size()])
			if err != nil {
				return branchAnswer{}, err
			}
			a.roots[l] = append(a.roots[l], z)
			b = b[m.Size():]
		}
	}
	if !r.areUnits(a.roots) {
		return branchAnswer{}, errors.New("an answer is not coprime to its modulus")
	}
	return a, nil
}

// areUnits reports whether all roots are coprime to their moduli, which their product shows. Powers of
// R are units.
func (r Relation) areUnits(roots [][][]uint64) bool {
	for i, m := range r.Moduli {
		product := slices.Clone(roots[0][i])
		for _, round := range roots[1:] {
			m.Ring().Mul(product, product, round[i])
		}
		if !m.IsUnit(product) {
			return false
		}
	}
	return true
}

// seedColumns returns the c_l of a seed, each of n bits, the lowest first in each byte.
func seedColumns(seed []byte, n int) [][]byte {
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/parity/columns"))
	stream.Write(seed)
	list := make([][]byte, rounds)
	for l := range list {
		list[l] = make([]byte, (n+7)/8)
		stream.Read(list[l])
		if spare := n % 8; spare > 0 {
			list[l][n/8] &= 1<<spare - 1
		}
	}
	return list
}

// branchCommitments computes the R of a branch from its answer, by round and row.
func (r Relation) branchCommitments(branch Branch, a branchAnswer) [][][]uint64 {
	all := make([][][]uint64, rounds)
	for i, m := range r.Moduli {
		t, chosen := newTable(m, branch[i]), seedColumns(a.seed, len(branch[i]))
		for l := range rounds {
			z := append([]uint64(nil), a.roots[l][i]...)
			m.Ring().ToMontgomery(z, z)
			m.Ring().Square(z, z)
			m.Ring().Mul(z, z, t.chosenProduct(chosen[l]))
			m.Ring().FromMontgomery(z, z)
			m.NegateIf(z, a.bits[l][i])
			all[l] = append(all[l], z)
		}
	}
	return all
}

// group is the number of numbers in one table.
const group = 4

// productTable is the products, in Montgomery form, of all subsets of each group of four numbers.
type productTable struct {
	m        *matrix.Modulus
	products [][]uint64
}

func newTable(m *matrix.Modulus, numbers [][]uint64) productTable {
	t := productTable{m: m}
	one := make([]uint64, m.Words())
	one[0] = 1
	m.Ring().ToMontgomery(one, one)
	for from := 0; from < len(numbers); from += group {
		all := [][]uint64{one}
		for _, u := range numbers[from:min(from+group, len(numbers))] {
			entered := make([]uint64, len(u))
			m.Ring().ToMontgomery(entered, u)
			for _, before := range all {
				z := make([]uint64, len(u))
				m.Ring().Mul(z, before, entered)
				all = append(all, z)
			}
		}
		for len(all) < 1<<group {
			all = append(all, one)
		}
		t.products = append(t.products, all...)
	}
	return t
}

// chosenProduct returns the product of the numbers that c chooses. c is public.
func (t productTable) chosenProduct(c []byte) []uint64 {
	z := append([]uint64(nil), t.products[0]...)
	for k := 0; k < len(t.products); k += 1 << group {
		half := c[k>>group/2] >> (k >> group % 2 * group) & 15
		t.m.Ring().Mul(z, z, t.products[k+int(half)])
	}
	return z
}

// drawSeed draws the seed to which the seeds of all branches must add up.
func drawSeed(t *transcript.Transcript, commitments [][][][]uint64) []byte {
	for _, branch := range commitments {
		for _, round := range branch {
			for _, z := range round {
				t.Append("R", modp.AppendTo(nil, z))
			}
		}
	}
	challenge := t.Challenge("c")
	return challenge[:]
}

// Verify checks a proof under a transcript that has absorbed the statement. If a proof of the right
// form does not hold, the error wraps proof.ErrWrong.
func (r Relation) Verify(t *transcript.Transcript, b []byte) error {
	answers, err := r.parseAnswers(b)
	if err != nil {
		return err
	}
	commitments, sum := make([][][][]uint64, len(answers)), make([]byte, seedSize)
	for i, a := range answers {
		commitments[i] = r.branchCommitments(r.Branches[i], a)
		addSeed(sum, a.seed)
	}
	if !bytes.Equal(sum, drawSeed(t, commitments)) {
		return fmt.Errorf("the answers are to another challenge: %w", proof.ErrWrong)
	}
	return nil
}

func addSeed(sum, seed []byte) {
	for i := range sum {
		sum[i] ^= seed[i]
	}
}
