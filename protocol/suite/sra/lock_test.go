package sra

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

func newLock(t testing.TB) *Secret {
	t.Helper()
	return handtest.MustHave(NewSecret(g, rand.Reader))
}

func cards(name string, n int) []group.Element {
	list := make([]group.Element, n)
	for i := range list {
		list[i] = g.HashToElement("locktest", []byte(name), []byte{byte(i)})
	}
	return list
}

// locked is a shuffle by e in an order, which need be no permutation.
func locked(e *Secret, in []group.Element, order ...uint16) Shuffle {
	return Shuffle{Key: e.Key(), In: in, Out: e.lockCards(in, order)}
}

// forged is a proof by the honest algorithm of what may be false.
func forged(t testing.TB, s Shuffle, e *Secret, order ...uint16) []byte {
	t.Helper()
	return handtest.MustHave(proveShuffle(transcript.New(handtest.Here, s), s, e, order, handtest.NamedCoins("prover")))
}

func check(s interface {
	Verify(transcript.Context, []byte, *group.Batch) error
}, p []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return s.Verify(handtest.Here, p, b) })
}

// A shuffle of 33.6 that is none: another lock on one card, a card that is there twice, is
// dropped or is another deck's, no lock at all, another seat's key. Each is proved by the
// honest algorithm, of the order that comes nearest.
func TestLockFalseShuffles(t *testing.T) {
	e, other := newLock(t), newLock(t)
	in, order := cards("deck", 5), []uint16{3, 0, 4, 1, 2}
	honest := locked(e, in, order...)
	testmust.Do(t, check(honest, forged(t, honest, e, order...)))
	with := func(i int, y group.Element) Shuffle {
		s := honest
		s.Out = slices.Clone(honest.Out)
		s.Out[i] = y
		return s
	}
	base := g.Generator()
	swapped := with(0, honest.Out[1].Add(base))
	swapped.Out[1] = honest.Out[0].Sub(base)
	for name, s := range map[string]Shuffle{
		"another lock on one card":  with(2, group.Mul(other.Scalar(), in[order[2]])),
		"a card without a lock":     with(2, in[order[2]]),
		"a card of another deck":    with(2, e.lockCards(cards("other", 1), []uint16{0})[0]),
		"a card twice":              with(2, honest.Out[1]),
		"two changes that cancel":   swapped,
		"no lock":                   {Key: e.Key(), In: in, Out: in},
		"another lock":              {Key: e.Key(), In: in, Out: other.lockCards(in, order)},
		"another seat's key":        {Key: other.Key(), In: in, Out: honest.Out},
		"the negative of a card":    with(2, g.Identity().Sub(honest.Out[2])),
		"a card less":               {Key: e.Key(), In: in, Out: honest.Out[1:]},
		"the identity for a card":   with(2, g.Identity()),
		"a card that was twice in":  {Key: e.Key(), In: []group.Element{in[0], in[0], in[2], in[3], in[4]}, Out: honest.Out},
		"one card":                  {Key: e.Key(), In: in[:1], Out: honest.Out[1:2]},
		"an order of no shuffle":    locked(e, in, 0, 0, 1, 2, 3),
		"out of the order it is in": {Key: e.Key(), In: in, Out: slices.Concat(honest.Out[1:], honest.Out[:1])},
	} {
		testmust.Holdf(t, len(s.Out) != 5 || check(s, forged(t, s, e, order...)) != nil, "%s: accepted", name)
		testmust.Fail(t, check(s, forged(t, honest, e, order...)), name, "accepted with the proof of an honest shuffle")
	}
}

// A prover that gives bytes for a witness that is none.
func TestWitness(t *testing.T) {
	e := newLock(t)
	s := locked(e, cards("deck", 3), 2, 0, 1)
	for _, order := range [][]uint16{nil, {0, 1}, {0, 1, 2, 3}} {
		b, err := ProveShuffle(handtest.Here, s, e, order, rand.Reader)
		testmust.Holdf(t, b == nil && errors.Is(err, proof.ErrFalse), "%v: %d bytes, %v", order, len(b), err)
	}
}

// Errors of two cards, or of two tokens, that cancel each other: weights that can be foreseen
// would let them pass.
func TestDisclosedErrorsThatCancel(t *testing.T) {
	e, base := newLock(t), g.Generator()
	s := locked(e, cards("deck", 4), 2, 0, 3, 1)
	disclosed := handtest.MustHave(ParseDisclosure(e.Key(), e.Bytes()))
	u := Unlock{Key: s.Key, Cards: s.Out, Tokens: []group.Element{s.In[2], s.In[0], s.In[3], s.In[1]}}
	testmust.Do(t, disclosed.CheckUnlocked(u), "honest tokens")
	s.Out = slices.Clone(s.Out)
	s.Out[0], s.Out[1] = s.Out[0].Add(base), s.Out[1].Sub(base)
	err := disclosed.CheckLocked(s, []byte{2, 0, 3, 1})
	testmust.Holdf(t, err != nil && !errors.Is(err, proof.ErrOrder), "two cards with errors that cancel: %v", err)
	u.Tokens[0], u.Tokens[1] = u.Tokens[0].Add(base), u.Tokens[1].Sub(base)
	testmust.Fail(t, disclosed.CheckUnlocked(u), "two tokens with errors that cancel are right")
}

// The locks 0, 1 and −1, which lock nothing: a card under them, or its negative, is open.
func TestLocksThatLockNothing(t *testing.T) {
	one := g.One()
	for name, e := range map[string]group.Scalar{"0": {}, "1": one, "−1": one.Neg()} {
		if x, err := ParseSecret(g, e.Bytes()); err == nil {
			t.Errorf("%s is a lock: %x", name, x.Bytes())
		}
		k, err := masking.ParseKey(g, g.MulBase(e).Bytes())
		if err != nil {
			continue // no key at all
		}
		testmust.Fail(t, CheckKey(k), "the key of", name, "is one")
		in := cards("deck", 3)
		open := Shuffle{Key: k, In: in, Out: []group.Element{group.Mul(e, in[1]), group.Mul(e, in[0]), group.Mul(e, in[2])}}
		testmust.Fail(t, open.Verify(handtest.Here, make([]byte, bayergroth.Size(g, 3)), new(group.Batch)), "a shuffle by", name, "has the form of one")
	}
}

// A value of the statement that no challenge depends on.
func TestBinding(t *testing.T) {
	d, e := newLock(t), newLock(t)
	a, b := locked(d, cards("a", 3), 2, 0, 1), locked(e, cards("b", 3), 1, 2, 0)
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, Unlock{Key: a.Key, Cards: a.Out, Tokens: a.In}, Unlock{Key: b.Key, Cards: b.Out, Tokens: b.In})
	prooftest.Binding(t, mask{a.Key, a.In}, mask{b.Key, b.In})
}

// The equation (8') or (9) left out: without (9) any lock will do, one for each proof; and
// without (8') the cards are anything. Each false shuffle passes the other equations.
func TestBothEquationsAreNeeded(t *testing.T) {
	e, other := newLock(t), newLock(t)
	in := cards("deck", 3)
	for name, s := range map[string]Shuffle{
		"(9)":  {Key: other.Key(), In: in, Out: e.lockCards(in, []uint16{2, 0, 1})},
		"(8')": {Key: e.Key(), In: in, Out: cards("any", 3)},
	} {
		p := forged(t, s, e, 2, 0, 1)
		var all group.Batch
		o, err := bayergroth.VerifyOrder(g, transcript.New(handtest.Here, s), 3, p, &all)
		testmust.Requiref(t, err == nil && all.Check(rand.Reader) == nil, "%s: the attack is built wrong: (5) to (7) fail (%v)", name, err)
		tie := g.MulBase(o.TauF).Sub(o.E.B).Equal(group.Mul(o.C, s.Key.Element()))
		testmust.Equal(t, name == "(8')", tie, name, "the attack is built wrong: (9) holds")
		testmust.Fail(t, check(s, p), "accepted without", name)
	}
}

// An accepted proof by one who does not know the lock: two answers to one T give it. π and
// b are extracted as in package bayergroth, whose (5) to (7) these are.
func TestExtract(t *testing.T) {
	e := newLock(t)
	s := locked(e, cards("deck", 4), 2, 0, 3, 1)
	var c, z []group.Scalar
	var words [][]byte
	for slot := range uint16(2) {
		p := handtest.MustHave(proveShuffle(transcript.New(handtest.SlotContext(slot), s), s, e, []uint16{2, 0, 3, 1}, handtest.NamedCoins("prover")))
		var b group.Batch
		o := handtest.MustHave(bayergroth.VerifyOrder(g, transcript.New(handtest.SlotContext(slot), s), 4, p, &b))
		handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { s.addEquations(b, o) })
		c, z, words = append(c, o.C), append(z, o.TauF), append(words, o.E.B.Bytes())
	}
	testmust.Require(t, bytes.Equal(words[0], words[1]), "T depends on the challenges")
	found := handtest.PolynomialThrough(t, c, z)[1]
	testmust.Hold(t, found.Equal(e.Scalar()), "what was extracted is not the lock")
}

// A proof that tells more than that it is one: f, z and c are uniform in an honest proof,
// and determine E and T.
func TestSimulate(t *testing.T) {
	e := newLock(t)
	s := locked(e, cards("deck", 4), 2, 0, 3, 1)
	simulated := func(s Shuffle, o bayergroth.Order) bayergroth.Order {
		sum := g.MultiMul(o.Powers, s.In)
		o.E = masking.Card{
			A: g.MultiMul(o.F, s.Out).Sub(group.Mul(o.TauF, sum)),
			B: g.MulBase(o.TauF).Sub(group.Mul(o.C, s.Key.Element())),
		}
		return o
	}
	p := forged(t, s, e, 2, 0, 3, 1)
	honest := handtest.MustHave(bayergroth.VerifyOrder(g, transcript.New(handtest.Here, s), 4, p, new(group.Batch)))
	testmust.Hold(t, simulated(s, honest).E.Equal(honest.E), "challenges and responses do not determine an honest E and T")
	s.Out = cards("no shuffle", 4)
	v := handtest.NamedScalars(t, "simulator", 7)
	o := simulated(s, bayergroth.Order{Powers: group.Powers(v[0], v[0], 4), C: v[1], TauF: v[2], F: v[3:]})
	handtest.ExpectAccepted(t, "a simulated proof", func(b *group.Batch) { s.addEquations(b, o) })
}

// orders are all of three cards.
var orders = [][]uint16{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// Who guesses the order and tests the guess by a value of the proof: of three cards all
// six. With Σ b_i·out_i = e·Σ x^i·in_i in the clear one fits, and it is the true one.
func TestOrderCannotBeTested(t *testing.T) {
	for _, order := range orders {
		e := newLock(t)
		s := locked(e, cards("deck", 3), order...)
		p := forged(t, s, e, order...)
		o := handtest.MustHave(bayergroth.VerifyOrder(g, transcript.New(handtest.Here, s), 3, p, new(group.Batch)))
		naive := group.Mul(e.Scalar(), g.MultiMul(o.Powers, s.In))
		for _, guess := range orders {
			b := group.ScalarsAt(o.Powers, guess)
			guessed := g.MultiMul(b, s.Out)
			testmust.Equal(t, guessed.Equal(naive), slices.Equal(guess, order), "the attack is built wrong: the value in the clear does not tell the order")
			combined := group.Mul(o.C, guessed).Add(o.E.A) // of what the equations weigh
			for at := range 8 {
				v := handtest.MustHave(g.ParseElement(p[32*at : 32*at+32]))
				for _, w := range []group.Element{guessed, combined, g.Identity().Sub(guessed), group.Mul(o.TauF, guessed), group.Mul(o.C, guessed)} {
					testmust.Holdf(t, !v.Equal(w), "order %v: element %d of the proof fits the guess %v", order, at, guess)
				}
			}
		}
	}
}
