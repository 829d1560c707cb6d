package choices_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/bayergroth"
	"github.com/pakli/pakli/protocol/suite/elgamal/choices"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

var subsetDeck = handtest.Deck(&testing.T{}, "test", 42)

// subsetHolding is "these faces, held by x, are among the first n of the deck".
func subsetHolding(t testing.TB, x *masking.Secret, n int, faces ...card.Face) choices.SubsetStatement {
	t.Helper()
	return choices.SubsetStatement{
		Key: x.Key(), Cards: handtest.Mask(t, x.Key(), handtest.FaceElements(subsetDeck, faces...)...),
		Faces: handtest.FaceElements(subsetDeck, handtest.FaceRange(0, n)...),
	}
}

func at() *transcript.Transcript { return handtest.TranscriptAt(handtest.Here) }

func proveSubset(x *masking.Secret, s choices.SubsetStatement) ([]byte, error) {
	return choices.ProveSubset(at(), s, x.Scalar(), handtest.UnmaskCards(x, s.Cards), handtest.Nonces())
}

func verifySubset(s choices.SubsetStatement, bytes []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return choices.VerifySubset(at(), s, bytes, b) })
}

// TestSubsetFalse: an honest prover who is asked to prove what is false, or holds one
// face twice.
func TestSubsetFalse(t *testing.T) {
	x := handtest.Secret(t)
	for _, faces := range [][]card.Face{{4}, {0, 4}, {5, 6, 7}, {1, 1}, {0, 1, 2, 1}} {
		if b, err := proveSubset(x, subsetHolding(t, x, 4, faces...)); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("faces %v: %d bytes, %v", faces, len(b), err)
		}
	}
}

// TestSubsetForgeries: a holder of cards that are not in the set, or of one face twice,
// who pads them with fillers of his choice and claims an order of his choice.
func TestSubsetForgeries(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	m := func(f card.Face) group.Element { return subsetDeck.Element(f) }
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
		s := subsetHolding(t, x, f.n, f.cards...)
		bytes, err := choices.SubsetAlgebra(at(), s, x.Scalar(), f.order, handtest.Mask(t, f.under, f.fillers...), handtest.Nonces())
		if err != nil || len(bytes) != choices.SubsetSize(handtest.Group, len(s.Cards), f.n) {
			t.Fatalf("%s: the attack is built wrong: %d bytes, %v", f.name, len(bytes), err)
		}
		if verifySubset(s, bytes) == nil {
			t.Errorf("%s: accepted", f.name)
		}
	}
	// The same prover is believed where he says the truth.
	s := subsetHolding(t, x, 3, 0, 2)
	bytes, err := choices.SubsetAlgebra(at(), s, x.Scalar(), []uint16{0, 2, 1}, handtest.Mask(t, x.Key(), m(1)), handtest.Nonces())
	testmust.Do(t, errors.Join(err, verifySubset(s, bytes)), "the attack is built wrong")
}

// TestForeignCards: cards under another key, by either secret.
func TestForeignCards(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	s := subsetHolding(t, y, 3, 0, 1)
	s.Key = x.Key()
	for _, witness := range []*masking.Secret{x, y} {
		bytes := handtest.MustHave(choices.SubsetAlgebra(at(), s, witness.Scalar(), []uint16{0, 1, 2}, handtest.Mask(t, x.Key(), subsetDeck.Element(2)), handtest.Nonces()))
		if verifySubset(s, bytes) == nil {
			t.Error("cards of another seat are accepted")
		}
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
	s := subsetHolding(t, x, 4, 0, 2)
	honest := handtest.MustHave(proveSubset(x, s))
	first, second := 2*masking.CardSize(handtest.Group), len(honest)-choices.OpeningSize
	draw := func(bytes []byte) group.Scalar {
		tr := at()
		tr.Part(s)
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
		if draw(changed).Equal(want) {
			t.Errorf("element at %d does not reach c", at)
		}
		if verifySubset(s, changed) == nil {
			t.Errorf("element at %d may be another", at)
		}
	}
}

// TestFillersAreRandom: fillers that come in the order of the set show which of its
// faces are held.
func TestFillersAreRandom(t *testing.T) {
	x := handtest.Secret(t)
	s := subsetHolding(t, x, 4, 2)
	seen := map[card.Face]bool{}
	for range 60 {
		bytes := handtest.MustHave(proveSubset(x, s))
		f, _ := subsetDeck.Face(masking.Card{A: s.Cards[0].A, B: x.Unmask(filler(t, bytes))})
		seen[f] = true
	}
	if len(seen) != 3 || seen[2] {
		t.Errorf("first filler has faces %v in 60 proofs, want 0, 1 and 3", seen)
	}
}

func TestSubsetForm(t *testing.T) {
	x := handtest.Secret(t)
	handtest.CheckFormless(t, map[string]choices.SubsetStatement{
		"no cards":              subsetHolding(t, x, 2),
		"no faces":              subsetHolding(t, x, 0, 3),
		"set of one":            subsetHolding(t, x, 1, 0),
		"more cards than faces": subsetHolding(t, x, 2, 0, 1, 2),
	}, func(s choices.SubsetStatement) ([]byte, error) { return proveSubset(x, s) }, verifySubset)
}

func TestSubsetBinding(t *testing.T) {
	statement := func(first int) transcript.Statement {
		s := subsetHolding(t, handtest.Secret(t), 2, card.Face(first), card.Face(first+1))
		s.Faces = handtest.FaceElements(subsetDeck, card.Face(first+2), card.Face(first+3))
		return s
	}
	prooftest.Binding(t, statement(0), statement(10))
}

// TestSubsetExtract: an accepted proof by one who does not know x, or whose cards are not those of the set in some
// order. The extractor takes 2 transcripts with the same first words. Of the shuffle in it π and b are extracted
// as in package bayergroth, whose equations these are.
func TestSubsetExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		for k := 1; k <= n; k++ {
			x := handtest.Secret(t)
			s := subsetHolding(t, x, n, handtest.FaceRange(n-k, n)...)
			order, ok, err := choices.SubsetOrder(s, handtest.UnmaskCards(x, s.Cards), handtest.NamedCoins("order"))
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			fillers := handtest.MustHave(choices.SubsetFillers(s, order, handtest.NamedCoins("fillers")))
			var words [2][]byte
			var c, z []group.Scalar
			for i := range words {
				a := handtest.MustHave(choices.RewindSubset(uint64(i), at(), s, x.Scalar(), order, fillers, handtest.NamedCoins("prover")))
				handtest.ExpectAccepted(t, "an answer", func(b *group.Batch) { testmust.Do(t, a.VerifyAgain(uint64(i), at(), s, b)) })
				words[i] = slices.Concat(masking.Encode(append(a.Fillers, a.Sum)...), group.Encode(a.T1, a.T2), a.Argument[:8*handtest.Group.ElementSize])
				c, z = append(c, a.C), append(z, a.Z)
			}
			if !bytes.Equal(words[0], words[1]) {
				t.Fatal("first words depend on the last challenge")
			}
			found := handtest.PolynomialThrough(t, c, z)[1]
			testmust.Hold(t, found.Equal(x.Scalar()), k, "in", n, "what was extracted is not the secret")
			for i, card := range append(slices.Clone(s.Cards), fillers...) {
				if !card.B.Sub(group.Mul(found, card.A)).Equal(s.Faces[order[i]]) {
					t.Errorf("%d in %d: card %d has not face %d of the set", k, n, i, order[i])
				}
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
		s := subsetHolding(t, x, n, 20) // is not in the set
		v := handtest.NamedScalars(t, "simulator", 3+n)
		e, c, z, powers := v[0], v[1], v[2], v[3:]
		sum := masking.Card{A: handtest.Group.MulBase(e), B: group.Mul(e, s.Key.Element()).Add(handtest.Group.MultiMul(powers, s.Faces))}
		t1 := handtest.Group.MulBase(z).Sub(group.Mul(c, s.Key.Element()))
		t2 := group.Mul(z, sum.A).Sub(group.Mul(c.Mul(e), s.Key.Element()))
		handtest.ExpectAccepted(t, "a simulated opening", func(b *group.Batch) { choices.SubsetOpening(s, b, powers, c, sum, t1, t2, z) })
		handtest.ExpectRefused(t, "the opening of another sum", func(b *group.Batch) {
			other := masking.Card{A: sum.A, B: sum.B.Add(handtest.Group.Generator())}
			choices.SubsetOpening(s, b, powers, c, other, t1, t2, z)
		})
	}
}
