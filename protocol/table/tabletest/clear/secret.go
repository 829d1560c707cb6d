package clear

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// secret implements proof.Secret; it is its key.
type secret struct{ key key }

func (s secret) Key() proof.Key { return s.key }
func (s secret) Bytes() []byte  { return s.key.Bytes() }

func (s secret) Token(c proof.Masked) proof.Token {
	k := s.key[0]
	return token{key: k, share: hash("share", k, c.(masked).nonce)}
}

// witness remembers for which cards it was made: who has another one knows
// nothing of these cards.
type witness string

func made(cards ...proof.Masked) witness {
	var b []byte
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return witness(b)
}

func (s secret) Shuffle(k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	out := make([]proof.Masked, len(in))
	for i, c := range in {
		m, err := remask(c, k, rand)
		if err != nil {
			return nil, nil, err
		}
		j, err := below(i+1, rand)
		if err != nil {
			return nil, nil, err
		}
		out[i], out[j] = out[j], m
	}
	return out, made(out...), nil
}

func (s secret) Transfer(c proof.Masked, to proof.Key, rand io.Reader) (proof.Masked, proof.Witness, error) {
	m, err := remask(c, to, rand)
	if err != nil {
		return nil, nil, err
	}
	return m, made(m), nil
}

func remask(c proof.Masked, k proof.Key, rand io.Reader) (proof.Masked, error) {
	nonce, err := word(rand)
	if err != nil {
		return nil, err
	}
	return masked{element: c.(masked).element, nonce: nonce | 1, locks: k.(key)}, nil
}

func word(rand io.Reader) (uint64, error) {
	var b [wordSize]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return 0, fmt.Errorf("clear: %w", err)
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func below(n int, rand io.Reader) (int, error) {
	w, err := word(rand)
	return int(w % uint64(n)), err
}

// Prove implements proof.Secret.
func (s secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, _ io.Reader) ([]byte, error) {
	owner, fresh := st, []proof.Masked(nil)
	switch st := st.(type) {
	case proof.Shuffle:
		owner, fresh = nil, st.Out
	case proof.Transfer:
		fresh = []proof.Masked{st.New}
	}
	known := fresh == nil || w == proof.Witness(made(fresh...))
	if !known || owner != nil && prover(owner) != s.key[0] || !holds(st) {
		return nil, fmt.Errorf("clear: %w", proof.ErrFalse)
	}
	return tag(c, st), nil
}

// prover is the one key whose owner can prove s.
func prover(s proof.Statement) uint64 {
	var k proof.Key
	switch s := s.(type) {
	case proof.Ownership:
		k = s.Key
	case proof.Reveal:
		k = s.Key
	case proof.Transfer:
		k = s.From
	case proof.Condition:
		k = s.Key
	}
	return k.(key)[0]
}
