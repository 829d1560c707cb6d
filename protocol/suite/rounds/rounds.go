// Package rounds has the parts of cut-and-choose that do not depend on the cards (Goldreich, Micali and
// Wigderson, "Proofs that Yield Nothing but their Validity", 1991; docs/spec/41-shuffles.md, 41.2, has
// the letters): which rounds a prover has to compose, the commitment to all third decks, and the layout
// of a proof.
//
// In every round a third deck is made from the deck after, by what a seed gives. In the rounds of a set
// D the proof shows how the third deck comes from the deck before, and in the others it shows the seed.
// Whoever can answer one round both ways knows how the deck after comes from the deck before. Whoever
// cannot answers at most one set D for decks fixed by C, and is asked for it with probability 1/(s over
// w). Argument packages say what a deck is, what a seed gives and how it composes.
package rounds

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha3"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Counts are s and w: the number of rounds, and how many of them are composed.
type Counts struct{ Rounds, Composed int }

// Asked is the Counts of an argument whose seats ask for rounds (docs/spec/43-chosen-challenges.md):
// (59 over 12) > 2^40. A prover cannot try offline until it is asked for the set prepared for, so
// AskedBits are enough for the seats that asked.
var Asked = Counts{59, 12}

// AskedBits is n such that a false answer passes with probability 2^-n.
const AskedBits = 40

// SeedSize is the length of a seed, in bytes.
const SeedSize = 32

// Layout is the lengths of a proof about a number of cards.
type Layout struct {
	Counts
	Cards int
	Order int // bytes of the order of one composition
	Rest  int // bytes of everything else in the compositions
}

// Size returns the length of a proof.
func (l Layout) Size() int {
	return l.offset() + sha256.Size + (l.Rounds-l.Composed)*SeedSize + l.Rest
}

// AnswerSize returns the length of a proof without C.
func (l Layout) AnswerSize() int { return l.Size() - sha256.Size }

// offset returns the length of what comes before C.
func (l Layout) offset() int { return l.Composed * l.Order }

// Message is a proof.
type Message struct {
	Orders     []byte // of the rounds in D, ascending
	Commitment []byte // C
	Seeds      [][]byte
	Rest       []byte // of the compositions
}

// Parse splits a proof into its parts.
func (l Layout) Parse(b []byte) (Message, error) {
	if len(b) != l.Size() {
		return Message{}, fmt.Errorf("the proof has %d bytes, must have %d for %d cards", len(b), l.Size(), l.Cards)
	}
	orders, b := b[:l.offset()], b[l.offset():]
	commitment, b := b[:sha256.Size], b[sha256.Size:]
	seeds := (l.Rounds - l.Composed) * SeedSize
	return Message{orders, commitment, slices.Collect(slices.Chunk(b[:seeds], SeedSize)), b[seeds:]}, nil
}

// Bytes returns the proof, and Answer the proof without C.
func (m Message) Bytes() []byte  { return slices.Concat(m.Orders, m.Commitment, m.seedBytes(), m.Rest) }
func (m Message) Answer() []byte { return slices.Concat(m.Orders, m.seedBytes(), m.Rest) }

func (m Message) seedBytes() []byte { return slices.Concat(m.Seeds...) }

// CheckCommitment checks the form of C.
func CheckCommitment(commitment []byte) error {
	if len(commitment) != sha256.Size {
		return fmt.Errorf("it has %d bytes, must have %d", len(commitment), sha256.Size)
	}
	return nil
}

// WholeProof inserts C into an answer.
func (l Layout) WholeProof(commitment, answer []byte) ([]byte, error) {
	if len(answer) != l.AnswerSize() {
		return nil, fmt.Errorf("the answer has %d bytes, must have %d for %d cards", len(answer), l.AnswerSize(), l.Cards)
	}
	return slices.Insert(slices.Clone(answer), l.offset(), commitment...), nil
}

// ParseOrder reads a permutation from as many bytes as it has places.
func ParseOrder(b []byte) ([]uint16, error) {
	if err := proof.CheckPermutation(b, len(b)); err != nil {
		return nil, err
	}
	order := make([]uint16, len(b))
	for i, place := range b {
		order[i] = uint16(place)
	}
	return order, nil
}

// DrawComposed draws D, as a flag for each round. The values are those by which seats asked, if any.
func (c Counts) DrawComposed(t *transcript.Transcript, commitment []byte, values ...[]byte) []bool {
	t.Append("C", commitment)
	for _, v := range values {
		t.Append("value", v)
	}
	challenge := t.Challenge("D")
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/cut-and-choose/rounds"))
	stream.Write(challenge[:])
	order := MustDraw(masking.DrawPermutation(c.Rounds, stream))
	in := make([]bool, c.Rounds)
	for _, k := range order[:c.Composed] {
		in[k] = true
	}
	return in
}

// SeedStream returns the stream of a seed.
func SeedStream(seed []byte) *sha3.SHAKE {
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/cut-and-choose/seed"))
	stream.Write(seed)
	return stream
}

// MustDraw returns a value drawn from SHAKE256, which does not fail.
func MustDraw[T any](v T, err error) T {
	if err != nil {
		panic("rounds: internal: " + err.Error())
	}
	return v
}

// Commit returns C for the digests of decks. Rounds are independent of one another, and are most of the
// work: n goroutines share them.
func (c Counts) Commit(n int, digest func(round int) [sha256.Size]byte) []byte {
	digests := make([]byte, c.Rounds*sha256.Size)
	var workers sync.WaitGroup
	for first := range n {
		workers.Go(func() {
			for k := first; k < c.Rounds; k += n {
				d := digest(k)
				copy(digests[k*sha256.Size:], d[:])
				runtime.Gosched() // others wait for a server, and need little
			}
		})
	}
	workers.Wait()
	all := sha256.Sum256(digests)
	return all[:]
}

// CheckDecks compares C with the digests of all third decks: composed returns those of the
// compositions, by their number, and seeded those of seeds. It uses one processor: a prover waits for
// nothing else, but a verifier that serves many must leave them the others.
func (c Counts) CheckDecks(in []bool, m Message, composed func(i int) [sha256.Size]byte, seeded func(seed []byte) [sha256.Size]byte) error {
	i, seeds := 0, m.Seeds
	commitment := c.Commit(1, func(k int) (digest [sha256.Size]byte) {
		if in[k] {
			digest, i = composed(i), i+1
		} else {
			digest, seeds = seeded(seeds[0]), seeds[1:]
		}
		return digest
	})
	if !bytes.Equal(commitment, m.Commitment) {
		return fmt.Errorf("the decks are not the ones committed to: %w", proof.ErrWrong)
	}
	return nil
}
