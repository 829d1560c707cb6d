package cutandchoose_test

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle"
	"github.com/pakli/pakli/protocol/suite/ristretto255/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/transcript"
)

var argument cutandchoose.Prover

// few is the argument with rounds enough that no test forges it by chance, and
// few enough that each byte of a proof can be tried.
var few = cutandchoose.Weak{Rounds: 24, Composed: 12}

func TestConformance(t *testing.T) {
	shuffletest.Run(t, few, func(n int) int { return 12*n*33 + 32 + 12*32 })
}

// TestFull: the argument as it is used.
func TestFull(t *testing.T) {
	k := handtest.Secret(t).Key()
	for _, order := range [][]uint16{{1, 0}, {2, 0, 3, 1}} {
		o := shuffletest.Opening(t, order...)
		s := shuffletest.By(k, shuffletest.Masked(t, k, len(order)), o)
		p := shuffletest.Prove(t, argument, s, o)
		if len(p) != cutandchoose.Size(len(order)) {
			t.Errorf("%d cards: %d bytes, want %d", len(order), len(p), cutandchoose.Size(len(order)))
		}
		testmust.Do(t, shuffletest.Check(argument, s, p))
		s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
		testmust.FailBy(t, shuffletest.Check(argument, s, p), proof.ErrWrong, "other order")
	}
	if n := cutandchoose.Size(42); n != 82_852 {
		t.Errorf("Size(42) = %d, want 82852", n)
	}
}

// TestMostCards: the number of cards does not fit the bytes of a permutation.
func TestMostCards(t *testing.T) {
	order := make([]uint16, shuffle.MaxCards)
	for i := range order {
		order[i] = uint16(len(order) - 1 - i)
	}
	k := handtest.Secret(t).Key()
	o := shuffletest.Opening(t, order...)
	s := shuffletest.By(k, shuffletest.Open(len(order)), o)
	weak := cutandchoose.Weak{Rounds: 4, Composed: 2}
	testmust.Do(t, shuffletest.Check(weak, s, shuffletest.Prove(t, weak, s, o)))
}

// TestChallengeSpace: fewer than 2^128 sets that the hash can ask for, and a forger finds the one
// he is prepared for offline; fewer than 2^40 that others can ask for, and a guess is right more often
// than is said.
func TestChallengeSpace(t *testing.T) {
	sets := func(rounds, composed int) int {
		return new(big.Int).Binomial(int64(rounds), int64(composed)).BitLen() - 1
	}
	if bits := sets(cutandchoose.Full()); bits < 128 {
		t.Errorf("the hash asks for one of 2^%d sets, fewer than 2^128", bits)
	}
	if bits, promised := sets(cutandchoose.Forty()), (cutandchoose.Asked{}).Bits(); bits != promised {
		t.Errorf("others ask for one of 2^%d sets, and %d bits are promised", bits, promised)
	}
}

func under(s shuffle.Statement) *transcript.Transcript {
	return transcript.New(shuffletest.At(0), cutandchoose.Labelled(s))
}

// seeds returns different seeds for each try.
func seeds(try uint64) func(int) []byte {
	return func(k int) []byte {
		seed := make([]byte, 32)
		binary.BigEndian.PutUint64(seed, try)
		binary.BigEndian.PutUint64(seed[8:], uint64(k))
		return seed
	}
}

// TestGrinding: the forger prepares for one set and tries until the hash asks
// for it. It takes him about as many tries as there are sets, no fewer: with 6
// sets a few, with the sets of the full argument 2^128. Every other forgery
// that he makes on the way is refused.
func TestGrinding(t *testing.T) {
	weak := cutandchoose.Weak{Rounds: 4, Composed: 2} // 6 sets
	guess := []bool{true, false, false, true}
	const tries = 600
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.Masked(t, k, 2), Out: shuffletest.Masked(t, k, 2)}
	successes := 0
	for try := range uint64(tries) {
		forged, asked := weak.Forge(under(s), s, guess, seeds(try))
		if accepted := shuffletest.Check(weak, s, forged) == nil; accepted != asked {
			t.Fatalf("try %d: accepted %v, guessed right %v", try, accepted, asked)
		}
		if asked {
			successes++
		}
	}
	if successes < tries/6/2 || successes > tries/6*2 {
		t.Errorf("%d of %d guesses are right, want about %d", successes, tries, tries/6)
	}
	rounds, composed := cutandchoose.Full()
	all := slices.Concat(slices.Repeat([]bool{true}, composed), slices.Repeat([]bool{false}, rounds-composed))
	if forged, asked := (cutandchoose.Weak{Rounds: rounds, Composed: composed}).Forge(under(s), s, all, seeds(0)); asked || shuffletest.Check(argument, s, forged) == nil {
		t.Error("the full argument is forged by a guess")
	}
}

// TestCommitmentAfterChallenge: under a transcript that does not hash the
// commitment the set is known before, and everything can be proved.
func TestCommitmentAfterChallenge(t *testing.T) {
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.Masked(t, k, 3), Out: shuffletest.Masked(t, k, 3)}
	asked := few.Chosen(under(s), nil) // as if C were not hashed
	forged, right := few.Forge(under(s), s, asked, seeds(1))
	if right || shuffletest.Check(few, s, forged) == nil {
		t.Error("decks chosen after the challenge are accepted")
	}
	// The forger was right about a set, though of another hash.
	for try := range uint64(2) {
		first, _ := few.Forge(under(s), s, asked, seeds(try))
		second, _ := few.Forge(under(s), s, asked, seeds(try+1))
		if slices.Equal(few.Chosen(under(s), commitmentOf(first, 3)), few.Chosen(under(s), commitmentOf(second, 3))) {
			t.Error("the set does not depend on the commitment")
		}
	}
}

// commitmentOf returns C of a proof by few.
func commitmentOf(proof []byte, n int) []byte { return proof[few.Composed*n:][:32] }

// TestNoPermutation: a card twice, and one dropped. All that is compared
// agrees; the list of places is no permutation, and that must be seen.
func TestNoPermutation(t *testing.T) {
	k := handtest.Secret(t).Key()
	o := shuffletest.Opening(t, 0, 0, 2)
	s := shuffletest.By(k, shuffletest.Masked(t, k, 3), o)
	forged := shuffletest.Prove(t, few, s, o)
	testmust.Do(t, few.HoldsButForm(under(s), s, forged), "the attack is built wrong")
	testmust.FailSaying(t, shuffletest.Check(few, s, forged), "twice", "a card twice")
}

func TestParsePermutation(t *testing.T) {
	for _, b := range [][]byte{{0, 1, 2}, {2, 0, 1}, {0}, {}} {
		testmust.Have(cutandchoose.ParsePermutation(b))(t, b)
	}
	for _, b := range [][]byte{{0, 0, 2}, {1, 2, 3}, {0, 1, 1}, {255, 1, 2}, {1}, {0, 3, 1}} {
		testmust.Fail(t, testmust.ErrorOf(cutandchoose.ParsePermutation(b)), b, "is a permutation")
	}
}

func TestBinding(t *testing.T) {
	a, b := shuffletest.Binding(t)
	prooftest.Binding(t, cutandchoose.Labelled(a), cutandchoose.Labelled(b))
	prooftest.Binding(t, cutandchoose.LabelledAsked(a), cutandchoose.LabelledAsked(b))
}
