package elgamal

import (
	"crypto/subtle"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/choices"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// prover is a suite with its proving side. Two provers of one suite and argument are equal.
type prover struct {
	*suite
	argument masking.ShuffleProver
}

// Prover returns a suite made by New with its proving side; the argument must be the suite's.
func Prover(s proof.Suite, argument masking.ShuffleProver) proof.Prover {
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

// secret is a seat's card secret behind the interface of package proof.
type secret struct {
	suite    *suite
	argument masking.ShuffleProver
	x        *masking.Secret
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
	return maskedOf(out), proof.StatementWitness[masking.Opening]{Statement: madeShuffle(masking.ShuffleStatement{Key: key, In: cards, Out: out}), How: opening}, nil
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
	return masked, proof.StatementWitness[group.Scalar]{Statement: relations.Transfer{From: s.x.Key(), To: key, Old: held, New: masked}, How: factor}, nil
}

func (s *secret) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group()}
	st := relations.Arrangement{Family: relations.FamilyNamed(string(f)), Key: o.asKey(k), In: o.asCards(in)}
	if o.err != nil {
		return nil, nil, o.err
	}
	out, how, err := relations.DrawArrangement(c, st.Family, s.x, st.Key, st.In, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Out = out
	return maskedOf(out), proof.StatementWitness[relations.ArrangementWitness]{Statement: st, How: how}, nil
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
	choice := 0 // how many faces of the set come before f, in constant time
	for _, g := range set.Faces() {
		choice += subtle.ConstantTimeLessOrEq(int(g)+1, int(f))
	}
	masked, how, err := relations.DrawNewCard(c, s.x, st.Key, st.Faces, choice, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Card = masked
	return masked, proof.StatementWitness[relations.MintWitness]{Statement: st, How: how}, nil
}

func (s *secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	relation, err := s.suite.relationOf(st)
	if err != nil {
		return nil, err
	}
	if err := s.checkOwns(relation); err != nil {
		return nil, err
	}
	switch r := relation.(type) {
	case relations.Ownership:
		return relations.ProveOwnership(c, r, s.x.Scalar(), rand)
	case relations.Reveal:
		return relations.ProveReveal(c, r, s.x, rand)
	case choices.Condition:
		return choices.ProveCondition(c, r, s.x.Scalar(), rand)
	case masking.ShuffleStatement:
		if s.argument == nil {
			return nil, errAsked
		}
		return proof.ProveWitnessed(w, madeShuffle(r), func(o masking.Opening) ([]byte, error) { return s.argument.Prove(c, r, o, rand) })
	case relations.Transfer:
		return proof.ProveWitnessed(w, r, func(factor group.Scalar) ([]byte, error) {
			return relations.ProveTransfer(c, r, s.x.Scalar(), factor, rand)
		})
	case relations.Arrangement:
		return proof.ProveWitnessed(w, r, func(how relations.ArrangementWitness) ([]byte, error) {
			return relations.ProveArrangement(c, r, how, rand)
		})
	}
	r := relation.(relations.Mint)
	return proof.ProveWitnessed(w, r, func(how relations.MintWitness) ([]byte, error) { return relations.ProveMint(c, r, how, rand) })
}

// checkOwns returns an error if a relation is about the secret of another key.
func (s *secret) checkOwns(relation any) error {
	key := s.x.Key()
	switch r := relation.(type) {
	case relations.Ownership:
		key = r.Key
	case relations.Reveal:
		key = r.Key
	case choices.Condition:
		key = r.Key
	case relations.Transfer:
		key = r.From
	}
	if !key.Equal(s.x.Key()) {
		return fmt.Errorf("the key is another seat's: %w", proof.ErrFalse)
	}
	return nil
}

// madeShuffle is a shuffle as its witness keeps it, independent of the argument.
func madeShuffle(s masking.ShuffleStatement) transcript.Statement { return s.WithLabel("made") }

// askedProver is an askingSuite with its proving side.
type askedProver struct {
	askingSuite
	argument masking.AskedProver
}

// AskedProver returns a suite made by NewAsking with its proving side; the argument must be the
// suite's.
func AskedProver(s proof.Suite, argument masking.AskedProver) proof.Prover {
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
	argument masking.AskedProver
}

var _ proof.AnsweringSecret = answeringSecret{}

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

// shuffleWithOpening returns the statement of a shuffle, and its witness.
func (s *suite) shuffleWithOpening(st proof.Shuffle, w proof.Witness) (r masking.ShuffleStatement, opening masking.Opening, err error) {
	if r, err = s.shuffleOf(st); err != nil {
		return r, opening, err
	}
	opening, err = proof.WitnessOf[masking.Opening](w, madeShuffle(r))
	return r, opening, err
}
