package cutandchoose_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/suite/ristretto255/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/transcript"
)

// extract computes a witness from a round that one proof composes and another opens
// by its seed: σ = π∘π_k, τ_i = r_k,i + ρ_π_k(i).
func extract(composed, round masking.Opening) masking.Opening {
	o := masking.Opening{Permutation: make([]uint16, len(round.Permutation)), Factors: make([]group.Scalar, len(round.Factors))}
	for i, place := range round.Permutation {
		o.Permutation[place] = composed.Permutation[i]
		o.Factors[place] = composed.Factors[i].Sub(round.Factors[i])
	}
	return o
}

// rounds are an accepted proof by rounds: the composition of a round in D, and what
// the seed of one outside gives.
type rounds struct {
	in       []bool
	openings []masking.Opening
}

func read(t *testing.T, tr *transcript.Transcript, proof []byte, n int) rounds {
	t.Helper()
	seeds, composed, err := few.Parsed(proof, n)
	testmust.Do(t, err)
	r := rounds{in: few.Chosen(tr, commitmentOf(proof, n))}
	for _, in := range r.in {
		if in {
			r.openings, composed = append(r.openings, composed[0]), composed[1:]
		} else {
			r.openings, seeds = append(r.openings, cutandchoose.Expand(seeds[0], n)), seeds[1:]
		}
	}
	return r
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2 transcripts with one C and different D. It is the attack, too, on a prover whose
// seeds repeat.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.Shuffled(t, n)
		var proofs [2][]byte
		var answers [2]rounds
		for slot := range proofs {
			under := func() *transcript.Transcript {
				return transcript.New(shuffletest.At(uint16(slot)), cutandchoose.Labelled(s))
			}
			proofs[slot] = few.Answer(under(), s, o, seeds(0))
			testmust.Do(t, few.VerifyUnder(under(), s, proofs[slot]), "an answer is refused")
			answers[slot] = read(t, under(), proofs[slot], n)
		}
		if !bytes.Equal(commitmentOf(proofs[0], n), commitmentOf(proofs[1], n)) || slices.Equal(answers[0].in, answers[1].in) {
			t.Fatal("C depends on D, or both slots ask for the same set")
		}
		for round := range answers[0].in {
			if !answers[0].in[round] || answers[1].in[round] {
				continue
			}
			shuffletest.Extracted(t, extract(answers[0].openings[round], answers[1].openings[round]), o)
		}
	}
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// seeds and compositions are uniform, and determine C with D.
func TestSimulate(t *testing.T) {
	in := make([]bool, few.Rounds)
	for k := range few.Composed {
		in[2*k] = true
	}
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.Shuffled(t, n)
		proof := shuffletest.Prove(t, few, s, o)
		seeds, composed, err := few.Parsed(proof, n)
		testmust.Do(t, err)
		asked := few.Chosen(transcript.New(shuffletest.At(0), cutandchoose.Labelled(s)), commitmentOf(proof, n))
		if !bytes.Equal(few.Simulate(asked, s, seeds, composed), proof) {
			t.Errorf("%d cards: D and the answers do not determine an honest proof", n)
		}
		forgeFalse(t, in, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, in []bool, s shuffle.Statement) {
	t.Helper()
	n := len(s.In)
	s = shuffletest.Twice(t, s)
	var seeds [][]byte
	var composed []masking.Opening
	for k, composes := range in {
		seed := bytes.Repeat([]byte{byte(k + 1)}, 32)
		if composes {
			composed = append(composed, cutandchoose.Expand(seed, n))
		} else {
			seeds = append(seeds, seed)
		}
	}
	forged := few.Simulate(in, s, seeds, composed)
	testmust.Do(t, few.HoldsAt(in, s, forged), "a simulated proof is refused")
	if shuffletest.Check(few, s, forged) == nil {
		t.Error("a simulated proof is accepted under the D of the transcript")
	}
}
