package twocolumns_test

import (
	"crypto/rand"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/twocolumns"
	"github.com/pakli/pakli/protocol/transcript"
)

var argument twocolumns.Prover

func TestConformance(t *testing.T) {
	shuffletest.Run(t, argument, func(n int) int { return 32 * (5*max(3, (n+1)/2) + 31) })
	for n, want := range map[int]int{2: 1472, 32: 3552, 41: 4352, 42: 4352, 52: 5152} {
		if got := twocolumns.Size(n); got != want {
			t.Errorf("Size(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestSizes: an honest proof that is refused for the number of cards: columns
// that are full, half empty, and empty.
func TestSizes(t *testing.T) {
	k := handtest.Secret(t).Key()
	for n := 2; n <= 13; n++ {
		o := shuffletest.Opening(t, rotated(n)...)
		s := shuffletest.By(k, shuffletest.Open(n), o)
		testmust.Do(t, shuffletest.Check(argument, s, shuffletest.Prove(t, argument, s, o)), n, "cards")
	}
}

// rotated is a permutation of n.
func rotated(n int) []uint16 {
	order := make([]uint16, n)
	for i := range order {
		order[i] = uint16((i + 2*n/3) % n)
	}
	return order
}

func under(s shuffle.Statement) *transcript.Transcript {
	return transcript.New(shuffletest.At(0), twocolumns.Labelled(s))
}

// refusedBy proves a false shuffle as f likes, and fails if it is accepted, or
// refused by another part than the one.
func refusedBy(t *testing.T, part string, f twocolumns.Forger, s shuffle.Statement, o masking.Opening) {
	t.Helper()
	proof := handtest.Must(f.ProveUnder(under(s), s, o, rand.Reader))
	if shuffletest.Check(argument, s, proof) == nil {
		t.Error("a false shuffle is accepted")
	}
	c := handtest.Must(twocolumns.ChallengesOf(under(s), proof, len(s.In)))
	failing, err := twocolumns.Failing(c, s, proof, rand.Reader)
	if err != nil || !slices.Equal(failing, []string{part}) {
		t.Errorf("refused by %v, want %s alone (%v)", failing, part, err)
	}
}

// mixed moves half of a card into the other: e'_1 = e_1 + e_2, the rest as it was.
func mixed(t *testing.T, n int) (shuffle.Statement, masking.Opening, func(powers []group.Scalar) []group.Scalar) {
	k := handtest.Secret(t).Key()
	in := shuffletest.Masked(t, k, n)
	order := make([]uint16, n)
	for i := range order {
		order[i] = uint16(i)
	}
	o := shuffletest.Opening(t, order...)
	s := shuffletest.By(k, in, o)
	s.Out[0] = masking.Card{A: s.Out[0].A.Add(in[1].A), B: s.Out[0].B.Add(in[1].B)}
	return s, o, func(powers []group.Scalar) []group.Scalar { // Σ b_i·e'_i = Σ x^i·e_i, but for factors
		b := slices.Clone(powers)
		b[1] = b[1].Sub(b[0])
		return b
	}
}

// TestParts: for each part of the argument a false shuffle that the other two
// accept, so that none can be left out.
func TestParts(t *testing.T) {
	for _, n := range []int{2, 5, 6, 7, 8} {
		s, o, b := mixed(t, n)
		// The cards add up, but b is no permutation of the powers.
		refusedBy(t, "product", twocolumns.Forger{B: b}, s, o)
		// The product is put right by a vector that is no product of the columns.
		refusedBy(t, "zero", twocolumns.Forger{B: b, Balance: true}, s, o)
		// A permutation, and a card twice.
		twice := shuffletest.By(s.Key, s.In, o)
		twice.Out[0] = shuffletest.By(s.Key, s.In[1:], shuffletest.Opening(t, 0)).Out[0]
		refusedBy(t, "combination", twocolumns.Forger{}, twice, o)
	}
}

// TestCardForNothing: a card that is exchanged with one of the cards (0, 0) at
// the places left over: it is gone, and a card that masks 0 is there instead.
func TestCardForNothing(t *testing.T) {
	k := handtest.Secret(t).Key()
	for _, n := range []int{2, 5, 7} {
		pi := make([]uint16, 2*twocolumns.Height(n))
		for i := range pi {
			pi[i] = uint16(i)
		}
		pi[0], pi[n] = pi[n], pi[0]
		o := shuffletest.Opening(t, pi[:n]...)
		o.Permutation = slices.Clone(pi[:n])
		o.Permutation[0] = 0
		s := shuffletest.By(k, shuffletest.Masked(t, k, n), o)
		s.Out[0] = masking.Card{A: group.MulBase(o.Factors[0]), B: group.Mul(o.Factors[0], k.Element())}
		refusedBy(t, "combination", twocolumns.Forger{Permutation: pi}, s, o)
	}
}

// TestOpensACard: who made the mask of a card can take it off by remasking.
func TestOpensACard(t *testing.T) {
	shuffletest.OpensACard(t, argument, twocolumns.Labelled, twocolumns.VerifyUnder, func(under func() *transcript.Transcript, s shuffle.Statement, o masking.Opening) []byte {
		return handtest.Must(twocolumns.Forger{}.ProveUnder(under(), s, o, rand.Reader))
	})
}

// TestChallenges: a commitment that does not reach the challenges after it can be chosen last.
func TestChallenges(t *testing.T) {
	shuffletest.Challenges(t, argument, func(at transcript.Context, s shuffle.Statement, proof []byte) [][]group.Scalar {
		c := handtest.Must(twocolumns.ChallengesOf(transcript.New(at, twocolumns.Labelled(s)), proof, len(s.In)))
		return [][]group.Scalar{{c.X}, {c.Y, c.Z}, {c.U, c.V, c.C, c.W}, {c.E}}
	}, 2, 4, 18, 24)
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.Binding(t)
	prooftest.Binding(t, twocolumns.Labelled(a), twocolumns.Labelled(b))
}
