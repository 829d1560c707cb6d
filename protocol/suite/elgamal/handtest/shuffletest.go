package handtest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// OpenCards returns n open cards.
func OpenCards(n int) []masking.Card {
	cards := make([]masking.Card, n)
	for i := range cards {
		cards[i] = masking.Open(Group.HashToElement("shuffletest", []byte{byte(i)}))
	}
	return cards
}

// MaskedCards returns n cards masked under k.
func MaskedCards(t testing.TB, k *masking.Key, n int) []masking.Card {
	t.Helper()
	cards, _, err := Secret(t).Shuffle(SlotContext(0), k, OpenCards(n), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return cards
}

// OpeningOf returns a witness with this order, which need not be a permutation, and fresh factors.
func OpeningOf(t testing.TB, order ...uint16) masking.Opening {
	t.Helper()
	factors, err := Group.RandomScalars(rand.Reader, len(order))
	if err != nil {
		t.Fatal(err)
	}
	return masking.Opening{Permutation: order, Factors: factors}
}

// HonestShuffle is a shuffle of n cards, always in the same order for the same n.
func HonestShuffle(t testing.TB, n int) (masking.ShuffleStatement, masking.Opening) {
	t.Helper()
	order, err := masking.DrawPermutation(n, NamedCoins("order"))
	if err != nil {
		t.Fatal(err)
	}
	k, o := Secret(t).Key(), OpeningOf(t, order...)
	return RemaskBy(k, MaskedCards(t, k, n), o), o
}

// DoubledCard is a false statement made from s: one card came out twice.
func DoubledCard(t testing.TB, s masking.ShuffleStatement) masking.ShuffleStatement {
	t.Helper()
	s.Out = slices.Clone(s.Out)
	s.Out[0] = RemaskBy(s.Key, s.Out[1:], OpeningOf(t, 0)).Out[0]
	return s
}

// RemaskBy remasks in under k, in the order of o.
func RemaskBy(k *masking.Key, in []masking.Card, o masking.Opening) masking.ShuffleStatement {
	s := masking.ShuffleStatement{Key: k, In: in}
	for i, r := range o.Factors {
		c := in[o.Permutation[i]]
		s.Out = append(s.Out, masking.Card{A: c.A.Add(k.Group().MulBase(r)), B: c.B.Add(group.Mul(r, k.Element()))})
	}
	return s
}

// VerifyAlone verifies one proof at slot 0.
func VerifyAlone(a masking.ShuffleArgument, s masking.ShuffleStatement, proof []byte) error {
	return CheckEquations(func(b *group.Batch) error { return a.Verify(SlotContext(0), s, proof, b) })
}

// ProveShuffle proves s at slot 0.
func ProveShuffle(t testing.TB, a masking.ShuffleProver, s masking.ShuffleStatement, o masking.Opening) []byte {
	t.Helper()
	proof, err := a.Prove(SlotContext(0), s, o, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

// RunArgument holds an argument to its contract; its proofs for n cards have size(n) bytes.
func RunArgument(t *testing.T, a masking.ShuffleProver, size func(n int) int) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, masking.ShuffleProver)
	}{
		{"NoPermutation", testNoPermutation},
		{"CardSubstitution", testCardSubstitution},
		{"OpensACard", testOpensACard},
		{"Witness", testWitness},
		{"Statement", testStatement},
		{"Bytes", testBytes},
		{"Replay", testReplay},
		{"RestoredMachine", testRestoredMachine},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, a) })
	}
	t.Run("Size", func(t *testing.T) { testSize(t, a, size) })
}

// testSize: an honest proof that is refused, or has another length.
func testSize(t *testing.T, a masking.ShuffleProver, size func(int) int) {
	k := Secret(t).Key()
	for n := 2; n < 6; n++ {
		order := make([]uint16, n)
		for i := range order {
			order[i] = uint16(n - 1 - i)
		}
		for _, in := range [][]masking.Card{OpenCards(n), MaskedCards(t, k, n)} {
			o := OpeningOf(t, order...)
			s := RemaskBy(k, in, o)
			proof := ProveShuffle(t, a, s, o)
			if len(proof) != size(n) {
				t.Errorf("%d cards: proof of %d bytes, want %d", n, len(proof), size(n))
			}
			if err := VerifyAlone(a, s, proof); err != nil {
				t.Errorf("%d cards: %v", n, err)
			}
		}
	}
}

// testNoPermutation: one card is duplicated and one dropped: the prover remasks by a map that is no
// permutation, and otherwise follows the honest algorithm.
func testNoPermutation(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	in := MaskedCards(t, k, 5)
	for _, order := range [][]uint16{{0, 0, 2, 3, 4}, {0, 1, 2, 3, 3}, {4, 4, 4, 4, 4}, {1, 0, 3, 2, 0}} {
		o := OpeningOf(t, order...)
		s := RemaskBy(k, in, o)
		if VerifyAlone(a, s, ProveShuffle(t, a, s, o)) == nil {
			t.Errorf("order %v is accepted", order)
		}
		// The same cards, passed off as an honest order.
		honest := masking.Opening{Permutation: []uint16{0, 1, 2, 3, 4}, Factors: o.Factors}
		if VerifyAlone(a, s, ProveShuffle(t, a, s, honest)) == nil {
			t.Errorf("order %v is accepted with an honest witness", order)
		}
	}
}

// testCardSubstitution: in an honest shuffle one card is exchanged for another, or changed by a known
// element, before the proof is made.
func testCardSubstitution(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	in := MaskedCards(t, k, 4)
	o := OpeningOf(t, 2, 0, 3, 1)
	honest := RemaskBy(k, in, o)
	if err := VerifyAlone(a, honest, ProveShuffle(t, a, honest, o)); err != nil {
		t.Fatal(err)
	}
	other := Mask(t, k, k.Group().HashToElement("another card"))[0]
	g := k.Group().Generator()
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
			if VerifyAlone(a, s, ProveShuffle(t, a, s, o)) == nil {
				t.Errorf("card %d, %s: accepted", i, name)
			}
		}
	}
	// Two changes that cancel in the sum of all cards.
	s := honest
	s.Out = slices.Clone(honest.Out)
	s.Out[0] = masking.Card{A: s.Out[0].A, B: s.Out[0].B.Add(g)}
	s.Out[1] = masking.Card{A: s.Out[1].A, B: s.Out[1].B.Sub(g)}
	if VerifyAlone(a, s, ProveShuffle(t, a, s, o)) == nil {
		t.Error("two changes that cancel are accepted")
	}
}

// OpensACard fails the test if an argument accepts a true shuffle that takes the mask off a card, by a
// prover who made that mask. Its equations hold under its own transcript, and it must be refused all
// the same.
func OpensACard(
	t testing.TB, a masking.ShuffleProver, label string, verify func(*transcript.Transcript, masking.ShuffleStatement, []byte, *group.Batch) error,
	prove func(t *transcript.Transcript, s masking.ShuffleStatement, o masking.Opening, coins io.Reader) ([]byte, error),
) {
	t.Helper()
	s, o := cardOpeningShuffle(t)
	under := func() *transcript.Transcript { return transcript.New(SlotContext(0), s.WithLabel(label)) }
	proof := MustHave(prove(under(), s, o, rand.Reader))
	if err := CheckEquations(func(b *group.Batch) error { return verify(under(), s, proof, b) }); err != nil {
		t.Fatalf("the attack is built wrong: it is no true shuffle: %v", err)
	}
	if VerifyAlone(a, s, proof) == nil {
		t.Error("a shuffle that opens a card is accepted")
	}
}

// cardOpeningShuffle is such a shuffle with its witness.
func cardOpeningShuffle(t testing.TB) (masking.ShuffleStatement, masking.Opening) {
	t.Helper()
	k := Secret(t).Key()
	in, first, err := Secret(t).Shuffle(SlotContext(0), k, OpenCards(3), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	o := OpeningOf(t, 2, 0, 1)
	o.Factors[0] = first.Factors[2].Neg()
	s := RemaskBy(k, in, o)
	if !s.Out[0].IsOpen() {
		t.Fatal("the attack is built wrong: no card is open")
	}
	return s, o
}

// testOpensACard: the shuffle is a true one, and must be refused all the same.
func testOpensACard(t *testing.T, a masking.ShuffleProver) {
	s, o := cardOpeningShuffle(t)
	if _, err := a.Prove(SlotContext(0), s, o, rand.Reader); err == nil {
		t.Error("a shuffle that opens a card is proved")
	}
}

// testWitness: a malformed witness makes the prover panic, or return bytes that could be sent.
func testWitness(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	o := OpeningOf(t, 2, 0, 1)
	s := RemaskBy(k, OpenCards(3), o)
	for name, wrong := range map[string]masking.Opening{
		"empty":                {},
		"short":                {Permutation: o.Permutation[:2], Factors: o.Factors[:2]},
		"long":                 {Permutation: append(slices.Clone(o.Permutation), 3), Factors: append(slices.Clone(o.Factors), o.Factors[0])},
		"one factor less":      {Permutation: o.Permutation, Factors: o.Factors[:2]},
		"one place less":       {Permutation: o.Permutation[:2], Factors: o.Factors},
		"no factors":           {Permutation: o.Permutation},
		"no order of anything": {Factors: o.Factors},
	} {
		if b, err := a.Prove(SlotContext(0), s, wrong, rand.Reader); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("%s: %d bytes and %v, want ErrFalse", name, len(b), err)
		}
	}
}

// testStatement: a malformed statement is proved or accepted.
func testStatement(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	o := OpeningOf(t, 2, 0, 1)
	s := RemaskBy(k, OpenCards(3), o)
	honest := ProveShuffle(t, a, s, o)
	tooMany := OpenCards(2)
	for len(tooMany) <= masking.MaxCards {
		tooMany = append(tooMany, s.Out[0])
	}
	for name, wrong := range map[string]masking.ShuffleStatement{
		"no cards":        {Key: k},
		"one card":        {Key: k, In: s.In[:1], Out: s.Out[:1]},
		"a card less":     {Key: k, In: s.In, Out: s.Out[:2]},
		"a card more":     {Key: k, In: s.In, Out: append(slices.Clone(s.Out), s.Out[0])},
		"too many":        {Key: k, In: tooMany, Out: slices.Repeat(s.Out[:1], len(tooMany))},
		"open afterwards": {Key: k, In: s.In, Out: s.In},
	} {
		if VerifyAlone(a, wrong, honest) == nil {
			t.Errorf("%s: accepted", name)
		}
		if _, err := a.Prove(SlotContext(0), wrong, o, rand.Reader); err == nil {
			t.Errorf("%s: proved", name)
		}
	}
}

// testBytes: some byte of a proof is free, or a proof may be longer or shorter.
func testBytes(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	o := OpeningOf(t, 1, 2, 0)
	s := RemaskBy(k, MaskedCards(t, k, 3), o)
	honest := ProveShuffle(t, a, s, o)
	step := 1
	if len(honest) > 1024 && !testmust.Thorough() {
		step = 13 // rounds are slow to check; each has some of these bytes
	}
	for i := 0; i < len(honest); i += step {
		changed := slices.Clone(honest)
		changed[i] ^= 1 << (i % 8)
		if VerifyAlone(a, s, changed) == nil {
			t.Errorf("bit %d of byte %d of %d is free", i%8, i, len(honest))
		}
	}
	for n := range 70 {
		for name, wrong := range map[string][]byte{
			"less": honest[:max(0, len(honest)-n-1)], "more": append(slices.Clone(honest), make([]byte, n+1)...),
			"from the middle": honest[n+1:], "alone": honest[:n],
		} {
			if VerifyAlone(a, s, wrong) == nil {
				t.Errorf("%d bytes %s: accepted", n+1, name)
			}
		}
	}
	if again := ProveShuffle(t, a, s, o); bytes.Equal(again, honest) {
		t.Error("two proofs are equal: the nonces are not fresh")
	}
}

// testReplay: a proof is worth something at another place, or for another shuffle.
func testReplay(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	o := OpeningOf(t, 1, 0)
	s := RemaskBy(k, MaskedCards(t, k, 2), o)
	proof := ProveShuffle(t, a, s, o)
	var b group.Batch
	if err := a.Verify(SlotContext(1), s, proof, &b); err == nil && b.Check(rand.Reader) == nil {
		t.Error("accepted in another slot")
	}
	for name, other := range map[string]masking.ShuffleStatement{
		"another shuffle of the cards": RemaskBy(k, s.In, OpeningOf(t, 1, 0)),
		"back again":                   {Key: k, In: s.Out, Out: s.In},
		"another key":                  {Key: Secret(t).Key(), In: s.In, Out: s.Out},
		"other order":                  {Key: k, In: s.In, Out: []masking.Card{s.Out[1], s.Out[0]}},
		"the same cards":               {Key: k, In: s.In, Out: s.In},
	} {
		if VerifyAlone(a, other, proof) == nil {
			t.Errorf("accepted for %s", name)
		}
	}
}

// testRestoredMachine: a random source that repeats itself gives two proofs a common value, a
// commitment or a seed. Then responses to two challenges, or the difference of two commitments, reveal
// what they hide.
func testRestoredMachine(t *testing.T, a masking.ShuffleProver) {
	k := Secret(t).Key()
	in, order := MaskedCards(t, k, 6), []uint16{3, 5, 0, 2, 4, 1}
	o := OpeningOf(t, order...)
	seen, size := map[string]string{}, k.Group().ScalarSize
	prove := func(name string, at transcript.Context, s masking.ShuffleStatement, o masking.Opening) []byte {
		t.Helper()
		proof, err := a.Prove(at, s, o, RestoredRandom(1))
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(proof) - size + 1 {
			value := string(proof[i:][:size])
			if earlier, ok := seen[value]; ok && earlier != name {
				t.Fatalf("a value of the proof %s is in the proof %s", earlier, name)
			}
			seen[value] = name
		}
		return proof
	}
	once := prove("here", SlotContext(0), RemaskBy(k, in, o), o)
	if !bytes.Equal(prove("here", SlotContext(0), RemaskBy(k, in, o), o), once) {
		t.Error("a proof is not a function of place, statement, witness and randomness")
	}
	prove("in another slot", SlotContext(1), RemaskBy(k, in, o), o)
	prove("of other cards", SlotContext(0), RemaskBy(k, MaskedCards(t, k, 6), o), o)
	prove("under another key", SlotContext(0), RemaskBy(Secret(t).Key(), in, o), o)
	other := OpeningOf(t, order...)
	prove("with other factors", SlotContext(0), RemaskBy(k, in, other), other)
	if b, err := a.Prove(SlotContext(0), RemaskBy(k, in, o), o, strings.NewReader("")); err == nil || b != nil {
		t.Errorf("%d bytes are proved without randomness", len(b))
	}
}

// ExpectFailing fails the test unless the equations of this part of an argument fail and those of its
// other parts hold.
func ExpectFailing(t testing.TB, part string, parts map[string]func(*group.Batch)) {
	t.Helper()
	for name, add := range parts {
		var b group.Batch
		add(&b)
		if holds := b.Check(rand.Reader) == nil; holds == (name == part) {
			t.Errorf("the attack is built wrong: it is not refused by the %s alone: %s holds: %v", part, name, holds)
		}
	}
}

// ExpectExtracted fails the test if an extractor found something other than the witness.
func ExpectExtracted(t testing.TB, found, want masking.Opening) {
	t.Helper()
	if !slices.Equal(found.Permutation, want.Permutation) || !slices.EqualFunc(found.Factors, want.Factors, group.Scalar.Equal) {
		t.Errorf("extracted %v, want %v", found, want)
	}
}

// BindingPair returns two statements that differ in every value, for
// prooftest.Binding.
func BindingPair(t testing.TB) (a, b masking.ShuffleStatement) {
	draw := func() masking.ShuffleStatement {
		k := Secret(t).Key()
		return RemaskBy(k, MaskedCards(t, k, 3), OpeningOf(t, 2, 1, 0))
	}
	return draw(), draw()
}

// CheckChallenges holds the challenges of an argument, by rounds, to what a forger must not get. None
// depends on more or less than the elements sent before it ([CheckReach]), so nothing that comes after
// can be chosen last. No bit of a challenge below 2^252 is the same in every slot, or else he could try
// offline, 2^s times for s free bits, until a short challenge suits him.
func CheckChallenges(t testing.TB, a masking.ShuffleProver, drawn func(at transcript.Context, s masking.ShuffleStatement, proof []byte) [][]group.Scalar, reach ...int) {
	t.Helper()
	s, o := HonestShuffle(t, 3)
	proof := ProveShuffle(t, a, s, o)
	CheckReach(t, proof, func(proof []byte) [][]group.Scalar { return drawn(SlotContext(0), s, proof) }, reach...)
	const draws = 200
	var zeros, ones [][32]byte
	for slot := range uint16(draws) {
		for n, c := range slices.Concat(drawn(SlotContext(slot), s, proof)...) {
			if n == len(ones) {
				zeros, ones = append(zeros, [32]byte{}), append(ones, [32]byte{})
			}
			for i, b := range c.Bytes() {
				ones[n][i] |= b
				zeros[n][i] |= ^b
			}
		}
	}
	for n := range ones {
		for i := range 252 {
			if mask := byte(1) << (i % 8); ones[n][i/8]&mask == 0 || zeros[n][i/8]&mask == 0 {
				t.Errorf("bit %d of challenge %d never changes in %d draws", i, n, draws)
			}
		}
	}
}
