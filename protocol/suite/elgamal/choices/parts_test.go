package choices

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/elgamal/relations"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// deck is the deck of the tests of single arguments.
var deck = handtest.Deck(&testing.T{}, "test", 42)

// provable is an argument with its proving side, and the cards that it is about.
type provable interface {
	argument
	partProver
	hand() []masking.Card
}

func (s threshold) hand() []masking.Card  { return s.Cards }
func (s inequality) hand() []masking.Card { return s.Cards }
func (s subset) hand() []masking.Card     { return s.Cards }

func masked(t testing.TB, x *masking.Secret, faces ...card.Face) []masking.Card {
	t.Helper()
	return handtest.Mask(t, x.Key(), handtest.FaceElements(deck, faces...)...)
}

func firstFaces(n int) []group.Element {
	return handtest.FaceElements(deck, handtest.FaceRange(0, n)...)
}

// haveNeed is "need of these faces, held by x, are among the first n of the deck".
func haveNeed(t testing.TB, x *masking.Secret, n, need int, faces ...card.Face) threshold {
	t.Helper()
	return threshold{x.Key(), masked(t, x, faces...), firstFaces(n), need}
}

// haveNone is "none of these faces, held by x, is among the first n of the deck".
func haveNone(t testing.TB, x *masking.Secret, n int, faces ...card.Face) inequality {
	t.Helper()
	return inequality{x.Key(), masked(t, x, faces...), firstFaces(n)}
}

// haveAll is "these faces, held by x, are among the first n of the deck".
func haveAll(t testing.TB, x *masking.Secret, n int, faces ...card.Face) subset {
	t.Helper()
	return subset{x.Key(), masked(t, x, faces...), firstFaces(n)}
}

// at is the place of parts in tests.
func at() *transcript.Transcript { return handtest.TranscriptAt(handtest.Here) }

// bound is at, with s absorbed.
func bound(s transcript.Statement) *transcript.Transcript {
	t := at()
	t.Part(s)
	return t
}

func provePart(x *masking.Secret, s provable) ([]byte, error) {
	return s.prove(at(), x.Scalar(), unmaskCards(x, s.hand()), freshNonces())
}

func verifyPart(s provable, bytes []byte) error {
	return handtest.CheckEquations(func(b *group.Batch) error { return s.verify(at(), bytes, b) })
}

// TestFalseParts: an honest prover who is asked to prove what is false, or what would show that two
// cards are equal.
func TestFalseParts(t *testing.T) {
	x := handtest.Secret(t)
	for _, s := range []provable{
		haveNeed(t, x, 2, 1, 5), haveNeed(t, x, 2, 2, 5, 1, 7), haveNeed(t, x, 2, 3, 7, 2, 8, 0, 1),
		haveNone(t, x, 2, 0), haveNone(t, x, 2, 1), haveNone(t, x, 2, 5, 6, 1), haveNone(t, x, 2, 0, 5), haveNone(t, x, 2, 5, 6, 5),
		haveAll(t, x, 4, 4), haveAll(t, x, 4, 0, 4), haveAll(t, x, 4, 5, 6, 7), haveAll(t, x, 4, 1, 1), haveAll(t, x, 4, 0, 1, 2, 1),
	} {
		if b, err := provePart(x, s); !errors.Is(err, proof.ErrFalse) || b != nil {
			t.Errorf("%s: %d bytes, %v", s.Label(), len(b), err)
		}
	}
}

// TestFormlessParts: a statement without meaning that is proved, accepted or panics.
func TestFormlessParts(t *testing.T) {
	x := handtest.Secret(t)
	checkFormless(t, map[string]provable{
		"threshold: none needed":        haveNeed(t, x, 1, 0, 0),
		"threshold: more than all":      haveNeed(t, x, 1, 2, 0),
		"threshold: no faces":           haveNeed(t, x, 0, 1, 0),
		"threshold: no cards":           haveNeed(t, x, 1, 1),
		"inequality: no cards":          haveNone(t, x, 2),
		"inequality: no faces":          haveNone(t, x, 0, 3),
		"subset: no cards":              haveAll(t, x, 2),
		"subset: no faces":              haveAll(t, x, 0, 3),
		"subset: set of one":            haveAll(t, x, 1, 0),
		"subset: more cards than faces": haveAll(t, x, 2, 0, 1, 2),
	}, func(s provable) ([]byte, error) { return provePart(x, s) }, verifyPart)
}

func TestPartsBinding(t *testing.T) {
	faces := func(from card.Face) []group.Element { return handtest.FaceElements(deck, from, from+1) }
	x, y := handtest.Secret(t), handtest.Secret(t)
	hand, other := masked(t, x, 0, 1), masked(t, y, 10, 11)
	prooftest.Binding(t, threshold{x.Key(), hand, faces(2), 1}, threshold{y.Key(), other, faces(12), 2})
	prooftest.Binding(t, inequality{x.Key(), hand, faces(2)}, inequality{y.Key(), other, faces(12)})
	prooftest.Binding(t, subset{x.Key(), hand, faces(2)}, subset{y.Key(), other, faces(12)})
}

// answerAt is the honest prover of rows, who is given the challenge.
func answerAt(rows relations.Linear, c group.Scalar, v, witness []group.Scalar) relations.LinearProof {
	m := relations.LinearProof{T: rows.Commit(v, nil), C: c}
	m.Answer(v, witness)
	return m
}

// expectHolds fails the test if a proof of rows does not hold.
func expectHolds(t testing.TB, what string, rows relations.Linear, m relations.LinearProof) {
	t.Helper()
	handtest.ExpectAccepted(t, what, func(b *group.Batch) { rows.AddEquations(b, m) })
}

func random(t testing.TB) group.Scalar { return handtest.Secret(t).Scalar() }

// TestOneCardTwice: "at least two of three", of one card that is counted twice.
func TestOneCardTwice(t *testing.T) {
	x := handtest.Secret(t)
	s := shape{3, 12, 3, 1, 3, 1, ""}.hand(t, x)
	inside := -1
	for j, m := range unmaskCards(x, s.Cards) {
		if f, _ := s.Deck.Face(masking.Card{A: m, B: m}); s.Set.Has(f) {
			inside = j
		}
	}
	other := (inside + 1) % 3
	s.Cards, s.Min = []masking.Card{s.Cards[inside], s.Cards[inside], s.Cards[other]}, 2
	count := threshold{s.Key, s.Cards, handtest.FaceElements(s.Deck, s.Set.Faces()...), 2}
	proof := testmust.Have(count.prove(transcript.New(handtest.Here, s), x.Scalar(), unmaskCards(x, s.Cards), freshNonces()))(t, "the attack is built wrong")
	testmust.Fail(t, verifyCondition(handtest.Here, s, proof), "accepted")
}

// unmaskCards returns what x reads from cards.
func unmaskCards(x *masking.Secret, cards []masking.Card) []group.Element {
	var list []group.Element
	for _, c := range cards {
		list = append(list, x.Unmask(c))
	}
	return list
}

// checkFormless fails the test if a statement without meaning is proved, or accepted with some number
// of zeros. That none panics is tried by it, too.
func checkFormless[S any](t testing.TB, statements map[string]S, prove func(S) ([]byte, error), verify func(S, []byte) error) {
	t.Helper()
	for name, s := range statements {
		b, err := prove(s)
		testmust.Holdf(t, err != nil, "%s: proved by %d bytes", name, len(b))
		for n := range 30 {
			testmust.Holdf(t, verify(s, make([]byte, 32*n)) != nil, "%s: accepted with %d bytes", name, 32*n)
		}
	}
}

//go:generate go test -run TestTable -update .

// tablePath is the table of choices in the specification.
const tablePath = "../../../../docs/spec/45-choices.md"

const preface = `# 45a Choices of conditions

Generated by ` + "`go generate ./protocol/suite/elgamal/choices`" + ` from ` + "`choices.Choose`" + `; explained in
[45-conditions](45-conditions.md). A row is for k cards and a bound, of a deck of N
faces; its entries are ranges of |S|, from the smallest set for which it can hold to
the largest for which it says anything, with the
arguments and the sizes in bytes of the first and last proof of the range. T is
threshold, I inequality, S subset, P the permuted hand before them.

`

// TestTable: a choice that changes unnoticed, so that provers and verifiers of two
// versions disagree.
func TestTable(t *testing.T) {
	testmust.Same(t, tablePath, table())
}

func table() string {
	var b strings.Builder
	b.WriteString(preface)
	for _, kind := range []struct {
		title, bound string
		first        int // smallest k
		bounds       func(k int) [][2]int
	}{
		{"All of k cards are in S", "all", 1, func(k int) [][2]int { return [][2]int{{k, k}} }},
		{"At least j of k cards are in S", "j", 2, func(k int) (list [][2]int) {
			for j := 1; j < k; j++ {
				list = append(list, [2]int{j, k})
			}
			return list
		}},
		{"Exactly j of k cards are in S", "j", 2, func(k int) (list [][2]int) {
			for j := 1; j < k; j++ {
				list = append(list, [2]int{j, j})
			}
			return list
		}},
	} {
		fmt.Fprintf(&b, "## %s\n\n", kind.title)
		for _, deck := range []int{25, 32, 42, 52} {
			fmt.Fprintf(&b, "### N = %d\n\n| k | %s | choices |\n|--:|--:|---|\n", deck, kind.bound)
			for k := kind.first; k <= 12; k++ {
				for _, bound := range kind.bounds(k) {
					fmt.Fprintf(&b, "| %d | %d | %s |\n", k, bound[0], row(k, deck, bound[0], bound[1]))
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// row joins sets of neighbouring sizes that are proved alike. Sets that are too
// small or too large for the bounds are left out.
func row(k, deck, low, high int) string {
	var parts []string
	most := deck - max(k-high, 1)
	for set := low; set <= most; {
		end := set
		plan := Choose(handtest.Group, k, deck, set, low, high)
		for end < most && Choose(handtest.Group, k, deck, end+1, low, high).String() == plan.String() {
			end++
		}
		last := Choose(handtest.Group, k, deck, end, low, high)
		if set == end {
			parts = append(parts, fmt.Sprintf("%d: %s %d", set, short(plan), plan.Size))
		} else {
			parts = append(parts, fmt.Sprintf("%d–%d: %s %d–%d", set, end, short(plan), plan.Size, last.Size))
		}
		set = end + 1
	}
	return strings.Join(parts, "; ")
}

func short(p Plan) string {
	return strings.NewReplacer("threshold", "T", "inequality", "I", "subset", "S", "permuted", "P", " + ", "+").Replace(p.String())
}

// TestChoice: for every condition on up to 12 cards of a small deck, a choice that is longer than
// another sound one by more than a fast one may be, by a second count of all of them; and parts that
// are all true of the first cards and the last of a hand, and less than the condition is. Extractors
// of the shuffle and of the parts give the rest (their TestExtract).
func TestChoice(t *testing.T) {
	const deck = 13
	for k := 1; k <= 12; k++ {
		for set := 1; set < deck; set++ {
			for low := 0; low <= k; low++ {
				for high := low; high <= k; high++ {
					got := Choose(handtest.Group, k, deck, set, low, high)
					testmust.Equal(t, 32*words(k, deck, set, low, high), got.Size, low, "..", high, "of", k, "in", set, "of", deck, got, "bytes")
					least, most := shown(got, k)
					testmust.Holdf(t, least >= low && most <= high, "%d..%d of %d in %d of %d: the parts show %d to %d", low, high, k, set, deck, least, most)
				}
			}
		}
	}
}

// shown are the bounds that the parts of a proof about k cards show.
func shown(p Plan, k int) (least, most int) {
	most = k
	for _, part := range p.Parts {
		if part.Inside {
			least = part.Need
		} else {
			most = k - part.Need
		}
	}
	return least, most
}

// words returns the length of the proof in words of 32 bytes, by the formulas of
// docs/spec/45-conditions.md.
func words(k, deck, set, low, high int) int {
	threshold := func(k, t, f int) int { return k - t + 1 + k*(2*f-1) }
	all := func(k, f int) int {
		size := k + deck - f + 5
		if f >= k && f >= 2 {
			size = min(size, 3*f+15+2*(f-k))
		}
		if direct := threshold(k, k, f); 4*size >= 5*direct {
			return direct
		}
		return size
	}
	direct, permuted, some := 0, 5*k+10, false
	for _, b := range [][2]int{{low, set}, {k - high, deck - set}} {
		if b[0] == 0 {
			continue
		}
		permuted += all(b[0], b[1])
		if b[0] == k {
			direct += all(k, b[1])
		} else {
			direct += threshold(k, b[0], b[1])
			some = true
		}
	}
	if some && 4*permuted < 5*direct {
		return permuted
	}
	return min(direct, permuted)
}

// TestByClass: a thing that is lost or doubled, or put with those of another
// class, against the standard library's stable sort.
func TestByClass(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		order, class := make([]uint16, n), make([]int, n)
		for i, j := range r.Perm(n) {
			order[i], class[i] = uint16(j), r.IntN(3)
		}
		want := slices.Clone(order)
		slices.SortStableFunc(want, func(a, b uint16) int { return cmp.Compare(class[a], class[b]) })
		got := byClass(order, class)
		testmust.Holdf(t, slices.Equal(got, want), "order %v, classes %v: got %v, want %v", order, class, got, want)
	}
}
