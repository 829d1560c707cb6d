package rounds

import (
	"crypto/sha256"
	"runtime"

	"github.com/pakli/pakli/protocol/transcript"
)

// AnswerRounds commits to the decks of seeds, by round, and answers: the seeds outside D, and for those
// in it what compose makes of them.
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
