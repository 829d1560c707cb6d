// Package cutandchoose proves a shuffle by cutting and choosing (Goldreich,
// Micali and Wigderson, "Proofs that Yield Nothing but their Validity", 1991;
// for cards Barnett and Smart, "Mental Poker Revisited", 2003): the oldest
// argument, the longest and slowest, and the one that needs no assumption but
// on hashes, and no algebra to understand.
//
// In every round the prover makes a third deck L, by a permutation and factors that a seed
// gives, and commits to all of them. He is asked for a set D of the rounds: in these he
// shows how L comes from the deck before, and in the others the seed, with which it comes
// from the deck after. Letters and checks are those of the normative text,
// docs/spec/41-shuffles.md, 41.2.
//
// Why it holds. Who can answer one round both ways knows how the deck after
// leads to the deck before, by way of L_k: the shuffle. Who cannot answers, for
// decks that are fixed by C, one set D at most, and is asked for it with
// probability 1 / (s over w).
//
// s = 134 and w = 58, so that (s over w) > 2^128: a forger who tries offline
// until the hash asks for the set he is prepared for, which nobody can stop him
// from, needs as many tries as to break anything else here. One bit of
// challenge for each of 128 rounds would do as well; but its proofs differ in
// length and are longer by a tenth, since a permutation and its factors cost
// forty times what a seed does, and half of the rounds need them.
//
// It promises completeness, computational soundness (collisions of SHA-256) and
// honest-verifier zero knowledge (SHAKE256 on seeds is pseudorandom); under
// Fiat–Shamir in the random oracle model. The prover takes constant time, and
// its memory accesses do not depend on a permutation that is not shown. It
// checks at once and adds nothing to a batch.
package cutandchoose

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha3"
	"fmt"
	"runtime"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument, as it is verified. It has no state.
type Argument struct{}

// roundCounts are s and w.
type roundCounts struct{ rounds, composed int }

var full = roundCounts{rounds: 134, composed: 58}

const seedSize = 32

// Size is the package's.
func (Argument) Size(g *group.Group, n int) int { return Size(g, n) }

// Size returns the length of a proof for n cards, in bytes.
func Size(g *group.Group, n int) int { return full.proofSize(g, n) }

func (p roundCounts) proofSize(g *group.Group, n int) int {
	return p.composed*n*(1+g.ScalarSize) + sha256.Size + (p.rounds-p.composed)*seedSize
}

// Verify checks the form of s and of a proof, and the proof.
func (Argument) Verify(ctx transcript.Context, s shuffle.Statement, bytes []byte, _ *group.Batch) error {
	return full.verify(ctx, s, bytes)
}

// label names the relation and this argument.
const label = "shuffle/cut-and-choose/v1"

// message is a proof.
type message struct {
	commitment []byte
	seeds      [][]byte          // of the rounds outside D, ascending
	composed   []masking.Opening // σ_k and τ_k of the rounds in D, ascending
}

func (p roundCounts) parseMessage(g *group.Group, bytes []byte, n int) (*message, error) {
	if len(bytes) != p.proofSize(g, n) {
		return nil, fmt.Errorf("the proof has %d bytes, must have %d for %d cards", len(bytes), p.proofSize(g, n), n)
	}
	take := func(size int) []byte {
		taken := bytes[:size]
		bytes = bytes[size:]
		return taken
	}
	m := &message{composed: make([]masking.Opening, p.composed)}
	for k := range m.composed {
		var err error
		if m.composed[k].Permutation, err = parsePermutation(take(n)); err != nil {
			return nil, fmt.Errorf("composition %d: %w", k, err)
		}
	}
	m.commitment = take(sha256.Size)
	for range p.rounds - p.composed {
		m.seeds = append(m.seeds, take(seedSize))
	}
	factors := g.NewParser(bytes)
	for k := range m.composed {
		m.composed[k].Factors = factors.Scalars(n)
	}
	if err := factors.Close(); err != nil {
		return nil, err
	}
	return m, nil
}

// parsePermutation reads a permutation from as many bytes as it has places.
func parsePermutation(b []byte) ([]uint16, error) {
	pi, seen := make([]uint16, len(b)), make([]bool, len(b))
	for i, place := range b {
		if int(place) >= len(b) {
			return nil, fmt.Errorf("place %d of %d cards", place, len(b))
		}
		if seen[place] {
			return nil, fmt.Errorf("place %d twice", place)
		}
		pi[i], seen[place] = uint16(place), true
	}
	return pi, nil
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

// expandSeed returns the permutation and factors of a seed.
func expandSeed(g *group.Group, seed []byte, n int) masking.Opening {
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/cut-and-choose/seed"))
	stream.Write(seed)
	order, err := masking.DrawPermutation(n, stream)
	if err != nil {
		panic("cutandchoose: internal: " + err.Error()) // SHAKE256 does not fail
	}
	factors, err := g.RandomScalars(stream, n)
	if err != nil {
		panic("cutandchoose: internal: " + err.Error())
	}
	return masking.Opening{Permutation: order, Factors: factors}
}

// commitDecks returns C for the decks that deck gives. Rounds are independent of
// one another, and are most of the work: n goroutines share them.
func (p roundCounts) commitDecks(n int, deck func(round int) []masking.Card) []byte {
	digests := make([]byte, p.rounds*sha256.Size)
	var workers sync.WaitGroup
	for first := range n {
		workers.Go(func() {
			for k := first; k < p.rounds; k += n {
				digest := sha256.Sum256(masking.Encode(deck(k)...))
				copy(digests[k*sha256.Size:], digest[:])
				runtime.Gosched() // a server has others to answer, who need little
			}
		})
	}
	workers.Wait()
	c := sha256.Sum256(digests)
	return c[:]
}

func (p roundCounts) verify(ctx transcript.Context, s shuffle.Statement, proof []byte) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return p.verifyUnder(transcript.New(ctx, s.WithLabel(label)), s, proof)
}

func (p roundCounts) verifyUnder(t *transcript.Transcript, s shuffle.Statement, b []byte, values ...[]byte) error {
	m, err := p.parseMessage(s.Key.Group(), b, len(s.In))
	if err != nil {
		return err
	}
	return p.checkDecks(p.drawComposed(t, m.commitment, values...), s, m)
}

// checkDecks computes all L_k for D and compares C, on one processor: a prover waits for
// nothing else, but a verifier that serves many must leave them the others.
func (p roundCounts) checkDecks(in []bool, s shuffle.Statement, m *message) error {
	number := make([]int, p.rounds) // of a round among those that are answered alike
	for k, counts := 0, map[bool]int{}; k < p.rounds; k++ {
		number[k] = counts[in[k]]
		counts[in[k]]++
	}
	commitment := p.commitDecks(1, func(k int) []masking.Card {
		if in[k] {
			return masking.Remask(s.Key, s.In, m.composed[number[k]])
		}
		return masking.Remask(s.Key, s.Out, expandSeed(s.Key.Group(), m.seeds[number[k]], len(s.Out)))
	})
	if !bytes.Equal(commitment, m.commitment) {
		return fmt.Errorf("the decks are not the ones committed to: %w", proof.ErrWrong)
	}
	return nil
}
