package cutandchoose

import (
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
)

// HoldsAt verifies a proof for a given D.
func (w Weak) HoldsAt(in []bool, s shuffle.Statement, proof []byte) error {
	p := parameters{w.Rounds, w.Composed}
	m, err := p.parse(proof, len(s.In))
	if err != nil {
		return err
	}
	return p.holds(in, s, m)
}

// Simulate returns the proof that D, the seeds outside it and the compositions in
// it determine. It knows no witness.
func (w Weak) Simulate(in []bool, s shuffle.Statement, seeds [][]byte, composed []masking.Opening) []byte {
	p := parameters{w.Rounds, w.Composed}
	m := &message{seeds: seeds, composed: composed}
	var decks [][]masking.Card
	seed, composition := 0, 0
	for k := range p.rounds {
		if in[k] {
			decks = append(decks, masking.Remask(s.Key, s.In, composed[composition]))
			composition++
		} else {
			decks = append(decks, masking.Remask(s.Key, s.Out, expand(seeds[seed], len(s.Out))))
			seed++
		}
	}
	m.commitment = p.commit(1, func(k int) []masking.Card { return decks[k] })
	return m.bytes()
}
