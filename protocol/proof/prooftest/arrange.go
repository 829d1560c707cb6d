package prooftest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// arranger is the secret of seat 1, if the suite proves Arrange and Mint; nil if not.
func (w *world) arranger() proof.Arranger {
	w.t.Helper()
	if !proof.Proves(w.suite, "arrange") && !proof.Proves(w.suite, "mint") {
		return nil
	}
	x, err := proof.ArrangerOf(w.secrets[1])
	w.fatal(err)
	return x
}

// arranged returns small proofs of Arrange and Mint; none of a suite without.
func (w *world) arranged() []proved {
	w.t.Helper()
	if w.arranger() == nil {
		return nil
	}
	return []proved{
		w.arrange(proof.Cut, 1, true), w.arrange(proof.Cut, 4, false), w.arrange(proof.Insert, 3, true),
		w.mint(0), w.mint(3, 1, 4),
	}
}

// arrange is an arrangement of n cards, open or shuffled.
func (w *world) arrange(f proof.Family, n int, open bool) proved {
	w.t.Helper()
	in := w.deck.Cards()[:n]
	if !open {
		in = w.shuffled(w.deck.Cards())[:n]
	}
	x := w.arranger()
	out, wit, err := x.Arrange(w.here().context(), f, w.joint, in, w.rand)
	w.fatal(err)
	return w.prove(fmt.Sprintf("%s of %d", f, n), x, proof.Arrange{Family: f, Key: w.joint, In: in, Out: out}, wit)
}

// mint is a new card of the first of faces, of which the others are told too.
func (w *world) mint(faces ...card.Face) proved {
	w.t.Helper()
	x, set := w.arranger(), card.SetOf(faces...)
	c, wit, err := x.Mint(w.here().context(), w.joint, w.deck, faces[0], set, w.rand)
	w.fatal(err)
	return w.prove(fmt.Sprintf("mint of one of %d", len(faces)), x, proof.Mint{Key: w.joint, Deck: w.deck, Card: c, Set: set}, wit)
}

// read returns the face of a card under the joint key.
func (w *world) read(c proof.Masked) card.Face {
	w.t.Helper()
	f, ok := w.deck.Face(w.stripped(c, w.secrets...))
	if !ok {
		w.t.Fatal("a card has no face")
	}
	return f
}

// testArranged: a pile that comes out otherwise than its family allows, or always the
// same; and a new card that has another face than it was made of.
func testArranged(w *world) {
	if w.arranger() == nil {
		w.t.Skip("the suite does not arrange")
	}
	orders := map[proof.Family]map[string]bool{}
	for _, f := range []proof.Family{proof.Cut, proof.Insert} {
		orders[f] = map[string]bool{}
		for n := 1; n <= 4; n++ {
			tries := 8 * n
			if w.slow() {
				tries = 1
			}
			w.fatal(w.accepts(w.arrange(f, n, true)))
			for range tries {
				out, _, err := w.arranger().Arrange(w.here().context(), f, w.joint, w.deck.Cards()[:n], w.rand)
				w.fatal(err)
				var order []int
				for _, c := range out {
					order = append(order, int(w.read(c)))
				}
				if !slices.ContainsFunc(family(f, n), func(o []int) bool { return slices.Equal(o, order) }) {
					w.t.Errorf("%s of %d: %v", f, n, order)
				}
				orders[f][fmt.Sprint(order)] = true
			}
		}
		if len(orders[f]) != 1+2+3+4 && !w.slow() {
			w.t.Errorf("%s: orders %v", f, orders[f])
		}
	}
	last := card.Face(w.faces.Len() - 1)
	w.fatal(w.accepts(w.mint(1, 0, 5, last)))
	for f := range last + 1 {
		c, _, err := w.arranger().Mint(w.here().context(), w.joint, w.deck, f, card.SetOf(f, 0, 5, last), w.rand)
		w.fatal(err)
		if got := w.read(c); got != f {
			w.t.Errorf("a card of face %d shows %d", f, got)
		}
	}
}

// family lists the orders of n cards of a family.
func family(f proof.Family, n int) (list [][]int) {
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

// testArrangedFalse: who arranges or mints otherwise than is said gets a proof; and a
// random source that repeats itself, or has run out, gives a mask again.
func testArrangedFalse(w *world) {
	x := w.arranger()
	if x == nil {
		w.t.Skip("the suite does not arrange")
	}
	in, here := w.shuffled(w.deck.Cards())[:3], w.here().context()
	out, cut, err := x.Arrange(here, proof.Cut, w.joint, in, w.rand)
	w.fatal(err)
	swapped := []proof.Masked{out[1], out[0], out[2]}
	c, minted, err := x.Mint(here, w.joint, w.deck, 1, card.SetOf(1, 2), w.rand)
	w.fatal(err)
	for _, f := range []untrue{
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
	if _, _, err := x.Arrange(here, proof.Cut, w.joint, in, dry{}); !errors.Is(err, errDry) {
		w.t.Errorf("a cut without randomness: %v", err)
	}
	if _, _, err := x.Mint(here, w.joint, w.deck, 1, card.SetOf(1), dry{}); !errors.Is(err, errDry) {
		w.t.Errorf("a new card without randomness: %v", err)
	}
}

// testRestoredArrangements: at two places a random source that repeats itself gives one
// mask, and the difference of two cards tells what they are; or one proof a value of
// another, and a nonce under two challenges the witness.
func testRestoredArrangements(w *world) {
	x := w.arranger()
	if x == nil {
		w.t.Skip("the suite does not arrange")
	}
	in := w.deck.Cards()[:4]
	draw := func(at place, face card.Face) ([]proof.Masked, [][]byte) {
		out, cut, err := x.Arrange(at.context(), proof.Cut, w.joint, in, again(1))
		w.fatal(err)
		c, minted, err := x.Mint(at.context(), w.joint, w.deck, face, card.SetOf(1, 2), again(1))
		w.fatal(err)
		first, err := x.Prove(at.context(), proof.Arrange{Family: proof.Cut, Key: w.joint, In: in, Out: out}, cut, again(1))
		w.fatal(err)
		second, err := x.Prove(at.context(), proof.Mint{Key: w.joint, Deck: w.deck, Card: c, Set: card.SetOf(1, 2)}, minted, again(1))
		w.fatal(err)
		return append(out, c), [][]byte{first, second}
	}
	cards, proofs := draw(w.here(), 1)
	same, _ := draw(w.here(), 1)
	if !bytes.Equal(encode(cards...), encode(same...)) {
		w.t.Error("masks are not a function of secret, place, statement and randomness")
	}
	if other, _ := draw(w.here(), 2); w.shareValue(cards[4:], other[4:]) {
		w.t.Error("cards of two faces have one mask")
	}
	for _, e := range elsewhere(w.here()) {
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
