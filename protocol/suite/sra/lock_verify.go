package sra

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// Label names the relation.
func (Shuffle) Label() string { return "lock/bayer-groth/v1" }

// AppendTo absorbs the statement.
func (s Shuffle) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", group.Encode(s.In...))
	b.Bytes("out", group.Encode(s.Out...))
}

// Verify checks the form of s and of a proof and adds its equations to b.
func (s Shuffle) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.Check(); err != nil {
		return err
	}
	o, err := bayergroth.VerifyOrder(s.Key.Group(), transcript.New(ctx, s), len(s.In), bytes, b)
	if err != nil {
		return err
	}
	s.addEquations(b, o)
	return nil
}

// addEquations adds those of a proof that are about the lock: E and T are the pair of
// elements that its prover sent, and z the response.
func (s Shuffle) addEquations(b *group.Batch, o bayergroth.Order) {
	e, t, z := o.E.A, o.E.B, o.TauF

	// (8')  Σ f_i·out_i − z·Σ x^i·in_i − E = 0
	terms := make([]group.Term, 0, 2*len(s.In)+1)
	for i := range s.In {
		terms = append(terms,
			group.Term{S: o.F[i], P: s.Out[i]},
			group.Term{S: z.Mul(o.Powers[i]).Neg(), P: s.In[i]})
	}
	b.Add(append(terms, group.Minus(e))...)

	// (9)  z·G − T − c·K = 0
	b.Add(
		group.Term{S: z, P: s.Key.Group().Generator()},
		group.Minus(t),
		group.Term{S: o.C.Neg(), P: s.Key.Element()},
	)
}

// Label names the relation.
func (Unlock) Label() string { return "unlock/v1" }

// AppendTo absorbs the statement.
func (s Unlock) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("cards", group.Encode(s.Cards...))
	b.Bytes("tokens", group.Encode(s.Tokens...))
}

// Verify checks the form of s and of a proof and adds its equations to b.
func (s Unlock) Verify(ctx transcript.Context, bytes []byte, b *group.Batch) error {
	if err := s.Check(); err != nil {
		return err
	}
	return s.tokenShares().Verify(transcript.New(ctx, s), bytes, b)
}

func (s Unlock) tokenShares() relations.Shares {
	return relations.Shares{Key: s.Key, Bases: s.Tokens, Of: s.Cards}
}
