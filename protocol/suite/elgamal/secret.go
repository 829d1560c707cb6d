package elgamal

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/choices"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// prover is a suite with its proving side. Two of one suite and argument are equal.
type prover struct {
	*suite
	argument shuffle.Prover
}

// Prover returns a suite that New has made with its proving side; the argument is
// that of the suite.
func Prover(s proof.Suite, argument shuffle.Prover) proof.Prover {
	return prover{s.(*suite), argument}
}

func (p prover) NewSecret(rand io.Reader) (proof.Secret, error) {
	return p.wrapSecret(masking.NewSecret(p.group(), rand))
}

func (p prover) ParseSecret(b []byte) (proof.Secret, error) {
	return p.wrapSecret(masking.ParseSecret(p.group(), b))
}

func (p prover) wrapSecret(x *masking.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return &secret{p.suite, p.argument, x}, nil
}

// secret is a seat's card secret behind the seam.
type secret struct {
	suite    *suite
	argument shuffle.Prover
	x        *masking.Secret
}

// shuffleWitness is the witness of a shuffle, with what it is a witness of.
type shuffleWitness struct {
	statement shuffle.Statement
	opening   masking.Opening
}

// transferWitness is the witness of a transfer: the factor that masks the new card, with
// what it is a witness of.
type transferWitness struct {
	statement relations.Transfer
	factor    group.Scalar
}

// arrangeWitness is the witness of an arrangement, with what it is a witness of.
type arrangeWitness struct {
	statement relations.Arrangement
	witness   relations.ArrangementWitness
}

// mintWitness is the witness of a new card, with what it is a witness of.
type mintWitness struct {
	statement relations.Mint
	witness   relations.MintWitness
}

func (s *secret) Key() proof.Key { return s.x.Key() }

func (s *secret) Bytes() []byte { return s.x.Bytes() }

func (s *secret) Token(c proof.MaskedCard) proof.Token {
	return s.x.Token(mustOwn(s.suite.group()).asCard(c))
}

func (s *secret) Shuffle(c transcript.Context, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group()}
	key, cards := o.asKey(k), o.asCards(in)
	if o.err != nil {
		return nil, nil, o.err
	}
	out, opening, err := s.x.Shuffle(c, key, cards, rand)
	if err != nil {
		return nil, nil, err
	}
	return maskedOf(out), shuffleWitness{shuffle.Statement{Key: key, In: cards, Out: out}, opening}, nil
}

func (s *secret) Transfer(c transcript.Context, old proof.MaskedCard, to proof.Key, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group()}
	held, key := o.asCard(old), o.asKey(to)
	if o.err != nil {
		return nil, nil, o.err
	}
	masked, factor, err := s.x.Transfer(c, held, key, rand)
	if err != nil {
		return nil, nil, err
	}
	return masked, transferWitness{relations.Transfer{From: s.x.Key(), To: key, Old: held, New: masked}, factor}, nil
}

func (s *secret) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group()}
	st := relations.Arrangement{Family: relations.FamilyNamed(string(f)), Key: o.asKey(k), In: o.asCards(in)}
	if o.err != nil {
		return nil, nil, o.err
	}
	out, witness, err := relations.DrawArrangement(c, st.Family, s.x, st.Key, st.In, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Out = out
	return maskedOf(out), arrangeWitness{st, witness}, nil
}

func (s *secret) Mint(c transcript.Context, k proof.Key, d proof.Deck, f card.Face, set card.Set, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group()}
	st := relations.Mint{Key: o.asKey(k), Faces: o.deckElements(d, set)}
	if o.err != nil {
		return nil, nil, o.err
	}
	if !set.Has(f) {
		return nil, nil, fmt.Errorf("the face is none of those it is said to be one of: %w", proof.ErrFalse)
	}
	choice := 0 // how many faces of the set are before f, in constant time
	for _, g := range set.Faces() {
		choice += subtle.ConstantTimeLessOrEq(int(g)+1, int(f))
	}
	masked, witness, err := relations.DrawNewCard(c, s.x, st.Key, st.Faces, choice, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Card = masked
	return masked, mintWitness{st, witness}, nil
}

func (s *secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	relation, err := s.suite.relationOf(st)
	if err != nil {
		return nil, err
	}
	switch r := relation.(type) {
	case relations.Ownership:
		if err := s.checkOwns(r.Key); err != nil {
			return nil, err
		}
		return relations.ProveOwnership(c, r, s.x.Scalar(), rand)
	case shuffle.Statement:
		opening, err := openingOf(r, w)
		if err != nil {
			return nil, err
		}
		return s.argument.Prove(c, r, opening, rand)
	case relations.Reveal:
		if err := s.checkOwns(r.Key); err != nil {
			return nil, err
		}
		return relations.ProveReveal(c, r, s.x, rand)
	case relations.Transfer:
		if err := s.checkOwns(r.From); err != nil {
			return nil, err
		}
		made, ok := w.(transferWitness)
		if !ok || !sameTransfer(made.statement, r) {
			return nil, fmt.Errorf("the witness is of another transfer: %w", proof.ErrFalse)
		}
		return relations.ProveTransfer(c, r, s.x.Scalar(), made.factor, rand)
	case choices.Condition:
		if err := s.checkOwns(r.Key); err != nil {
			return nil, err
		}
		return choices.ProveCondition(c, r, s.x.Scalar(), rand)
	case relations.Arrangement:
		made, ok := w.(arrangeWitness)
		if !ok || !sameArrangement(made.statement, r) {
			return nil, fmt.Errorf("the witness is of another arrangement: %w", proof.ErrFalse)
		}
		return relations.ProveArrangement(c, r, made.witness, rand)
	case relations.Mint:
		made, ok := w.(mintWitness)
		if !ok || !sameMint(made.statement, r) {
			return nil, fmt.Errorf("the witness is of another card: %w", proof.ErrFalse)
		}
		return relations.ProveMint(c, r, made.witness, rand)
	}
	return nil, noRelation(st)
}

// checkOwns returns an error if key is not the secret's own.
func (s *secret) checkOwns(key *masking.Key) error {
	if !key.Equal(s.x.Key()) {
		return fmt.Errorf("the key is another seat's: %w", proof.ErrFalse)
	}
	return nil
}

// openingOf returns the witness of a shuffle, if w is that.
func openingOf(r shuffle.Statement, w proof.Witness) (masking.Opening, error) {
	made, ok := w.(shuffleWitness)
	if !ok || !sameShuffle(made.statement, r) {
		return masking.Opening{}, fmt.Errorf("the witness is of another shuffle: %w", proof.ErrFalse)
	}
	return made.opening, nil
}

func sameShuffle(a, b shuffle.Statement) bool {
	return a.Key.Equal(b.Key) &&
		bytes.Equal(masking.Encode(a.In...), masking.Encode(b.In...)) &&
		bytes.Equal(masking.Encode(a.Out...), masking.Encode(b.Out...))
}

func sameArrangement(a, b relations.Arrangement) bool {
	return a.Family == b.Family && sameShuffle(shuffle.Statement{Key: a.Key, In: a.In, Out: a.Out}, shuffle.Statement{Key: b.Key, In: b.In, Out: b.Out})
}

func sameMint(a, b relations.Mint) bool {
	return a.Key.Equal(b.Key) && a.Card.Equal(b.Card) && bytes.Equal(group.Encode(a.Faces...), group.Encode(b.Faces...))
}

func sameTransfer(a, b relations.Transfer) bool {
	return a.From.Equal(b.From) && a.To.Equal(b.To) && a.Old.Equal(b.Old) && a.New.Equal(b.New)
}

// askedProver is asking with its proving side.
type askedProver struct {
	askingSuite
	argument shuffle.AskedProver
}

// AskedProver returns a suite that NewAsking has made with its proving side; the argument is
// that of the suite.
func AskedProver(s proof.Suite, argument shuffle.AskedProver) proof.Prover {
	return askedProver{s.(askingSuite), argument}
}

func (p askedProver) NewSecret(rand io.Reader) (proof.Secret, error) {
	return p.wrapSecret(masking.NewSecret(p.group(), rand))
}

func (p askedProver) ParseSecret(b []byte) (proof.Secret, error) {
	return p.wrapSecret(masking.ParseSecret(p.group(), b))
}

func (p askedProver) wrapSecret(x *masking.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return answeringSecret{&secret{p.suite, nil, x}, p.argument}, nil
}

// answeringSecret is a card secret that commits and answers.
type answeringSecret struct {
	*secret
	argument shuffle.AskedProver
}

var _ proof.AnsweringSecret = answeringSecret{}

// Prove is never asked for a shuffle.
func (x answeringSecret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if _, shuffles := st.(proof.Shuffle); shuffles {
		return nil, errAsked
	}
	return x.secret.Prove(c, st, w, rand)
}

func (x answeringSecret) Commit(c transcript.Context, st proof.Shuffle, w proof.Witness, rand io.Reader) ([]byte, error) {
	r, opening, err := x.suite.shuffleWithOpening(st, w)
	if err != nil {
		return nil, err
	}
	return x.argument.Commit(c, r, opening, rand)
}

func (x answeringSecret) Answer(c transcript.Context, st proof.Shuffle, w proof.Witness, values [][]byte, rand io.Reader) ([]byte, error) {
	r, opening, err := x.suite.shuffleWithOpening(st, w)
	if err != nil {
		return nil, err
	}
	return x.argument.Answer(c, r, opening, values, rand)
}

// shuffleWithOpening is the statement of a shuffle, and its witness.
func (s *suite) shuffleWithOpening(st proof.Shuffle, w proof.Witness) (r shuffle.Statement, opening masking.Opening, err error) {
	if r, err = s.shuffleOf(st); err != nil {
		return r, opening, err
	}
	opening, err = openingOf(r, w)
	return r, opening, err
}
