package cutandchoose

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// draws are the same for Commit and Answer.
func draws(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 1<<12)) }

// asked commits to a proof and answers values.
func (g *game) asked(s Asked, o matrix.Opening, values ...[]byte) (commitment, answer []byte) {
	g.Helper()
	return testmust.Have(Commit(here, s, o, draws(1)))(g), testmust.Have(Answer(here, s, o, values, draws(1)))(g)
}

// An answer to other values, in another order or to fewer; to another commitment; with a byte
// changed, or of another length; and a proof of 40 bits that stands as a whole one.
func TestAnswerToOtherValues(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	s := Asked{Statement{Key: g.joint, In: g.deck, Out: out}}
	values := [][]byte{{1}, {2}}
	commitment, answer := g.asked(s, opening, values...)
	if err := s.Answered(here, commitment, values, answer); err != nil || len(answer) != AskedSize(4, 2, 2, size) {
		t.Fatalf("%d bytes, want %d: %v", len(answer), AskedSize(4, 2, 2, size), err)
	}
	refused := func(what string, commitment []byte, values [][]byte, answer []byte) {
		t.Helper()
		if s.Answered(here, commitment, values, answer) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	refused("another value", commitment, [][]byte{{1}, {3}}, answer)
	refused("another order", commitment, [][]byte{{2}, {1}}, answer)
	refused("a value less", commitment, values[:1], answer)
	refused("a short answer", commitment, values, answer[1:])
	refused("a long answer", commitment, values, append(bytes.Clone(answer), 0))
	refused("no commitment", nil, values, answer)
	refused("another commitment", bytes.Repeat([]byte{1}, 32), values, answer)
	for i := 0; i < len(answer); i += len(answer)/20 + 1 {
		changed := bytes.Clone(answer)
		changed[i] ^= 1
		refused("a changed answer", commitment, values, changed)
	}
	h := forty.shape(s.Statement)
	whole := slices.Insert(bytes.Clone(answer), h.before(), commitment...)
	if err := s.Statement.Verify(here, whole); err == nil || errors.Is(err, proof.ErrWrong) {
		t.Errorf("12 of 59 rounds stand for 32 of 221: %v", err)
	}
}

// A false shuffle, and one by a factor that is no unit (SC-10), when others ask.
func TestFalseAnswers(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	out[0], out[1] = out[1], out[0]
	s := Asked{Statement{Key: g.joint, In: g.deck, Out: out}}
	commitment, answer := g.asked(s, opening, []byte{1})
	testmust.FailBy(t, s.Answered(here, commitment, [][]byte{{1}}, answer), proof.ErrWrong, "two cards exchanged")
	opening.Factors[0][0] = g.owner().divisible(opening.Factors[0][0])
	pile := matrix.NewPile(g.joint, g.deck)
	s.Out = pile.Cards(pile.Remask(opening))
	if _, err := Commit(here, s, opening, draws(1)); !errors.Is(err, proof.ErrFalse) {
		t.Errorf("a seat commits to what it cannot answer: %v", err)
	}
	m := forty.pretended(transcript.New(here, s), s.Statement, opening, []byte{1})
	answer = slices.Delete(m.bytes(forty.shape(s.Statement)), forty.shape(s.Statement).before(), forty.shape(s.Statement).before()+32)
	if err := s.Answered(here, m.commitment, [][]byte{{1}}, answer); !errors.Is(err, proof.ErrWrong) {
		t.Errorf("a factor that p divides: %v", err)
	}
}
