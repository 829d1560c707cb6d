package choices

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// claim proves s by a prover who takes the first branch of the first cards for
// true ones, whatever they are.
func (s threshold) claim(x group.Scalar) ([]byte, error) {
	cheat := thresholdProver{s: s, x: x}
	for j := range s.Cards {
		hit := make([]int, len(s.Faces))
		real := 0
		if j < s.Need {
			hit[0], real = 1, 1
		}
		cheat.real, cheat.hit = append(cheat.real, real), append(cheat.hit, hit)
	}
	if err := cheat.commitBranches(bound(s), freshNonces()); err != nil {
		return nil, err
	}
	return cheat.answerBranches(), nil
}

// TestFalseClaim: a prover who says that cards have the faces that have not, and
// runs the honest algorithm.
func TestFalseClaim(t *testing.T) {
	x := handtest.Secret(t)
	claim := func(s threshold) error {
		bytes, err := s.claim(x.Scalar())
		testmust.Requiref(t, err == nil && len(bytes) == thresholdSize(handtest.Group, len(s.Cards), len(s.Faces), s.Need),
			"the attack is built wrong: %d bytes, %v", len(bytes), err)
		return verifyPart(s, bytes)
	}
	for _, s := range []threshold{
		haveNeed(t, x, 1, 1, 3),
		haveNeed(t, x, 2, 1, 3, 4, 5),
		haveNeed(t, x, 2, 2, 0, 3), // one of two
		haveNeed(t, x, 3, 3, 0, 5, 1),
	} {
		testmust.Fail(t, claim(s), s.Need, "of", len(s.Cards), "cards: false claim is accepted")
	}
	// The claim is accepted where it is true, so the attack is built right.
	testmust.Do(t, claim(haveNeed(t, x, 1, 1, 0, 7)), "true claim is refused")
}

// TestThresholdForeignCard: a card under another key, whose face is right for its own
// holder.
func TestThresholdForeignCard(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	s := haveNeed(t, y, 1, 1, 0)
	s.Key = x.Key()
	for _, witness := range []group.Scalar{x.Scalar(), y.Scalar()} {
		bytes := handtest.MustHave(s.claim(witness))
		testmust.Fail(t, verifyPart(s, bytes), "claim on another seat's card is accepted")
	}
}

func TestCommitmentsBound(t *testing.T) {
	handtest.CheckBound(t, 4, func(e ...group.Element) group.Scalar {
		return relations.DrawPairs(at(), e)
	})
}

// answer is an accepted proof by branches.
type answer struct {
	first []byte // all T1 and T2
	all   group.Scalar
	c, z  [][]group.Scalar
}

func read(t *testing.T, s threshold, proof []byte) answer {
	t.Helper()
	sent := handtest.Group.NewParser(proof).Scalars(len(proof) / handtest.Group.ScalarSize)
	c, z := s.splitBranches(sent)
	return answer{group.Encode(s.branchCommitments(c, z)...), sent[0], c, z}
}

// extract computes x from two answers, and how many cards it opens to a face of
// the set.
func extract(t *testing.T, s threshold, a, b answer) (x group.Scalar, cards int) {
	t.Helper()
	for j, card := range s.Cards {
		found := 0
		for m, face := range s.Faces {
			if a.c[j][m].Equal(b.c[j][m]) {
				continue
			}
			found++
			x = handtest.PolynomialThrough(t, []group.Scalar{a.c[j][m], b.c[j][m]}, []group.Scalar{a.z[j][m], b.z[j][m]})[1]
			testmust.Holdf(t, handtest.Group.MulBase(x).Equal(s.Key.Element()) && card.B.Sub(group.Mul(x, card.A)).Equal(face),
				"card %d has not face %d, of which it has two answers", j, m)
		}
		cards += min(found, 1)
	}
	return x, cards
}

// TestThresholdExtract: an accepted proof by one who does not know x, or of less cards. The
// extractor takes 2 transcripts: one list of T1 and T2 and two answers.
func TestThresholdExtract(t *testing.T) {
	chosen := testmust.SomeOf(t, 5, 5)
	for k := 2; k <= 6; k++ {
		for need := 1; chosen(k-2) && need <= k; need++ {
			t.Run(fmt.Sprint(need, " of ", k), func(t *testing.T) {
				x := handtest.Secret(t)
				faces := handtest.FaceRange(6-need, 6-need+k) // need of them are among the first 6
				s := haveNeed(t, x, 6, need, faces...)
				var answers []answer
				for slot := range uint16(2) {
					at := handtest.SlotContext(slot)
					proof := handtest.MustHave(s.prove(handtest.TranscriptAt(at), x.Scalar(), unmaskCards(x, s.Cards), handtest.NamedCoins("prover")))
					testmust.Do(t, s.verify(handtest.TranscriptAt(at), proof, nil), "an answer is refused")
					answers = append(answers, read(t, s, proof))
				}
				testmust.Require(t, bytes.Equal(answers[0].first, answers[1].first) && !answers[0].all.Equal(answers[1].all), "first words depend on c")
				found, cards := extract(t, s, answers[0], answers[1])
				if !found.Equal(x.Scalar()) || cards != need {
					t.Errorf("extracted the secret: %v; %d cards, want %d", found.Equal(x.Scalar()), cards, need)
				}
			})
		}
	}
}

// TestThresholdSimulate: a proof that tells which branches are true. c, the other
// coefficients, all challenges but the last of each card and all responses are
// uniform in an honest proof; they are the proof, and determine T1 and T2.
func TestThresholdSimulate(t *testing.T) {
	for k := 2; k <= 6; k++ {
		x := handtest.Secret(t)
		s := haveNeed(t, x, 3, 2, handtest.FaceRange(6, 6+k)...) // none of them is
		simulated := handtest.NamedScalars(t, "simulator", thresholdSize(handtest.Group, k, 3, 2)/32)
		c, z := s.splitBranches(simulated)
		for j, card := range s.Cards {
			for m, face := range s.Faces {
				place := 2 * (3*j + m)
				first := s.branchCommitments(c, z)[place : place+2]
				holds(t, first[0], z[j][m], handtest.Group.Generator(), c[j][m], s.Key.Element())
				holds(t, first[1], z[j][m], card.A, c[j][m], card.B.Sub(face))
			}
		}
		meet(t, simulated[0], c, s.Need)
		var proof []byte
		for _, scalar := range simulated {
			proof = scalar.AppendTo(proof)
		}
		testmust.Fail(t, verifyPart(s, proof), "a simulated proof is accepted under the challenge of the transcript")
	}
}

// holds fails the test if z·p − T − c·q ≠ 0.
func holds(t *testing.T, first group.Element, z group.Scalar, p group.Element, c group.Scalar, q group.Element) {
	t.Helper()
	handtest.ExpectAccepted(t, "a simulated branch", func(b *group.Batch) {
		b.Add(group.Term{S: z, P: p}, group.Minus(first), group.Term{S: c.Neg(), P: q})
	})
}

// meet fails the test if no polynomial of degree k − need goes through c at 0 and
// the sum of each card j at j.
func meet(t *testing.T, all group.Scalar, c [][]group.Scalar, need int) {
	t.Helper()
	at, values := []group.Scalar{{}}, []group.Scalar{all}
	for j, challenges := range c {
		sum := group.Scalar{}
		for _, challenge := range challenges {
			sum = sum.Add(challenge)
		}
		at, values = append(at, handtest.Group.ScalarFromUint64(uint64(j+1))), append(values, sum)
	}
	for _, coefficient := range handtest.PolynomialThrough(t, at, values)[len(c)-need+1:] {
		testmust.Hold(t, coefficient.IsZero(), "challenges are on no polynomial of their degree")
	}
}

// TestSubsetForgeries: a holder of cards that are not in the set, or of one face twice,
// who pads them with fillers of his choice and claims an order of his choice.
func TestSubsetForgeries(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	m := func(f card.Face) group.Element { return deck.Element(f) }
	for _, f := range []struct {
		name    string
		n       int
		cards   []card.Face
		fillers []group.Element
		under   *masking.Key
		order   []uint16
	}{
		{"filler doubles a card of the set", 3, []card.Face{0, 9}, []group.Element{m(0)}, x.Key(), []uint16{0, 1, 2}},
		{"filler is the face that is claimed", 3, []card.Face{0, 9}, []group.Element{m(1)}, x.Key(), []uint16{0, 1, 2}},
		{"filler is the face that is left", 3, []card.Face{0, 9}, []group.Element{m(2)}, x.Key(), []uint16{0, 1, 2}},
		{"filler doubles a card that is not of the set", 3, []card.Face{0, 9}, []group.Element{m(9)}, x.Key(), []uint16{0, 1, 2}},
		{"filler makes up for the sum", 3, []card.Face{0, 9}, []group.Element{m(1).Add(m(2)).Sub(m(9))}, x.Key(), []uint16{0, 1, 2}},
		{"order leaves a place out", 3, []card.Face{0, 9}, []group.Element{m(0)}, x.Key(), []uint16{0, 0, 0}},
		{"order doubles a place for a doubled card", 3, []card.Face{0, 0}, []group.Element{m(1)}, x.Key(), []uint16{0, 0, 1}},
		{"one face twice", 3, []card.Face{0, 0}, []group.Element{m(2)}, x.Key(), []uint16{0, 1, 2}},
		{"one face twice, none left", 2, []card.Face{0, 0}, nil, x.Key(), []uint16{0, 1}},
		{"fillers under another key", 3, []card.Face{0, 1}, []group.Element{m(2)}, y.Key(), []uint16{0, 1, 2}},
		{"only card is another", 2, []card.Face{7}, []group.Element{m(1)}, x.Key(), []uint16{0, 1}},
	} {
		s := haveAll(t, x, f.n, f.cards...)
		bytes, err := s.proveOrder(at(), x.Scalar(), f.order, handtest.Mask(t, f.under, f.fillers...), freshNonces())
		testmust.Requiref(t, err == nil && len(bytes) == subsetSize(handtest.Group, len(s.Cards), f.n),
			"%s: the attack is built wrong: %d bytes, %v", f.name, len(bytes), err)
		testmust.Fail(t, verifyPart(s, bytes), f.name, "accepted")
	}
	// The same prover is believed where he says the truth.
	s := haveAll(t, x, 3, 0, 2)
	bytes, err := s.proveOrder(at(), x.Scalar(), []uint16{0, 2, 1}, handtest.Mask(t, x.Key(), m(1)), freshNonces())
	testmust.Do(t, errors.Join(err, verifyPart(s, bytes)), "the attack is built wrong")
}

// TestForeignCards: cards under another key, by either secret.
func TestForeignCards(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	s := haveAll(t, y, 3, 0, 1)
	s.Key = x.Key()
	for _, witness := range []*masking.Secret{x, y} {
		bytes := handtest.MustHave(s.proveOrder(at(), witness.Scalar(), []uint16{0, 1, 2}, handtest.Mask(t, x.Key(), deck.Element(2)), freshNonces()))
		testmust.Fail(t, verifyPart(s, bytes), "cards of another seat are accepted")
	}
}

func filler(t *testing.T, bytes []byte) masking.Card {
	t.Helper()
	return handtest.MustHave(masking.ParseCard(handtest.Group, bytes[:masking.CardSize(handtest.Group)]))
}

// TestSubsetElementsBound: a value of the prover that does not reach the last challenge
// can be chosen after it: fillers, what the argument says, E*, T1, T2.
func TestSubsetElementsBound(t *testing.T) {
	x := handtest.Secret(t)
	s := haveAll(t, x, 4, 0, 2)
	honest := handtest.MustHave(provePart(x, s))
	first, second := 2*masking.CardSize(handtest.Group), len(honest)-openingSize(handtest.Group)
	draw := func(bytes []byte) group.Scalar {
		tr := bound(s)
		tr.Append("fillers", bytes[:first])
		var b group.Batch
		_, c, err := bayergroth.VerifySum(tr, s.Key, append(s.Cards[:2:2], s.Cards...), s.Cards[0], bytes[first:second], &b, func() {
			tr.Append("sum", bytes[second:][:64])
			tr.Append("T1", bytes[second+64:][:32])
			tr.Append("T2", bytes[second+96:][:32])
		})
		testmust.Do(t, err)
		return c
	}
	want := draw(honest)
	for at := 0; at < len(honest)-32; at += 32 {
		if at >= first+8*32 && at < second {
			continue // responses
		}
		changed := slices.Clone(honest)
		copy(changed[at:], handtest.Group.HashToElement("other").Bytes())
		testmust.Holdf(t, !draw(changed).Equal(want), "element at %d does not reach c", at)
		testmust.Fail(t, verifyPart(s, changed), "element at", at, "may be another")
	}
}

// TestFillersAreRandom: fillers that come in the order of the set show which of its
// faces are held.
func TestFillersAreRandom(t *testing.T) {
	x := handtest.Secret(t)
	s := haveAll(t, x, 4, 2)
	seen := map[card.Face]bool{}
	for range 60 {
		bytes := handtest.MustHave(provePart(x, s))
		f, _ := deck.Face(masking.Card{A: s.Cards[0].A, B: x.Unmask(filler(t, bytes))})
		seen[f] = true
	}
	testmust.Holdf(t, len(seen) == 3 && !seen[2], "first filler has faces %v in 60 proofs, want 0, 1 and 3", seen)
}

// subsetAnswer is an accepted proof in the parts that an extractor needs.
type subsetAnswer struct {
	fillers  []masking.Card
	argument []byte
	sum      masking.Card
	relations.LinearProof
}

// rewind is the honest prover whose last challenge is another one for another
// number: equal coins give equal first words.
func (s subset) rewind(number byte, x group.Scalar, pi []uint16, fillers []masking.Card, coins *transcript.Stream) (subsetAnswer, error) {
	v, err := handtest.Group.RandomScalars(coins, 1)
	if err != nil {
		return subsetAnswer{}, err
	}
	a, t := subsetAnswer{fillers: fillers}, bound(s)
	t.Append("fillers", masking.Encode(fillers...))
	a.argument, a.C, err = bayergroth.ProveSum(t, s.Key, slices.Concat(s.Cards, fillers), pi, coins, func(_ []group.Scalar, sum masking.Card) {
		a.sum, a.T = sum, s.linear(sum, nil).Commit(v, nil)
		s.absorbOpening(t, a.sum, a.LinearProof)
		t.Append("rewound", []byte{number})
	})
	a.Answer(v, []group.Scalar{x})
	return a, err
}

// verifyRewound verifies such a proof.
func (s subset) verifyRewound(number byte, a subsetAnswer, b *group.Batch) error {
	t := bound(s)
	t.Append("fillers", masking.Encode(a.fillers...))
	powers, c, err := bayergroth.VerifySum(t, s.Key, slices.Concat(s.Cards, a.fillers), a.sum, a.argument, b, func() {
		s.absorbOpening(t, a.sum, a.LinearProof)
		t.Append("rewound", []byte{number})
	})
	if err != nil {
		return err
	}
	a.C = c
	s.linear(a.sum, powers).AddEquations(b, a.LinearProof)
	return nil
}

// TestSubsetExtract: an accepted proof by one who does not know x, or whose cards are not those of the set in some
// order. The extractor takes 2 transcripts with the same first words. Of the shuffle in it π and b are extracted
// as in package bayergroth, whose equations these are.
func TestSubsetExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for k := 1; k <= n; k++ {
			x := handtest.Secret(t)
			s := haveAll(t, x, n, handtest.FaceRange(n-k, n)...)
			order, ok, err := s.faceOrder(unmaskCards(x, s.Cards), handtest.NamedCoins("order"))
			testmust.Require(t, err == nil && ok, ok, err)
			fillers := handtest.MustHave(s.maskFillers(order, handtest.NamedCoins("fillers")))
			var words [2][]byte
			var c, z []group.Scalar
			for i := range words {
				a := handtest.MustHave(s.rewind(byte(i), x.Scalar(), order, fillers, handtest.NamedCoins("prover")))
				handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { testmust.Do(t, s.verifyRewound(byte(i), a, b)) })
				words[i] = slices.Concat(masking.Encode(append(a.fillers, a.sum)...), group.Encode(a.T...), a.argument[:8*handtest.Group.ElementSize])
				c, z = append(c, a.C), append(z, a.Z...)
			}
			testmust.Require(t, bytes.Equal(words[0], words[1]), "first words depend on the last challenge")
			found := handtest.PolynomialThrough(t, c, z)[1]
			testmust.Hold(t, found.Equal(x.Scalar()), k, "in", n, "what was extracted is not the secret")
			for i, card := range append(slices.Clone(s.Cards), fillers...) {
				testmust.Hold(t, card.B.Sub(group.Mul(found, card.A)).Equal(s.Faces[order[i]]), k, "in", n, "card", i, "has not face", order[i], "of the set")
			}
		}
	}
}

// TestSubsetSimulate: an opening of E* that tells more than that it is one. E_A, c and z are
// uniform in an honest proof, and determine the rest with χ. The argument beside it is
// simulated in package bayergroth (TestSimulateSum), and fillers are hidden by DDH.
func TestSubsetSimulate(t *testing.T) {
	for n := 2; n <= 6; n++ {
		x := handtest.Secret(t)
		s := haveAll(t, x, n, 20) // is not in the set
		v := handtest.NamedScalars(t, "simulator", 3+n)
		e, c, z, powers := v[0], v[1], v[2], v[3:]
		sum := masking.Card{A: handtest.Group.MulBase(e), B: group.Mul(e, s.Key.Element()).Add(handtest.Group.MultiMul(powers, s.Faces))}
		opening := relations.LinearProof{C: c, Z: []group.Scalar{z}, T: []group.Element{
			handtest.Group.MulBase(z).Sub(group.Mul(c, s.Key.Element())),
			group.Mul(z, sum.A).Sub(group.Mul(c.Mul(e), s.Key.Element())),
		}}
		expectHolds(t, "a simulated opening", s.linear(sum, powers), opening)
		handtest.ExpectRefused(t, "the opening of another sum", func(b *group.Batch) {
			other := masking.Card{A: sum.A, B: sum.B.Add(handtest.Group.Generator())}
			s.linear(other, powers).AddEquations(b, opening)
		})
	}
}

// freshNonces are fresh ones, for parts of a proof.
func freshNonces() *transcript.Stream {
	nonces, err := handtest.TranscriptAt(handtest.Here).Hedge(nil, rand.Reader)
	if err != nil {
		panic("handtest: " + err.Error()) // the system has no randomness
	}
	return nonces
}

// linkShuffles is the attack on two shuffles that drew one permutation and the same
// factors. It returns by place i of the first which card e_a of it came there, as
// far as e'_i − f'_j = e_a − f_a for some j tells that, in first components, where
// keys do not matter.
func linkShuffles(e, eOut, f, fOut []masking.Card) map[int]int {
	before, order := map[string]int{}, map[int]int{}
	for a := range min(len(e), len(f)) {
		before[string(e[a].A.Sub(f[a].A).Bytes())] = a
	}
	for i, c := range eOut {
		for _, d := range fOut {
			if a, ok := before[string(c.A.Sub(d.A).Bytes())]; ok {
				order[i] = a
			}
		}
	}
	return order
}
