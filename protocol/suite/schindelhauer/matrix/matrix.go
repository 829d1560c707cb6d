// Package matrix is Schindelhauer's encoding of cards (A-98-14, 1998): matrices of
// quadratic residues (docs/spec/32-masking-residues.md, 32.2).
//
// A card has a row for each seat of its deal, of numbers modulo that seat's key, and a column for each
// bit of a face. Each number is a square or the negative of a square. Which it is is its bit, which
// only the seat can read. Bit j of the face is the exclusive or of column j. Remasking multiplies every
// number by a square, and by −1 according to drawn bits that cancel in each column.
//
//	z'_ij = (−1)^b_ij · r_ij² · z_ij,   ⊕_i b_ij = 0 for every j
//
// A seat's token is the bits of its row. Stripping adds them to the first remaining row and removes the
// seat's row. So a card under one key has one row, and a card without rows is open.
//
// Rows are in ascending order of their keys, so a joint key does not depend on the order of the seats.
// Nobody computes Jacobi symbols of cards: they are 1 in the open deck, and every proven step preserves
// them.
//
// A key is a modulus m = p·q with primes p ≡ q ≡ 3 mod 4, whose factors the owner knows (modulus.go;
// 32.1). So −1 is no square modulo m and has Jacobi symbol 1, every unit with that symbol is ±r², and
// the sign is a bit that only the owner can read (Goldwasser and Micali 1982). A proof that a key is
// such a modulus (ownership.go) is Π^mod of Canetti, Gennaro, Goldfeder, Makriyannis and Peled (CCS
// 2020), with 128 rounds: m is square-free, coprime to φ(m), and a product of two primes that are 3
// modulo 4. [ParseModulus] checks a key's form.
//
// Numbers are words as in package modp, handled in constant time. math/big is for public values, and
// for drawing and reading primes, which happens once for each key: the time reveals how many candidates
// were rejected.
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

// Key is the moduli under which a card is masked, ascending. A seat's key has one.
type Key struct {
	moduli []*Modulus
	bytes  []byte
}

// NewKey returns the key of one seat.
func NewKey(m *Modulus) *Key { return &Key{[]*Modulus{m}, m.Bytes()} }

// Joint returns the key of several seats, no two of which may have a common factor.
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

// CheckCoprime refuses two keys with a common factor.
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

// Moduli returns the moduli of the key, ascending.
func (k *Key) Moduli() []*Modulus { return k.moduli }

// RowOf returns the row of a seat's key; false if the key is not part of k.
func (k *Key) RowOf(seat *Key) (int, bool) {
	at := slices.IndexFunc(k.moduli, seat.moduli[0].Equal)
	return at, at >= 0 && len(seat.moduli) == 1
}

// ColumnsFor returns the number of columns for a number of faces.
func ColumnsFor(faces int) int { return max(1, bits.Len(uint(faces-1))) }

// Card is a card of a deal. Its values are never changed.
type Card struct {
	joint *Key // of all seats of the deal; nil for an open card
	width int
	rows  []row // the remaining rows, ascending
	face  uint8 // of an open card
}

// row is the numbers of a seat, one after another.
type row struct {
	at int // index in the joint key
	z  []byte
}

// Open returns the open card of a face, in a deck with width columns.
func Open(f card.Face, width int) Card { return Card{width: width, face: uint8(f)} }

// Face returns the face of an open card; false if the card is masked.
func (c Card) Face() (card.Face, bool) { return card.Face(c.face), len(c.rows) == 0 }

// Width returns the number of columns.
func (c Card) Width() int { return c.width }

// Bytes returns the numbers row by row. If tokens were stripped, each row is preceded by its index in
// one byte. An open card is its face in one byte.
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

// IsUnder reports whether a card has exactly the rows of k.
func (c Card) IsUnder(k *Key) bool {
	return len(c.rows) > 0 && slices.EqualFunc(c.rows, k.moduli, func(r row, m *Modulus) bool { return c.joint.moduli[r.at].Equal(m) })
}

// ParseCard reads a card of a deal under all its keys, or under one of them.
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

// checkUnits refuses numbers that are not units modulo m.
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

// Numbers returns the numbers of all rows of a card under k, row by row. For an open card they are
// those of 32.2.2: −1 in the first row where its face has a bit, and 1 elsewhere.
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

// CardOf returns the card with these numbers under k, row by row, in the deal of the joint key.
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

// DealKey returns the joint key of the card's deal, and k for an open card.
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

// TokenRow returns the numbers of the row that t is for, negated where t has a bit, which must be
// squares if t is right; false if the card has no such row, or it is another key's.
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

// Strip removes the row of a token from a card, and adds its bits to the first remaining row, or to the
// face. A card without that row is returned unchanged.
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

// withSigns returns a row with the numbers of set bits negated.
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
