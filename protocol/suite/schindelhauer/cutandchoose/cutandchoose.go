// Package cutandchoose proves that cards of residues were put in another order, any or a
// cut, and remasked: by cutting and choosing, as protocol/suite/elgamal/cutandchoose
// does, with another number of rounds and another encoding (docs/spec/32-masking-residues.md,
// 32.4; letters are those of 41.2).
//
// 221 rounds, in 32 of which the prover shows how the third deck L comes from the deck
// before: (221 over 32) > 2^128. In the others he shows a seed with which it comes from the
// deck after. The first is long, the second is 32 bytes.
//
// Every factor is a unit. Without that, the owner of m = p·q takes factors that p divides:
// then each equation holds modulo p, and he may change the numbers of his own row there.
package cutandchoose

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha3"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// roundCounts are the numbers of rounds, and of those that are composed.
type roundCounts struct{ rounds, composed int }

var full = roundCounts{rounds: 221, composed: 32}

const seedSize = 32

// Statement is: Out is In in an order, each card remasked under Key.
type Statement struct {
	Order   matrix.Order
	Key     *matrix.Key
	In, Out []matrix.Card
}

// Label implements transcript.Statement.
func (Statement) Label() string { return "shuffle/residues-cut-and-choose/v1" }

// AppendTo implements transcript.Statement.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("order", []byte(s.Order))
	b.Bytes("key", s.Key.Bytes())
	for _, c := range s.In {
		b.Bytes("in", c.Bytes())
	}
	for _, c := range s.Out {
		b.Bytes("out", c.Bytes())
	}
}

// CheckForm checks the form of a statement: 2 cards or more, of a cut 1; all of Out, and all
// of In that are not open, under Key; of one width.
func (s Statement) CheckForm() error {
	least := 2
	if s.Order == matrix.Cut {
		least = 1
	}
	n := len(s.In)
	if n < least || n > card.MaxFaces || len(s.Out) != n {
		return fmt.Errorf("%d cards of %d, must be %d to %d, and as many as before", len(s.Out), n, least, card.MaxFaces)
	}
	for i := range n {
		_, open := s.In[i].Face()
		if !open && !s.In[i].IsUnder(s.Key) || !s.Out[i].IsUnder(s.Key) {
			return fmt.Errorf("card %d is not masked under the key, or is left open", i)
		}
		if s.In[i].Width() != s.Out[0].Width() || s.Out[i].Width() != s.Out[0].Width() {
			return fmt.Errorf("card %d has another number of columns", i)
		}
	}
	return nil
}

// proofShape is the sizes that the length of a proof depends on.
type proofShape struct {
	roundCounts
	cards, places, rows, width, number int
}

func (p roundCounts) shapeOf(s Statement) proofShape {
	h := proofShape{p, len(s.In), len(s.In), len(s.Key.Moduli()), s.Out[0].Width(), s.Key.Moduli()[0].Size()}
	if s.Order == matrix.Cut {
		h.places = 1 // the first card's says all
	}
	return h
}

// bitsSize is the length of the bits of all compositions together.
func (h proofShape) bitsSize() int { return (h.composed*h.cards*(h.rows-1)*h.width + 7) / 8 }

// commitmentOffset is the length of what stands before C.
func (h proofShape) commitmentOffset() int { return h.composed * h.places }

func (h proofShape) proofSize() int {
	return h.commitmentOffset() + sha256.Size + (h.rounds-h.composed)*seedSize + h.bitsSize() + h.composed*h.cards*h.rows*h.width*h.number
}

// Size is the length of the proof of a shuffle of cards under so many keys of number bytes, with
// so many columns, in bytes.
func Size(cards, keys, width, number int) int {
	return proofShape{full, cards, cards, keys, width, number}.proofSize()
}

// message is a proof.
type message struct {
	composed   []matrix.Opening // of the rounds in D, ascending
	commitment []byte
	seeds      [][]byte // of the others
}

func (p roundCounts) parseMessage(s Statement, b []byte) (*message, error) {
	h := p.shapeOf(s)
	if len(b) != h.proofSize() {
		return nil, fmt.Errorf("the proof has %d bytes, must have %d for %d cards", len(b), h.proofSize(), h.cards)
	}
	take := func(size int) []byte {
		taken := b[:size]
		b = b[size:]
		return taken
	}
	m := &message{composed: make([]matrix.Opening, p.composed)}
	for k := range m.composed {
		var err error
		if m.composed[k].Permutation, err = s.parseOrder(take(h.places)); err != nil {
			return nil, fmt.Errorf("composition %d: %w", k, err)
		}
	}
	m.commitment = take(sha256.Size)
	for range p.rounds - p.composed {
		m.seeds = append(m.seeds, take(seedSize))
	}
	packed := take(h.bitsSize())
	if spare := p.composed * h.cards * (h.rows - 1) * h.width % 8; spare > 0 && packed[len(packed)-1]>>spare != 0 {
		return nil, errors.New("bits after the last")
	}
	bits := matrix.UnpackBits(packed, p.composed*h.cards, h.rows, h.width)
	for k := range m.composed {
		m.composed[k].Bits = bits[k*h.cards : (k+1)*h.cards]
		for range h.cards {
			factors, err := s.parseFactors(take(h.rows * h.width * h.number))
			if err != nil {
				return nil, fmt.Errorf("composition %d: %w", k, err)
			}
			m.composed[k].Factors = append(m.composed[k].Factors, factors)
		}
	}
	return m, nil
}

// parseOrder reads a permutation: every place, or the first of a cut.
func (s Statement) parseOrder(b []byte) ([]uint16, error) {
	n := len(s.In)
	if s.Order == matrix.Cut {
		if int(b[0]) >= n {
			return nil, fmt.Errorf("a cut at place %d of %d cards", b[0], n)
		}
		return matrix.Rotation(int(b[0]), n), nil
	}
	if err := proof.CheckPermutation(b, n); err != nil {
		return nil, err
	}
	p := make([]uint16, n)
	for i, place := range b {
		p[i] = uint16(place)
	}
	return p, nil
}

// parseFactors reads those of one card, each the smaller of it and its negative.
func (s Statement) parseFactors(b []byte) ([][]uint64, error) {
	var list [][]uint64
	for _, m := range s.Key.Moduli() {
		for range s.Out[0].Width() {
			z, err := m.ParseSmall(b[:m.Size()])
			if err != nil {
				return nil, fmt.Errorf("a factor: %w", err)
			}
			list, b = append(list, z), b[m.Size():]
		}
	}
	return list, nil
}

// drawComposed draws D: whether each round is in it. Values are those by which others ask.
func (p roundCounts) drawComposed(t *transcript.Transcript, commitment []byte, values ...[]byte) []bool {
	t.Append("C", commitment)
	for _, v := range values {
		t.Append("value", v)
	}
	challenge := t.Challenge("D")
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/cut-and-choose/rounds"))
	stream.Write(challenge[:])
	order, err := masking.DrawPermutation(p.rounds, stream)
	if err != nil {
		panic("cutandchoose: internal: " + err.Error()) // SHAKE256 does not fail
	}
	in := make([]bool, p.rounds)
	for _, k := range order[:p.composed] {
		in[k] = true
	}
	return in
}

// expandSeed returns the opening of a seed.
func (s Statement) expandSeed(seed []byte) matrix.Opening {
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/cut-and-choose/seed"))
	stream.Write(seed)
	o, err := s.Order.DrawOpening(s.Key, s.Out[0].Width(), len(s.Out), stream)
	if err != nil {
		panic("cutandchoose: internal: " + err.Error()) // SHAKE256 does not fail
	}
	return o
}

// commitDecks returns C for the decks that deck gives: n goroutines share the rounds.
func (p roundCounts) commitDecks(n int, deck func(round int) [][][]uint64) []byte {
	digests := make([]byte, p.rounds*sha256.Size)
	var workers sync.WaitGroup
	for first := range n {
		workers.Go(func() {
			for k := first; k < p.rounds; k += n {
				copy(digests[k*sha256.Size:], deckDigest(deck(k)))
				runtime.Gosched() // a server has others to answer, who need little
			}
		})
	}
	workers.Wait()
	c := sha256.Sum256(digests)
	return c[:]
}

func deckDigest(deck [][][]uint64) []byte {
	h, b := sha256.New(), []byte(nil)
	for _, numbers := range deck {
		for _, z := range numbers {
			b = modp.AppendTo(b[:0], z)
			h.Write(b)
		}
	}
	return h.Sum(nil)
}

// Verify checks a proof. One of the right form that does not hold gives an error that
// wraps proof.ErrWrong.
func (s Statement) Verify(ctx transcript.Context, b []byte) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return full.verify(transcript.New(ctx, s), s, b)
}

func (p roundCounts) verify(t *transcript.Transcript, s Statement, b []byte, values ...[]byte) error {
	m, err := p.parseMessage(s, b)
	if err != nil {
		return err
	}
	units := matrix.NewUnits(s.Key, s.Out[0].Width())
	if err := p.checkDecks(p.drawComposed(t, m.commitment, values...), s, m, units); err != nil {
		return err
	}
	return units.CheckUnits()
}

// checkDecks computes all L for D and compares C, on one processor: a verifier that serves many
// must leave them the others.
func (p roundCounts) checkDecks(in []bool, s Statement, m *message, u *matrix.Units) error {
	before, after := matrix.NewPile(s.Key, s.In), matrix.NewPile(s.Key, s.Out)
	left, seeds := m.composed, m.seeds
	commitment := p.commitDecks(1, func(k int) [][][]uint64 {
		pile, o := after, matrix.Opening{}
		if in[k] {
			pile, o, left = before, left[0], left[1:]
		} else {
			o, seeds = s.expandSeed(seeds[0]), seeds[1:]
		}
		u.AddOpening(o)
		return pile.VartimeRemask(o)
	})
	if !bytes.Equal(commitment, m.commitment) {
		return fmt.Errorf("the decks are not the ones committed to: %w", proof.ErrWrong)
	}
	return nil
}
