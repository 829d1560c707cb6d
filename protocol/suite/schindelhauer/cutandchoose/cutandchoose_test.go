package cutandchoose

import (
	"bytes"
	"crypto/rand"
	"crypto/sha3"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

const size = 32 // of moduli, in bytes

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "shuffle", 0).Slot(0)

// game is two seats with a shuffled deck of four cards.
type game struct {
	*testing.T
	secrets []*matrix.Secret
	joint   *matrix.Key
	deck    []matrix.Card
}

func deal(t *testing.T) *game {
	g := &game{T: t}
	var keys []*matrix.Key
	for range 2 {
		s := testmust.Have(matrix.NewSecret(size, rand.Reader))(g)
		g.secrets, keys = append(g.secrets, s), append(keys, matrix.NewKey(s.Key()))
	}
	g.joint = testmust.Have(matrix.Joint(keys))(g)
	var open []matrix.Card
	for f := range card.Face(4) {
		open = append(open, matrix.Open(f, 2))
	}
	g.deck, _ = g.shuffled(matrix.Any, open)
	return g
}

func (g *game) shuffled(o matrix.Order, in []matrix.Card) ([]matrix.Card, matrix.Opening) {
	g.Helper()
	opening := testmust.Have(o.DrawOpening(g.joint, 2, len(in), rand.Reader))(g)
	pile := matrix.NewPile(g.joint, in)
	return pile.Cards(pile.Remask(opening)), opening
}

// secretOf is the factors of row i.
func (g *game) secretOf(i int) *matrix.Secret {
	for _, s := range g.secrets {
		if s.Key().Equal(g.joint.Moduli()[i]) {
			return s
		}
	}
	panic("no such row")
}

// face reads a card.
func (g *game) face(c matrix.Card) card.Face {
	for row := range g.joint.Moduli() {
		s := g.secretOf(row)
		t := matrix.Token{Row: uint8(row)}
		numbers, _ := c.TokenRow(t, matrix.NewKey(s.Key()))
		for j, z := range numbers {
			t.Bits |= uint8(s.NoSquare(z) << j)
		}
		c = c.Strip(t)
	}
	f, _ := c.Face()
	return f
}

// refuses proves a statement by an opening that is none, and says why that is refused.
func (g *game) refuses(s Statement, o matrix.Opening) error {
	g.Helper()
	b := testmust.Have(Prove(here, s, o, rand.Reader))(g)
	err := s.Verify(here, b)
	testmust.Fail(g, err, "accepted")
	return err
}

// A card that becomes another, by bits that do not cancel in a column: SC-5. In rounds that are
// composed the bits have no room for it, and from seeds nothing else comes.
func TestOddParity(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	for row := range 2 {
		o := opening
		o.Bits = slices.Clone(opening.Bits)
		o.Bits[0] = slices.Clone(opening.Bits[0])
		o.Bits[0][2*row] ^= 1
		cheated := matrix.NewPile(g.joint, g.deck).Cards(matrix.NewPile(g.joint, g.deck).Remask(o))
		testmust.Require(t, g.face(cheated[0]) != g.face(out[0]), "the card is the same: the attack is built wrong")
		testmust.FailBy(t, g.refuses(Statement{Key: g.joint, In: g.deck, Out: cheated}, o), proof.ErrWrong, "row", row)
	}
}

// An element of Jacobi symbol −1 in the shuffler's output, which is neither ± a square: SC-6.
func TestNoSquareAtAll(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	m := g.joint.Moduli()[0]
	n := new(big.Int).SetBytes(m.Bytes())
	x := big.NewInt(2)
	for big.Jacobi(x, n) != -1 {
		x.Add(x, big.NewInt(1))
	}
	numbers := out[0].Numbers(g.joint)
	z := new(big.Int).SetBytes(modp.AppendTo(nil, numbers[0]))
	modp.SetBytes(numbers[0], z.Mul(z, x).Mod(z, n).FillBytes(make([]byte, size)))
	cheated := append([]matrix.Card{matrix.CardOf(numbers, g.joint, 2, g.joint)}, out[1:]...)
	testmust.FailBy(t, g.refuses(Statement{Key: g.joint, In: g.deck, Out: cheated}, opening), proof.ErrWrong)
}

// owner is who knows p and q of the first row.
type owner struct{ p, q *big.Int }

func (g *game) owner() owner {
	b := g.secretOf(0).Bytes()
	return owner{new(big.Int).SetBytes(b[:size/2]), new(big.Int).SetBytes(b[size/2:])}
}

// number is z·times modulo p, and z modulo q.
func (o owner) number(z []uint64, times int64) []uint64 {
	n, x := new(big.Int).Mul(o.p, o.q), new(big.Int).SetBytes(modp.AppendTo(nil, z))
	// z + (times − 1)·z·q·(1/q mod p)
	e := new(big.Int).Mul(o.q, new(big.Int).ModInverse(o.q, o.p))
	e.Mul(e, x).Mul(e, big.NewInt(times-1))
	x.Add(x, e).Mod(x, n)
	words := make([]uint64, len(z))
	modp.SetBytes(words, x.FillBytes(make([]byte, size)))
	return words
}

// changed is of Jacobi symbol −1, and so no card's; the owner reads it as he likes.
func (o owner) changed(z []uint64) []uint64 { return o.number(z, -1) }

// divisible is no unit.
func (o owner) divisible(r []uint64) []uint64 { return o.number(r, 0) }

// TestUnits is SC-10. With factors that p divides a third deck comes from the true deck and from
// one with another number in it alike: the bare equations hold for both answers of such a round.
// So without the check of units the owner of a modulus changes a card, and is believed.
func TestUnits(t *testing.T) {
	g := deal(t)
	o := g.owner()
	out, opening := g.shuffled(matrix.Any, g.deck)
	numbers := out[0].Numbers(g.joint)
	numbers[0] = o.changed(numbers[0])
	cheated := append([]matrix.Card{matrix.CardOf(numbers, g.joint, 2, g.joint)}, out[1:]...)
	if _, err := matrix.ParseCard(cheated[0].Bytes(), g.joint, 2); err != nil || g.face(cheated[0]) == g.face(out[0]) {
		t.Fatalf("the attack is built wrong: the card is no card, or the same (%v)", err)
	}

	round := testmust.Have(matrix.Any.DrawOpening(g.joint, 2, 4, rand.Reader))(g)
	at := slices.Index(round.Permutation, 0)
	round.Factors[at][0] = o.divisible(round.Factors[at][0])
	third := matrix.NewPile(g.joint, cheated).Remask(round)
	shown := opening.ComposeWith(round, g.joint, 2)
	testmust.Hold(t, deckDigest(third) == deckDigest(matrix.NewPile(g.joint, g.deck).Remask(shown)), "the attack is built wrong: the round has one answer only")
	s := Statement{Key: g.joint, In: g.deck, Out: cheated}
	for name, answer := range map[string]matrix.Opening{"from the deck after": round, "from the deck before": shown} {
		u := matrix.NewUnits(g.joint, 2)
		u.AddOpening(answer)
		testmust.Holdf(t, u.CheckUnits() != nil, "%s: factors that p divides are units", name)
	}
	// Whole, in all rounds as in none: a proof that such a factor was used for is refused.
	opening.Factors[0][0] = o.divisible(opening.Factors[0][0])
	pile := matrix.NewPile(g.joint, g.deck)
	s.Out = pile.Cards(pile.Remask(opening))
	_, err := Prove(here, s, opening, rand.Reader)
	testmust.FailBy(t, err, proof.ErrFalse, "it is proved by who did not mean to cheat")
	m := s.pretended(full, transcript.New(here, s), opening)
	proved := m.Bytes()
	composed := testmust.Have(s.parseCompositions(shapeOf(full, s), m))(g)
	err = s.checkDecks(full, full.DrawComposed(transcript.New(here, s), m.Commitment), m, composed, matrix.NewUnits(g.joint, 2))
	testmust.Do(t, err, "the attack is built wrong: without the check of units it is refused")
	testmust.FailBy(t, s.Verify(here, proved), proof.ErrWrong, "with it")
	_, err = matrix.ParseCard(s.Out[0].Bytes(), g.joint, 2)
	testmust.Fail(t, err, "a number that is no unit is read from the wire")
}

// pretended is a proof by an opening that is none, from seeds that nobody has looked at.
func (s Statement) pretended(c rounds.Counts, t *transcript.Transcript, o matrix.Opening, values ...[]byte) rounds.Message {
	var seeds [][]byte
	for k := range c.Rounds {
		seeds = append(seeds, bytes.Repeat([]byte{byte(k)}, rounds.SeedSize))
	}
	return s.answerRounds(c, t, o, seeds, values...)
}

// A factor that is a unit in the card and none in a composition: the product of all is looked
// at, not those of the first round alone.
func TestUnitsInEveryRound(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	u := matrix.NewUnits(g.joint, out[0].Width())
	u.AddOpening(opening)
	testmust.Do(g, u.CheckUnits())
	b := g.secretOf(1).Bytes()
	p := new(big.Int).SetBytes(b[:size/2])
	last := opening.Factors[3]
	modp.SetBytes(last[len(last)-1], p.FillBytes(make([]byte, size)))
	u.AddOpening(opening)
	testmust.FailBy(t, u.CheckUnits(), proof.ErrWrong, "a factor that p divides")
}

// Another order than a cut, proved as one; and a place beyond the cards.
func TestCut(t *testing.T) {
	g := deal(t)
	for n := 1; n <= 4; n++ {
		out, opening := g.shuffled(matrix.Cut, g.deck[:n])
		s := Statement{Order: matrix.Cut, Key: g.joint, In: g.deck[:n], Out: out}
		b := testmust.Have(Prove(here, s, opening, rand.Reader))(g)
		testmust.Do(t, s.Verify(here, b), "a cut of", n)
		changed := bytes.Clone(b)
		changed[0] = byte(n)
		testmust.Holdf(t, s.Verify(here, changed) != nil, "a cut of %d at place %d", n, n)
	}
	out, opening := g.shuffled(matrix.Cut, g.deck)
	out[0], out[1] = out[1], out[0]
	opening.Permutation[0], opening.Permutation[1] = opening.Permutation[1], opening.Permutation[0]
	testmust.FailBy(t, g.refuses(Statement{Order: matrix.Cut, Key: g.joint, In: g.deck, Out: out}, opening), proof.ErrWrong, "two cards exchanged after a cut")
}

// A proof in another form: factors in two spellings, bits after the last, a place twice.
func TestForm(t *testing.T) {
	g := deal(t)
	in := g.deck[:3]
	out, opening := g.shuffled(matrix.Any, in)
	s := Statement{Key: g.joint, In: in, Out: out}
	b := testmust.Have(Prove(here, s, opening, rand.Reader))(g)
	testmust.Equal(t, len(b), Size(3, 2, 2, size), "bytes")
	h := shapeOf(full, s)
	factor := len(b) - size
	m := g.joint.Moduli()[1]
	z := testmust.Have(m.ParseSmall(b[factor:]))(g)
	m.Ring().Neg(z, z)
	for name, changed := range map[string][]byte{
		"a factor's negative": append(bytes.Clone(b[:factor]), modp.AppendTo(nil, z)...),
		"a factor of zero":    append(bytes.Clone(b[:factor]), make([]byte, size)...),
		"a factor of ones":    append(bytes.Clone(b[:factor]), bytes.Repeat([]byte{0xff}, size)...),
		"a place twice":       append([]byte{b[1]}, b[1:]...),
		"a byte less":         b[:len(b)-1],
		"a byte more":         append(bytes.Clone(b), 0),
		"nothing":             nil,
	} {
		err := s.Verify(here, changed)
		testmust.Holdf(t, err != nil && !errors.Is(err, proof.ErrWrong), "%s: %v", name, err)
	}
	for name, at := range map[string]int{
		"a place": 0, "the commitment": h.Composed * 3, "a seed": h.Composed*3 + 32, "a bit": len(b) - h.layout().Rest,
		"a factor": len(b) - h.layout().Rest + h.bitsSize() + size - 1,
	} {
		changed := bytes.Clone(b)
		changed[at] ^= 1
		testmust.Holdf(t, s.Verify(here, changed) != nil, "%s is free", name)
	}
}

// The figures of the specification: how long a proof is.
func TestSizes(t *testing.T) {
	for _, c := range []struct{ cards, seats, width, number, want, asked int }{{42, 4, 6, 256, 8_267_984, 3_099_718}, {25, 2, 5, 256, 2_055_380, 769_992}, {42, 4, 6, 384, 12_396_752, 4_648_006}} {
		got, asked := Size(c.cards, c.seats, c.width, c.number), AskedSize(c.cards, c.seats, c.width, c.number)
		testmust.Holdf(t, got == c.want && asked == c.asked, "%v: %d bytes, and %d where it is asked for", c, got, asked)
	}
}

// Rounds enough: (221 over 32) is above 2^128, and (59 over 12) above 2^40.
func TestRounds(t *testing.T) {
	testmust.Hold(t, new(big.Int).Binomial(int64(full.Rounds), int64(full.Composed)).BitLen() > 128, "a forger needs fewer tries than 2^128")
	testmust.Holdf(t, new(big.Int).Binomial(int64(rounds.Asked.Rounds), int64(rounds.Asked.Composed)).BitLen() == AskedBits+1,
		"who is asked guesses the question more often than once in 2^%d", AskedBits)
}

func TestStatementIsBound(t *testing.T) {
	g, h := deal(t), deal(t)
	out, _ := g.shuffled(matrix.Any, g.deck)
	other, _ := h.shuffled(matrix.Any, h.deck)
	a, b := Statement{Order: matrix.Any, Key: g.joint, In: g.deck, Out: out}, Statement{Order: matrix.Cut, Key: h.joint, In: h.deck, Out: other}
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, AskedStatement{a}, AskedStatement{b})
}

// draws are the same for Commit and Answer.
func draws(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 1<<12)) }

// asked commits to a proof and answers values.
func (g *game) asked(s AskedStatement, o matrix.Opening, values ...[]byte) (commitment, answer []byte) {
	g.Helper()
	return testmust.Have(Commit(here, s, o, draws(1)))(g), testmust.Have(Answer(here, s, o, values, draws(1)))(g)
}

// An answer to other values, in another order or to fewer; to another commitment; with a byte
// changed, or of another length; and a proof of 40 bits that stands as a whole one.
func TestAnswerToOtherValues(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	s := AskedStatement{Statement{Key: g.joint, In: g.deck, Out: out}}
	values := [][]byte{{1}, {2}}
	commitment, answer := g.asked(s, opening, values...)
	if err := s.VerifyAnswer(here, commitment, values, answer); err != nil || len(answer) != AskedSize(4, 2, 2, size) {
		t.Fatalf("%d bytes, want %d: %v", len(answer), AskedSize(4, 2, 2, size), err)
	}
	refused := func(what string, commitment []byte, values [][]byte, answer []byte) {
		t.Helper()
		testmust.Fail(t, s.VerifyAnswer(here, commitment, values, answer), what, "is accepted")
	}
	refused("another value", commitment, [][]byte{{1}, {3}}, answer)
	refused("another order", commitment, [][]byte{{2}, {1}}, answer)
	refused("a value less", commitment, values[:1], answer)
	refused("a short answer", commitment, values, answer[1:])
	refused("a long answer", commitment, values, append(bytes.Clone(answer), 0))
	refused("no commitment", nil, values, answer)
	refused("another commitment", bytes.Repeat([]byte{1}, 32), values, answer)
	for i := 0; i < len(answer); i += len(answer)/20 + 1 {
		changed := bytes.Clone(answer)
		changed[i] ^= 1
		refused("a changed answer", commitment, values, changed)
	}
	whole := testmust.Have(shapeOf(rounds.Asked, s.Statement).layout().WholeProof(commitment, answer))(t)
	err := s.Statement.Verify(here, whole)
	testmust.Holdf(t, err != nil && !errors.Is(err, proof.ErrWrong), "12 of 59 rounds stand for 32 of 221: %v", err)
}

// A false shuffle, and one by a factor that is no unit (SC-10), when others ask.
func TestFalseAnswers(t *testing.T) {
	g := deal(t)
	out, opening := g.shuffled(matrix.Any, g.deck)
	out[0], out[1] = out[1], out[0]
	s := AskedStatement{Statement{Key: g.joint, In: g.deck, Out: out}}
	commitment, answer := g.asked(s, opening, []byte{1})
	testmust.FailBy(t, s.VerifyAnswer(here, commitment, [][]byte{{1}}, answer), proof.ErrWrong, "two cards exchanged")
	opening.Factors[0][0] = g.owner().divisible(opening.Factors[0][0])
	pile := matrix.NewPile(g.joint, g.deck)
	s.Out = pile.Cards(pile.Remask(opening))
	_, err := Commit(here, s, opening, draws(1))
	testmust.FailBy(t, err, proof.ErrFalse, "a seat commits to what it cannot answer")
	m := s.pretended(rounds.Asked, transcript.New(here, s), opening, []byte{1})
	err = s.VerifyAnswer(here, m.Commitment, [][]byte{{1}}, m.Answer())
	testmust.FailBy(t, err, proof.ErrWrong, "a factor that p divides")
}

// TestSmallPrime: a seat whose modulus has a small prime makes others fail. Of 35,000 factors that each
// of them draws for a shuffle of 32 cards some are no units, and the proof would be refused, or what
// it has committed to could not be answered.
func TestSmallPrime(t *testing.T) {
	honest := testmust.Have(matrix.NewSecret(size, rand.Reader))(t)
	g := &game{T: t, joint: testmust.Have(matrix.Joint([]*matrix.Key{matrix.NewKey(honest.Key()), matrix.NewKey(prooftest.SmallFactorModulus(t, size, matrix.ParseModulus))}))(t)}
	for f := range card.Face(32) {
		g.deck = append(g.deck, matrix.Open(f, 5))
	}
	for n := range 6 {
		seed := func() io.Reader {
			stream := sha3.NewSHAKE128()
			fmt.Fprint(stream, n)
			return stream
		}
		opening := testmust.Have(matrix.Any.DrawUnits(g.joint, 5, len(g.deck), seed()))(t)
		pile := matrix.NewPile(g.joint, g.deck)
		s := Statement{Key: g.joint, In: g.deck, Out: pile.Cards(pile.Remask(opening))}
		if n%2 == 0 {
			testmust.Do(t, s.Verify(here, testmust.Have(Prove(here, s, opening, seed()))(t)), "proof", n)
			continue
		}
		for k := range byte(2) {
			values := [][]byte{{k}}
			commitment := testmust.Have(Commit(here, AskedStatement{s}, opening, seed()))(t)
			answer := testmust.Have(Answer(here, AskedStatement{s}, opening, values, seed()))(t)
			testmust.Do(t, (AskedStatement{s}).VerifyAnswer(here, commitment, values, answer), "answer", k, "of commitment", n)
		}
	}
}
