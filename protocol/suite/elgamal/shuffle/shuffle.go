// Package shuffle is the relation that every shuffle argument proves, and the
// interface of such an argument.
//
//	statement  key K; cards e_1 … e_N and e'_1 … e'_N, N ≥ 2
//	witness    a permutation π and factors ρ_i with
//	           e'_i = e_π(i) + (ρ_i·G, ρ_i·K) for every i
//
// Cards are pairs that are added by component; indices start at 1 in equations
// and at 0 in code. The cards before a shuffle may be open, those after it may
// not. Arguments are folders beside this one; package suite chooses.
package shuffle

import (
	"encoding/binary"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// MaxCards bounds N. There are no more cards than faces in a deck.
const MaxCards = card.MaxFaces

// Statement is: Out is In in another order, each card remasked under Key.
type Statement struct {
	Key     *masking.Key
	In, Out []masking.Card
}

// Argument verifies that a shuffle is one. It writes its own label before the
// statement's values, so no proof of one argument is one of another.
type Argument interface {
	// Verify checks the form of s and of a proof and adds its equations to b.
	// It never panics, whatever the bytes.
	Verify(ctx transcript.Context, s Statement, bytes []byte, b *group.Batch) error
	// Size returns the length of a proof for n cards, in bytes.
	Size(g *group.Group, n int) int
}

// AskedArgument verifies that a shuffle is one, of which the proof was asked for by others
// (docs/spec/43-chosen-challenges.md).
type AskedArgument interface {
	// ErrorBits are those of its error.
	ErrorBits() int
	// Size is the length of an answer for n cards, in bytes.
	Size(g *group.Group, n int) int
	// CheckCommitment checks the form of s and of a commitment.
	CheckCommitment(s Statement, commitment []byte) error
	// VerifyAnswer checks what a commitment and an answer to values prove.
	VerifyAnswer(ctx transcript.Context, s Statement, commitment []byte, values [][]byte, answer []byte) error
}

// AppendTo absorbs the statement. The label is the argument's.
func (s Statement) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", masking.Encode(s.In...))
	b.Bytes("out", masking.Encode(s.Out...))
}

// CheckForm checks the form of a statement.
func (s Statement) CheckForm() error {
	n := len(s.In)
	if n < 2 || n > MaxCards {
		return fmt.Errorf("a shuffle of %d cards, must be 2 to %d", n, MaxCards)
	}
	if len(s.Out) != n {
		return fmt.Errorf("a shuffle of %d cards makes %d", n, len(s.Out))
	}
	return masking.CheckHidden("the shuffle leaves a card open", s.Out...)
}

// ArgumentStatement is a shuffle as one of the arguments has it.
type ArgumentStatement struct {
	Statement
	label string
}

// WithLabel returns s with the label of an argument.
func (s Statement) WithLabel(label string) ArgumentStatement { return ArgumentStatement{s, label} }

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
func CardColumns(cards []masking.Card) (as, bs []group.Element) {
	as, bs = make([]group.Element, len(cards)), make([]group.Element, len(cards))
	for i, c := range cards {
		as[i], bs[i] = c.A, c.B
	}
	return as, bs
}
