package parity

import (
	"crypto/subtle"
	"io"

	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/transcript"
)

// Witness is why a branch holds: by row and column its bits, and numbers of which the square
// is 1/s², where u = (−1)^b·s².
type Witness struct {
	Branch  int
	Bits    [][]uint64
	Unroots [][][]uint64
}

// Prove proves a relation under a transcript that has absorbed the statement, in constant
// time: of a branch that does not hold an answer comes first, and its commitments from it.
// So it is done for all, and the true one takes the place of one of them.
func Prove(t *transcript.Transcript, r Relation, w Witness, secret []byte, rand io.Reader) ([]byte, error) {
	stream, err := t.Hedge(secret, rand)
	if err != nil {
		return nil, err
	}
	mask, err := r.mask(stream)
	if err != nil {
		return nil, err
	}
	answers, commitments := make([]answer, len(r.Branches)), make([][][][]uint64, len(r.Branches))
	sum := make([]byte, seedSize)
	for k := range answers {
		if answers[k], err = r.pretended(stream); err != nil {
			return nil, err
		}
		commitments[k] = mask.squares(r)
		if len(answers) > 1 {
			commitments[k] = r.commitments(r.Branches[k], answers[k])
			choose3(commitments[k], mask.squares(r), hit(k, w.Branch))
		}
		add(sum, answers[k].seed)
	}
	add(sum, seed(t, commitments))
	return r.finish(answers, sum, mask, w), nil
}

// finish gives the true branch the seed that is left for it, and its answer.
func (r Relation) finish(answers []answer, rest []byte, mask answer, w Witness) (b []byte) {
	own := make([]byte, seedSize)
	for k := range answers {
		is := hit(k, w.Branch)
		for i := range rest {
			answers[k].seed[i] ^= rest[i] & -byte(is)
			own[i] |= answers[k].seed[i] & -byte(is)
		}
	}
	r.answer(&mask, own, w)
	for k, a := range answers {
		choose3(a.roots, mask.roots, hit(k, w.Branch))
		for l := range rounds {
			modp.Choose(a.bits[l], mask.bits[l], hit(k, w.Branch))
		}
		b = append(b, r.bytes(a)...)
	}
	return b
}

func hit(k, branch int) uint64 { return uint64(subtle.ConstantTimeEq(int32(k), int32(branch))) }

func choose3(z, x [][][]uint64, choice uint64) {
	for l := range z {
		for i := range z[l] {
			modp.Choose(z[l][i], x[l][i], choice)
		}
	}
}

// mask draws ρ, all of which are units, and β, which cancel in each round.
func (r Relation) mask(stream io.Reader) (answer, error) {
	for {
		a, err := r.drawn(stream)
		if err != nil {
			return answer{}, err
		}
		if r.units(a.roots) {
			return a, nil
		}
	}
}

func (r Relation) drawn(stream io.Reader) (answer, error) {
	a := answer{make([]byte, seedSize), make([][][]uint64, rounds), make([][]uint64, rounds)}
	packed := make([]byte, r.packed())
	if _, err := io.ReadFull(stream, packed); err != nil {
		return answer{}, err
	}
	for l := range rounds {
		a.bits[l] = make([]uint64, len(r.Moduli))
		for i, m := range r.Moduli {
			z := make([]uint64, m.Words())
			if err := m.Draw(z, stream); err != nil {
				return answer{}, err
			}
			a.roots[l] = append(a.roots[l], z)
			if last := len(r.Moduli) - 1; i < last {
				a.bits[l][i] = bit(packed, l*last+i)
				a.bits[l][last] ^= a.bits[l][i]
			}
		}
	}
	return a, nil
}

// pretended is an answer to a seed of its own.
func (r Relation) pretended(stream io.Reader) (answer, error) {
	a, err := r.mask(stream)
	if err != nil {
		return answer{}, err
	}
	for l := range rounds {
		for i, m := range r.Moduli {
			m.Fold(a.roots[l][i])
		}
	}
	_, err = io.ReadFull(stream, a.seed)
	return a, err
}

// squares are the commitments to a mask.
func (a answer) squares(r Relation) [][][]uint64 {
	all := make([][][]uint64, rounds)
	for l := range all {
		for i, m := range r.Moduli {
			z := append([]uint64(nil), a.roots[l][i]...)
			m.Ring().Enter(z, z)
			m.Ring().Mul(z, z, a.roots[l][i])
			m.Sign(z, a.bits[l][i])
			all[l] = append(all[l], z)
		}
	}
	return all
}

// answer makes the answer to a seed of a mask: every factor is multiplied, and kept where the
// seed chooses it.
func (r Relation) answer(a *answer, seed []byte, w Witness) {
	for i, m := range r.Moduli {
		chosen := columns(seed, len(w.Bits[i]))
		for j, root := range w.Unroots[i] {
			entered, z := make([]uint64, len(root)), make([]uint64, len(root))
			m.Ring().Enter(entered, root)
			for l := range rounds {
				c := bit(chosen[l], j)
				m.Ring().Mul(z, entered, a.roots[l][i])
				modp.Choose(a.roots[l][i], z, c)
				a.bits[l][i] ^= c & w.Bits[i][j]
			}
		}
		for l := range rounds {
			m.Fold(a.roots[l][i])
		}
	}
}

func (r Relation) bytes(a answer) []byte {
	b := append([]byte(nil), a.seed...)
	packed := make([]byte, r.packed())
	for l := range rounds {
		for i, z := range a.roots[l] {
			b = modp.AppendTo(b, z)
			if last := len(r.Moduli) - 1; i < last {
				at := l*last + i
				packed[at/8] |= byte(a.bits[l][i] << (at % 8))
			}
		}
	}
	return append(b, packed...)
}
