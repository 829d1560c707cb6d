package shuffle

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/masking"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// Generators returns G_0 … G_MaxCards, the elements over which arguments commit.
// They are hashed to the group: nobody knows a relation between them, or to the
// group's generator, so there is no trapdoor.
var Generators = sync.OnceValue(func() []*group.Element {
	g := make([]*group.Element, MaxCards+1)
	for i := range g {
		g[i] = group.HashToElement("pakli/v1/commitment", binary.BigEndian.AppendUint16(nil, uint16(i)))
	}
	return g
})

// Columns returns the components A_1 … A_N and B_1 … B_N of cards.
func Columns(cards []masking.Card) (as, bs []*group.Element) {
	as, bs = make([]*group.Element, len(cards)), make([]*group.Element, len(cards))
	for i, c := range cards {
		as[i], bs[i] = c.A, c.B
	}
	return as, bs
}

// Combine returns (τ·G, τ·K) + Σ a_i·e'_i in constant time.
func (s Statement) Combine(a []group.Scalar, tau group.Scalar) masking.Card {
	as, bs := Columns(s.Out)
	return masking.Card{
		A: group.MulBase(tau).Add(group.MultiMul(a, as)),
		B: s.Key.Table().Mul(tau).Add(group.MultiMul(a, bs)),
	}
}

// Begin is how every prover begins: it checks the form of s and of its witness
// o, binds ctx and the statement as its argument labels it, and returns the
// transcript and the stream of the prover's nonces.
func Begin(ctx transcript.Context, labelled transcript.Statement, s Statement, o masking.Opening, rand io.Reader) (*transcript.Transcript, *transcript.Stream, error) {
	if err := s.Check(); err != nil {
		return nil, nil, err
	}
	if n := len(s.In); len(o.Permutation) != n || len(o.Factors) != n {
		return nil, nil, proof.ErrFalse
	}
	t := transcript.New(ctx, labelled)
	stream, err := t.Hedge(secretBytes(o), rand)
	return t, stream, err
}

// secretBytes returns a witness as bytes, for hedged nonces.
func secretBytes(o masking.Opening) []byte {
	b := make([]byte, 0, len(o.Permutation)*(2+group.ScalarSize))
	for i, p := range o.Permutation {
		b = o.Factors[i].AppendTo(append(b, byte(p>>8), byte(p)))
	}
	return b
}
