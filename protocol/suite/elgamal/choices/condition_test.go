package choices

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// decks by their size, encoded once.
var decks = map[int]*masking.Deck{}

func sizedDeck(t testing.TB, n int) *masking.Deck {
	if decks[n] == nil {
		decks[n] = handtest.Deck(t, "test", n)
	}
	return decks[n]
}

// shape is a condition on a hand whose first cards are in the set.
type shape struct {
	cards, deck, set, min, max int
	inside                     int // cards that are in the set
	plan                       string
}

// shapes has every plan of the chooser, as small as it comes.
var shapes = []shape{
	{1, 12, 2, 1, 1, 1, "threshold"},
	{3, 12, 3, 1, 3, 2, "threshold"},
	{3, 6, 2, 2, 2, 2, "permuted + threshold + inequality"},
	{3, 12, 2, 0, 0, 0, "inequality"},
	{3, 12, 9, 3, 3, 3, "inequality"},
	{4, 25, 4, 4, 4, 4, "subset"},
	{4, 30, 5, 4, 9, 4, "subset"},
	{5, 32, 8, 4, 5, 5, "permuted + inequality"},
	{9, 52, 9, 7, 9, 8, "permuted + subset"},
	{6, 40, 5, 4, 4, 4, "permuted + subset + inequality"},
	{6, 12, 6, 3, 3, 3, "permuted + inequality + inequality"},
	{9, 42, 22, 8, 8, 8, "permuted + inequality + inequality"},
	{9, 42, 3, 1, 1, 1, "permuted + threshold + inequality"},
	{8, 32, 5, 2, 4, 3, "permuted + threshold + inequality"},
	{4, 12, 3, -1, 9, 2, "nothing"},
	{2, 4, 2, 1, 1, 1, "threshold + threshold"},
}

func (s shape) String() string {
	return fmt.Sprintf("%d..%d of %d cards in %d of %d while %d are", s.min, s.max, s.cards, s.set, s.deck, s.inside)
}

// hand is a statement of the shape about cards of x. The set is not the first
// faces of the deck, and the cards that are in it lie between the others.
func (s shape) hand(t testing.TB, x *masking.Secret) Condition {
	t.Helper()
	d := sizedDeck(t, s.deck)
	var set card.Set
	for i := range s.set {
		set = set.AddFace(card.Face((5 + i) % s.deck))
	}
	in, out := set.Faces(), set.Complement(d.PlainDeck()).Faces()
	slices.Reverse(out)
	faces := slices.Concat(out[:s.cards-s.inside], in[:s.inside])
	slices.SortFunc(faces, func(a, b card.Face) int { return int(a*7%11) - int(b*7%11) })
	return Condition{
		Key: x.Key(), Deck: d, Set: set, Min: s.min, Max: s.max,
		Cards: handtest.Mask(t, x.Key(), handtest.FaceElements(d, faces...)...),
	}
}

func mustProve(t testing.TB, x *masking.Secret, s Condition) []byte {
	t.Helper()
	return handtest.MustHave(ProveCondition(handtest.Here, s, x.Scalar(), rand.Reader))
}

func verifyCondition(c transcript.Context, s Condition, bytes []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return s.Verify(c, bytes, b) })
}

// TestShapes: a plan that is not reached by any test, or an honest proof by it
// that is refused, or has another length than planned.
func TestShapes(t *testing.T) {
	x := handtest.Secret(t)
	for _, c := range shapes {
		s := c.hand(t, x)
		testmust.Equal(t, s.Plan().String(), c.plan, c, "plan")
		bytes := mustProve(t, x, s)
		testmust.Equal(t, len(bytes), s.Plan().Size, c, "bytes that are planned")
		testmust.Do(t, verifyCondition(handtest.Here, s, bytes), c)
	}
}

// TestEveryCount: hands of every composition under every pair of bounds: what is
// true is proved and accepted, what is false is not proved.
func TestEveryCount(t *testing.T) {
	x := handtest.Secret(t)
	sizes := []struct{ cards, deck, set int }{{1, 12, 3}, {2, 5, 2}, {3, 9, 6}, {4, 25, 4}, {5, 32, 20}}
	for i := range testmust.ChosenIndexes(t, len(sizes), 5) {
		size := sizes[i]
		for inside := max(0, size.cards-size.deck+size.set); inside <= min(size.cards, size.set); inside++ {
			for low := 0; low <= size.cards; low++ {
				for high := low; high <= size.cards; high++ {
					c := shape{size.cards, size.deck, size.set, low, high, inside, ""}
					s := c.hand(t, x)
					bytes, err := ProveCondition(handtest.Here, s, x.Scalar(), rand.Reader)
					if inside < low || inside > high {
						testmust.Holdf(t, errors.Is(err, proof.ErrFalse) && bytes == nil, "%v: proved (%v)", c, err)
					} else if err := errors.Join(err, verifyCondition(handtest.Here, s, bytes)); err != nil {
						t.Errorf("%v: %v", c, err)
					}
				}
			}
		}
	}
}

// TestOneFaceTwice: two cards with one face, which no deck deals, and which some
// arguments would give away. A prover refuses.
func TestOneFaceTwice(t *testing.T) {
	x := handtest.Secret(t)
	for _, c := range shapes {
		s := c.hand(t, x)
		if len(s.Cards) == 1 {
			continue
		}
		opened := unmaskCards(x, s.Cards)
		for j := range opened {
			twin := s
			twin.Cards = slices.Clone(s.Cards)
			twin.Cards[j] = handtest.Mask(t, x.Key(), opened[(j+1)%len(opened)])[0]
			testmust.FailBy(t, testmust.ErrorOf(ProveCondition(handtest.Here, twin, x.Scalar(), rand.Reader)), proof.ErrFalse, c, "two cards with one face")
		}
	}
}

// TestForeignCard: an honest prover is asked about a card that is not of the deck,
// or not masked under his key.
func TestForeignCard(t *testing.T) {
	x, y := handtest.Secret(t), handtest.Secret(t)
	for _, c := range shapes {
		for _, foreign := range []masking.Card{
			handtest.Mask(t, x.Key(), handtest.Group.HashToElement("no face"))[0],
			handtest.Mask(t, y.Key(), sizedDeck(t, c.deck).Element(1))[0],
		} {
			s := c.hand(t, x)
			s.Cards[0] = foreign
			testmust.FailBy(t, testmust.ErrorOf(ProveCondition(handtest.Here, s, x.Scalar(), rand.Reader)), proof.ErrFalse, c)
		}
	}
}

// TestPartsAreOfOneProof: the permuted hand of one proof with the parts of another
// about the same cards, or the parts of one in another order.
func TestPartsAreOfOneProof(t *testing.T) {
	x := handtest.Secret(t)
	c := shape{6, 12, 6, 3, 3, 3, ""}
	s := c.hand(t, x)
	a, b := mustProve(t, x, s), mustProve(t, x, s)
	plan := s.Plan()
	hand := len(a) - plan.Parts[0].Size - plan.Parts[1].Size
	second := len(a) - plan.Parts[1].Size
	for name, mixed := range map[string][]byte{
		"hand of another":        slices.Concat(a[:hand], b[hand:]),
		"first part of another":  slices.Concat(a[:hand], b[hand:second], a[second:]),
		"second part of another": slices.Concat(a[:second], b[second:]),
		"parts exchanged":        slices.Concat(a[:hand], a[second:], a[hand:second]),
		"cards exchanged":        slices.Concat(a[64:128], a[:64], a[128:]),
	} {
		testmust.Holdf(t, len(mixed) == len(a) && verifyCondition(handtest.Here, s, mixed) != nil, "%s: accepted", name)
	}
}

// TestPositionsAreNotMarked: the permuted hand shows which cards are in the set if
// they keep their order, or if always the same ones of many are taken.
func TestPositionsAreNotMarked(t *testing.T) {
	x := handtest.Secret(t)
	s := shape{6, 12, 6, 2, 4, 3, ""}.hand(t, x)
	if s.Plan().String() != "permuted + inequality + inequality" {
		t.Fatal("the test is built wrong: " + s.Plan().String())
	}
	draw := func() (places [6]int) {
		bytes := mustProve(t, x, s)
		opened := unmaskCards(x, s.Cards)
		for i := range places {
			c := handtest.MustHave(masking.ParseCard(handtest.Group, bytes[64*i:][:64]))
			places[i] = slices.IndexFunc(opened, func(e group.Element) bool { return e.Equal(x.Unmask(c)) })
		}
		return places
	}
	const runs = 120
	var seen [6]map[int]bool
	for i := range seen {
		seen[i] = map[int]bool{}
	}
	for range runs {
		for i, from := range draw() {
			seen[i][from] = true
		}
	}
	for i, want := range []int{3, 3, 6, 6, 3, 3} {
		testmust.Equal(t, len(seen[i]), want, "place", i, "held different cards in", runs, "proofs")
	}
}

// TestNothingRepeats: two parts of a proof, or two proofs about one hand, that blind
// by one factor: then faces of one part are found among the cards of the other. Or an
// element as everybody has it, or a challenge that is left at 0, as of a true branch.
func TestNothingRepeats(t *testing.T) {
	x := handtest.Secret(t)
	for _, c := range shapes {
		s := c.hand(t, x)
		seen := map[string]bool{string(make([]byte, 32)): true}
		for _, e := range append(unmaskCards(x, s.Cards), s.Key.Element(), handtest.Group.Generator()) {
			seen[string(e.Bytes())] = true
		}
		for _, c := range s.Deck.Cards() {
			seen[string(c.B.Bytes())] = true
		}
		for range 2 {
			for b := range slices.Chunk(mustProve(t, x, s), 32) {
				testmust.Holdf(t, !seen[string(b)], "%v: %x occurs twice", c, b)
				seen[string(b)] = true
			}
		}
	}
}

func TestConditionBinding(t *testing.T) {
	statement := func(name string, set card.Set, min, max int) transcript.Statement {
		x, d := handtest.Secret(t), handtest.Deck(t, name, 8)
		return Condition{
			Key: x.Key(), Deck: d, Set: set, Min: min, Max: max,
			Cards: handtest.Mask(t, x.Key(), handtest.FaceElements(d, 0, 1)...),
		}
	}
	prooftest.Binding(t, statement("a", card.Set{1, 2, 3, 4}, 1, 2), statement("b", card.Set{5, 6, 7, 8}, 3, 4))
}

func FuzzVerify(f *testing.F) {
	x := handtest.Secret(f)
	var statements []Condition
	var honest [][]byte
	for i, c := range shapes {
		s := c.hand(f, x)
		bytes := mustProve(f, x, s)
		statements, honest = append(statements, s), append(honest, bytes)
		f.Add(byte(i), bytes)
		f.Add(byte(i), bytes[:len(bytes)/64*32])
	}
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		i := int(which) % len(statements)
		accepted := verifyCondition(handtest.Here, statements[i], b) == nil
		testmust.Holdf(t, accepted == slices.Equal(b, honest[i]), "%v: accepted %v: %x", shapes[i], accepted, b)
	})
}

// about is: of cards of x with these faces of a deck of 42, between min and max are
// in a set.
func about(t *testing.T, x *masking.Secret, set card.Set, min, max int, faces ...card.Face) Condition {
	t.Helper()
	d := sizedDeck(t, 42)
	return Condition{
		Key: x.Key(), Deck: d, Set: set, Min: min, Max: max,
		Cards: handtest.Mask(t, x.Key(), handtest.FaceElements(d, faces...)...),
	}
}

// firstCards returns the first n cards that a proof has.
func firstCards(t *testing.T, proof []byte, n int) []masking.Card {
	t.Helper()
	cards := make([]masking.Card, n)
	for i := range cards {
		cards[i] = testmust.Have(masking.ParseCard(handtest.Group, proof[i*masking.CardSize(handtest.Group):][:masking.CardSize(handtest.Group)]))(t)
	}
	return cards
}

// hedged proves as a machine does that was restored from a snapshot, and unhedged
// does so with nonces that are the same everywhere.
func hedged(t *testing.T, at transcript.Context, x *masking.Secret, s Condition) []byte {
	t.Helper()
	return handtest.MustHave(ProveCondition(at, s, x.Scalar(), handtest.RestoredRandom(1)))
}

func unhedged(t *testing.T, at transcript.Context, x *masking.Secret, s Condition) []byte {
	t.Helper()
	nonces := handtest.MustHave(handtest.TranscriptAt(handtest.Here).Hedge(nil, handtest.RestoredRandom(1)))
	return handtest.MustHave(s.prove(transcript.New(at, s), x.Scalar(), nonces))
}

// TestNoncesOfARestoredMachine: two proofs at two places have a value in common,
// whatever their plan: a blinded face by the same ρ, a response of a branch that is
// simulated, a commitment by the same nonce.
func TestNoncesOfARestoredMachine(t *testing.T) {
	x := handtest.Secret(t)
	for _, c := range shapes {
		s := c.hand(t, x)
		overlap := func(prove func(*testing.T, transcript.Context, *masking.Secret, Condition) []byte) bool {
			seen := map[string]bool{}
			for value := range slices.Chunk(prove(t, handtest.Here, x, s), 32) {
				seen[string(value)] = true
			}
			return slices.ContainsFunc(slices.Collect(slices.Chunk(prove(t, handtest.SlotContext(1), x, s), 32)),
				func(value []byte) bool { return seen[string(value)] })
		}
		testmust.Holdf(t, c.plan == "nothing" || overlap(unhedged), "%v: the attack is built wrong: unhedged proofs have nothing in common", c)
		testmust.Holdf(t, !overlap(hedged), "%v: two proofs have a value in common", c)
	}
}

// TestPermutedHandOfARestoredMachine: two hands are permuted alike and masked by
// the same factors, and everybody reads from where in the hand the first cards
// came, which are those in the set.
func TestPermutedHandOfARestoredMachine(t *testing.T) {
	x := handtest.Secret(t)
	set := card.SetOf(handtest.FaceRange(0, 22)...)
	faces := append(handtest.FaceRange(10, 18), 30)
	s, other := about(t, x, set, 8, 8, faces...), about(t, x, set, 8, 8, faces...)
	testmust.Require(t, s.Plan().Permuted, "the attack is built wrong: the hand is not permuted")
	read := func(prove func(*testing.T, transcript.Context, *masking.Secret, Condition) []byte, at transcript.Context, s2 Condition) map[int]int {
		a, b := firstCards(t, prove(t, handtest.Here, x, s), 9), firstCards(t, prove(t, at, x, s2), 9)
		return linkShuffles(s.Cards, a, s2.Cards, b)
	}
	for _, at := range []transcript.Context{handtest.Here, handtest.SlotContext(1)} {
		order := read(unhedged, at, other)
		testmust.Holdf(t, len(order) == 9 && order[8] == 8, "the attack is built wrong: it reads %v of an unhedged hand", order)
		order = read(hedged, at, other)
		testmust.Holdf(t, len(order) == 0, "the attack reads %v of a permuted hand", order)
	}
	order := read(hedged, handtest.SlotContext(1), s)
	testmust.Holdf(t, len(order) == 0, "the attack reads %v of a hand that is permuted twice", order)
	// Another condition about the same hand.
	less := s
	less.Set = set.AddFace(41)
	order = read(hedged, handtest.Here, less)
	testmust.Holdf(t, len(order) == 0, "the attack reads %v of a hand under two conditions", order)
}
