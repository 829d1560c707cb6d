package cutandchoose

import (
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// testGroup is the group of the tests.
var testGroup = group.Ristretto255()

// Weak is the argument with few rounds: fast, and forged by guessing.
type Weak struct{ Rounds, Composed int }

func (w Weak) Prove(ctx transcript.Context, s shuffle.Statement, o masking.Opening, rand io.Reader) ([]byte, error) {
	m, err := roundCounts{w.Rounds, w.Composed}.prove(ctx, label, s, o, rand)
	if err != nil {
		return nil, err
	}
	return m.proofBytes(), nil
}

func (w Weak) Verify(ctx transcript.Context, s shuffle.Statement, bytes []byte, _ *group.Batch) error {
	return roundCounts{w.Rounds, w.Composed}.verify(ctx, s, bytes)
}

func (w Weak) Size(_ *group.Group, n int) int {
	return roundCounts{w.Rounds, w.Composed}.proofSize(testGroup, n)
}

// Full are s and w.
func Full() (rounds, composed int) { return full.rounds, full.composed }

// Labelled gives a statement this argument's label.
func Labelled(s shuffle.Statement) transcript.Statement { return s.WithLabel(label) }

// LabelledAsked gives it the label of proofs that others ask for.
func LabelledAsked(s shuffle.Statement) transcript.Statement { return s.WithLabel(askedLabel) }

// Chosen draws D for a commitment.
func (w Weak) Chosen(t *transcript.Transcript, commitment []byte) []bool {
	return roundCounts{w.Rounds, w.Composed}.drawComposed(t, commitment)
}

// Forge proves what does not hold: it guesses D, commits to decks that answer
// for the guess, and tells whether the guess was right. The proof is in any case
// the best that the forger has.
func (w Weak) Forge(t *transcript.Transcript, s shuffle.Statement, guess []bool, seed func(round int) []byte) (proof []byte, asked bool) {
	p, n := roundCounts{w.Rounds, w.Composed}, len(s.In)
	m := new(message)
	m.commitment = p.commitDecks(1, func(k int) []masking.Card {
		if guess[k] {
			return masking.Remask(s.Key, s.In, expandSeed(testGroup, seed(k), n))
		}
		return masking.Remask(s.Key, s.Out, expandSeed(testGroup, seed(k), n))
	})
	asked = true
	for k, in := range p.drawComposed(t, m.commitment) {
		asked = asked && in == guess[k]
		if in {
			m.composed = append(m.composed, expandSeed(testGroup, seed(k), n))
		} else {
			m.seeds = append(m.seeds, seed(k))
		}
	}
	return m.proofBytes(), asked
}

// HoldsButForm verifies a proof as if a permutation could be any list of places.
func (w Weak) HoldsButForm(t *transcript.Transcript, s shuffle.Statement, proof []byte) error {
	p, n := roundCounts{w.Rounds, w.Composed}, len(s.In)
	orderly := append([]byte(nil), proof...)
	for i := range p.composed * n {
		orderly[i] = byte(i % n)
	}
	m, err := p.parseMessage(testGroup, orderly, n)
	if err != nil {
		return err
	}
	for k := range m.composed {
		for i := range n {
			m.composed[k].Permutation[i] = uint16(proof[k*n+i])
		}
	}
	return p.checkDecks(p.drawComposed(t, m.commitment), s, m)
}

// Answer is the honest prover with seeds of the caller's.
func (w Weak) Answer(t *transcript.Transcript, s shuffle.Statement, o masking.Opening, seed func(round int) []byte) []byte {
	return roundCounts{w.Rounds, w.Composed}.answerRounds(t, s, o, seed).proofBytes()
}

// Parsed returns the seeds and compositions of a proof.
func (w Weak) Parsed(proof []byte, n int) (seeds [][]byte, composed []masking.Opening, err error) {
	m, err := roundCounts{w.Rounds, w.Composed}.parseMessage(testGroup, proof, n)
	if err != nil {
		return nil, nil, err
	}
	return m.seeds, m.composed, nil
}

// VerifyUnder verifies under a transcript of the caller's.
func (w Weak) VerifyUnder(t *transcript.Transcript, s shuffle.Statement, proof []byte) error {
	return roundCounts{w.Rounds, w.Composed}.verifyUnder(t, s, proof)
}

// Doors for tests.
var (
	Expand           = expandSeed
	ParsePermutation = parsePermutation
)

// Grind proves what does not hold as Forge does, and changes the seed of one round until it is
// asked for what it guessed, as who asks himself can; it returns after how many tries.
func (w Weak) Grind(under func() *transcript.Transcript, s shuffle.Statement, guess []bool, tries int) (after int, found bool) {
	p := roundCounts{w.Rounds, w.Composed}
	made := make([][]masking.Card, p.rounds)
	remake := func(k int, seed [32]byte) {
		from := s.Out
		if guess[k] {
			from = s.In
		}
		made[k] = masking.Remask(s.Key, from, expandSeed(testGroup, seed[:], len(from)))
	}
	for k := range made {
		remake(k, [32]byte{byte(k + 1)})
	}
	for try := range tries {
		remake(0, [32]byte{0, byte(try), byte(try >> 8), byte(try >> 16)})
		c := p.commitDecks(1, func(k int) []masking.Card { return made[k] })
		if slices.Equal(p.drawComposed(under(), c), guess) {
			return try + 1, true
		}
	}
	return tries, false
}

// Guess commits to decks that answer a guess, and tells whether values that come later ask for it.
func (w Weak) Guess(t *transcript.Transcript, s shuffle.Statement, guess []bool, seed func(round int) []byte, values ...[]byte) bool {
	p := roundCounts{w.Rounds, w.Composed}
	c := p.commitDecks(1, func(k int) []masking.Card {
		if guess[k] {
			return masking.Remask(s.Key, s.In, expandSeed(testGroup, seed(k), len(s.In)))
		}
		return masking.Remask(s.Key, s.Out, expandSeed(testGroup, seed(k), len(s.Out)))
	})
	return slices.Equal(p.drawComposed(t, c, values...), guess)
}

// Forty are s and w where others ask.
func Forty() (rounds, composed int) { return forty.rounds, forty.composed }

// HoldsAt verifies a proof for a given D.
func (w Weak) HoldsAt(in []bool, s shuffle.Statement, proof []byte) error {
	p := roundCounts{w.Rounds, w.Composed}
	m, err := p.parseMessage(testGroup, proof, len(s.In))
	if err != nil {
		return err
	}
	return p.checkDecks(in, s, m)
}

// Simulate returns the proof that D, the seeds outside it and the compositions in
// it determine. It knows no witness.
func (w Weak) Simulate(in []bool, s shuffle.Statement, seeds [][]byte, composed []masking.Opening) []byte {
	p := roundCounts{w.Rounds, w.Composed}
	m := &message{seeds: seeds, composed: composed}
	var decks [][]masking.Card
	seed, composition := 0, 0
	for k := range p.rounds {
		if in[k] {
			decks = append(decks, masking.Remask(s.Key, s.In, composed[composition]))
			composition++
		} else {
			decks = append(decks, masking.Remask(s.Key, s.Out, expandSeed(testGroup, seeds[seed], len(s.Out))))
			seed++
		}
	}
	m.commitment = p.commitDecks(1, func(k int) []masking.Card { return decks[k] })
	return m.proofBytes()
}
