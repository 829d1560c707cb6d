package matrix

import (
	"bytes"
	"crypto/sha3"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/transcript"
)

// rounds is the number of rounds of the proof. A false claim about m passes one with probability 1/2 at
// most.
const rounds = 128

// Ownership is: Key is a product of two primes that are 3 modulo 4, which the prover knows.
type Ownership struct{ Key *Modulus }

// Label implements transcript.Statement.
func (Ownership) Label() string { return "ownership/blum/v1" }

// AppendTo implements transcript.Statement.
func (s Ownership) AppendTo(b *transcript.Binder) { b.Bytes("key", s.Key.Bytes()) }

// OwnershipSize returns the length of a proof for a key of size bytes.
func OwnershipSize(size int) int { return size*(1+2*rounds) + 2*rounds/8 }

// message is a proof: w of Jacobi symbol −1 and, for every l, a fourth root x_l of (−1)^a_l·w^b_l·y_l,
// up to its sign, and the m-th root z_l of y_l.
type message struct {
	w    []uint64
	x, z [][]uint64
	a, b []byte // a bit for each round, the lowest first
}

func parseMessage(m *Modulus, b []byte) (msg *message, err error) {
	if want := OwnershipSize(m.Size()); len(b) != want {
		return nil, fmt.Errorf("the proof has %d bytes, must have %d", len(b), want)
	}
	take := func(read func([]byte) ([]uint64, error)) (z []uint64) {
		if err == nil {
			z, err = read(b[:m.Size()])
			b = b[m.Size():]
		}
		return z
	}
	msg = &message{w: take(m.ParseNumber)}
	for range rounds {
		msg.x = append(msg.x, take(m.ParseSmall))
	}
	for range rounds {
		msg.z = append(msg.z, take(m.ParseNumber))
	}
	if err != nil {
		return nil, err
	}
	all := slices.Clone(msg.z[0])
	for _, z := range msg.z[1:] {
		m.ring.Mul(all, all, z) // times a power of R, which is a unit
	}
	if !m.IsUnit(all) {
		return nil, errors.New("a root is not coprime to the modulus")
	}
	msg.a, msg.b = b[:rounds/8], b[rounds/8:]
	if w := new(big.Int).SetBytes(modp.AppendTo(nil, msg.w)); big.Jacobi(w, m.n) != -1 {
		return nil, errors.New("w has not the Jacobi symbol −1")
	}
	return msg, nil
}

func bitAt(b []byte, i int) uint64 { return uint64(b[i/8]>>(i%8)) & 1 }

// drawChallenges draws y_1 … y_128 after w.
func drawChallenges(t *transcript.Transcript, m *Modulus, w []uint64) [][]uint64 {
	t.Append("w", modp.AppendTo(nil, w))
	seed := t.Challenge("y")
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/blum/challenges"))
	stream.Write(seed[:])
	list := make([][]uint64, rounds)
	for l := range list {
		list[l] = make([]uint64, m.Words())
		if err := m.DrawNumber(list[l], stream); err != nil {
			panic("blum: internal: " + err.Error()) // SHAKE256 does not fail
		}
	}
	return list
}

// VerifyOwnership checks a proof. If a proof of the right form does not hold, the error wraps
// proof.ErrWrong.
func VerifyOwnership(ctx transcript.Context, s Ownership, proofBytes []byte) error {
	m := s.Key
	msg, err := parseMessage(m, proofBytes)
	if err != nil {
		return err
	}
	for l, y := range drawChallenges(transcript.New(ctx, s), m, msg.w) {
		if !m.isFourthRoot(msg.x[l], bitAt(msg.a, l), bitAt(msg.b, l), msg.w, y) || !m.isModulusRoot(msg.z[l], y) {
			return fmt.Errorf("round %d: the roots are not those of the challenge: %w", l, proof.ErrWrong)
		}
	}
	return nil
}

// isFourthRoot reports whether x^4 = (−1)^a·w^b·y.
func (m *Modulus) isFourthRoot(x []uint64, a, b uint64, w, y []uint64) bool {
	left, right := make([]uint64, m.Words()), make([]uint64, m.Words())
	m.ring.ToMontgomery(left, x)
	m.ring.Square(left, left)
	m.ring.Square(left, left)
	m.ring.ToMontgomery(right, y)
	if b == 1 {
		factor := make([]uint64, m.Words())
		m.ring.ToMontgomery(factor, w)
		m.ring.Mul(right, right, factor)
	}
	m.NegateIf(right, a)
	return bytes.Equal(modp.AppendTo(nil, left), modp.AppendTo(nil, right))
}

// isModulusRoot reports whether z^m = y.
func (m *Modulus) isModulusRoot(z, y []uint64) bool {
	n := new(big.Int).SetBytes(modp.AppendTo(nil, z))
	return bytes.Equal(n.Exp(n, m.n, m.n).FillBytes(make([]byte, m.Size())), modp.AppendTo(nil, y))
}
