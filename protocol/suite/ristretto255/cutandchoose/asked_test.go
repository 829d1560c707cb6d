package cutandchoose_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/suite/ristretto255/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/transcript"
)

// A forger with few rounds who can ask himself tries until he is asked for what he is prepared
// for, and always succeeds. If another asks, see TestLastSeatKeepsBack.
func TestGrindingAsked(t *testing.T) {
	weak, sets := cutandchoose.Weak{Rounds: 10, Composed: 5}, 252
	if thorough.Tests() {
		weak, sets = cutandchoose.Weak{Rounds: 19, Composed: 9}, 92_378 // 16 bits
	}
	guess := make([]bool, weak.Rounds)
	for k := range weak.Composed {
		guess[2*k] = true
	}
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.Masked(t, k, 2), Out: shuffletest.Masked(t, k, 2)}
	under := func() *transcript.Transcript { return transcript.New(shuffletest.At(0), cutandchoose.Labelled(s)) }
	if after, found := weak.Grind(under, s, guess, 20*sets); !found {
		t.Errorf("nothing is found in %d tries", after)
	}
}

// A forger in league with the last seat to reveal, which keeps its value back at each table where
// he is asked for what he is not prepared for: of every table he has one chance, and no more, since
// he learns the value when he has committed.
func TestLastSeatKeepsBack(t *testing.T) {
	weak, sets, tables := cutandchoose.Weak{Rounds: 8, Composed: 4}, 70.0, 512
	if thorough.Tests() {
		tables = 4_096
	}
	guess := []bool{true, false, true, false, true, false, true, false}
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.Masked(t, k, 2), Out: shuffletest.Masked(t, k, 2)}
	lucky := 0
	for table := range tables {
		under := transcript.New(shuffletest.At(0), cutandchoose.Labelled(s))
		if weak.Guess(under, s, guess, seeds(uint64(table)), binary.BigEndian.AppendUint64([]byte("last"), uint64(table))) {
			lucky++
		}
	}
	mean := float64(tables) / sets
	if off := math.Abs(float64(lucky) - mean); off > 6*math.Sqrt(mean) {
		t.Errorf("at %d of %d tables, and there are %.0f sets", lucky, tables, sets)
	}
}

// An answer to other values, to values in another order, or to fewer; a commitment of another
// proof; an answer with a byte changed, or of another length; the seeds drawn anew.
func TestAnswerToOtherValues(t *testing.T) {
	s, o := shuffletest.Shuffled(t, 3)
	draws := func(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 1<<12)) }
	prover := cutandchoose.AskedProver{}
	at, values := shuffletest.At(0), [][]byte{{1}, {2}}
	commitment := handtest.Must(prover.Commit(at, s, o, draws(1)))
	answer := handtest.Must(prover.Answer(at, s, o, values, draws(1)))
	if len(answer) != prover.Size(3) || len(commitment) != 32 {
		t.Errorf("commitment and answer of %d and %d bytes", len(commitment), len(answer))
	}
	testmust.Do(t, prover.Answered(at, s, commitment, values, answer))
	refused := func(what string, at transcript.Context, commitment []byte, values [][]byte, answer []byte) {
		t.Helper()
		if prover.Answered(at, s, commitment, values, answer) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	refused("other values", at, commitment, [][]byte{{1}, {3}}, answer)
	refused("another order", at, commitment, [][]byte{{2}, {1}}, answer)
	refused("a value less", at, commitment, values[:1], answer)
	refused("another slot", shuffletest.At(1), commitment, values, answer)
	refused("a short answer", at, commitment, values, answer[1:])
	refused("a long answer", at, commitment, values, append(bytes.Clone(answer), 0))
	refused("no commitment", at, nil, values, answer)
	for i := 0; i < len(answer); i += len(answer)/20 + 1 {
		changed := bytes.Clone(answer)
		changed[i] ^= 1
		refused("a changed answer", at, commitment, values, changed)
	}
	other := handtest.Must(prover.Commit(at, s, o, draws(2)))
	refused("another commitment", at, other, values, answer)
}
