package bayergroth_test

import (
	"crypto/rand"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/group"
	"github.com/pakli/pakli/protocol/masking"
	"github.com/pakli/pakli/protocol/proof/bayergroth"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/proof/shuffle"
	"github.com/pakli/pakli/protocol/transcript"
)

func secret(t testing.TB) *masking.Secret {
	t.Helper()
	x, err := masking.NewSecret(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// by remasks in under k in the order that o says, which need be none.
func by(k *masking.Key, in []masking.Card, o masking.Opening) shuffle.Statement {
	s := shuffle.Statement{Key: k, In: in}
	for i, r := range o.Factors {
		c := in[o.Permutation[i]]
		s.Out = append(s.Out, masking.Card{A: c.A.Add(group.MulBase(r)), B: c.B.Add(group.Mul(r, k.Element()))})
	}
	return s
}

func opening(t testing.TB, order ...uint16) masking.Opening {
	t.Helper()
	factors, err := group.RandomScalars(rand.Reader, len(order))
	if err != nil {
		t.Fatal(err)
	}
	return masking.Opening{Permutation: order, Factors: factors}
}

func check(s shuffle.Statement, proof []byte) error {
	var b group.Batch
	if err := (bayergroth.Argument{}).Verify(context, s, proof, &b); err != nil {
		return err
	}
	return b.Check(rand.Reader)
}

func proved(t testing.TB, s shuffle.Statement, o masking.Opening) []byte {
	t.Helper()
	proof, err := (bayergroth.Argument{}).Prove(context, s, o, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

// TestSize: a proof that is longer or shorter than the paper's.
func TestSize(t *testing.T) {
	k := secret(t).Key()
	for n := 2; n < 6; n++ {
		order := make([]uint16, n)
		for i := range order {
			order[i] = uint16(n - 1 - i)
		}
		o := opening(t, order...)
		s := by(k, open(n), o)
		proof := proved(t, s, o)
		if len(proof) != 32*(3*n+10) || bayergroth.Size(n) != len(proof) {
			t.Errorf("%d cards: proof of %d bytes, Size %d, want %d", n, len(proof), bayergroth.Size(n), 32*(3*n+10))
		}
		if err := check(s, proof); err != nil {
			t.Errorf("%d cards: %v", n, err)
		}
	}
	if bayergroth.Size(42) != 4352 {
		t.Errorf("Size(42) = %d, want 4352", bayergroth.Size(42))
	}
}

// TestNoPermutation: a duplicated and a dropped card: the prover remasks by a
// map that is no permutation and runs the honest algorithm.
func TestNoPermutation(t *testing.T) {
	k := secret(t).Key()
	in, _, err := masking.Shuffle(k, open(5), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]uint16{{0, 0, 2, 3, 4}, {0, 1, 2, 3, 3}, {4, 4, 4, 4, 4}, {1, 0, 3, 2, 0}} {
		o := opening(t, order...)
		s := by(k, in, o)
		if check(s, proved(t, s, o)) == nil {
			t.Errorf("order %v is accepted", order)
		}
		// The same cards, passed off as an honest order.
		honest := masking.Opening{Permutation: []uint16{0, 1, 2, 3, 4}, Factors: o.Factors}
		if check(s, proved(t, s, honest)) == nil {
			t.Errorf("order %v is accepted with an honest witness", order)
		}
	}
}

// TestCardSubstitution: an honest shuffle in which one card was exchanged for
// another, or changed by a known element, before it was proved.
func TestCardSubstitution(t *testing.T) {
	k := secret(t).Key()
	in, _, err := masking.Shuffle(k, open(4), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := opening(t, 2, 0, 3, 1)
	honest := by(k, in, o)
	if err := check(honest, proved(t, honest, o)); err != nil {
		t.Fatal(err)
	}
	other, _, err := masking.Mask(k, group.HashToElement("another card"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	g := group.Generator()
	for i, c := range honest.Out {
		for name, wrong := range map[string]masking.Card{
			"another card":       other,
			"A changed":          {A: c.A.Add(g), B: c.B},
			"B changed":          {A: c.A, B: c.B.Add(g)},
			"both changed":       {A: c.A.Add(g), B: c.B.Add(g)},
			"under another key":  {A: c.A, B: c.B.Add(group.Mul(o.Factors[i], g))},
			"its neighbour":      honest.Out[(i+1)%4],
			"the card before it": in[o.Permutation[i]],
		} {
			s := honest
			s.Out = slices.Clone(honest.Out)
			s.Out[i] = wrong
			if check(s, proved(t, s, o)) == nil {
				t.Errorf("card %d, %s: accepted", i, name)
			}
		}
	}
	// Two changes that cancel in the sum of all cards.
	s := honest
	s.Out = slices.Clone(honest.Out)
	s.Out[0] = masking.Card{A: s.Out[0].A, B: s.Out[0].B.Add(g)}
	s.Out[1] = masking.Card{A: s.Out[1].A, B: s.Out[1].B.Sub(g)}
	if check(s, proved(t, s, o)) == nil {
		t.Error("two changes that cancel are accepted")
	}
}

// The statement as weak transforms would hash it.
type (
	outless struct{ shuffle.Statement }
	inless  struct{ shuffle.Statement }
	keyless struct{ shuffle.Statement }
	nothing struct{ shuffle.Statement }
)

func (outless) Label() string { return "weak" }
func (inless) Label() string  { return "weak" }
func (keyless) Label() string { return "weak" }
func (nothing) Label() string { return "weak" }

func (s outless) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("in", masking.Encode(s.In...))
}

func (s inless) AppendTo(b *transcript.Binder) {
	b.Bytes("key", s.Key.Bytes())
	b.Bytes("out", masking.Encode(s.Out...))
}

func (s keyless) AppendTo(b *transcript.Binder) {
	b.Bytes("in", masking.Encode(s.In...))
	b.Bytes("out", masking.Encode(s.Out...))
}

func (nothing) AppendTo(*transcript.Binder) {}

// TestPartAfterChallenge: the general attack on a weak transform. The forger
// proves an honest shuffle, and then changes a part of the statement that is
// not hashed, which leaves all challenges and responses as they are, so that
// the one equation it occurs in holds again:
//
//	(8)  c·Σ x^i·e_i + E = Enc(τ_f) + Σ f_i·e'_i
//
// If the cards after the shuffle are not hashed, all of them but one are the
// forger's choice: here the ace, four times out of five.
func TestPartAfterChallenge(t *testing.T) {
	x := secret(t)
	k := x.Key()
	in, _, err := masking.Shuffle(k, open(5), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := opening(t, 3, 1, 4, 0, 2)
	honest := by(k, in, o)
	ace := group.HashToElement("ace")
	aces := func() masking.Card {
		c, _, err := masking.Mask(k, ace, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	under := func(weak transcript.Statement, s shuffle.Statement) bayergroth.Opened {
		p, err := bayergroth.ProveUnder(transcript.New(context, weak), transcript.New(context, weak), s, o, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Run("out", func(t *testing.T) {
		p, f := under(outless{honest}, honest), honest
		f.Out = []masking.Card{{}, aces(), aces(), aces(), aces()}
		f.Out[0] = lastOut(p, f)
		for _, c := range f.Out[1:] {
			if !x.Unmask(c).Equal(ace) {
				t.Fatal("the attack is built wrong: no ace")
			}
		}
		expectWeak(t, outless{f}, f, p.Proof)
	})
	t.Run("in", func(t *testing.T) {
		p, f := under(inless{honest}, honest), honest
		f.In = []masking.Card{{}, aces(), aces(), aces(), aces()}
		f.In[0] = firstIn(p, f)
		expectWeak(t, inless{f}, f, p.Proof)
	})
	t.Run("key", func(t *testing.T) {
		f := honest
		f.Out = slices.Clone(honest.Out)
		f.Out[1] = masking.Card{A: f.Out[1].A, B: f.Out[1].B.Add(ace)} // another card
		p := under(keyless{f}, f)
		f.Key = keyFor(t, p, f)
		expectWeak(t, keyless{f}, f, p.Proof)
	})
	t.Run("all", func(t *testing.T) {
		p, f := under(nothing{honest}, honest), honest
		f.Key = secret(t).Key()
		f.In = []masking.Card{aces(), aces(), aces(), aces(), aces()}
		f.Out = []masking.Card{{}, aces(), aces(), aces(), aces()}
		f.Out[0] = lastOut(p, f)
		expectWeak(t, nothing{f}, f, p.Proof)
	})
}

// sides returns c·Σ x^i·e_i + E and Enc(τ_f) + Σ f_i·e'_i over the cards from
// the second on.
func sides(p bayergroth.Opened, s shuffle.Statement) (left, right masking.Card) {
	left = p.E
	right = masking.Card{A: group.MulBase(p.TauF), B: group.Mul(p.TauF, s.Key.Element())}
	xi := p.X
	for i := range s.In {
		if s.In[i].A != nil {
			left = plus(left, times(p.C.Mul(xi), s.In[i]))
		}
		if s.Out[i].A != nil {
			right = plus(right, times(p.F[i], s.Out[i]))
		}
		xi = xi.Mul(p.X)
	}
	return left, right
}

func plus(a, b masking.Card) masking.Card { return masking.Card{A: a.A.Add(b.A), B: a.B.Add(b.B)} }

func times(s group.Scalar, c masking.Card) masking.Card {
	return masking.Card{A: group.Mul(s, c.A), B: group.Mul(s, c.B)}
}

func minus(c masking.Card) masking.Card { return times(group.ScalarFromUint64(1).Neg(), c) }

// lastOut returns the e'_1 that makes (8) hold.
func lastOut(p bayergroth.Opened, s shuffle.Statement) masking.Card {
	left, right := sides(p, s)
	return times(p.F[0].Invert(), plus(left, minus(right)))
}

// firstIn returns the e_1 that makes (8) hold.
func firstIn(p bayergroth.Opened, s shuffle.Statement) masking.Card {
	left, right := sides(p, s)
	return times(p.C.Mul(p.X).Invert(), plus(right, minus(left)))
}

// keyFor returns the K that makes the second component of (8) hold.
func keyFor(t *testing.T, p bayergroth.Opened, s shuffle.Statement) *masking.Key {
	left, right := sides(p, s)
	withoutKey := right.B.Sub(group.Mul(p.TauF, s.Key.Element()))
	k, err := masking.ParseKey(group.Mul(p.TauF.Invert(), left.B.Sub(withoutKey)).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// expectWeak fails if the forgery does not work under the weak transcript, or
// works under the real one.
func expectWeak(t *testing.T, weak transcript.Statement, forged shuffle.Statement, proof []byte) {
	t.Helper()
	var b group.Batch
	if err := bayergroth.VerifyUnder(transcript.New(context, weak), forged, proof, &b); err != nil || b.Check(rand.Reader) != nil {
		t.Fatal("the attack is built wrong: it fails under the weak transcript")
	}
	if check(forged, proof) == nil {
		t.Error("cards chosen after the challenge are accepted")
	}
}

// TestOpensACard: who made the mask of a card can take it off by remasking. The
// shuffle is a true one, and must be refused all the same.
func TestOpensACard(t *testing.T) {
	k := secret(t).Key()
	in, first, err := masking.Shuffle(k, open(3), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := opening(t, 2, 0, 1)
	o.Factors[0] = first.Factors[2].Neg()
	s := by(k, in, o)
	if !s.Out[0].IsOpen() {
		t.Fatal("the attack is built wrong: no card is open")
	}
	under := func() *transcript.Transcript { return transcript.New(context, bayergroth.Labelled(s)) }
	p, err := bayergroth.ProveUnder(under(), under(), s, o, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var b group.Batch
	if err := bayergroth.VerifyUnder(under(), s, p.Proof, &b); err != nil || b.Check(rand.Reader) != nil {
		t.Fatal("the attack is built wrong: it is no true shuffle")
	}
	if check(s, p.Proof) == nil {
		t.Error("a shuffle that opens a card is accepted")
	}
}

// TestCommitmentsBound: a commitment that does not reach the challenges after
// it can be chosen last.
func TestCommitmentsBound(t *testing.T) {
	k := secret(t).Key()
	o := opening(t, 2, 0, 1)
	s := by(k, open(3), o)
	proof := proved(t, s, o)
	draw := func(proof []byte) bayergroth.Challenges {
		c, err := bayergroth.ChallengesOf(transcript.New(context, bayergroth.Labelled(s)), proof, 3)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	honest := draw(proof)
	if honest.Y.Equal(honest.Z) || honest.X.Equal(honest.Y) {
		t.Error("two challenges are equal")
	}
	for i := range 8 {
		changed := slices.Clone(proof)
		copy(changed[32*i:], group.HashToElement("other").Bytes())
		c := draw(changed)
		if i == 0 == c.X.Equal(honest.X) {
			t.Errorf("element %d: x must depend on A alone", i)
		}
		if i <= 1 == c.Y.Equal(honest.Y) || i <= 1 == c.Z.Equal(honest.Z) {
			t.Errorf("element %d: y and z must depend on A and B alone", i)
		}
		if c.C.Equal(honest.C) {
			t.Errorf("element %d does not reach c", i)
		}
	}
}

// TestChallengesAreLong: a forger can try offline until a short challenge suits
// him, 2^s times for s bits. All challenges have the size of the group: over
// many proofs every bit of the encoding below 2^252 takes both values.
func TestChallengesAreLong(t *testing.T) {
	k := secret(t).Key()
	o := opening(t, 1, 0)
	s := by(k, open(2), o)
	proof := proved(t, s, o)
	var zeros, ones [4][32]byte
	for slot := range uint16(200) {
		at := transcript.Bind("bench", "bench", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "bench", 0).Slot(slot)
		c, err := bayergroth.ChallengesOf(transcript.New(at, bayergroth.Labelled(s)), proof, 2)
		if err != nil {
			t.Fatal(err)
		}
		for j, challenge := range []group.Scalar{c.X, c.Y, c.Z, c.C} {
			for i, b := range challenge.Bytes() {
				ones[j][i] |= b
				zeros[j][i] |= ^b
			}
		}
	}
	for j := range ones {
		for i := range 252 {
			if mask := byte(1) << (i % 8); ones[j][i/8]&mask == 0 || zeros[j][i/8]&mask == 0 {
				t.Errorf("bit %d of challenge %d never changes", i, j)
			}
		}
	}
}

func TestBinding(t *testing.T) {
	statement := func() transcript.Statement {
		k := secret(t).Key()
		in, _, _ := masking.Shuffle(k, open(3), rand.Reader)
		return bayergroth.Labelled(by(k, in, opening(t, 2, 1, 0)))
	}
	prooftest.Binding(t, statement(), statement())
}
