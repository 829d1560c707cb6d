package cutandchoose

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/suite/rounds"
	"github.com/pakli/pakli/protocol/transcript"
)

// g is the group of these tests.
var g = group.Ristretto255()

// few is the argument with rounds enough that no test forges it by chance, and
// few enough that each byte of a proof can be tried.
var few = weak{24, 12}

// weak is the argument with few rounds: fast, and forged by guessing.
type weak argument

func (w weak) Prove(ctx transcript.Context, s masking.ShuffleStatement, o masking.Opening, rand io.Reader) ([]byte, error) {
	m, err := argument(w).prove(ctx, label, s, o, rand)
	return m.Bytes(), err
}

func (w weak) Verify(ctx transcript.Context, s masking.ShuffleStatement, bytes []byte, _ *group.Batch) error {
	if err := s.CheckForm(); err != nil {
		return err
	}
	return argument(w).verify(transcript.New(ctx, s.WithLabel(label)), s, bytes)
}

func (w weak) Size(g *group.Group, n int) int { return argument(w).layoutOf(g, n).Size() }

// drawn is the set that is asked for.
func (w weak) drawn(t *transcript.Transcript, commitment []byte, values ...[]byte) []bool {
	return rounds.Counts(w).DrawComposed(t, commitment, values...)
}

// parsed is a proof with its compositions.
func (w weak) parsed(t testing.TB, proof []byte, n int) (rounds.Message, []masking.Opening) {
	t.Helper()
	m := handtest.MustHave(argument(w).layoutOf(g, n).Parse(proof))
	return m, handtest.MustHave(argument(w).parseCompositions(g, m, n))
}

// guessDeck is the digest of a third deck that comes, by a seed, from the deck before in the rounds of a
// guess, and in the others from the deck after.
func guessDeck(s masking.ShuffleStatement, in bool, seed []byte) [32]byte {
	if in {
		s.Out = s.In
	}
	return seededDigest(s)(seed)
}

func (w weak) guess(s masking.ShuffleStatement, guess []bool, seed func(round int) []byte) []byte {
	return rounds.Counts(w).Commit(1, func(k int) [32]byte { return guessDeck(s, guess[k], seed(k)) })
}

// forge proves what does not hold: it guesses D, commits to decks that answer
// for the guess, and tells whether the guess was right. The proof is in any case
// the best that the forger has.
func (w weak) forge(t *transcript.Transcript, s masking.ShuffleStatement, guess []bool, seed func(round int) []byte) (proof []byte, asked bool) {
	c := w.guess(s, guess, seed)
	in := w.drawn(t, c)
	return w.answer(s, in, seed, c), slices.Equal(in, guess)
}

// answer gives seeds outside of D, and in it what they give.
func (w weak) answer(s masking.ShuffleStatement, in []bool, seed func(round int) []byte, commitment []byte) []byte {
	m, composed := rounds.Message{Commitment: commitment}, []masking.Opening(nil)
	for k, in := range in {
		if in {
			composed = append(composed, expandSeed(g, seed(k), len(s.In)))
		} else {
			m.Seeds = append(m.Seeds, seed(k))
		}
	}
	addCompositions(&m, composed)
	return m.Bytes()
}

func TestConformance(t *testing.T) {
	handtest.RunArgument(t, few, func(n int) int { return 12*n*33 + 32 + 12*32 })
}

// TestFull: the argument as it is used.
func TestFull(t *testing.T) {
	k := handtest.Secret(t).Key()
	for _, order := range [][]uint16{{1, 0}, {2, 0, 3, 1}} {
		o := handtest.OpeningOf(t, order...)
		s := handtest.RemaskBy(k, handtest.MaskedCards(t, k, len(order)), o)
		p := handtest.ProveShuffle(t, Prover{}, s, o)
		testmust.Equal(t, len(p), Size(g, len(order)), len(order), "cards: bytes")
		testmust.Do(t, handtest.VerifyAlone(Prover{}, s, p))
		s.Out[0], s.Out[1] = s.Out[1], s.Out[0]
		testmust.FailBy(t, handtest.VerifyAlone(Prover{}, s, p), proof.ErrWrong, "other order")
	}
	testmust.Equal(t, Size(g, 42), 82_852, "Size(42)")
}

// TestMostCards: the number of cards does not fit the bytes of a permutation.
func TestMostCards(t *testing.T) {
	order := make([]uint16, masking.MaxCards)
	for i := range order {
		order[i] = uint16(len(order) - 1 - i)
	}
	k := handtest.Secret(t).Key()
	o := handtest.OpeningOf(t, order...)
	s := handtest.RemaskBy(k, handtest.OpenCards(len(order)), o)
	small := weak{4, 2}
	testmust.Do(t, handtest.VerifyAlone(small, s, handtest.ProveShuffle(t, small, s, o)))
}

// TestChallengeSpace: fewer than 2^128 sets that the hash can ask for, and a forger finds the one
// he is prepared for offline; fewer than 2^40 that others can ask for, and a guess is right more often
// than is said.
func TestChallengeSpace(t *testing.T) {
	sets := func(c rounds.Counts) int {
		return new(big.Int).Binomial(int64(c.Rounds), int64(c.Composed)).BitLen() - 1
	}
	bits := sets(full)
	testmust.Holdf(t, bits >= 128, "the hash asks for one of 2^%d sets, fewer than 2^128", bits)
	testmust.Equal(t, sets(rounds.Asked), (AskedArgument{}).ErrorBits(), "bits by which others ask for one of the sets")
}

func under(s masking.ShuffleStatement) *transcript.Transcript {
	return transcript.New(handtest.SlotContext(0), s.WithLabel(label))
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
	small := weak{4, 2} // 6 sets
	guess := []bool{true, false, false, true}
	const tries = 600
	k := handtest.Secret(t).Key()
	s := masking.ShuffleStatement{Key: k, In: handtest.MaskedCards(t, k, 2), Out: handtest.MaskedCards(t, k, 2)}
	successes := 0
	for try := range uint64(tries) {
		forged, asked := small.forge(under(s), s, guess, seeds(try))
		accepted := handtest.VerifyAlone(small, s, forged) == nil
		testmust.Requiref(t, accepted == asked, "try %d: accepted %v, guessed right %v", try, accepted, asked)
		if asked {
			successes++
		}
	}
	testmust.Holdf(t, successes >= tries/6/2 && successes <= tries/6*2, "%d of %d guesses are right, want about %d", successes, tries, tries/6)
	all := slices.Concat(slices.Repeat([]bool{true}, full.Composed), slices.Repeat([]bool{false}, full.Rounds-full.Composed))
	forged, asked := weak(full).forge(under(s), s, all, seeds(0))
	testmust.Hold(t, !asked && handtest.VerifyAlone(Prover{}, s, forged) != nil, "the full argument is forged by a guess")
}

// TestCommitmentAfterChallenge: under a transcript that does not hash the
// commitment the set is known before, and everything can be proved.
func TestCommitmentAfterChallenge(t *testing.T) {
	k := handtest.Secret(t).Key()
	s := masking.ShuffleStatement{Key: k, In: handtest.MaskedCards(t, k, 3), Out: handtest.MaskedCards(t, k, 3)}
	asked := few.drawn(under(s), nil) // as if C were not hashed
	forged, right := few.forge(under(s), s, asked, seeds(1))
	testmust.Hold(t, !right && handtest.VerifyAlone(few, s, forged) != nil, "decks chosen after the challenge are accepted")
	// The forger was right about a set, though of another hash.
	for try := range uint64(2) {
		first, _ := few.forge(under(s), s, asked, seeds(try))
		second, _ := few.forge(under(s), s, asked, seeds(try+1))
		testmust.Hold(t, !slices.Equal(few.drawn(under(s), commitmentOf(first, 3)), few.drawn(under(s), commitmentOf(second, 3))),
			"the set does not depend on the commitment")
	}
}

// commitmentOf returns C of a proof by few.
func commitmentOf(proof []byte, n int) []byte { return proof[few.Composed*n:][:32] }

// TestNoPermutation: a card twice, and one dropped. All that is compared
// agrees; the list of places is no permutation, and that must be seen.
func TestNoPermutation(t *testing.T) {
	k := handtest.Secret(t).Key()
	o := handtest.OpeningOf(t, 0, 0, 2)
	s := handtest.RemaskBy(k, handtest.MaskedCards(t, k, 3), o)
	forged := handtest.ProveShuffle(t, few, s, o)
	m := handtest.MustHave(argument(few).layoutOf(g, 3).Parse(forged))
	orderly := m
	orderly.Orders = bytes.Repeat([]byte{0, 1, 2}, few.Composed)
	composed := handtest.MustHave(argument(few).parseCompositions(g, orderly, 3))
	for i, place := range m.Orders {
		composed[i/3].Permutation[i%3] = uint16(place)
	}
	testmust.Do(t, argument(few).checkDecks(few.drawn(under(s), m.Commitment), s, m, composed), "the attack is built wrong: another form of places is refused")
	testmust.FailSaying(t, handtest.VerifyAlone(few, s, forged), "twice", "a card twice")
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

// roundOpenings are an accepted proof by rounds: the composition of a round in D, and what
// the seed of one outside gives.
func roundOpenings(t *testing.T, in []bool, proof []byte, n int) (list []masking.Opening) {
	t.Helper()
	m, composed := few.parsed(t, proof, n)
	for _, in := range in {
		if in {
			list, composed = append(list, composed[0]), composed[1:]
		} else {
			list, m.Seeds = append(list, expandSeed(g, m.Seeds[0], n)), m.Seeds[1:]
		}
	}
	return list
}

// TestExtract: an accepted proof by one who knows no shuffle. The extractor takes
// 2 transcripts with one C and different D. It is the attack, too, on a prover whose
// seeds repeat.
func TestExtract(t *testing.T) {
	for n := 2; n <= 6; n++ {
		s, o := handtest.HonestShuffle(t, n)
		var proofs [2][]byte
		var asked [2][]bool
		var openings [2][]masking.Opening
		for slot := range proofs {
			under := func() *transcript.Transcript {
				return transcript.New(handtest.SlotContext(uint16(slot)), s.WithLabel(label))
			}
			var all [][]byte
			for k := range few.Rounds {
				all = append(all, seeds(0)(k))
			}
			proofs[slot] = argument(few).answerRounds(under(), s, o, all).Bytes()
			testmust.Do(t, argument(few).verify(under(), s, proofs[slot]), "an answer is refused")
			asked[slot] = few.drawn(under(), commitmentOf(proofs[slot], n))
			openings[slot] = roundOpenings(t, asked[slot], proofs[slot], n)
		}
		testmust.Require(t, bytes.Equal(commitmentOf(proofs[0], n), commitmentOf(proofs[1], n)) && !slices.Equal(asked[0], asked[1]),
			"C depends on D, or both slots ask for the same set")
		for round := range asked[0] {
			if !asked[0][round] || asked[1][round] {
				continue
			}
			handtest.ExpectExtracted(t, extract(openings[0][round], openings[1][round]), o)
		}
	}
}

// simulate returns the proof that D, the seeds outside it and the compositions in
// it determine. It knows no witness.
func (w weak) simulate(in []bool, s masking.ShuffleStatement, seeds [][]byte, composed []masking.Opening) []byte {
	var decks [][32]byte
	m, left := rounds.Message{Seeds: seeds}, composed
	for _, in := range in {
		if in {
			decks, left = append(decks, deckDigest(masking.Remask(s.Key, s.In, left[0]))), left[1:]
		} else {
			decks, seeds = append(decks, seededDigest(s)(seeds[0])), seeds[1:]
		}
	}
	m.Commitment = rounds.Counts(w).Commit(1, func(k int) [32]byte { return decks[k] })
	addCompositions(&m, composed)
	return m.Bytes()
}

// TestSimulate: a proof that tells more than that it is one. In an honest proof
// seeds and compositions are uniform, and determine C with D.
func TestSimulate(t *testing.T) {
	in := make([]bool, few.Rounds)
	for k := range few.Composed {
		in[2*k] = true
	}
	for n := 2; n <= 6; n++ {
		s, o := handtest.HonestShuffle(t, n)
		proof := handtest.ProveShuffle(t, few, s, o)
		m, composed := few.parsed(t, proof, n)
		asked := few.drawn(under(s), m.Commitment)
		testmust.Hold(t, bytes.Equal(few.simulate(asked, s, m.Seeds, composed), proof), n, "cards: D and the answers do not determine an honest proof")
		forgeFalse(t, in, s)
	}
}

// forgeFalse simulates a proof that one card is there twice.
func forgeFalse(t *testing.T, in []bool, s masking.ShuffleStatement) {
	t.Helper()
	n := len(s.In)
	s = handtest.DoubledCard(t, s)
	var seeds [][]byte
	var composed []masking.Opening
	for k, composes := range in {
		seed := bytes.Repeat([]byte{byte(k + 1)}, 32)
		if composes {
			composed = append(composed, expandSeed(g, seed, n))
		} else {
			seeds = append(seeds, seed)
		}
	}
	forged := few.simulate(in, s, seeds, composed)
	m, composed := few.parsed(t, forged, n)
	testmust.Do(t, argument(few).checkDecks(in, s, m, composed), "a simulated proof is refused")
	testmust.Fail(t, handtest.VerifyAlone(few, s, forged), "a simulated proof is accepted under the D of the transcript")
}

// A forger with few rounds who can ask himself tries until he is asked for what he is prepared
// for, and always succeeds. If another asks, see TestLastSeatKeepsBack.
func TestGrindingAsked(t *testing.T) {
	small, sets := weak{10, 5}, 252
	if testmust.Thorough() {
		small, sets = weak{19, 9}, 92_378 // 16 bits
	}
	guess := make([]bool, small.Rounds)
	for k := range small.Composed {
		guess[2*k] = true
	}
	k := handtest.Secret(t).Key()
	s := masking.ShuffleStatement{Key: k, In: handtest.MaskedCards(t, k, 2), Out: handtest.MaskedCards(t, k, 2)}
	decks := make([][32]byte, small.Rounds)
	for k := range decks {
		decks[k] = guessDeck(s, guess[k], seeds(0)(k))
	}
	for try := range uint64(20 * sets) {
		decks[0] = guessDeck(s, guess[0], seeds(try)(0))
		c := rounds.Counts(small).Commit(1, func(k int) [32]byte { return decks[k] })
		if slices.Equal(small.drawn(under(s), c), guess) {
			return
		}
	}
	t.Error("nothing is found in", 20*sets, "tries")
}

// A forger in league with the last seat to reveal, which keeps its value back at each table where
// he is asked for what he is not prepared for: of every table he has one chance, and no more, since
// he learns the value when he has committed.
func TestLastSeatKeepsBack(t *testing.T) {
	small, sets, tables := weak{8, 4}, 70.0, 512
	if testmust.Thorough() {
		tables = 4_096
	}
	guess := []bool{true, false, true, false, true, false, true, false}
	k := handtest.Secret(t).Key()
	s := masking.ShuffleStatement{Key: k, In: handtest.MaskedCards(t, k, 2), Out: handtest.MaskedCards(t, k, 2)}
	lucky := 0
	for table := range tables {
		value := binary.BigEndian.AppendUint64([]byte("last"), uint64(table))
		if slices.Equal(small.drawn(under(s), small.guess(s, guess, seeds(uint64(table))), value), guess) {
			lucky++
		}
	}
	mean := float64(tables) / sets
	off := math.Abs(float64(lucky) - mean)
	testmust.Holdf(t, off <= 6*math.Sqrt(mean), "at %d of %d tables, and there are %.0f sets", lucky, tables, sets)
}

// An answer to other values, to values in another order, or to fewer; a commitment of another
// proof; an answer with a byte changed, or of another length; the seeds drawn anew.
func TestAnswerToOtherValues(t *testing.T) {
	s, o := handtest.HonestShuffle(t, 3)
	draws := func(b byte) *bytes.Reader { return bytes.NewReader(bytes.Repeat([]byte{b}, 1<<12)) }
	prover := AskedProver{}
	at, values := handtest.SlotContext(0), [][]byte{{1}, {2}}
	commitment := handtest.MustHave(prover.Commit(at, s, o, draws(1)))
	answer := handtest.MustHave(prover.Answer(at, s, o, values, draws(1)))
	testmust.Holdf(t, len(answer) == prover.Size(g, 3) && len(commitment) == 32, "commitment and answer of %d and %d bytes", len(commitment), len(answer))
	testmust.Do(t, prover.VerifyAnswer(at, s, commitment, values, answer))
	refused := func(what string, at transcript.Context, commitment []byte, values [][]byte, answer []byte) {
		t.Helper()
		testmust.Fail(t, prover.VerifyAnswer(at, s, commitment, values, answer), what, "is accepted")
	}
	refused("other values", at, commitment, [][]byte{{1}, {3}}, answer)
	refused("another order", at, commitment, [][]byte{{2}, {1}}, answer)
	refused("a value less", at, commitment, values[:1], answer)
	refused("another slot", handtest.SlotContext(1), commitment, values, answer)
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
