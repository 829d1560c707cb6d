package prooftest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// arrangingSecret is the secret of seat 1, if the suite proves Arrange and Mint; nil if not.
func (w *world) arrangingSecret() proof.Arranger {
	w.t.Helper()
	if !proof.Proves(w.suite, "arrange") && !proof.Proves(w.suite, "mint") {
		return nil
	}
	x, err := proof.ArrangerOf(w.secrets[1])
	w.failOnError(err)
	return x
}

// arrangedProofs returns small proofs of Arrange and Mint; none if the suite proves neither.
func (w *world) arrangedProofs() []provedStatement {
	w.t.Helper()
	if w.arrangingSecret() == nil {
		return nil
	}
	return []provedStatement{
		w.proveArrangement(proof.Cut, 1, true), w.proveArrangement(proof.Cut, 4, false), w.proveArrangement(proof.Insert, 3, true),
		w.proveMint(0), w.proveMint(3, 1, 4),
	}
}

// proveArrangement proves an arrangement of n cards, open or shuffled.
func (w *world) proveArrangement(f proof.Family, n int, open bool) provedStatement {
	w.t.Helper()
	in := w.deck.Cards()[:n]
	if !open {
		in = w.shuffleCards(w.deck.Cards())[:n]
	}
	x := w.arrangingSecret()
	out, wit, err := x.Arrange(w.honestPlace().context(), f, w.joint, in, w.rand)
	w.failOnError(err)
	return w.proveHere(fmt.Sprintf("%s of %d", f, n), x, proof.Arrange{Family: f, Key: w.joint, In: in, Out: out}, wit)
}

// proveMint proves a new card of the first of faces; the statement names the others too.
func (w *world) proveMint(faces ...card.Face) provedStatement {
	w.t.Helper()
	x, set := w.arrangingSecret(), card.SetOf(faces...)
	c, wit, err := x.Mint(w.honestPlace().context(), w.joint, w.deck, faces[0], set, w.rand)
	w.failOnError(err)
	return w.proveHere(fmt.Sprintf("mint of one of %d", len(faces)), x, proof.Mint{Key: w.joint, Deck: w.deck, Card: c, Set: set}, wit)
}

// readFace returns the face of a card under the joint key.
func (w *world) readFace(c proof.MaskedCard) card.Face {
	w.t.Helper()
	f, ok := w.deck.Face(w.stripTokens(c, w.secrets...))
	if !ok {
		w.t.Fatal("a card has no face")
	}
	return f
}

// testArranged: a pile that comes out in an order that its family forbids, or always in the same order;
// and a new card with another face than it was made of.
func testArranged(w *world) {
	if w.arrangingSecret() == nil {
		w.t.Skip("the suite does not arrange")
	}
	orders := map[proof.Family]map[string]bool{}
	for _, f := range []proof.Family{proof.Cut, proof.Insert} {
		orders[f] = map[string]bool{}
		for n := 1; n <= 4; n++ {
			tries := 8 * n
			if w.isSlow() {
				tries = 1
			}
			w.failOnError(w.verifyAlone(w.proveArrangement(f, n, true)))
			for range tries {
				out, _, err := w.arrangingSecret().Arrange(w.honestPlace().context(), f, w.joint, w.deck.Cards()[:n], w.rand)
				w.failOnError(err)
				var order []int
				for _, c := range out {
					order = append(order, int(w.readFace(c)))
				}
				if !slices.ContainsFunc(familyOrders(f, n), func(o []int) bool { return slices.Equal(o, order) }) {
					w.t.Errorf("%s of %d: %v", f, n, order)
				}
				orders[f][fmt.Sprint(order)] = true
			}
		}
		if len(orders[f]) != 1+2+3+4 && !w.isSlow() {
			w.t.Errorf("%s: orders %v", f, orders[f])
		}
	}
	last := card.Face(w.faces.Len() - 1)
	w.failOnError(w.verifyAlone(w.proveMint(1, 0, 5, last)))
	for f := range last + 1 {
		c, _, err := w.arrangingSecret().Mint(w.honestPlace().context(), w.joint, w.deck, f, card.SetOf(f, 0, 5, last), w.rand)
		w.failOnError(err)
		if got := w.readFace(c); got != f {
			w.t.Errorf("a card of face %d shows %d", f, got)
		}
	}
}

// familyOrders lists the orders of n cards of a family.
func familyOrders(f proof.Family, n int) (list [][]int) {
	for k := range n {
		var order []int
		for i := range n {
			order = append(order, (i+k)%n)
		}
		if f == proof.Insert {
			order = slices.Insert(slices.DeleteFunc(slices.Sorted(slices.Values(order)), func(i int) bool { return i == n-1 }), k, n-1)
		}
		list = append(list, order)
	}
	return list
}

// testArrangedFalse: a seat that arranges or mints otherwise than it says gets a proof; and a random
// source that repeats itself, or has run out, gives a mask again.
func testArrangedFalse(w *world) {
	x := w.arrangingSecret()
	if x == nil {
		w.t.Skip("the suite does not arrange")
	}
	in, here := w.shuffleCards(w.deck.Cards())[:3], w.honestPlace().context()
	out, cut, err := x.Arrange(here, proof.Cut, w.joint, in, w.rand)
	w.failOnError(err)
	swapped := []proof.MaskedCard{out[1], out[0], out[2]}
	c, minted, err := x.Mint(here, w.joint, w.deck, 1, card.SetOf(1, 2), w.rand)
	w.failOnError(err)
	for _, f := range []falseStatement{
		{"another order", proof.Arrange{Family: proof.Cut, Key: w.joint, In: in, Out: swapped}, cut},
		{"another family", proof.Arrange{Family: proof.Insert, Key: w.joint, In: in, Out: out}, cut},
		{"another key", proof.Arrange{Family: proof.Cut, Key: w.keys[1], In: in, Out: out}, cut},
		{"no witness", proof.Arrange{Family: proof.Cut, Key: w.joint, In: in, Out: out}, nil},
		{"another card", proof.Mint{Key: w.joint, Deck: w.deck, Card: in[0], Set: card.SetOf(1, 2)}, minted},
		{"other faces", proof.Mint{Key: w.joint, Deck: w.deck, Card: c, Set: card.SetOf(2, 3)}, minted},
		{"a witness of a cut", proof.Mint{Key: w.joint, Deck: w.deck, Card: c, Set: card.SetOf(1, 2)}, cut},
	} {
		if b, err := x.Prove(here, f.statement, f.witness, w.rand); !errors.Is(err, proof.ErrFalse) || b != nil {
			w.t.Errorf("%s: got %d bytes and %v, want ErrFalse", f.name, len(b), err)
		}
	}
	if _, _, err := x.Mint(here, w.joint, w.deck, 3, card.SetOf(1, 2), w.rand); err == nil {
		w.t.Error("a card outside the set is minted")
	}
	if _, _, err := x.Arrange(here, proof.Cut, w.joint, in, drySource{}); !errors.Is(err, errDry) {
		w.t.Errorf("a cut without randomness: %v", err)
	}
	if _, _, err := x.Mint(here, w.joint, w.deck, 1, card.SetOf(1), drySource{}); !errors.Is(err, errDry) {
		w.t.Errorf("a new card without randomness: %v", err)
	}
}

// testRestoredArrangements: a random source that repeats itself gives one mask at two places, and the
// difference of two cards tells what they are; or it gives one proof a value of another, and a nonce
// under two challenges tells the witness.
func testRestoredArrangements(w *world) {
	x := w.arrangingSecret()
	if x == nil {
		w.t.Skip("the suite does not arrange")
	}
	in := w.deck.Cards()[:4]
	draw := func(at place, face card.Face) ([]proof.MaskedCard, [][]byte) {
		out, cut, err := x.Arrange(at.context(), proof.Cut, w.joint, in, restoredRandom(1))
		w.failOnError(err)
		c, minted, err := x.Mint(at.context(), w.joint, w.deck, face, card.SetOf(1, 2), restoredRandom(1))
		w.failOnError(err)
		first, err := x.Prove(at.context(), proof.Arrange{Family: proof.Cut, Key: w.joint, In: in, Out: out}, cut, restoredRandom(1))
		w.failOnError(err)
		second, err := x.Prove(at.context(), proof.Mint{Key: w.joint, Deck: w.deck, Card: c, Set: card.SetOf(1, 2)}, minted, restoredRandom(1))
		w.failOnError(err)
		return append(out, c), [][]byte{first, second}
	}
	cards, proofs := draw(w.honestPlace(), 1)
	same, _ := draw(w.honestPlace(), 1)
	if !bytes.Equal(encodeCards(cards...), encodeCards(same...)) {
		w.t.Error("masks are not a function of secret, place, statement and randomness")
	}
	if other, _ := draw(w.honestPlace(), 2); w.shareValue(cards[4:], other[4:]) {
		w.t.Error("cards of two faces have one mask")
	}
	for _, e := range otherPlaces(w.honestPlace()) {
		other, otherProofs := draw(e.value, 1)
		if w.shareValue(cards, other) {
			w.t.Errorf("at %s: a mask again", e.name)
		}
		for i := range proofs {
			for at := 0; at < len(proofs[i]); at += field {
				if bytes.Contains(otherProofs[i], proofs[i][at:at+field]) {
					w.t.Errorf("at %s: proofs have a value in common", e.name)
				}
			}
		}
	}
}
