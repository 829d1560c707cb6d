package masking

import (
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Opening is how a shuffle was made, the witness of its proof:
// out[i] = in[Permutation[i]] remasked by Factors[i].
type Opening struct {
	Permutation []uint16
	Factors     []group.Scalar
}

// shuffleMask is what is known of a shuffle before it is drawn.
type shuffleMask struct {
	Key *Key
	In  []Card
}

func (shuffleMask) Label() string { return "mask/shuffle/v1" }

func (m shuffleMask) AppendTo(b *transcript.Binder) {
	b.Bytes("key", m.Key.Bytes())
	b.Bytes("in", Encode(m.In...))
}

// Shuffle returns the cards in another order, each remasked under k:
// out[i] = (A + r_i·G, B + r_i·K) with (A, B) = in[π(i)]. The permutation is
// uniform, the factors follow it. Both are hedged by s, ctx, k and the cards:
// drawn from rand alone, two shuffles of a machine whose state was restored
// would have one order and the same factors, and e'_i − f'_i = e_π(i) − f_π(i)
// tells that order to everybody.
func (s *Secret) Shuffle(ctx transcript.Context, k *Key, in []Card, rand io.Reader) ([]Card, Opening, error) {
	stream, err := transcript.New(ctx, shuffleMask{k, in}).Hedge(s.Bytes(), rand)
	if err != nil {
		return nil, Opening{}, fmt.Errorf("masking: shuffle: %w", err)
	}
	o := Opening{}
	if o.Permutation, err = Permutation(len(in), stream); err != nil {
		return nil, Opening{}, err
	}
	if o.Factors, err = group.RandomScalars(stream, len(in)); err != nil {
		return nil, Opening{}, fmt.Errorf("masking: shuffle: %w", err)
	}
	return Remask(k, in, o), o, nil
}

// transferMask is what is known of a hand-over before it is drawn.
type transferMask struct {
	From, To *Key
	Old      Card
}

func (transferMask) Label() string { return "mask/transfer/v1" }

func (m transferMask) AppendTo(b *transcript.Binder) {
	b.Bytes("from", m.From.Bytes())
	b.Bytes("to", m.To.Bytes())
	b.Bytes("old", m.Old.Bytes())
}

// Transfer masks c, which is masked under s alone, anew under to alone, and
// returns the factor, which is hedged by s, ctx, both keys and c.
func (s *Secret) Transfer(ctx transcript.Context, c Card, to *Key, rand io.Reader) (Card, group.Scalar, error) {
	stream, err := transcript.New(ctx, transferMask{s.key, to, c}).Hedge(s.Bytes(), rand)
	if err != nil {
		return Card{}, group.Scalar{}, fmt.Errorf("masking: transfer: %w", err)
	}
	r, err := group.RandomScalar(stream)
	if err != nil {
		return Card{}, group.Scalar{}, fmt.Errorf("masking: transfer: %w", err)
	}
	return Mask(to, s.Unmask(c), r), r, nil
}

// Remask returns the cards in the order that o says, each remasked under k by
// its factor. It takes constant time, and touches the same memory, whatever the
// order.
func Remask(k *Key, in []Card, o Opening) []Card {
	as, bs := make([]*group.Element, len(in)), make([]*group.Element, len(in))
	for i, c := range in {
		as[i], bs[i] = c.A, c.B
	}
	out := make([]Card, len(in))
	for i, r := range o.Factors {
		from := int(o.Permutation[i])
		out[i] = Card{
			A: group.ElementAt(as, from).Add(group.MulBase(r)),
			B: group.ElementAt(bs, from).Add(k.Table().Mul(r)),
		}
	}
	return out
}

// Permutation returns a uniform permutation of 0 … n−1 (Fisher and Yates) from
// a stream: a hedged one if the permutation is secret. Requires: n ≤ 65,535.
func Permutation(n int, stream io.Reader) ([]uint16, error) {
	p := make([]uint16, n)
	for i := range p {
		p[i] = uint16(i)
	}
	for i := n - 1; i > 0; i-- {
		j, err := below(uint16(i+1), stream)
		if err != nil {
			return nil, fmt.Errorf("masking: permutation: %w", err)
		}
		swap(p, i, int(j))
	}
	return p, nil
}

// below returns a uniform number below n by rejection: what is thrown away is
// independent of what is kept, so the time says nothing of the result.
func below(n uint16, stream io.Reader) (uint16, error) {
	mask := uint16(1)<<bits.Len16(n-1) - 1
	var b [2]byte
	for {
		if _, err := io.ReadFull(stream, b[:]); err != nil {
			return 0, err
		}
		if r := binary.LittleEndian.Uint16(b[:]) & mask; r < n {
			return r, nil
		}
	}
}

// swap exchanges p[i] and p[j] for a public i and a secret j ≤ i, and touches
// every place up to i.
func swap(p []uint16, i, j int) {
	for k := range i + 1 {
		hit := subtle.ConstantTimeEq(int32(k), int32(j))
		a, b := int(p[i]), int(p[k])
		p[i] = uint16(subtle.ConstantTimeSelect(hit, b, a))
		p[k] = uint16(subtle.ConstantTimeSelect(hit, a, b))
	}
}
