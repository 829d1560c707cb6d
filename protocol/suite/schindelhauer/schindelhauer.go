// Package schindelhauer is the suite of cards that are matrices of quadratic residues modulo
// numbers that only their owners can factor (Schindelhauer, "A Toolbox for Mental Card
// Games", A-98-14, 1998), made non-interactive and sound: docs/spec/32-masking-residues.md.
//
// It needs no group: hiding rests on deciding quadratic residuosity, and proofs on hashes. It pays with
// length, megabytes for a shuffle, so decks and proofs are blobs, for which the suite has its own
// bound. It proves no conditions: a bit gives nothing to commit with. Verify checks everything at once;
// a batch only remembers errors.
//
// It translates the statements of package proof into those of its relations and of the packages below
// it. The relations (relations.go, parity.go) are about single cards: tokens, cards handed over,
// insertions and new cards (32.3). Each is a [Claim] that bits of columns of numbers cancel. All have
// one argument, [Relation], by random combinations of the columns and, for several branches, a
// disjunction (Cramer, Damgård and Schoenmakers 1994).
//
// They promise completeness, soundness except with probability 2^-128, and zero knowledge, under
// Fiat–Shamir in the random oracle model; their provers take constant time. Package matrix checks that
// moduli are what they should be, package cutandchoose shuffles and cuts, and the kernel whether a
// statement is due.
package schindelhauer

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// Names of the suites, by the bits of a modulus.
const (
	Name2048 = "schindelhauer2048-cutandchoose/v1"
	Name3072 = "schindelhauer3072-cutandchoose/v1"
)

type suite struct {
	name string
	size int // of a modulus, in bytes
}

// New returns the suite of this name over moduli of so many bits, for verification. Those in the
// catalogue have 2048 and 3072 bits; tests have shorter ones.
func New(name string, bits int) proof.Suite { return &suite{name, bits / 8} }

// Name implements proof.Suite.
func (s *suite) Name() string { return s.name }

// Proves reports that the suite proves everything but conditions.
func (s *suite) Proves(relation string) bool {
	switch relation {
	case "ownership", "shuffle", "reveal", "transfer", "arrange", "mint", proof.Permute:
		return true
	}
	return false
}

// AttachmentSize returns how many bytes the blobs of a shuffle have at a table of so many seats.
func (s *suite) AttachmentSize(seats int, d proof.Deck) int {
	cards := len(d.Cards())
	width := matrix.ColumnsFor(cards)
	return cutandchoose.Size(cards, seats, width, s.size) + cards*seats*width*s.size
}

// Encoding implements proof.Suite.
func (s *suite) Encoding() proof.Encoding { return encoding{s.size} }

// NewBatch implements proof.Suite.
func (*suite) NewBatch() proof.Batch { return new(batch) }

// batch is the labels under which a proof was wrong.
type batch struct {
	label uint64
	wrong []uint64
}

func (b *batch) Label(entry uint64) { b.label = entry }

func (b *batch) Check() error {
	wrong := b.wrong
	b.wrong = nil
	if len(wrong) == 0 {
		return nil
	}
	return &proof.BatchError{Labels: wrong}
}

// noteWrong keeps for Check that a proof of the right form does not hold. Other errors it returns.
func (b *batch) noteWrong(err error) error {
	if !errors.Is(err, proof.ErrWrong) {
		return err
	}
	if n := len(b.wrong); n == 0 || b.wrong[n-1] != b.label {
		b.wrong = append(b.wrong, b.label)
	}
	return nil
}

// Verify implements proof.Suite.
func (s *suite) Verify(c transcript.Context, st proof.Statement, bytes []byte, b proof.Batch) error {
	to, ok := b.(*batch)
	if !ok || to == nil {
		return noBatch(b)
	}
	relation, err := relationOf(st)
	if err != nil {
		return err
	}
	switch r := relation.(type) {
	case matrix.Ownership:
		return to.noteWrong(matrix.VerifyOwnership(c, r, bytes))
	case cutandchoose.Statement:
		return to.noteWrong(r.Verify(c, bytes))
	case Claim:
		return to.noteWrong(Verify(c, r, bytes))
	}
	return noRelation(st)
}

func noBatch(b proof.Batch) error { return fmt.Errorf("%T is no batch of this suite", b) }

func noRelation(st proof.Statement) error { return fmt.Errorf("no relation for %T", st) }

// relationOf translates a statement into the values of this suite. The seat that shuffles is not part
// of it.
func relationOf(st proof.Statement) (r any, err error) {
	var o ownValues
	switch st := st.(type) {
	case proof.Ownership:
		r = matrix.Ownership{Key: o.seatModulus(st.Key)}
	case proof.Shuffle:
		r = cutandchoose.Statement{Key: o.asKey(st.Key), In: o.asCards(st.In), Out: o.asCards(st.Out)}
	case proof.Reveal:
		r = Reveal{Key: o.asKey(st.Key), Cards: o.asCards(st.Cards), Tokens: o.asTokens(st.Tokens)}
	case proof.Transfer:
		r = Transfer{From: o.asKey(st.From), To: o.asKey(st.To), Old: o.asCard(st.Old), New: o.asCard(st.New)}
	case proof.Arrange:
		r = o.asArrangement(st)
	case proof.Mint:
		r = o.asMint(st)
	default:
		return nil, noRelation(st)
	}
	return r, o.err
}

// ownValues converts values of package proof to those of this suite, and keeps the first foreign value
// as an error.
type ownValues struct{ err error }

func (o *ownValues) refuseForeign(what string, v any) {
	o.err = cmp.Or(o.err, fmt.Errorf("%T is no %s of this suite", v, what))
}

func (o *ownValues) asArrangement(st proof.Arrange) any {
	switch st.Family {
	case proof.Cut:
		return cutandchoose.Statement{Order: matrix.Cut, Key: o.asKey(st.Key), In: o.asCards(st.In), Out: o.asCards(st.Out)}
	case proof.Insert:
		return Insertion{Key: o.asKey(st.Key), In: o.asCards(st.In), Out: o.asCards(st.Out)}
	}
	o.err = cmp.Or(o.err, fmt.Errorf("no arrangements are called %q", st.Family))
	return nil
}

func (o *ownValues) asKey(k proof.Key) *matrix.Key {
	key, ok := k.(*matrix.Key)
	if !ok || key == nil {
		o.refuseForeign("key", k)
	}
	return key
}

func (o *ownValues) seatModulus(k proof.Key) *matrix.Modulus {
	key := o.asKey(k)
	if key == nil || len(key.Moduli()) != 1 {
		o.refuseForeign("seat's key", k)
		return nil
	}
	return key.Moduli()[0]
}

func (o *ownValues) asCard(c proof.MaskedCard) matrix.Card {
	masked, ok := c.(matrix.Card)
	if !ok || masked.Width() == 0 {
		o.refuseForeign("card", c)
	}
	return masked
}

func (o *ownValues) asCards(list []proof.MaskedCard) []matrix.Card {
	cards := make([]matrix.Card, len(list))
	for i, c := range list {
		cards[i] = o.asCard(c)
	}
	return cards
}

func (o *ownValues) asTokens(list []proof.Token) []matrix.Token {
	tokens := make([]matrix.Token, len(list))
	for i, t := range list {
		var ok bool
		if tokens[i], ok = t.(matrix.Token); !ok {
			o.refuseForeign("token", t)
		}
	}
	return tokens
}

// asMint returns the statement for a set of faces, all of which must be of the deck.
func (o *ownValues) asMint(st proof.Mint) Mint {
	r := Mint{Key: o.asKey(st.Key), Card: o.asCard(st.Card)}
	r.Deck, r.Faces = o.deckFaces(st.Deck, st.Set)
	return r
}

func (o *ownValues) deckFaces(d proof.Deck, set card.Set) ([32]byte, []card.Face) {
	own, ok := d.(deck)
	if !ok || !set.Within(own.pack) {
		o.refuseForeign("deck with these faces", d)
		return [32]byte{}, nil
	}
	return own.pack.ID(), set.Faces()
}

// Names of the suites whose seats ask for proofs of shuffles.
const (
	Chosen2048 = "schindelhauer2048-cutandchoose-chosen40/v1"
	Chosen3072 = "schindelhauer3072-cutandchoose-chosen40/v1"
)

// askingSuite is a suite whose seats ask for proofs of shuffles.
type askingSuite struct{ *suite }

var _ proof.AskingSuite = askingSuite{}

// NewAsking is New for such a suite.
func NewAsking(name string, bits int) proof.Suite { return askingSuite{&suite{name, bits / 8}} }

func (askingSuite) Soundness() int { return cutandchoose.AskedBits }

// AttachmentSize returns the length of an answer, or of a deck if that is longer.
func (a askingSuite) AttachmentSize(seats int, d proof.Deck) int {
	cards := len(d.Cards())
	width := matrix.ColumnsFor(cards)
	return max(cutandchoose.AskedSize(cards, seats, width, a.size), cards*seats*width*a.size)
}

// Verify refuses shuffles, about which it is never asked.
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
