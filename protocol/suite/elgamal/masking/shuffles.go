package masking

import (
	"encoding/binary"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// MaxCards bounds N: there are no more cards than faces in a deck.
const MaxCards = card.MaxFaces

// ShuffleStatement is: Out is In in another order, each card remasked under Key.
type ShuffleStatement struct {
	Key     *Key
	In, Out []Card
}

// ShuffleArgument verifies a ShuffleStatement. It writes its own label before the statement's values,
// so no proof of one argument is a proof of another.
type ShuffleArgument interface {
	// Verify checks the form of s and of a proof and adds its equations to b.
	// It never panics, whatever the bytes.
	Verify(ctx transcript.Context, s ShuffleStatement, bytes []byte, b *group.Batch) error
	// Size returns the length of a proof for n cards, in bytes.
	Size(g *group.Group, n int) int
}

// AskedArgument verifies a ShuffleStatement whose proof others asked for
// (docs/spec/43-chosen-challenges.md).
type AskedArgument interface {
	// ErrorBits returns n such that a false answer passes with probability 2^-n.
	ErrorBits() int
	// Size returns the length of an answer for n cards, in bytes.
	Size(g *group.Group, n int) int
	// CheckCommitment checks the form of s and of a commitment.
	CheckCommitment(s ShuffleStatement, commitment []byte) error
	// VerifyAnswer checks the proof made of a commitment and an answer to values.
	VerifyAnswer(ctx transcript.Context, s ShuffleStatement, commitment []byte, values [][]byte, answer []byte) error
}

// AppendTo absorbs the statement. The label is the argument's.
func (s ShuffleStatement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", Encode(s.In...))
	b.Bytes("out", Encode(s.Out...))
}

// CheckForm checks the form of a statement.
func (s ShuffleStatement) CheckForm() error {
	n := len(s.In)
	if n < 2 || n > MaxCards {
		return fmt.Errorf("a shuffle of %d cards, must be 2 to %d", n, MaxCards)
	}
	if len(s.Out) != n {
		return fmt.Errorf("a shuffle of %d cards makes %d", n, len(s.Out))
	}
	return CheckHidden("the shuffle leaves a card open", s.Out...)
}

// ArgumentStatement is a shuffle statement with the label of an argument.
type ArgumentStatement struct {
	ShuffleStatement
	label string
}

// WithLabel returns s with the label of an argument.
func (s ShuffleStatement) WithLabel(label string) ArgumentStatement {
	return ArgumentStatement{s, label}
}

// Label names the relation and its argument.
func (s ArgumentStatement) Label() string { return s.label }

// Generators returns G_0 … G_MaxCards, the elements over which arguments commit.
// They are hashed to the group: nobody knows a relation between them, or to the
// group's generator, so there is no trapdoor.
var Generators = group.OncePerGroup(func(g *group.Group) []group.Element {
	list := make([]group.Element, MaxCards+1)
	for i := range list {
		list[i] = g.HashToElement("pakli/v1/commitment", binary.BigEndian.AppendUint16(nil, uint16(i)))
	}
	return list
})

// CardColumns returns the components A_1 … A_N and B_1 … B_N of cards.
func CardColumns(cards []Card) (as, bs []group.Element) {
	as, bs = make([]group.Element, len(cards)), make([]group.Element, len(cards))
	for i, c := range cards {
		as[i], bs[i] = c.A, c.B
	}
	return as, bs
}
