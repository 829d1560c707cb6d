package prooftest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// testCompleteness: a player who keeps to the rules is refused at some size.
func testCompleteness(w *world) {
	w = newWorld(w.t, w.suite, 60)
	all := w.honestProofs()
	shuffles, tokens := []int{2, 3, 20, 32, 52}, []int{2, 9, 33}
	if w.isSlow() {
		shuffles, tokens = shuffles[:2], tokens[:2]
	} else if !testmust.Thorough() && len(w.proveShuffle(2, true).proof) > 4096 {
		shuffles = shuffles[:2] // proofs of many rounds are slow to check
	}
	for _, n := range shuffles {
		all = append(all, w.proveShuffle(n, n%2 == 0))
	}
	for _, n := range tokens {
		all = append(all, w.proveReveal(n))
	}
	for n := 1; n <= 4; n++ {
		for inside := 0; inside <= n; inside++ {
			for min := 0; min <= inside; min++ {
				max := inside + (n-inside)*(min%2)
				all = append(all, w.proveCondition(n, inside, 2, min, max))
			}
		}
	}
	batch := w.suite.NewBatch()
	for i, p := range onlyProved(all...) {
		if err := w.verifyAlone(p); err != nil {
			w.t.Errorf("%s: honest proof is refused: %v", p.name, err)
		}
		batch.Label(uint64(i))
		if err := w.suite.Verify(p.at.context(), p.statement, p.proof, batch); err != nil {
			w.t.Errorf("%s: honest proof is refused in a batch: %v", p.name, err)
		}
	}
	if err := batch.Check(); err != nil {
		w.t.Errorf("batch of honest proofs: %v", err)
	}
}

// testDeal: cards that went through every step do not have the faces of the deck, each once, or the
// wrong seats can read them.
func testDeal(w *world) {
	cards := w.deck.Cards()
	for i := range w.secrets {
		out, wit, err := w.secrets[i].Shuffle(w.honestPlace().context(), w.joint, cards, w.rand)
		w.failOnError(err)
		if err := w.verifyAlone(w.proveHere("shuffle", w.secrets[i], proof.Shuffle{Key: w.joint, By: w.keys[i], In: cards, Out: out}, wit)); err != nil {
			w.t.Fatal(err)
		}
		cards = out
	}
	var seen card.Set
	for _, c := range cards {
		a := w.stripTokens(c, w.secrets[0])
		b := w.stripTokens(a, w.secrets[1])
		if _, ok := w.deck.Face(a); ok {
			w.t.Fatal("one token is enough to read a card")
		}
		if _, ok := w.deck.Face(b); ok {
			w.t.Fatal("two of three tokens are enough to read a card")
		}
		f, ok := w.deck.Face(w.stripTokens(b, w.secrets[2]))
		if !ok || seen.Has(f) {
			w.t.Fatalf("face %d: found %v, seen before %v", f, ok, seen.Has(f))
		}
		seen = seen.AddFace(f)
	}
	if w.provesRelation("transfer") {
		w.passOn(cards[0])
	}
}

// passOn hands a card on from seat 0 to 1 to 2, who opens it.
func (w *world) passOn(c proof.MaskedCard) {
	w.t.Helper()
	c = w.stripTokens(c, w.secrets[1:]...)
	want, _ := w.deck.Face(w.enc.Strip(c, w.secrets[0].Token(c)))
	for from := range 2 {
		next, wit, err := w.secrets[from].Transfer(w.honestPlace().context(), c, w.keys[from+1], w.rand)
		w.failOnError(err)
		s := proof.Transfer{From: w.keys[from], To: w.keys[from+1], Old: c, New: next}
		if err := w.verifyAlone(w.proveHere("transfer", w.secrets[from], s, wit)); err != nil {
			w.t.Fatal(err)
		}
		if _, ok := w.deck.Face(w.enc.Strip(next, w.secrets[from].Token(next))); ok {
			w.t.Fatal("who handed a card over can still open it")
		}
		c = next
	}
	if got, ok := w.deck.Face(w.enc.Strip(c, w.secrets[2].Token(c))); !ok || got != want {
		w.t.Fatalf("card handed on twice: face %d (%v), want %d", got, ok, want)
	}
}

// testFalse: a seat asked to prove something false gets bytes that it could send, instead of ErrFalse.
func testFalse(w *world) {
	for _, c := range w.falseStatements() {
		bytes, err := w.secrets[1].Prove(w.honestPlace().context(), c.statement, c.witness, w.rand)
		if !errors.Is(err, proof.ErrFalse) || bytes != nil {
			w.t.Errorf("%s: got %d bytes and %v, want ErrFalse", c.name, len(bytes), err)
		}
	}
}

type falseStatement struct {
	name      string
	statement proof.Statement
	witness   proof.Witness
}

// falseStatements returns statements that are false for seat 1.
func (w *world) falseStatements() []falseStatement {
	hand, faces := w.dealHand(1, 3)
	var moved proof.MaskedCard
	var wit proof.Witness
	var err error
	if w.provesRelation("transfer") {
		moved, wit, err = w.secrets[1].Transfer(w.honestPlace().context(), hand[0], w.keys[2], w.rand)
		w.failOnError(err)
	}
	out, shuffleWit, err := w.secrets[1].Shuffle(w.honestPlace().context(), w.keys[1], hand, w.rand)
	w.failOnError(err)
	list := []falseStatement{
		{"key of another seat", proof.Ownership{Key: w.keys[0]}, nil},
		{"token of another card", proof.Reveal{Key: w.keys[1], Cards: hand[:1], Tokens: []proof.Token{w.secrets[1].Token(hand[1])}}, nil},
		{"token by another secret", proof.Reveal{Key: w.keys[1], Cards: hand[:1], Tokens: []proof.Token{w.secrets[0].Token(hand[0])}}, nil},
		{"another card handed over", proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[1], New: moved}, wit},
		{"transfer without witness", proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[0], New: moved}, nil},
		{"shuffle with a card changed", proof.Shuffle{Key: w.keys[1], By: w.keys[1], In: hand, Out: append([]proof.MaskedCard{out[1]}, out[1:]...)}, shuffleWit},
		{"shuffle without witness", proof.Shuffle{Key: w.keys[1], By: w.keys[1], In: hand, Out: out}, nil},
	}
	for _, c := range []struct{ min, max, inside int }{{3, 3, 2}, {0, 0, 1}, {0, 1, 2}, {2, 2, 3}, {1, 3, 0}} {
		set := card.SetOf(faces[:c.inside]...)
		if c.inside == 0 {
			set = card.SetOf(faces...).Complement(w.faces)
		}
		list = append(list, falseStatement{
			fmt.Sprintf("%d..%d while there are %d", c.min, c.max, c.inside),
			proof.Condition{Key: w.keys[1], Deck: w.deck, Cards: hand, Set: set, Min: c.min, Max: c.max}, nil,
		})
	}
	return slices.DeleteFunc(list, func(u falseStatement) bool { return !w.provesRelation(proof.RelationName(u.statement)) })
}
