// Package cutandchoose proves that cards of residues were put in another order, any or a cut, and
// remasked: by cut-and-choose like protocol/suite/elgamal/cutandchoose, with other numbers of rounds
// and another encoding (docs/spec/32-masking-residues.md, 32.4; the letters are those of 41.2).
//
// There are 221 rounds. In 32 of them the prover shows how the third deck L comes from the deck before:
// (221 over 32) > 2^128. In the others it shows a seed with which L comes from the deck after. The
// first is long, the second 32 bytes.
//
// Every factor must be a unit. Otherwise the owner of m = p·q could take factors divisible by p: then
// each equation holds modulo p, and the owner may change the numbers of its own row there.
package cutandchoose

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

var full = rounds.Counts{Rounds: 221, Composed: 32}

// Statement is: Out is In in an order allowed by Order, each card remasked under Key.
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
	matrix.AppendCards(b, "in", s.In)
	matrix.AppendCards(b, "out", s.Out)
}

// CheckForm checks the form of a statement: at least 2 cards, for a cut 1; all of Out, and all cards of
// In that are not open, under Key; all of one width.
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
	rounds.Counts
	cards, places, rows, width, number int
}

func shapeOf(c rounds.Counts, s Statement) proofShape {
	h := proofShape{c, len(s.In), len(s.In), len(s.Key.Moduli()), s.Out[0].Width(), s.Key.Moduli()[0].Size()}
	if s.Order == matrix.Cut {
		h.places = 1 // the place of the first card determines a cut
	}
	return h
}

// bits returns the number of bits of all compositions together, and bitsSize their length in bytes.
func (h proofShape) bits() int     { return h.Composed * h.cards * (h.rows - 1) * h.width }
func (h proofShape) bitsSize() int { return (h.bits() + 7) / 8 }

func (h proofShape) layout() rounds.Layout {
	return rounds.Layout{Counts: h.Counts, Cards: h.cards, Order: h.places, Rest: h.bitsSize() + h.Composed*h.cards*h.rows*h.width*h.number}
}

// Size returns the length in bytes of the proof of a shuffle of cards under so many keys of number
// bytes, with so many columns.
func Size(cards, keys, width, number int) int {
	return proofShape{full, cards, cards, keys, width, number}.layout().Size()
}

// parseCompositions reads the openings of the rounds in D.
func (s Statement) parseCompositions(h proofShape, m rounds.Message) ([]matrix.Opening, error) {
	packed, b := m.Rest[:h.bitsSize()], m.Rest[h.bitsSize():]
	if spare := h.bits() % 8; spare > 0 && packed[len(packed)-1]>>spare != 0 {
		return nil, errors.New("bits after the last")
	}
	bits := matrix.UnpackBits(packed, h.Composed*h.cards, h.rows, h.width)
	list := make([]matrix.Opening, h.Composed)
	for k := range list {
		order, err := s.parseOrder(m.Orders[k*h.places : (k+1)*h.places])
		if err != nil {
			return nil, fmt.Errorf("composition %d: %w", k, err)
		}
		list[k] = matrix.Opening{Permutation: order, Bits: bits[k*h.cards : (k+1)*h.cards]}
		for range h.cards {
			size := h.rows * h.width * h.number
			factors, err := s.parseFactors(b[:size])
			if err != nil {
				return nil, fmt.Errorf("composition %d: %w", k, err)
			}
			list[k].Factors, b = append(list[k].Factors, factors), b[size:]
		}
	}
	return list, nil
}

// parseOrder reads a permutation: every place, or for a cut the first.
func (s Statement) parseOrder(b []byte) ([]uint16, error) {
	n := len(s.In)
	if s.Order == matrix.Cut {
		if int(b[0]) >= n {
			return nil, fmt.Errorf("a cut at place %d of %d cards", b[0], n)
		}
		return matrix.Rotation(int(b[0]), n), nil
	}
	return rounds.ParseOrder(b)
}

// parseFactors reads the factors of one card, each the smaller of a factor and its negative.
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

func (s Statement) expandSeed(seed []byte) matrix.Opening {
	return rounds.MustDraw(s.Order.DrawOpening(s.Key, s.Out[0].Width(), len(s.Out), rounds.SeedStream(seed)))
}

func deckDigest(deck [][][]uint64) [32]byte {
	h, b := sha256.New(), []byte(nil)
	for _, numbers := range deck {
		for _, z := range numbers {
			b = modp.AppendTo(b[:0], z)
			h.Write(b)
		}
	}
	return [32]byte(h.Sum(nil))
}

// Verify checks a proof. If a proof of the right form does not hold, the error wraps proof.ErrWrong.
func (s Statement) Verify(ctx transcript.Context, b []byte) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return s.verify(full, transcript.New(ctx, s), b)
}

func (s Statement) verify(c rounds.Counts, t *transcript.Transcript, b []byte, values ...[]byte) error {
	h := shapeOf(c, s)
	m, err := h.layout().Parse(b)
	if err != nil {
		return err
	}
	composed, err := s.parseCompositions(h, m)
	if err != nil {
		return err
	}
	units := matrix.NewUnits(s.Key, h.width)
	if err := s.checkDecks(c, c.DrawComposed(t, m.Commitment, values...), m, composed, units); err != nil {
		return err
	}
	return units.CheckUnits()
}

// checkDecks computes all L, compares their digests with C, and multiplies all factors into u.
func (s Statement) checkDecks(c rounds.Counts, in []bool, m rounds.Message, composed []matrix.Opening, u *matrix.Units) error {
	digest := func(pile *matrix.Pile, o matrix.Opening) [32]byte {
		u.AddOpening(o)
		return deckDigest(pile.VartimeRemask(o))
	}
	before, after := matrix.NewPile(s.Key, s.In), matrix.NewPile(s.Key, s.Out)
	return c.CheckDecks(in, m,
		func(i int) [32]byte { return digest(before, composed[i]) },
		func(seed []byte) [32]byte { return digest(after, s.expandSeed(seed)) })
}

// AskedBits is n such that a false answer to seats that ask passes with probability 2^-n.
const AskedBits = rounds.AskedBits

// AskedStatement is a Statement whose proof is C, and the rest after others have revealed the values
// that D is drawn from.
type AskedStatement struct{ Statement }

// Label implements transcript.Statement.
func (AskedStatement) Label() string { return "shuffle/residues-cut-and-choose-asked/v1" }

// AskedSize is Size for an answer.
func AskedSize(cards, keys, width, number int) int {
	return proofShape{rounds.Asked, cards, cards, keys, width, number}.layout().AnswerSize()
}

// CheckCommitment checks the form of the statement and of C.
func (s AskedStatement) CheckCommitment(commitment []byte) error {
	return cmp.Or(s.CheckForm(), rounds.CheckCommitment(commitment))
}

// VerifyAnswer checks the proof made of C and an answer to values, as Verify does.
func (s AskedStatement) VerifyAnswer(ctx transcript.Context, commitment []byte, values [][]byte, answer []byte) error {
	if err := s.CheckCommitment(commitment); err != nil {
		return err
	}
	whole, err := shapeOf(rounds.Asked, s.Statement).layout().WholeProof(commitment, answer)
	if err != nil {
		return err
	}
	return s.verify(rounds.Asked, transcript.New(ctx, s), whole, values...)
}
