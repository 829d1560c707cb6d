package clear

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

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

// witness remembers for which cards it was made; another one says nothing of
// these cards.
type witness string

func made(cards ...proof.Masked) witness {
	var b []byte
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return witness(b)
}

// drawing is what is known of a shuffle or transfer before it is drawn.
type drawing struct {
	label string
	to    proof.Key
	cards []proof.Masked
}

func (d drawing) Label() string { return d.label }

func (d drawing) AppendTo(b *transcript.Binder) {
	b.Bytes("to", d.to.Bytes())
	bindAll(b, "cards", d.cards)
}

func (s secret) Shuffle(c transcript.Context, k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	stream, err := transcript.New(c, drawing{"clear-mask/shuffle/v1", k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	out := make([]proof.Masked, len(in))
	for i, c := range in {
		m, err := remask(c, k, stream)
		if err != nil {
			return nil, nil, err
		}
		j, err := below(i+1, stream)
		if err != nil {
			return nil, nil, err
		}
		out[i], out[j] = out[j], m
	}
	return out, made(out...), nil
}

// Arrange is a shuffle into an order of the caller's: out[i] is in[order[i]].
func Arrange(k proof.Key, in []proof.Masked, order []uint16, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	out := make([]proof.Masked, len(order))
	for i, from := range order {
		var err error
		if out[i], err = remask(in[from], k, rand); err != nil {
			return nil, nil, err
		}
	}
	return out, made(out...), nil
}

func (s secret) Transfer(c transcript.Context, old proof.Masked, to proof.Key, rand io.Reader) (proof.Masked, proof.Witness, error) {
	stream, err := transcript.New(c, drawing{"clear-mask/transfer/v1", to, []proof.Masked{old}}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, nil, err
	}
	m, err := remask(old, to, stream)
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
	nonce |= 1
	return masked{mixed: mix(c.(masked).element(), nonce), nonce: nonce, locks: k.(key)}, nil
}

func word(rand io.Reader) (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(rand, b[:]); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint64(b[:]), nil
}

func below(n int, rand io.Reader) (int, error) {
	w, err := word(rand)
	return int(w % uint64(n)), err
}

// Prove implements proof.Secret. It needs randomness like any prover.
func (s secret) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	if !sensible(st) {
		return nil, fmt.Errorf("a statement that makes no sense: %w", proof.ErrFalse)
	}
	if !s.knows(st, w) || !holds(st) {
		return nil, proof.ErrFalse
	}
	if trivial(st) {
		return nil, nil
	}
	if _, err := word(rand); err != nil {
		return nil, err
	}
	return tag(c, st), nil
}

// knows reports whether s and w are the secrets behind a statement.
func (s secret) knows(st proof.Statement, w proof.Witness) bool {
	switch st := st.(type) {
	case proof.Shuffle:
		return w == proof.Witness(made(st.Out...))
	case proof.Transfer:
		return w == proof.Witness(made(st.New)) && slices.Equal(st.From.(key), s.key)
	case proof.Ownership:
		return slices.Equal(st.Key.(key), s.key)
	case proof.Reveal:
		return slices.Equal(st.Key.(key), s.key)
	}
	return slices.Equal(st.(proof.Condition).Key.(key), s.key)
}
