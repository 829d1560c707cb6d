package schindelhauer

import (
	"crypto/subtle"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Witness says why a branch holds: by row and column its bits, and numbers whose square is 1/s², where
// u = (−1)^b·s².
type Witness struct {
	Branch  int
	Bits    [][]uint64
	Unroots [][][]uint64
}

// Prove proves a relation under a transcript that has absorbed the statement, in constant time. For a
// branch that does not hold, it draws an answer first and computes the commitments from it. It does so
// for all branches, and the true one then replaces one of them.
func Prove(t *transcript.Transcript, r Relation, w Witness, secret []byte, rand io.Reader) ([]byte, error) {
	stream, err := t.Hedge(secret, rand)
	if err != nil {
		return nil, err
	}
	mask, err := r.drawUnitMask(stream)
	if err != nil {
		return nil, err
	}
	answers, commitments := make([]branchAnswer, len(r.Branches)), make([][][][]uint64, len(r.Branches))
	sum := make([]byte, seedSize)
	for k := range answers {
		if answers[k], err = r.simulateAnswer(stream); err != nil {
			return nil, err
		}
		commitments[k] = mask.maskSquares(r)
		if len(answers) > 1 {
			commitments[k] = r.branchCommitments(r.Branches[k], answers[k])
			chooseNested(commitments[k], mask.maskSquares(r), isChoice(k, w.Branch))
		}
		addSeed(sum, answers[k].seed)
	}
	addSeed(sum, drawSeed(t, commitments))
	return r.finishAnswers(answers, sum, mask, w), nil
}

// finishAnswers gives the true branch the remaining seed, and its answer.
func (r Relation) finishAnswers(answers []branchAnswer, rest []byte, mask branchAnswer, w Witness) (b []byte) {
	own := make([]byte, seedSize)
	for k := range answers {
		is := isChoice(k, w.Branch)
		for i := range rest {
			answers[k].seed[i] ^= rest[i] & -byte(is)
			own[i] |= answers[k].seed[i] & -byte(is)
		}
	}
	r.answerSeed(&mask, own, w)
	for k, a := range answers {
		chooseNested(a.roots, mask.roots, isChoice(k, w.Branch))
		for l := range rounds {
			modp.Choose(a.bits[l], mask.bits[l], isChoice(k, w.Branch))
		}
		b = append(b, r.answerBytes(a)...)
	}
	return b
}

func isChoice(k, branch int) uint64 { return uint64(subtle.ConstantTimeEq(int32(k), int32(branch))) }

func chooseNested(z, x [][][]uint64, choice uint64) {
	for l := range z {
		for i := range z[l] {
			modp.Choose(z[l][i], x[l][i], choice)
		}
	}
}

// drawUnitMask draws ρ, all units, and β, which cancel in each round.
func (r Relation) drawUnitMask(stream io.Reader) (branchAnswer, error) {
	for {
		a, err := r.drawAnswer(stream)
		if err != nil {
			return branchAnswer{}, err
		}
		if r.areUnits(a.roots) {
			return a, nil
		}
	}
}

func (r Relation) drawAnswer(stream io.Reader) (branchAnswer, error) {
	packed := make([]byte, r.packedSize())
	if _, err := io.ReadFull(stream, packed); err != nil {
		return branchAnswer{}, err
	}
	a := branchAnswer{make([]byte, seedSize), make([][][]uint64, rounds), matrix.UnpackBits(packed, rounds, len(r.Moduli), 1)}
	for l := range rounds {
		for _, m := range r.Moduli {
			z := make([]uint64, m.Words())
			if err := m.DrawNumber(z, stream); err != nil {
				return branchAnswer{}, err
			}
			a.roots[l] = append(a.roots[l], z)
		}
	}
	return a, nil
}

// simulateAnswer returns an answer to a seed that it draws.
func (r Relation) simulateAnswer(stream io.Reader) (branchAnswer, error) {
	a, err := r.drawUnitMask(stream)
	if err != nil {
		return branchAnswer{}, err
	}
	for l := range rounds {
		for i, m := range r.Moduli {
			m.FoldSign(a.roots[l][i])
		}
	}
	_, err = io.ReadFull(stream, a.seed)
	return a, err
}

// maskSquares returns the commitments to a mask.
func (a branchAnswer) maskSquares(r Relation) [][][]uint64 {
	all := make([][][]uint64, rounds)
	for l := range all {
		for i, m := range r.Moduli {
			z := append([]uint64(nil), a.roots[l][i]...)
			m.Ring().ToMontgomery(z, z)
			m.Ring().Mul(z, z, a.roots[l][i])
			m.NegateIf(z, a.bits[l][i])
			all[l] = append(all[l], z)
		}
	}
	return all
}

// answerSeed makes of a mask the answer to a seed: it multiplies by every factor, and keeps the product
// where the seed chooses the factor.
func (r Relation) answerSeed(a *branchAnswer, seed []byte, w Witness) {
	for i, m := range r.Moduli {
		chosen := seedColumns(seed, len(w.Bits[i]))
		for j, root := range w.Unroots[i] {
			entered, z := make([]uint64, len(root)), make([]uint64, len(root))
			m.Ring().ToMontgomery(entered, root)
			for l := range rounds {
				c := uint64(chosen[l][j/8]>>(j%8)) & 1
				m.Ring().Mul(z, entered, a.roots[l][i])
				modp.Choose(a.roots[l][i], z, c)
				a.bits[l][i] ^= c & w.Bits[i][j]
			}
		}
		for l := range rounds {
			m.FoldSign(a.roots[l][i])
		}
	}
}

func (r Relation) answerBytes(a branchAnswer) []byte {
	b := append([]byte(nil), a.seed...)
	for _, z := range slices.Concat(a.roots...) {
		b = modp.AppendTo(b, z)
	}
	return append(b, matrix.PackBits(a.bits, len(r.Moduli), 1)...)
}
