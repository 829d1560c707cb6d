package cutandchoose_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/cutandchoose"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle"
	"github.com/pakli/pakli/protocol/suite/elgamal/shuffle/shuffletest"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

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
		o := shuffletest.OpeningOf(t, order...)
		s := shuffletest.RemaskBy(k, shuffletest.MaskedCards(t, k, len(order)), o)
		p := shuffletest.Prove(t, argument, s, o)
		testmust.Equal(t, len(p), cutandchoose.Size(g, len(order)), len(order), "cards: bytes")
		testmust.Do(t, shuffletest.VerifyAlone(argument, s, p))
		s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
		testmust.FailBy(t, shuffletest.VerifyAlone(argument, s, p), proof.ErrWrong, "other order")
	}
	testmust.Equal(t, cutandchoose.Size(g, 42), 82_852, "Size(42)")
}

// TestMostCards: the number of cards does not fit the bytes of a permutation.
func TestMostCards(t *testing.T) {
	order := make([]uint16, shuffle.MaxCards)
	for i := range order {
		order[i] = uint16(len(order) - 1 - i)
	}
	k := handtest.Secret(t).Key()
	o := shuffletest.OpeningOf(t, order...)
	s := shuffletest.RemaskBy(k, shuffletest.OpenCards(len(order)), o)
	weak := cutandchoose.Weak{Rounds: 4, Composed: 2}
	testmust.Do(t, shuffletest.VerifyAlone(weak, s, shuffletest.Prove(t, weak, s, o)))
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
	testmust.Equal(t, sets(cutandchoose.Forty()), (cutandchoose.AskedArgument{}).ErrorBits(), "bits by which others ask for one of the sets")
}

func under(s shuffle.Statement) *transcript.Transcript {
	return transcript.New(shuffletest.SlotContext(0), cutandchoose.Labelled(s))
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
	s := shuffle.Statement{Key: k, In: shuffletest.MaskedCards(t, k, 2), Out: shuffletest.MaskedCards(t, k, 2)}
	successes := 0
	for try := range uint64(tries) {
		forged, asked := weak.Forge(under(s), s, guess, seeds(try))
		if accepted := shuffletest.VerifyAlone(weak, s, forged) == nil; accepted != asked {
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
	if forged, asked := (cutandchoose.Weak{Rounds: rounds, Composed: composed}).Forge(under(s), s, all, seeds(0)); asked || shuffletest.VerifyAlone(argument, s, forged) == nil {
		t.Error("the full argument is forged by a guess")
	}
}

// TestCommitmentAfterChallenge: under a transcript that does not hash the
// commitment the set is known before, and everything can be proved.
func TestCommitmentAfterChallenge(t *testing.T) {
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.MaskedCards(t, k, 3), Out: shuffletest.MaskedCards(t, k, 3)}
	asked := few.Chosen(under(s), nil) // as if C were not hashed
	forged, right := few.Forge(under(s), s, asked, seeds(1))
	if right || shuffletest.VerifyAlone(few, s, forged) == nil {
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
	o := shuffletest.OpeningOf(t, 0, 0, 2)
	s := shuffletest.RemaskBy(k, shuffletest.MaskedCards(t, k, 3), o)
	forged := shuffletest.Prove(t, few, s, o)
	testmust.Do(t, few.HoldsButForm(under(s), s, forged), "the attack is built wrong")
	testmust.FailSaying(t, shuffletest.VerifyAlone(few, s, forged), "twice", "a card twice")
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
	a, b := shuffletest.BindingPair(t)
	prooftest.Binding(t, cutandchoose.Labelled(a), cutandchoose.Labelled(b))
	prooftest.Binding(t, cutandchoose.LabelledAsked(a), cutandchoose.LabelledAsked(b))
}

// extract computes a witness from a round that one proof composes and another opens
// by its seed: σ = π∘π_k, τ_i = r_k,i + ρ_π_k(i).
func extract(composed, round masking.Opening) masking.Opening {
	o := masking.Opening{Permutation: make([]uint16, len(round.Permutation)), Factors: make([]group.Scalar, len(round.Factors))}
	for i, place := range round.Permutation {
		o.Permutation[place] = composed.Permutation[i]
		o.Factors[place] = composed.Factors[i].Sub(round.Factors[i])
	}
	return o
}

// rounds are an accepted proof by rounds: the composition of a round in D, and what
// the seed of one outside gives.
type rounds struct {
	in       []bool
	openings []masking.Opening
}

func read(t *testing.T, tr *transcript.Transcript, proof []byte, n int) rounds {
	t.Helper()
	seeds, composed, err := few.Parsed(proof, n)
	testmust.Do(t, err)
	r := rounds{in: few.Chosen(tr, commitmentOf(proof, n))}
	for _, in := range r.in {
		if in {
			r.openings, composed = append(r.openings, composed[0]), composed[1:]
		} else {
			r.openings, seeds = append(r.openings, cutandchoose.Expand(g, seeds[0], n)), seeds[1:]
		}
	}
	return r
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2 transcripts with one C and different D. It is the attack, too, on a prover whose
// seeds repeat.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.HonestShuffle(t, n)
		var proofs [2][]byte
		var answers [2]rounds
		for slot := range proofs {
			under := func() *transcript.Transcript {
				return transcript.New(shuffletest.SlotContext(uint16(slot)), cutandchoose.Labelled(s))
			}
			proofs[slot] = few.Answer(under(), s, o, seeds(0))
			testmust.Do(t, few.VerifyUnder(under(), s, proofs[slot]), "an answer is refused")
			answers[slot] = read(t, under(), proofs[slot], n)
		}
		if !bytes.Equal(commitmentOf(proofs[0], n), commitmentOf(proofs[1], n)) || slices.Equal(answers[0].in, answers[1].in) {
			t.Fatal("C depends on D, or both slots ask for the same set")
		}
		for round := range answers[0].in {
			if !answers[0].in[round] || answers[1].in[round] {
				continue
			}
			shuffletest.ExpectExtracted(t, extract(answers[0].openings[round], answers[1].openings[round]), o)
		}
	}
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// seeds and compositions are uniform, and determine C with D.
func TestSimulate(t *testing.T) {
	in := make([]bool, few.Rounds)
	for k := range few.Composed {
		in[2*k] = true
	}
	for n := 2; n <= 6; n++ {
		s, o := shuffletest.HonestShuffle(t, n)
		proof := shuffletest.Prove(t, few, s, o)
		seeds, composed, err := few.Parsed(proof, n)
		testmust.Do(t, err)
		asked := few.Chosen(transcript.New(shuffletest.SlotContext(0), cutandchoose.Labelled(s)), commitmentOf(proof, n))
		testmust.Hold(t, bytes.Equal(few.Simulate(asked, s, seeds, composed), proof), n, "cards: D and the answers do not determine an honest proof")
		forgeFalse(t, in, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, in []bool, s shuffle.Statement) {
	t.Helper()
	n := len(s.In)
	s = shuffletest.DoubledCard(t, s)
	var seeds [][]byte
	var composed []masking.Opening
	for k, composes := range in {
		seed := bytes.Repeat([]byte{byte(k + 1)}, 32)
		if composes {
			composed = append(composed, cutandchoose.Expand(g, seed, n))
		} else {
			seeds = append(seeds, seed)
		}
	}
	forged := few.Simulate(in, s, seeds, composed)
	testmust.Do(t, few.HoldsAt(in, s, forged), "a simulated proof is refused")
	if shuffletest.VerifyAlone(few, s, forged) == nil {
		t.Error("a simulated proof is accepted under the D of the transcript")
	}
}

// A forger with few rounds who can ask himself tries until he is asked for what he is prepared
// for, and always succeeds. If another asks, see TestLastSeatKeepsBack.
func TestGrindingAsked(t *testing.T) {
	weak, sets := cutandchoose.Weak{Rounds: 10, Composed: 5}, 252
	if thorough.Tests() {
		weak, sets = cutandchoose.Weak{Rounds: 19, Composed: 9}, 92_378 // 16 bits
	}
	guess := make([]bool, weak.Rounds)
	for k := range weak.Composed {
		guess[2*k] = true
	}
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.MaskedCards(t, k, 2), Out: shuffletest.MaskedCards(t, k, 2)}
	under := func() *transcript.Transcript {
		return transcript.New(shuffletest.SlotContext(0), cutandchoose.Labelled(s))
	}
	if after, found := weak.Grind(under, s, guess, 20*sets); !found {
		t.Errorf("nothing is found in %d tries", after)
	}
}

// A forger in league with the last seat to reveal, which keeps its value back at each table where
// he is asked for what he is not prepared for: of every table he has one chance, and no more, since
// he learns the value when he has committed.
func TestLastSeatKeepsBack(t *testing.T) {
	weak, sets, tables := cutandchoose.Weak{Rounds: 8, Composed: 4}, 70.0, 512
	if thorough.Tests() {
		tables = 4_096
	}
	guess := []bool{true, false, true, false, true, false, true, false}
	k := handtest.Secret(t).Key()
	s := shuffle.Statement{Key: k, In: shuffletest.MaskedCards(t, k, 2), Out: shuffletest.MaskedCards(t, k, 2)}
	lucky := 0
	for table := range tables {
		under := transcript.New(shuffletest.SlotContext(0), cutandchoose.Labelled(s))
		if weak.Guess(under, s, guess, seeds(uint64(table)), binary.BigEndian.AppendUint64([]byte("last"), uint64(table))) {
			lucky++
		}
	}
	mean := float64(tables) / sets
	if off := math.Abs(float64(lucky) - mean); off > 6*math.Sqrt(mean) {
		t.Errorf("at %d of %d tables, and there are %.0f sets", lucky, tables, sets)
	}
}

// An answer to other values, to values in another order, or to fewer; a commitment of another
// proof; an answer with a byte changed, or of another length; the seeds drawn anew.
func TestAnswerToOtherValues(t *testing.T) {
	s, o := shuffletest.HonestShuffle(t, 3)
	draws := func(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 1<<12)) }
	prover := cutandchoose.AskedProver{}
	at, values := shuffletest.SlotContext(0), [][]byte{{1}, {2}}
	commitment := handtest.MustHave(prover.Commit(at, s, o, draws(1)))
	answer := handtest.MustHave(prover.Answer(at, s, o, values, draws(1)))
	if len(answer) != prover.Size(g, 3) || len(commitment) != 32 {
		t.Errorf("commitment and answer of %d and %d bytes", len(commitment), len(answer))
	}
	testmust.Do(t, prover.VerifyAnswer(at, s, commitment, values, answer))
	refused := func(what string, at transcript.Context, commitment []byte, values [][]byte, answer []byte) {
		t.Helper()
		if prover.VerifyAnswer(at, s, commitment, values, answer) == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	refused("other values", at, commitment, [][]byte{{1}, {3}}, answer)
	refused("another order", at, commitment, [][]byte{{2}, {1}}, answer)
	refused("a value less", at, commitment, values[:1], answer)
	refused("another slot", shuffletest.SlotContext(1), commitment, values, answer)
	refused("a short answer", at, commitment, values, answer[1:])
	refused("a long answer", at, commitment, values, append(bytes.Clone(answer), 0))
	refused("no commitment", at, nil, values, answer)
	for i := 0; i < len(answer); i += len(answer)/20 + 1 {
		changed := bytes.Clone(answer)
		changed[i] ^= 1
		refused("a changed answer", at, commitment, values, changed)
	}
	other := handtest.MustHave(prover.Commit(at, s, o, draws(2)))
	refused("another commitment", at, other, values, answer)
}
