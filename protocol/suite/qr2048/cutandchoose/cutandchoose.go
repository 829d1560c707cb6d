// Code generated from ristretto255/cutandchoose/cutandchoose.go by go generate ./protocol/suite; DO NOT EDIT.

// Package cutandchoose is protocol/suite/ristretto255/cutandchoose over the classes of squares modulo the 2048-bit
// prime of RFC 3526 (package protocol/suite/qr2048/group) in place of ristretto255.
package cutandchoose

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha3"
	"fmt"
	"runtime"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/qr2048/group"
	"github.com/pakli/pakli/protocol/suite/qr2048/masking"
	"github.com/pakli/pakli/protocol/suite/qr2048/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

// Argument is the argument, as it is verified. It has no state.
type Argument struct{}

// roundCounts are s and w.
type roundCounts struct{ rounds, composed int }

var full = roundCounts{rounds: 134, composed: 58}

const seedSize = 32

// Size is the package's.
func (Argument) Size(n int) int { return Size(n) }

// Size returns the length of a proof for n cards, in bytes.
func Size(n int) int { return full.proofSize(n) }

func (p roundCounts) proofSize(n int) int {
	return p.composed*n*(1+group.ScalarSize) + sha256.Size + (p.rounds-p.composed)*seedSize
}

// Verify checks the form of s and of a proof, and the proof.
func (Argument) Verify(ctx transcript.Context, s shuffle.Statement, bytes []byte, _ *group.Batch) error {
	return full.verify(ctx, s, bytes)
}

// labelledStatement gives the relation this argument's label.
type labelledStatement struct{ shuffle.Statement }

func (labelledStatement) Label() string { return "shuffle/cut-and-choose/v1" }

// message is a proof.
type message struct {
	commitment []byte
	seeds      [][]byte          // of the rounds outside D, ascending
	composed   []masking.Opening // σ_k and τ_k of the rounds in D, ascending
}

func (p roundCounts) parseMessage(bytes []byte, n int) (*message, error) {
	if len(bytes) != p.proofSize(n) {
		return nil, fmt.Errorf("the proof has %d bytes, must have %d for %d cards", len(bytes), p.proofSize(n), n)
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
	factors := group.NewParser(bytes)
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
func expandSeed(seed []byte, n int) masking.Opening {
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/cut-and-choose/seed"))
	stream.Write(seed)
	order, err := masking.DrawPermutation(n, stream)
	if err != nil {
		panic("cutandchoose: internal: " + err.Error()) // SHAKE256 does not fail
	}
	factors, err := group.RandomScalars(stream, n)
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
	return p.verifyUnder(transcript.New(ctx, labelledStatement{s}), s, proof)
}

func (p roundCounts) verifyUnder(t *transcript.Transcript, s shuffle.Statement, b []byte, values ...[]byte) error {
	m, err := p.parseMessage(b, len(s.In))
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
		return masking.Remask(s.Key, s.Out, expandSeed(m.seeds[number[k]], len(s.Out)))
	})
	if !bytes.Equal(commitment, m.commitment) {
		return fmt.Errorf("the decks are not the ones committed to: %w", proof.ErrWrong)
	}
	return nil
}
