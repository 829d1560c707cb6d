package matrix

import (
	"crypto/subtle"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/modp"
)

// Opening says how cards were put in another order and remasked: out[i] is in[Permutation[i]] remasked
// with Factors[i] and Bits[i], which has one bit for each number.
type Opening struct {
	Permutation []uint16
	Factors     [][][]uint64 // by card and number, in the order of Numbers
	Bits        [][]uint64
}

// Order says which permutations of n cards are allowed.
type Order string

// Any allows all permutations; Cut allows the cards from some place on, then those before it.
const (
	Any Order = ""
	Cut Order = "cut"
)

// DrawOpening draws an opening from a stream: the order, then the bits of all rows but the last, eight
// to a byte, which the last row's bits cancel, and then the factors.
func (o Order) DrawOpening(k *Key, width, n int, stream io.Reader) (Opening, error) {
	permutation, err := o.drawPermutation(n, stream)
	if err != nil {
		return Opening{}, err
	}
	free := width * (len(k.moduli) - 1)
	packed := make([]byte, (n*free+7)/8)
	if _, err := io.ReadFull(stream, packed); err != nil {
		return Opening{}, fmt.Errorf("bits: %w", err)
	}
	opening := Opening{Permutation: permutation, Bits: UnpackBits(packed, n, len(k.moduli), width)}
	for range n {
		factors := make([][]uint64, 0, width*len(k.moduli))
		for _, m := range k.moduli {
			for range width {
				r := make([]uint64, m.Words())
				if err := m.DrawNumber(r, stream); err != nil {
					return Opening{}, err
				}
				factors = append(factors, r)
			}
		}
		opening.Factors = append(opening.Factors, factors)
	}
	return opening, nil
}

// Units is the product of factors for each modulus, which is coprime to the modulus if all factors are.
// It takes constant time, except for the result.
type Units struct {
	key      *Key
	width    int
	products [][]uint64
}

// NewUnits returns the empty product.
func NewUnits(k *Key, width int) *Units {
	u := &Units{k, width, nil}
	for _, m := range k.moduli {
		z := make([]uint64, m.Words())
		z[0] = 1
		u.products = append(u.products, z)
	}
	return u
}

// AddOpening multiplies by the factors of an opening, and by powers of R, which are units.
func (u *Units) AddOpening(o Opening) {
	for _, factors := range o.Factors {
		for e, r := range factors {
			product := u.products[e/u.width]
			u.key.moduli[e/u.width].Ring().Mul(product, product, r)
		}
	}
}

// CheckUnits returns an error that wraps proof.ErrWrong if a factor is not a unit.
func (u *Units) CheckUnits() error {
	for i, m := range u.key.moduli {
		if !m.IsUnit(u.products[i]) {
			return fmt.Errorf("a factor of row %d is not coprime to its modulus: %w", i, proof.ErrWrong)
		}
	}
	return nil
}

func (o Order) drawPermutation(n int, stream io.Reader) ([]uint16, error) {
	if o == Any {
		return masking.DrawPermutation(n, stream)
	}
	first, err := masking.DrawBelow(uint16(n), stream)
	if err != nil {
		return nil, fmt.Errorf("a cut: %w", err)
	}
	return Rotation(int(first), n), nil
}

// Rotation returns the cut whose first card comes from a place, in constant time.
func Rotation(first, n int) []uint16 { return orderOf(masking.RotatedPlace, first, n) }

// Insertion returns the order in which the last of n cards comes to a place, in constant time.
func Insertion(place, n int) []uint16 { return orderOf(masking.InsertedPlace, place, n) }

func orderOf(source func(k, i, n int) int, k, n int) []uint16 {
	p := make([]uint16, n)
	for i := range p {
		p[i] = uint16(source(k, i, n))
	}
	return p
}

// UnpackBits returns the bits of n cards. packed has those of all rows but the last, the lowest first
// in each byte.
func UnpackBits(packed []byte, n, rows, width int) [][]uint64 {
	list, at := make([][]uint64, n), 0
	for i := range list {
		list[i] = make([]uint64, rows*width)
		last := list[i][(rows-1)*width:]
		for k := range (rows - 1) * width {
			b := uint64(packed[at/8]>>(at%8)) & 1
			list[i][k] = b
			last[k%width] ^= b
			at++
		}
	}
	return list
}

// PackBits is the inverse of UnpackBits.
func PackBits(list [][]uint64, rows, width int) []byte {
	packed, at := make([]byte, (len(list)*(rows-1)*width+7)/8), 0
	for _, bits := range list {
		for _, b := range bits[:(rows-1)*width] {
			packed[at/8] |= byte(b << (at % 8))
			at++
		}
	}
	return packed
}

// Pile is cards under one key, prepared to be remasked many times.
type Pile struct {
	key   *Key
	width int
	joint *Key
	cards [][]uint64 // by card: its numbers times R², one after another
}

// NewPile prepares cards that are under k or open.
func NewPile(k *Key, cards []Card) *Pile {
	p := &Pile{key: k, width: cards[0].width, joint: cards[0].DealKey(k)}
	for _, c := range cards {
		var all []uint64
		for i, z := range c.Numbers(k) {
			ring := k.moduli[i/c.width].Ring()
			ring.ToMontgomery(z, z)
			ring.ToMontgomery(z, z)
			all = append(all, z...)
		}
		p.cards = append(p.cards, all)
	}
	return p
}

// Remask returns the numbers of the cards in the order of o, remasked. It takes constant time and
// touches the same memory, whatever the order.
func (p *Pile) Remask(o Opening) [][][]uint64 { return p.remaskWith(o, p.pickSecretly) }

// VartimeRemask is Remask for a public order.
func (p *Pile) VartimeRemask(o Opening) [][][]uint64 {
	return p.remaskWith(o, func(_ []uint64, from int) []uint64 { return p.cards[from] })
}

// pickSecretly sets z to the numbers of a card, and reads all cards.
func (p *Pile) pickSecretly(z []uint64, from int) []uint64 {
	for i, c := range p.cards {
		modp.Choose(z, c, uint64(subtle.ConstantTimeEq(int32(i), int32(from))))
	}
	return z
}

func (p *Pile) remaskWith(o Opening, pick func(z []uint64, from int) []uint64) [][][]uint64 {
	out, room := make([][][]uint64, len(o.Permutation)), make([]uint64, len(p.cards[0]))
	for i, from := range o.Permutation {
		numbers := pick(room, int(from))
		out[i] = make([][]uint64, len(o.Factors[i]))
		for e, r := range o.Factors[i] {
			m := p.key.moduli[e/p.width]
			z := make([]uint64, len(r))
			m.Ring().Square(z, r)                // r²/R
			m.Ring().Mul(z, z, numbers[:len(r)]) // by z·R²
			m.NegateIf(z, o.Bits[i][e])
			out[i][e], numbers = z, numbers[len(r):]
		}
	}
	return out
}

// Cards returns the cards with these numbers.
func (p *Pile) Cards(numbers [][][]uint64) []Card {
	list := make([]Card, len(numbers))
	for i, n := range numbers {
		list[i] = CardOf(n, p.key, p.width, p.joint)
	}
	return list
}

// ComposeWith returns the opening of o followed by next, in constant time: places π(π_k(i)), factors
// ρ_π_k(i)·r_i, each the smaller of it and its negative, and bits by exclusive or.
func (o Opening) ComposeWith(next Opening, k *Key, width int) Opening {
	n := len(o.Permutation)
	all := Opening{Permutation: make([]uint16, n), Factors: make([][][]uint64, n), Bits: make([][]uint64, n)}
	for i, place := range next.Permutation {
		factors, bits := o.readAt(int(place), &all.Permutation[i])
		for e, r := range next.Factors[i] {
			m := k.moduli[e/width]
			bits[e] ^= next.Bits[i][e]
			m.Ring().ToMontgomery(factors[e], factors[e])
			m.Ring().Mul(factors[e], factors[e], r)
			m.FoldSign(factors[e])
		}
		all.Factors[i], all.Bits[i] = factors, bits
	}
	return all
}

// readAt reads the factors, the bits and the permutation at a secret place.
func (o Opening) readAt(place int, from *uint16) (factors [][]uint64, bits []uint64) {
	factors, bits = make([][]uint64, len(o.Factors[0])), make([]uint64, len(o.Bits[0]))
	for e, r := range o.Factors[0] {
		factors[e] = make([]uint64, len(r))
	}
	for j := range o.Permutation {
		hit := subtle.ConstantTimeEq(int32(j), int32(place))
		*from |= o.Permutation[j] & -uint16(hit)
		modp.Choose(bits, o.Bits[j], uint64(hit))
		for e, r := range o.Factors[j] {
			modp.Choose(factors[e], r, uint64(hit))
		}
	}
	return factors, bits
}
