package player

import (
	"crypto/sha256"
	"crypto/sha3"
	"crypto/subtle"
	"errors"
	"io"
	"sync"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Where seats ask for proofs (docs/spec/43-chosen-challenges.md, 43.5), everything that a seat
// needs follows from its card secret. The seat keeps nothing more, and has it again after a crash.

// Chain keeps every 256th value of a seat's chain, so that the next value to reveal takes few
// hashes and not as many as there are links. It is for one table and one card secret, and for many
// goroutines; the zero value keeps nothing.
type Chain struct {
	mutex sync.Mutex
	kept  [][]byte // every keptAt-th value, from the first on
}

const keptAt = 256

// valueAfter returns first after so many applications of next.
func (c *Chain) valueAfter(first []byte, links int, next func([]byte) []byte) []byte {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.kept) == 0 || subtle.ConstantTimeCompare(c.kept[0], first) == 0 {
		c.kept = [][]byte{first}
	}
	at := min(links/keptAt, len(c.kept)-1) * keptAt
	value := c.kept[at/keptAt]
	for at < links {
		value = next(value)
		if at++; at%keptAt == 0 {
			c.kept = append(c.kept, value)
		}
	}
	return value
}

// chainValue returns the value that is links steps of table.LinkBefore before the end of the chain:
// the n-th value that a seat reveals has links = table.Links − n.
func (h Hand) chainValue(s *table.State, links int) []byte {
	sum := sha256.New()
	sum.Write([]byte("pakli/v1/beacon-secret"))
	id := s.ID()
	sum.Write(id[:])
	sum.Write(h.Secret.Bytes())
	kept := h.Chain
	if kept == nil {
		kept = new(Chain)
	}
	return kept.valueAfter(sum.Sum(nil), links, func(value []byte) []byte { return table.LinkBefore(s.ID(), h.Seat, value) })
}

func (h Hand) keyBody(s *table.State) any {
	key := h.Secret.Key().Bytes()
	if _, asks := s.AsksForProofs(); asks {
		return wire.AnchoredKeyBody{Key: key, Anchor: h.chainValue(s, table.Links)}
	}
	return wire.KeyBody{Key: key}
}

// beaconBody returns the body with the seat's next value.
func (h Hand) beaconBody(s *table.State) (any, error) {
	left := table.Links - 1 - s.RevealedValues(h.Seat)
	if left < 0 {
		return nil, errors.New("this seat has revealed all values that it had fixed with its card key")
	}
	return wire.BeaconBody{Value: h.chainValue(s, left)}, nil
}

// shuffleRandom returns what a seat draws from for a shuffle: rand or, where seats ask for the
// proof, a stream from the secret and the place in the table, since the answer needs the same draws
// again. The streams of the mask and of the proof are hedged with their context, like all others.
func (h Hand) shuffleRandom(s *table.State, kind table.Kind, rand io.Reader) io.Reader {
	if _, asks := s.AsksForProofs(); !asks {
		return rand
	}
	stream := sha3.NewSHAKE256()
	stream.Write([]byte("pakli/v1/asked"))
	head := s.Head()
	stream.Write(head[:])
	stream.Write([]byte(kind))
	stream.Write(h.Secret.Bytes())
	return stream
}

// askedSecret returns the secret as one that commits and answers.
func (h Hand) askedSecret() (proof.AnsweringSecret, error) {
	asked, ok := h.Secret.(proof.AnsweringSecret)
	if !ok {
		return nil, errors.New("this seat's program can verify what others ask for, and not answer it")
	}
	return asked, nil
}

func (h Hand) commitShuffle(s *table.State, kind table.Kind, st proof.Shuffle, w proof.Witness) ([]byte, error) {
	asked, err := h.askedSecret()
	if err != nil {
		return nil, err
	}
	return asked.Commit(s.Context(h.Seat, kind).Slot(0), st, w, h.shuffleRandom(s, kind, nil))
}

// answerShuffle makes the shuffle again, and returns the proof that is asked for.
func (h Hand) answerShuffle(s *table.State, st proof.Shuffle) ([]byte, error) {
	asked, err := h.askedSecret()
	if err != nil {
		return nil, err
	}
	q, _ := s.Question()
	context := q.Before.Context(h.Seat, q.Kind).Slot(0)
	_, w, err := asked.Shuffle(context, st.Key, st.In, h.shuffleRandom(q.Before, q.Kind, nil))
	if err != nil {
		return nil, err
	}
	return asked.Answer(context, st, w, s.AskedValues(), h.shuffleRandom(q.Before, q.Kind, nil))
}
