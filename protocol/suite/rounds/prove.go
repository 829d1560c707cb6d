package rounds

import (
	"crypto/sha256"
	"runtime"

	"github.com/pakli/pakli/protocol/transcript"
)

// AnswerRounds commits to the decks of seeds, by round, and answers with the seeds of rounds outside D.
// For rounds in D it calls compose.
func (c Counts) AnswerRounds(t *transcript.Transcript, seeds [][]byte, seeded func(seed []byte) [sha256.Size]byte, compose func(seed []byte), values ...[]byte) Message {
	m := Message{Commitment: c.Commit(runtime.GOMAXPROCS(0), func(k int) [sha256.Size]byte { return seeded(seeds[k]) })}
	for k, in := range c.DrawComposed(t, m.Commitment, values...) {
		if in {
			compose(seeds[k])
		} else {
			m.Seeds = append(m.Seeds, seeds[k])
		}
	}
	return m
}
