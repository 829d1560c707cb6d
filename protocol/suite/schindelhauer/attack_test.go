package schindelhauer

import (
	"bytes"
	"crypto/rand"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/modp"
	"github.com/pakli/pakli/protocol/suite/schindelhauer/matrix"
	"github.com/pakli/pakli/protocol/transcript"
)

const (
	size  = 32 // of moduli, in bytes
	width = 3
)

var here = transcript.Bind("test", "test", transcript.Table{ID: [32]byte{1}}, transcript.Deck{}, transcript.Keys{}, 0, transcript.Parent{}, "show", 0).Slot(0)

// game is two seats, in the order of their rows, and five cards.
type game struct {
	*testing.T
	secrets []*matrix.Secret
	keys    []*matrix.Key
	joint   *matrix.Key
	deck    []matrix.Card
}

func deal(t *testing.T) *game {
	g := &game{T: t}
	for range 2 {
		s := testmust.Have(matrix.NewSecret(size, rand.Reader))(g)
		g.secrets = append(g.secrets, s)
	}
	slices.SortFunc(g.secrets, func(a, b *matrix.Secret) int { return bytes.Compare(a.Key().Bytes(), b.Key().Bytes()) })
	for _, s := range g.secrets {
		g.keys = append(g.keys, matrix.NewKey(s.Key()))
	}
	g.joint = testmust.Have(matrix.Joint(g.keys))(g)
	var open []matrix.Card
	for f := range card.Face(5) {
		open = append(open, matrix.Open(f, width))
	}
	var err error
	g.deck, _, err = ShuffleCards(here, g.secrets[0], matrix.Any, g.joint, open, rand.Reader)
	testmust.Do(g, err)
	return g
}

// TestTokens is SC-7: a wrong bit, a bit of another row, and commitments that come after the
// challenge.
func TestTokens(t *testing.T) {
	g := deal(t)
	s := Reveal{Key: g.keys[1], Cards: g.deck[:2], Tokens: []matrix.Token{TokenOf(g.secrets[1], g.deck[0]), TokenOf(g.secrets[1], g.deck[1])}}
	b := testmust.Have(ProveReveal(here, s, g.secrets[1], rand.Reader))(g)
	testmust.Do(g, Verify(here, s, b))
	testmust.Equal(t, len(b), 64+128*size, "bytes")
	for j := range 2 * width {
		lie := s
		lie.Tokens = slices.Clone(s.Tokens)
		lie.Tokens[j/width].Bits ^= 1 << (j % width)
		_, err := ProveReveal(here, lie, g.secrets[1], rand.Reader)
		testmust.FailBy(t, err, proof.ErrFalse, "bit", j, "proved")
		testmust.FailBy(t, Verify(here, lie, b), proof.ErrWrong, "bit", j)
		err = Verify(here, lie, g.pretended(lie))
		testmust.FailBy(t, err, proof.ErrWrong, "bit", j, "with roots of what is no square")
	}
	other := s
	other.Tokens = []matrix.Token{{Row: 0, Bits: s.Tokens[0].Bits}, s.Tokens[1]}
	err := Verify(here, other, b)
	testmust.Holdf(t, err != nil && !errors.Is(err, proof.ErrWrong), "a token of another row: %v", err)
	testmust.Fail(t, Verify(here, s, b[:64+64*size]), "64 rounds are enough")
}

// pretended answers as if what is no square were −1 times one: right wherever the challenge
// does not choose it.
func (g *game) pretended(s Reveal) []byte {
	g.Helper()
	r := testmust.Have(s.parityRelation())(g)
	w := Witness{Bits: [][]uint64{make([]uint64, len(r.Branches[0][0]))}, Unroots: [][][]uint64{nil}}
	for _, u := range r.Branches[0][0] {
		w.Unroots[0] = append(w.Unroots[0], g.secrets[1].InverseRoot(u))
	}
	return testmust.Have(Prove(transcript.New(here, s), r, w, nil, rand.Reader))(g)
}

// A challenge that is known before the commitments: each of them is made to fit, and only the
// hash of them refuses it.
func TestCommitmentsComeFirst(t *testing.T) {
	g := deal(t)
	s := Reveal{Key: g.keys[1], Cards: g.deck[:1], Tokens: []matrix.Token{TokenOf(g.secrets[1], g.deck[0])}}
	s.Tokens[0].Bits ^= 1
	b := make([]byte, 64, 64+128*size) // any seed, any answers: R follows
	for range 128 {
		z := make([]uint64, size/8)
		testmust.Do(g, g.secrets[1].Key().DrawNumber(z, rand.Reader))
		g.secrets[1].Key().FoldSign(z)
		b = modp.AppendTo(b, z)
	}
	testmust.FailBy(t, Verify(here, s, b), proof.ErrWrong)
}

// A root of what somebody else has chosen: who knows v with u = v² and gets another root has
// the factors. So the answers have to differ at every time, and none may be the root itself.
func TestRootOracle(t *testing.T) {
	g := deal(t)
	m := g.secrets[1].Key()
	n := new(big.Int).SetBytes(m.Bytes())
	v := testmust.Have(rand.Int(rand.Reader, n))(g)
	numbers := g.deck[0].Numbers(g.joint)
	for j := range width {
		modp.SetBytes(numbers[width+j], new(big.Int).Mod(new(big.Int).Mul(v, v), n).FillBytes(make([]byte, size)))
	}
	chosen := matrix.CardOf(numbers, g.joint, width, g.joint)
	s := Reveal{Key: g.keys[1], Cards: []matrix.Card{chosen}, Tokens: []matrix.Token{TokenOf(g.secrets[1], chosen)}}
	seen := map[string]bool{}
	for range 3 {
		b := testmust.Have(ProveReveal(here, s, g.secrets[1], rand.Reader))(g)
		for a := range slices.Chunk(b[64:], size) {
			z := new(big.Int).SetBytes(a)
			for _, sum := range []*big.Int{new(big.Int).Sub(z, v), new(big.Int).Add(z, v), new(big.Int).Sub(new(big.Int).Mul(z, v), big.NewInt(1)), new(big.Int).Add(new(big.Int).Mul(z, v), big.NewInt(1))} {
				f := new(big.Int).GCD(nil, nil, sum.Mod(sum, n), n)
				testmust.Require(t, f.Cmp(big.NewInt(1)) == 0 || f.Cmp(n) == 0, "an answer tells the factors")
			}
			testmust.Hold(t, !seen[string(a)], "an answer comes twice")
			seen[string(a)] = true
		}
	}
}

// An answer that p divides, which its owner can make.
func TestUnits(t *testing.T) {
	g := deal(t)
	s := Reveal{Key: g.keys[1], Cards: g.deck[:1], Tokens: []matrix.Token{TokenOf(g.secrets[1], g.deck[0])}}
	b := testmust.Have(ProveReveal(here, s, g.secrets[1], rand.Reader))(g)
	p := g.secrets[1].Bytes()[:size/2]
	copy(b[64:64+size], make([]byte, size))
	copy(b[64+size/2:], p)
	err := Verify(here, s, b)
	testmust.Hold(t, err != nil && !errors.Is(err, proof.ErrWrong), err)
}

// handed is a card in the hand of the second row, handed to the first.
func (g *game) handed() (Transfer, MakerWitness) {
	g.Helper()
	old := g.deck[0].Strip(TokenOf(g.secrets[0], g.deck[0]))
	c, made, err := HandOver(here, g.secrets[1], old, g.keys[0], rand.Reader)
	testmust.Do(g, err)
	return Transfer{From: g.keys[1], To: g.keys[0], Old: old, New: c}, made
}

// Another card than was in the hand; one that is no card; and the right one, to one seat and
// back to all.
func TestTransfer(t *testing.T) {
	g := deal(t)
	s, made := g.handed()
	b := testmust.Have(ProveTransfer(here, s, g.secrets[1], made, rand.Reader))(g)
	testmust.Do(g, Verify(here, s, b))
	testmust.Equal(t, len(b), 64+2*128*size+16, "bytes")
	testmust.Equal(t, TokenOf(g.secrets[1], s.Old).Bits, TokenOf(g.secrets[0], s.New).Bits, "the card that is handed over")
	for j := range width {
		lie := s
		numbers := s.New.Numbers(g.keys[0])
		g.secrets[0].Key().NegateIf(numbers[j], 1)
		lie.New = matrix.CardOf(numbers, g.keys[0], width, g.joint)
		testmust.FailBy(t, Verify(here, lie, b), proof.ErrWrong, "bit", j)
		forged := testmust.Have(ProveTransfer(here, lie, g.secrets[1], made, rand.Reader))(g) // a prover that does not look at what it sends
		testmust.FailBy(t, Verify(here, lie, forged), proof.ErrWrong, "bit", j, "proved anew")
	}
	back, made, err := HandOver(here, g.secrets[1], s.Old, g.joint, rand.Reader)
	testmust.Do(g, err)
	returned := Transfer{From: g.keys[1], To: g.joint, Old: s.Old, New: back}
	b = testmust.Have(ProveTransfer(here, returned, g.secrets[1], made, rand.Reader))(g)
	testmust.Do(g, Verify(here, returned, b))
	testmust.Equal(t, TokenOf(g.secrets[0], back).Bits^TokenOf(g.secrets[1], back).Bits, TokenOf(g.secrets[1], s.Old).Bits, "the card that went back")
}

// An insertion of which some other order is proved, and one of every branch.
func TestInsertion(t *testing.T) {
	g := deal(t)
	in := g.deck[:3]
	seen := map[int]bool{}
	for range 30 {
		out, made, err := InsertLast(here, g.secrets[0], g.joint, in, rand.Reader)
		testmust.Do(g, err)
		if seen[made.Branch] {
			continue
		}
		seen[made.Branch] = true
		s := Insertion{Key: g.joint, In: in, Out: out}
		b := testmust.Have(ProveInsertion(here, s, g.secrets[0], made, rand.Reader))(g)
		testmust.Do(t, Verify(here, s, b), "place", made.Branch)
		lie := s
		lie.Out = []matrix.Card{out[1], out[0], out[2]}
		forged := testmust.Have(ProveInsertion(here, lie, g.secrets[0], made, rand.Reader))(g)
		err = Verify(here, lie, forged)
		testmust.Holdf(t, made.Branch >= 2 || errors.Is(err, proof.ErrWrong), "place %d, two exchanged: %v", made.Branch, err)
	}
	testmust.Equal(t, len(seen), 3, "places", seen)
}

func TestStatementsAreBound(t *testing.T) {
	g, h := deal(t), deal(t)
	one, _ := g.handed()
	two, _ := h.handed()
	prooftest.Binding(t, one, two)
	prooftest.Binding(t,
		Reveal{Key: g.keys[0], Cards: g.deck[:2], Tokens: []matrix.Token{{Row: 0, Bits: 1}, {Row: 0, Bits: 2}}},
		Reveal{Key: h.keys[0], Cards: h.deck[:2], Tokens: []matrix.Token{{Row: 1, Bits: 2}, {Row: 1, Bits: 3}}})
	prooftest.Binding(t, Insertion{Key: g.joint, In: g.deck[:2], Out: g.deck[2:4]}, Insertion{Key: h.joint, In: h.deck[:2], Out: h.deck[2:4]})
	prooftest.Binding(t, Mint{Key: g.joint, Deck: [32]byte{}, Card: g.deck[0], Faces: []card.Face{1, 2}}, Mint{Key: h.joint, Deck: [32]byte(bytes.Repeat([]byte{1}, 32)), Card: h.deck[0], Faces: []card.Face{3, 4}})
	prooftest.Binding(t,
		mask{"mint", g.keys[0], g.joint, g.deck[:2], []card.Face{1}}, mask{"insert", h.keys[0], h.joint, h.deck[:2], []card.Face{2}})
}
