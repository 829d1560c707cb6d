// Package elgamal has the suites whose cards are masked by ElGamal over any group (package masking),
// with Schnorr, aggregated Chaum–Pedersen, plaintext equality and threshold-disjunction proofs, and a
// shuffle argument as a parameter.
//
// It translates the statements of package proof, whose values are opaque, into those of the relations,
// and holds no mathematics. It refuses a statement with a value of another suite or group, or with a
// missing value.
package elgamal

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/choices"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

type suite struct {
	name     string
	argument masking.ShuffleArgument // nil if the seats ask for proofs
	encoding boundedEncoding
}

// New returns the suite over g with this shuffle argument, for verification. The name is bound into
// every transcript.
func New(name string, g *group.Group, argument masking.ShuffleArgument) proof.Suite {
	return &suite{name, argument, boundedEncoding{newEncoding(g), argument.Size}}
}

func (s *suite) group() *group.Group { return s.encoding.group }

func (s *suite) Name() string { return s.name }

// Proves reports that the suite proves all relations, including those of piles and new cards.
func (s *suite) Proves(relation string) bool {
	return relation == "arrange" || relation == "mint" || slices.Contains(proof.Relations(), relation)
}

func (s *suite) Encoding() proof.Encoding { return s.encoding }
func (s *suite) NewBatch() proof.Batch    { return NewBatch(s.group()) }

// Verify adds the equations of all relations to b, but checks the nonlinear equations of a Condition at
// once.
func (s *suite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	to, ok := EquationsOf(s.group(), b)
	if !ok {
		return fmt.Errorf("%T is no batch of this suite", b)
	}
	r, err := s.relationOf(st)
	if err != nil {
		return err
	}
	if r, ok := r.(masking.ShuffleStatement); ok {
		if s.argument == nil {
			return errAsked
		}
		return s.argument.Verify(c, r, bytes, to)
	}
	return r.(relation).Verify(c, bytes, to)
}

// relation is a statement with one argument. For a shuffle it is the suite's.
type relation interface {
	Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error
}

// relationOf translates a statement into the values of this suite.
func (s *suite) relationOf(st proof.Statement) (r any, err error) {
	o := ownValues{group: s.group()}
	switch st := st.(type) {
	case proof.Ownership:
		r = relations.Ownership{Key: o.asKey(st.Key)}
	case proof.Shuffle:
		r = masking.ShuffleStatement{Key: o.asKey(st.Key), In: o.asCards(st.In), Out: o.asCards(st.Out)}
	case proof.Reveal:
		r = relations.Reveal{Key: o.asKey(st.Key), Cards: o.asCards(st.Cards), Tokens: o.asTokens(st.Tokens)}
	case proof.Transfer:
		r = relations.Transfer{From: o.asKey(st.From), To: o.asKey(st.To), Old: o.asCard(st.Old), New: o.asCard(st.New)}
	case proof.Condition:
		r = choices.Condition{Key: o.asKey(st.Key), Deck: o.asDeck(st.Deck), Cards: o.asCards(st.Cards), Set: st.Set, Min: st.Min, Max: st.Max}
	case proof.Arrange:
		r = relations.Arrangement{Family: relations.FamilyNamed(string(st.Family)), Key: o.asKey(st.Key), In: o.asCards(st.In), Out: o.asCards(st.Out)}
	case proof.Mint:
		r = relations.Mint{Key: o.asKey(st.Key), Card: o.asCard(st.Card), Faces: o.deckElements(st.Deck, st.Set)}
	default:
		return nil, fmt.Errorf("no relation for %T", st)
	}
	return r, o.err
}

// deckElements returns the elements of the faces in set, all of which must be of the deck.
func (o *ownValues) deckElements(d proof.Deck, set card.Set) []group.Element {
	own := o.asDeck(d)
	if own == nil || !set.Within(own.PlainDeck()) {
		o.refuseForeign("deck with these faces", d)
		return nil
	}
	return relations.FaceElements(own, set)
}

// askingSuite is a suite whose seats ask for proofs of shuffles.
type askingSuite struct {
	*suite
	asked masking.AskedArgument
}

var _ proof.AskingSuite = askingSuite{}

// NewAsking returns a suite whose proofs of shuffles answer the seats' questions, for verification.
func NewAsking(name string, g *group.Group, argument masking.AskedArgument) proof.Suite {
	return askingSuite{&suite{name, nil, boundedEncoding{newEncoding(g), argument.Size}}, argument}
}

func (a askingSuite) Soundness() int { return a.asked.ErrorBits() }

var errAsked = fmt.Errorf("a shuffle is proved in two messages here: %w", proof.ErrFalse)

func (a askingSuite) CheckCommitment(st proof.Shuffle, commitment []byte) error {
	r, err := a.shuffleOf(st)
	if err != nil {
		return err
	}
	return a.asked.CheckCommitment(r, commitment)
}

func (a askingSuite) VerifyAnswer(c transcript.Context, st proof.Shuffle, commitment []byte, values [][]byte, answer []byte, _ proof.Batch) error {
	r, err := a.shuffleOf(st)
	if err != nil {
		return err
	}
	return a.asked.VerifyAnswer(c, r, commitment, values, answer)
}

func (s *suite) shuffleOf(st proof.Shuffle) (masking.ShuffleStatement, error) {
	r, err := s.relationOf(st)
	if err != nil {
		return masking.ShuffleStatement{}, err
	}
	return r.(masking.ShuffleStatement), nil
}
