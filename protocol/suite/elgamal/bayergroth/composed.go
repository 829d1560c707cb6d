package bayergroth

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// VerifyPart is Verify for a proof that is part of another proof.
func VerifyPart(t *transcript.Transcript, s masking.ShuffleStatement, bytes []byte, b *group.Batch) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	t.Part(s.WithLabel(label))
	return verify(t, s, bytes, b)
}

// The argument with a hidden sum: there are a permutation π, fixed before x is drawn, and a factor τ
// with
//
//	E* = Σ x^π(i)·C_i − Enc(τ)
//
// for given cards C_i and a given E*, which replaces Σ x^i·e_i in (8). The caller has to prove what E*
// masks.

// VerifySum adds the equations of such a proof to b, and returns x, x², … and c. The caller must have
// absorbed all the cards; link absorbs what the prover's link absorbed.
func VerifySum(t *transcript.Transcript, key *masking.Key, cards []masking.Card, sum masking.Card, bytes []byte, b *group.Batch, link func()) (powers []group.Scalar, c group.Scalar, err error) {
	m, err := parseMessage(key.Group(), bytes, len(cards))
	if err != nil {
		return nil, group.Scalar{}, err
	}
	x := challengeX(t, m)
	powers = group.Powers(x, x, len(cards))
	y, z := challengeYZ(t, m)
	link()
	c = challengeC(t, m)
	m.checkProduct(b, y, z, c, powers)
	m.checkPowers(b, c)
	s := masking.ShuffleStatement{Key: key, Out: cards}
	m.checkCombination(b, s, c, []group.Scalar{key.Group().One()}, []masking.Card{sum})
	return powers, c, nil
}

// The argument for cards of another kind: (5) to (7) show that there are a permutation π, fixed before
// x is drawn, and f = c·b + a with b_i = x^π(i) and a committed to before c. The caller checks what Σ
// b_i·out_i has to be, with its own pair E of elements and its own response τ_f in place of those in
// (8).

// Order is what the caller needs for its equations.
type Order struct {
	Powers []group.Scalar // x, x², …
	C      group.Scalar
	F      []group.Scalar
	E      masking.Card
	TauF   group.Scalar
}

// VerifyOrder adds (5) to (7) for a proof about n cards to b. The caller must have absorbed all the
// cards.
func VerifyOrder(g *group.Group, t *transcript.Transcript, n int, bytes []byte, b *group.Batch) (Order, error) {
	m, c, powers, err := verifyOrder(g, t, n, bytes, b)
	if err != nil {
		return Order{}, err
	}
	return Order{powers, c, m.f, m.E, m.tauf}, nil
}
