package schindelhauer

import (
	"fmt"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Names of the suites whose shuffles the other seats ask to be proved.
const (
	Chosen2048 = "schindelhauer2048-cutandchoose-chosen40/v1"
	Chosen3072 = "schindelhauer3072-cutandchoose-chosen40/v1"
)

// askingSuite is a suite whose shuffles others ask to be proved.
type askingSuite struct{ *suite }

var _ proof.AskingSuite = askingSuite{}

// NewAsking returns such a suite, as New does.
func NewAsking(name string, bits int) proof.Suite { return askingSuite{&suite{name, bits / 8}} }

func (askingSuite) Soundness() int { return cutandchoose.AskedBits }

// AttachmentSize is that of an answer, or of a deck if it is longer.
func (a askingSuite) AttachmentSize(seats int, d proof.Deck) int {
	cards := len(d.Cards())
	width := matrix.ColumnsFor(cards)
	return max(cutandchoose.AskedSize(cards, seats, width, a.size), cards*seats*width*a.size)
}

// Verify is never asked about a shuffle.
func (a askingSuite) Verify(c transcript.Context, st proof.Statement, b []byte, batch proof.Batch) error {
	if _, shuffles := st.(proof.Shuffle); shuffles {
		return errAsked
	}
	return a.suite.Verify(c, st, b, batch)
}

var errAsked = fmt.Errorf("a shuffle is proved in two messages here: %w", proof.ErrFalse)

func (askingSuite) CheckCommitment(st proof.Shuffle, commitment []byte) error {
	s, err := askedOf(st)
	if err != nil {
		return err
	}
	return s.CheckCommitment(commitment)
}

func (askingSuite) VerifyAnswer(c transcript.Context, st proof.Shuffle, commitment []byte, values [][]byte, answer []byte, b proof.Batch) error {
	s, err := askedOf(st)
	if err != nil {
		return err
	}
	to, ok := b.(*batch)
	if !ok || to == nil {
		return noBatch(b)
	}
	return to.noteWrong(s.VerifyAnswer(c, commitment, values, answer))
}

func askedOf(st proof.Shuffle) (cutandchoose.AskedStatement, error) {
	r, err := relationOf(st)
	if err != nil {
		return cutandchoose.AskedStatement{}, err
	}
	return cutandchoose.AskedStatement{Statement: r.(cutandchoose.Statement)}, nil
}
