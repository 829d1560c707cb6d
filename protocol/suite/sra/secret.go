package sra

import (
	"cmp"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/witness"
	"github.com/pakli/pakli/protocol/transcript"
)

// secret is a seat's lock behind the seam.
type secret struct {
	suite    locks
	e        *Secret
	deferred bool // whether what is done with it is proved when it is disclosed
}

// shuffleWitness is the witness of a shuffle, with what it is a witness of.
type shuffleWitness struct{ witness.Pair[[]uint16] }

// Order says from where each card comes, in one byte for each.
func (w shuffleWitness) Order() []byte {
	order := make([]byte, len(w.How))
	for i, from := range w.How {
		order[i] = byte(from)
	}
	return order
}

func (s *secret) Key() proof.Key { return s.e.Key() }

func (s *secret) Bytes() []byte { return s.e.Bytes() }

func (s *secret) Token(c proof.MaskedCard) proof.Token { return Token{s.e.Unlock(c.(Card).y)} }

// Shuffle locks cards and permutes them. Under which key they are afterwards is the
// owner's affair alone.
func (s *secret) Shuffle(c transcript.Context, _ proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	o := ownValues{group: s.suite.group}
	cards := ownElements[Card](&o, "card", in)
	if o.err != nil {
		return nil, nil, o.err
	}
	out, permutation, err := s.e.Shuffle(c, cards, rand)
	if err != nil {
		return nil, nil, err
	}
	list := make([]proof.MaskedCard, len(out))
	for i, y := range out {
		list[i] = Card{y}
	}
	return list, shuffleWitness{witness.Pair[[]uint16]{Statement: Shuffle{Key: s.e.Key(), In: cards, Out: out}, How: permutation}}, nil
}

func (*secret) Transfer(transcript.Context, proof.MaskedCard, proof.Key, io.Reader) (proof.MaskedCard, proof.Witness, error) {
	return nil, nil, fmt.Errorf("a locked card is not handed over: %w", proof.ErrFalse)
}

// provableRelation returns a statement as one that the owner of s can prove; of a shuffle with the
// permutation of its witness.
func (s *secret) provableRelation(st proof.Statement, w proof.Witness) (any, []uint16, error) {
	relation, err := s.suite.relationOf(st)
	if err != nil {
		return nil, nil, err
	}
	switch r := relation.(type) {
	case relations.Ownership:
		return r, nil, s.checkOwns(r.Key)
	case Unlock:
		return r, nil, s.checkOwns(r.Key)
	case Shuffle:
		made, _ := w.(shuffleWitness)
		order, err := witness.For[[]uint16](made.Pair, r)
		return r, order, cmp.Or(err, s.checkOwns(r.Key))
	}
	return nil, nil, noRelation(st)
}

// checkOwns returns an error if key is not the secret's own.
func (s *secret) checkOwns(key *masking.Key) error {
	if !key.Equal(s.e.Key()) {
		return fmt.Errorf("the key is another seat's: %w", proof.ErrFalse)
	}
	return nil
}
