// Package matrix is Schindelhauer's encoding of cards (A-98-14, 1998): matrices of
// quadratic residues (docs/spec/32-masking-residues.md, 32.2).
//
// A card has a row for each seat of its deal, of numbers modulo that seat's key, and a
// column for each bit of a face. Each number is a square or minus a square, which its
// bit says and only the seat can read; bit j of the face is the exclusive or of column j.
// Remasking multiplies every number by a square, and by −1 where bits are drawn that
// cancel in each column.
//
//	z'_ij = (−1)^b_ij · r_ij² · z_ij,   ⊕_i b_ij = 0 for every j
//
// A seat's token is the bits of its row. They move into the first row that is left, and
// the row goes, so that a card under one key has one row; without a row it is open.
//
// Rows are in ascending order of their keys, so that a joint key is the same in whatever
// order seats sit. Nobody computes Jacobi symbols of cards: they are 1 in the open deck,
// and every proven step preserves them.
//
// A key is a modulus m = p·q with primes p ≡ q ≡ 3 mod 4, of which the owner knows the factors
// (modulus.go; 32.1). −1 is then no square modulo m and has the Jacobi symbol 1, so every unit with that
// symbol is ±r², and the sign is a bit that only the owner can read (Goldwasser and Micali 1982).
// That a key is one is proved (ownership.go) by Π^mod of Canetti, Gennaro, Goldfeder, Makriyannis and
// Peled (CCS 2020), of 128 rounds: m is free of squares, coprime to φ(m), and a product of two primes
// that are 3 modulo 4. What is wrong with a key's form is found by [ParseModulus].
//
// Numbers are words in the form of package modp, in constant time. math/big is for what
// is public, and for drawing and reading primes, which happens once for each key: time
// tells how many candidates were thrown away.
package matrix

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/transcript"
)

// Key is the moduli under which a card is masked, ascending. A seat's has one.
type Key struct {
	moduli []*Modulus
	bytes  []byte
}

// NewKey is the key of one seat.
func NewKey(m *Modulus) *Key { return &Key{[]*Modulus{m}, m.Bytes()} }

// Joint is the key of several seats, no two of which have a factor in common.
func Joint(keys []*Key) (*Key, error) {
	if len(keys) == 0 {
		return nil, errors.New("a joint key of no keys")
	}
	joint := new(Key)
	for i, k := range keys {
		for _, before := range keys[:i] {
			if err := CheckCoprime(before, k); err != nil {
				return nil, fmt.Errorf("keys %d and another: %w", i, err)
			}
		}
		joint.moduli = append(joint.moduli, k.moduli...)
	}
	slices.SortFunc(joint.moduli, func(a, b *Modulus) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
	for _, m := range joint.moduli {
		joint.bytes = append(joint.bytes, m.Bytes()...)
	}
	return joint, nil
}

// CheckCoprime refuses two keys that have a factor in common.
func CheckCoprime(a, b *Key) error {
	for _, m := range a.moduli {
		for _, n := range b.moduli {
			if !m.IsCoprime(n) {
				return errors.New("two moduli have a factor in common")
			}
		}
	}
	return nil
}

// Bytes returns the moduli, ascending.
func (k *Key) Bytes() []byte { return k.bytes }

// Moduli are those of the key, ascending.
func (k *Key) Moduli() []*Modulus { return k.moduli }

// RowOf is the row of a seat's key; false if it is none of k.
func (k *Key) RowOf(seat *Key) (int, bool) {
	at := slices.IndexFunc(k.moduli, seat.moduli[0].Equal)
	return at, at >= 0 && len(seat.moduli) == 1
}

// ColumnsFor is the number of columns for so many faces.
func ColumnsFor(faces int) int { return max(1, bits.Len(uint(faces-1))) }

// Card is a card of a deal. Its values are never changed.
type Card struct {
	joint *Key // of all seats of the deal; nil of an open card
	width int
	rows  []row // that are left, ascending
	face  uint8 // of an open card
}

// row is the numbers of a seat, one after another.
type row struct {
	at int // its number in the joint key
	z  []byte
}

// Open is the open card of a face, in a deck with so many columns.
func Open(f card.Face, width int) Card { return Card{width: width, face: uint8(f)} }

// Face returns the face of an open card; false of one that is masked.
func (c Card) Face() (card.Face, bool) { return card.Face(c.face), len(c.rows) == 0 }

// Width is the number of columns.
func (c Card) Width() int { return c.width }

// Bytes returns the numbers row by row; of a card off which tokens were taken, the
// number of each row, in one byte, before it; of an open card its face, in one byte.
func (c Card) Bytes() []byte {
	if len(c.rows) == 0 {
		return []byte{c.face}
	}
	var b []byte
	for _, r := range c.rows {
		if len(c.rows) < len(c.joint.moduli) {
			b = append(b, byte(r.at))
		}
		b = append(b, r.z...)
	}
	return b
}

// IsUnder reports whether a card has the rows of k and no other.
func (c Card) IsUnder(k *Key) bool {
	return len(c.rows) > 0 && slices.EqualFunc(c.rows, k.moduli, func(r row, m *Modulus) bool { return c.joint.moduli[r.at].Equal(m) })
}

// ParseCard reads a card of a deal under all of its keys, or under one of them.
func ParseCard(b []byte, joint *Key, width int) (Card, error) {
	size := width * joint.moduli[0].Size()
	c := Card{joint: joint, width: width}
	switch len(b) {
	case len(joint.moduli) * size:
		for i := range joint.moduli {
			c.rows = append(c.rows, row{i, slices.Clone(b[i*size : (i+1)*size])})
		}
	case 1 + size:
		if int(b[0]) >= len(joint.moduli) {
			return Card{}, fmt.Errorf("row %d of a card under %d keys", b[0], len(joint.moduli))
		}
		c.rows = []row{{int(b[0]), slices.Clone(b[1:])}}
	default:
		return Card{}, fmt.Errorf("the card has %d bytes, must have %d under %d keys, or %d under one", len(b), len(joint.moduli)*size, len(joint.moduli), 1+size)
	}
	for _, r := range c.rows {
		if err := r.checkUnits(joint.moduli[r.at], width); err != nil {
			return Card{}, fmt.Errorf("row %d: %w", r.at, err)
		}
	}
	return c, nil
}

// checkUnits refuses numbers that are no units modulo m.
func (r row) checkUnits(m *Modulus, width int) error {
	all := make([]uint64, m.Words())
	m.Ring().ToMontgomery(all, oneNumber(m))
	for j := range width {
		z, err := m.ParseNumber(r.columnBytes(m, j))
		if err != nil {
			return err
		}
		m.Ring().ToMontgomery(z, z)
		m.Ring().Mul(all, all, z)
	}
	if !m.IsUnit(all) {
		return errors.New("a number is not coprime to its modulus")
	}
	return nil
}

func oneNumber(m *Modulus) []uint64 {
	z := make([]uint64, m.Words())
	z[0] = 1
	return z
}

func (r row) columnBytes(m *Modulus, j int) []byte { return r.z[j*m.Size() : (j+1)*m.Size()] }

// Numbers are those of all rows of a card under k, row by row. Those of an open card are the
// ones of 32.2.2: −1 in the first row where its face has a bit, and 1.
func (c Card) Numbers(k *Key) [][]uint64 {
	var list [][]uint64
	for i, m := range k.moduli {
		for j := range c.width {
			z := oneNumber(m)
			if len(c.rows) > 0 {
				modp.SetBytes(z, c.rows[i].columnBytes(m, j))
			} else if i == 0 && c.face>>j&1 == 1 {
				m.Ring().Neg(z, z)
			}
			list = append(list, z)
		}
	}
	return list
}

// CardOf is the card with these numbers under k, row by row, of the deal of another card.
func CardOf(numbers [][]uint64, k *Key, width int, joint *Key) Card {
	c := Card{joint: joint, width: width}
	for i, m := range k.moduli {
		at, _ := joint.RowOf(NewKey(m))
		r := row{at: at}
		for j := range width {
			r.z = modp.AppendTo(r.z, numbers[i*width+j])
		}
		c.rows = append(c.rows, r)
	}
	return c
}

// DealKey is the joint key of the card's deal; of an open card it is k.
func (c Card) DealKey(k *Key) *Key {
	if len(c.rows) == 0 {
		return k
	}
	return c.joint
}

// Token is the bits of one row of a card.
type Token struct{ Row, Bits uint8 }

// Bytes returns two bytes.
func (t Token) Bytes() []byte { return []byte{t.Row, t.Bits} }

// ParseToken reads a token of a deal.
func ParseToken(b []byte, joint *Key, width int) (Token, error) {
	if len(b) != 2 {
		return Token{}, fmt.Errorf("the token has %d bytes, must have 2", len(b))
	}
	t := Token{b[0], b[1]}
	if int(t.Row) >= len(joint.moduli) || int(t.Bits)>>width != 0 {
		return Token{}, fmt.Errorf("the token is of row %d with bits %b, of %d rows and %d columns", t.Row, t.Bits, len(joint.moduli), width)
	}
	return t, nil
}

// TokenRow is the modulus and the numbers of the row that t is of, each times −1 where t has a
// bit: what must be squares if t is right. False: the card has no such row, or another key's.
func (c Card) TokenRow(t Token, seat *Key) ([][]uint64, bool) {
	i := slices.IndexFunc(c.rows, func(r row) bool { return r.at == int(t.Row) })
	if i < 0 || len(seat.moduli) != 1 || !c.joint.moduli[t.Row].Equal(seat.moduli[0]) {
		return nil, false
	}
	m := seat.moduli[0]
	list := make([][]uint64, c.width)
	for j := range list {
		list[j] = make([]uint64, m.Words())
		modp.SetBytes(list[j], c.rows[i].columnBytes(m, j))
		m.NegateIf(list[j], uint64(t.Bits>>j&1))
	}
	return list, true
}

// Strip takes the row of a token off a card, and its bits into the first row that is left,
// or into the face. A card without that row stays as it is.
func (c Card) Strip(t Token) Card {
	i := slices.IndexFunc(c.rows, func(r row) bool { return r.at == int(t.Row) })
	if i < 0 {
		return c
	}
	rest := slices.Delete(slices.Clone(c.rows), i, i+1)
	if len(rest) == 0 {
		return Card{width: c.width, face: t.Bits}
	}
	rest[0] = rest[0].withSigns(c.joint.moduli[rest[0].at], t.Bits, c.width)
	return Card{joint: c.joint, width: c.width, rows: rest}
}

// withSigns is a row with the numbers of set bits negated.
func (r row) withSigns(m *Modulus, bits uint8, width int) row {
	var z []byte
	n := make([]uint64, m.Words())
	for j := range width {
		modp.SetBytes(n, r.columnBytes(m, j))
		m.NegateIf(n, uint64(bits>>j&1))
		z = modp.AppendTo(z, n)
	}
	return row{r.at, z}
}

// AppendCards absorbs cards, each under the label.
func AppendCards(b *transcript.Binder, label string, cards []Card) {
	for _, c := range cards {
		b.Bytes(label, c.Bytes())
	}
}
