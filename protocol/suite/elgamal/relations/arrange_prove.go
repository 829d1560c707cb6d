package relations

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ArrangementWitness is how a pile was arranged: the permutation, and the factors that remasked its
// cards, in their order afterwards.
type ArrangementWitness struct {
	Choice  int
	Factors []group.Scalar
}

// arrangeMask is what is known of an arrangement before it is drawn.
type arrangeMask struct {
	Family Family
	Key    *masking.Key
	In     []masking.Card
}

func (m arrangeMask) Label() string { return "mask/arrange/" + m.Family.String() + "/v1" }

func (m arrangeMask) AppendTo(b *transcript.Binder) {
	b.Bytes("key", m.Key.Bytes())
	b.Bytes("in", masking.Encode(m.In...))
}

// DrawArrangement arranges cards by a uniform permutation of a family and remasks them under k.
// Permutation and factors are hedged by x, ctx, k and the cards.
func DrawArrangement(ctx transcript.Context, f Family, x *masking.Secret, k *masking.Key, in []masking.Card, rand io.Reader) ([]masking.Card, ArrangementWitness, error) {
	if len(in) < 1 || len(in) > masking.MaxCards {
		return nil, ArrangementWitness{}, fmt.Errorf("%d cards to arrange, must be 1 to %d", len(in), masking.MaxCards)
	}
	stream, err := transcript.New(ctx, arrangeMask{f, k, in}).Hedge(x.Bytes(), rand)
	if err != nil {
		return nil, ArrangementWitness{}, fmt.Errorf("arrange: %w", err)
	}
	choice, err := masking.DrawBelow(uint16(len(in)), stream)
	if err != nil {
		return nil, ArrangementWitness{}, err
	}
	w := ArrangementWitness{Choice: int(choice)}
	if w.Factors, err = k.Group().RandomScalars(stream, len(in)); err != nil {
		return nil, ArrangementWitness{}, err
	}
	return ArrangeCards(f, k, in, w), w, nil
}

// ArrangeCards returns the cards arranged by w, in constant time.
func ArrangeCards(f Family, k *masking.Key, in []masking.Card, w ArrangementWitness) []masking.Card {
	order := make([]uint16, len(in))
	for i := range order {
		order[i] = uint16(f.sourcePlace(w.Choice, i, len(in)))
	}
	return masking.Remask(k, in, masking.Opening{Permutation: order, Factors: w.Factors})
}

// ProveArrangement proves s by its witness in constant time. Requires: w made s.
func ProveArrangement(ctx transcript.Context, s Arrangement, w ArrangementWitness, rand io.Reader) ([]byte, error) {
	if err := s.checkForm(); err != nil {
		return nil, err
	}
	if len(w.Factors) != len(s.In) {
		return nil, proof.ErrFalse
	}
	t := transcript.New(ctx, s)
	secret := binary.BigEndian.AppendUint16(nil, uint16(w.Choice))
	for _, r := range w.Factors {
		secret = r.AppendTo(secret)
	}
	nonces, err := t.Hedge(secret, rand)
	if err != nil {
		return nil, err
	}
	return proveArrangement(t, s, s.drawPowers(t), w, nonces)
}

func proveArrangement(t *transcript.Transcript, s Arrangement, powers []group.Scalar, w ArrangementWitness, nonces *transcript.Stream) ([]byte, error) {
	g := s.Key.Group()
	as, bs := masking.CardColumns(s.Out)
	after := [2]group.Table{
		group.NewTable(g.VartimeMultiMul(powers, as)), group.NewTable(g.VartimeMultiMul(powers, bs)),
	}
	before := s.sumsBefore(powers)
	// c·D_k = c·Σ x^i·e'_i − c·factor·sum; the computation does not depend on which k is true.
	times := func(k int, c group.Scalar) masking.Card {
		scaled := c.Mul(before[k].factor)
		return masking.Card{
			A: after[0].Mul(c).Sub(group.Mul(scaled, before[k].sum.A)),
			B: after[1].Mul(c).Sub(group.Mul(scaled, before[k].sum.B)),
		}
	}
	return proveDisjunction(t, s.Key, len(s.In), w.Choice, group.InnerProduct(powers, w.Factors), times, nonces)
}

// scaledSum is factor·sum.
type scaledSum struct {
	factor group.Scalar
	sum    masking.Card
}

// sumsBefore returns Σ x^i·e_φ_k(i) for every k, all of it public.
func (s Arrangement) sumsBefore(powers []group.Scalar) []scaledSum {
	g := s.Key.Group()
	n, one := len(powers), g.One()
	start := make([]masking.Card, n)
	for i := range start {
		start[i] = s.In[s.Family.sourcePlace(0, i, n)]
	}
	as, bs := masking.CardColumns(start)
	list := []scaledSum{{one, masking.Card{A: g.VartimeMultiMul(powers, as), B: g.VartimeMultiMul(powers, bs)}}}
	if n == 1 {
		return list
	}
	step := s.cutStep(powers)
	if s.Family == Insert {
		step = s.insertStep(powers)
	}
	for k := range n - 1 {
		list = append(list, step(k, list[k]))
	}
	return list
}

// cutStep uses x^(k+1)·Σ x^i·e_(i+k+1) = x^k·Σ x^i·e_(i+k) + (x^N − 1)·x^k·e_k.
func (s Arrangement) cutStep(powers []group.Scalar) func(int, scaledSum) scaledSum {
	n, one := len(powers), powers[0]
	x := powers[1]
	round, inverse := powers[n-1].Mul(x).Sub(one), x.Invert()
	return func(k int, last scaledSum) scaledSum {
		return scaledSum{last.factor.Mul(inverse), addScaled(last.sum, round.Mul(powers[k]), s.In[k])}
	}
}

// insertStep moves the card from place k + 1 to k, and the last card from k to k + 1.
func (s Arrangement) insertStep(powers []group.Scalar) func(int, scaledSum) scaledSum {
	end := s.In[len(s.In)-1]
	return func(k int, last scaledSum) scaledSum {
		moved := masking.Card{A: s.In[k].A.Sub(end.A), B: s.In[k].B.Sub(end.B)}
		return scaledSum{last.factor, addScaled(last.sum, powers[k].Sub(powers[k+1]), moved)}
	}
}

// addScaled returns c + v·d in variable time.
func addScaled(c masking.Card, v group.Scalar, d masking.Card) masking.Card {
	times := func(e group.Element) group.Element {
		return e.Group().VartimeMultiMul([]group.Scalar{v}, []group.Element{e})
	}
	return masking.Card{A: c.A.Add(times(d.A)), B: c.B.Add(times(d.B))}
}
