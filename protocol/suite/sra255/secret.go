package sra255

import (
	"bytes"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/ownership"
	"github.com/pakli/pakli/protocol/suite/sra255/lock"
	"github.com/pakli/pakli/protocol/transcript"
)

// prover is the suite with its proving side.
type prover struct{ *suite }

// Prover returns a suite that New has made with its proving side.
func Prover(s proof.Suite) proof.Prover { return prover{s.(*suite)} }

func (prover) NewSecret(rand io.Reader) (proof.Secret, error) { return behind(lock.NewSecret(rand)) }

func (prover) ParseSecret(b []byte) (proof.Secret, error) { return behind(lock.ParseSecret(b)) }

func behind(e *lock.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return &secret{e}, nil
}

// secret is a seat's lock behind the seam.
type secret struct{ e *lock.Secret }

// shuffled is the witness of a shuffle, with what it is a witness of.
type shuffled struct {
	statement   lock.Shuffle
	permutation []uint16
}

func (s *secret) Key() proof.Key { return s.e.Key() }

func (s *secret) Bytes() []byte { return s.e.Bytes() }

func (s *secret) Token(c proof.Masked) proof.Token { return Token{s.e.Unlock(c.(Card).y)} }

// Shuffle locks cards and permutes them. Under which key they are afterwards is the
// owner's affair alone.
func (s *secret) Shuffle(c transcript.Context, _ proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	var o own
	cards := o.cards(in)
	if o.err != nil {
		return nil, nil, o.err
	}
	out, permutation, err := s.e.Shuffle(c, cards, rand)
	if err != nil {
		return nil, nil, err
	}
	list := make([]proof.Masked, len(out))
	for i, y := range out {
		list[i] = Card{y}
	}
	return list, shuffled{lock.Shuffle{Key: s.e.Key(), In: cards, Out: out}, permutation}, nil
}

func (*secret) Transfer(transcript.Context, proof.Masked, proof.Key, io.Reader) (proof.Masked, proof.Witness, error) {
	return nil, nil, fmt.Errorf("a locked card is not handed over: %w", proof.ErrFalse)
}

func (s *secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	relation, err := relationOf(st)
	if err != nil {
		return nil, err
	}
	switch r := relation.(type) {
	case ownership.Statement:
		if err := s.owns(r.Key); err != nil {
			return nil, err
		}
		return ownership.Prove(c, r, s.e.Scalar(), rand)
	case lock.Shuffle:
		made, ok := w.(shuffled)
		if !ok || s.owns(r.Key) != nil || !sameCards(made.statement.In, r.In) || !sameCards(made.statement.Out, r.Out) {
			return nil, fmt.Errorf("the witness is of another shuffle: %w", proof.ErrFalse)
		}
		return lock.ProveShuffle(c, r, s.e, made.permutation, rand)
	case lock.Unlock:
		if err := s.owns(r.Key); err != nil {
			return nil, err
		}
		return lock.ProveUnlock(c, r, s.e, rand)
	}
	return nil, noRelation(st)
}

// owns returns an error if key is not the secret's own.
func (s *secret) owns(key *masking.Key) error {
	if !key.Equal(s.e.Key()) {
		return fmt.Errorf("the key is another seat's: %w", proof.ErrFalse)
	}
	return nil
}

// sameCards compares what is all on the log.
func sameCards(a, b []*group.Element) bool {
	return bytes.Equal(group.Encode(a...), group.Encode(b...))
}
