package schindelhauer

import (
	"bytes"
	"crypto/subtle"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

// prover is the suite with its proving side.
type prover struct{ *suite }

// Prover returns a suite made by New with its proving side.
func Prover(s proof.Suite) proof.Prover { return prover{s.(*suite)} }

func (p prover) NewSecret(rand io.Reader) (proof.Secret, error) {
	return secretOf(matrix.NewSecret(p.size, rand))
}

func (p prover) ParseSecret(b []byte) (proof.Secret, error) {
	return secretOf(matrix.ParseSecret(b, p.size))
}

func secretOf(s *matrix.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return &secret{s, matrix.NewKey(s.Key())}, nil
}

// secret is the factors of a seat's modulus behind the interface of package proof.
type secret struct {
	factors *matrix.Secret
	key     *matrix.Key
}

func (s *secret) Key() proof.Key { return s.key }

func (s *secret) Bytes() []byte { return s.factors.Bytes() }

func (s *secret) Token(c proof.MaskedCard) proof.Token {
	return TokenOf(s.factors, c.(matrix.Card))
}

func (s *secret) Shuffle(c transcript.Context, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	return s.shuffleInOrder(c, matrix.Any, k, in, rand)
}

func (s *secret) shuffleInOrder(c transcript.Context, order matrix.Order, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	var o ownValues
	st := cutandchoose.Statement{Order: order, Key: o.asKey(k), In: o.asCards(in)}
	if o.err != nil {
		return nil, nil, o.err
	}
	out, opening, err := ShuffleCards(c, s.factors, order, st.Key, st.In, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Out = out
	return maskedOf(out), proof.StatementWitness[matrix.Opening]{Statement: st, How: opening}, nil
}

func maskedOf(cards []matrix.Card) []proof.MaskedCard {
	list := make([]proof.MaskedCard, len(cards))
	for i, c := range cards {
		list[i] = c
	}
	return list
}

func (s *secret) Transfer(c transcript.Context, old proof.MaskedCard, to proof.Key, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	var o ownValues
	st := Transfer{From: s.key, To: o.asKey(to), Old: o.asCard(old)}
	if o.err != nil {
		return nil, nil, o.err
	}
	masked, how, err := HandOver(c, s.factors, st.Old, st.To, rand)
	if err != nil {
		return nil, nil, err
	}
	st.New = masked
	return masked, proof.StatementWitness[MakerWitness]{Statement: st, How: how}, nil
}

func (s *secret) Arrange(c transcript.Context, f proof.Family, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	var o ownValues
	st := Insertion{Key: o.asKey(k), In: o.asCards(in)}
	switch {
	case o.err != nil:
		return nil, nil, o.err
	case f == proof.Cut:
		return s.shuffleInOrder(c, matrix.Cut, k, in, rand)
	case f != proof.Insert:
		return nil, nil, fmt.Errorf("no arrangements are called %q", f)
	}
	out, how, err := InsertLast(c, s.factors, st.Key, st.In, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Out = out
	return maskedOf(out), proof.StatementWitness[MakerWitness]{Statement: st, How: how}, nil
}

func (s *secret) Mint(c transcript.Context, k proof.Key, d proof.Deck, f card.Face, set card.Set, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	var o ownValues
	st := Mint{Key: o.asKey(k)}
	st.Deck, st.Faces = o.deckFaces(d, set)
	if o.err != nil {
		return nil, nil, o.err
	}
	if !set.Has(f) {
		return nil, nil, fmt.Errorf("the face is none of those it is said to be one of: %w", proof.ErrFalse)
	}
	place := 0 // how many faces of the set come before f, in constant time
	for _, g := range st.Faces {
		place += subtle.ConstantTimeLessOrEq(int(g)+1, int(f))
	}
	masked, how, err := MaskFace(c, s.factors, st.Key, st.Faces, place, d.(deck).width, rand)
	if err != nil {
		return nil, nil, err
	}
	st.Card = masked
	return masked, proof.StatementWitness[MakerWitness]{Statement: st, How: how}, nil
}

func (s *secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	relation, err := relationOf(st)
	if err != nil {
		return nil, err
	}
	switch r := relation.(type) {
	case matrix.Ownership:
		if err := s.checkOwns(matrix.NewKey(r.Key)); err != nil {
			return nil, err
		}
		return matrix.ProveOwnership(c, s.factors, rand)
	case Reveal:
		if err := s.checkOwns(r.Key); err != nil {
			return nil, err
		}
		return ProveReveal(c, r, s.factors, rand)
	case cutandchoose.Statement:
		return proof.ProveWitnessed(w, r, func(o matrix.Opening) ([]byte, error) { return cutandchoose.Prove(c, r, o, rand) })
	}
	return s.proveMade(c, relation.(Claim), w, rand)
}

// proveMade proves a claim that needs the witness of a new card.
func (s *secret) proveMade(c transcript.Context, claim Claim, w proof.Witness, rand io.Reader) ([]byte, error) {
	how, err := proof.WitnessOf[MakerWitness](w, claim)
	if err != nil {
		return nil, err
	}
	switch r := claim.(type) {
	case Transfer:
		if err := s.checkOwns(r.From); err != nil {
			return nil, err
		}
		return ProveTransfer(c, r, s.factors, how, rand)
	case Insertion:
		return ProveInsertion(c, r, s.factors, how, rand)
	}
	return ProveMint(c, claim.(Mint), s.factors, how, rand)
}

// checkOwns returns an error if key is not the secret's own.
func (s *secret) checkOwns(key *matrix.Key) error {
	if !bytes.Equal(key.Bytes(), s.key.Bytes()) {
		return fmt.Errorf("the key is another seat's: %w", proof.ErrFalse)
	}
	return nil
}

// askedProver is an askingSuite with its proving side.
type askedProver struct{ askingSuite }

// AskedProver returns a suite made by NewAsking with its proving side.
func AskedProver(s proof.Suite) proof.Prover { return askedProver{s.(askingSuite)} }

func (p askedProver) NewSecret(rand io.Reader) (proof.Secret, error) {
	return askedSecret(secretOf(matrix.NewSecret(p.size, rand)))
}

func (p askedProver) ParseSecret(b []byte) (proof.Secret, error) {
	return askedSecret(secretOf(matrix.ParseSecret(b, p.size)))
}

func askedSecret(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return answeringSecret{x.(*secret)}, nil
}

// answeringSecret is a card secret that commits and answers.
type answeringSecret struct{ *secret }

var _ proof.AnsweringSecret = answeringSecret{}

// Prove refuses shuffles, for which it is never asked.
func (x answeringSecret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if _, shuffles := st.(proof.Shuffle); shuffles {
		return nil, errAsked
	}
	return x.secret.Prove(c, st, w, rand)
}

func (x answeringSecret) Commit(c transcript.Context, st proof.Shuffle, w proof.Witness, rand io.Reader) ([]byte, error) {
	s, o, err := shuffleWithOpening(st, w)
	if err != nil {
		return nil, err
	}
	return cutandchoose.Commit(c, s, o, rand)
}

func (x answeringSecret) Answer(c transcript.Context, st proof.Shuffle, w proof.Witness, values [][]byte, rand io.Reader) ([]byte, error) {
	s, o, err := shuffleWithOpening(st, w)
	if err != nil {
		return nil, err
	}
	return cutandchoose.Answer(c, s, o, values, rand)
}

// shuffleWithOpening returns the statement of a shuffle, and its witness.
func shuffleWithOpening(st proof.Shuffle, w proof.Witness) (s cutandchoose.AskedStatement, o matrix.Opening, err error) {
	if s, err = askedOf(st); err != nil {
		return s, o, err
	}
	o, err = proof.WitnessOf[matrix.Opening](w, s.Statement)
	return s, o, err
}
