package prooftest

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// restoredRandom is the randomness of a machine restored from a snapshot: always the same bytes from
// the beginning, and other bytes for another snapshot.
func restoredRandom(snapshot byte) io.Reader { return rand.NewChaCha8([32]byte{snapshot}) }

// testRestoredMasks: a random source that repeats itself gives one order or one factor at two places,
// from two secrets or to two statements. Then everybody can learn it from the differences of the cards.
func testRestoredMasks(w *world) {
	for _, repeated := range w.repeatedMasks(func(x proof.Secret) proof.Secret { return x }) {
		w.t.Error(repeated)
	}
	things := 2 // an order and a mask
	if w.locks {
		things = 1
	}
	if len(w.repeatedMasks(func(x proof.Secret) proof.Secret { return unplacedSecret{x} })) < things*len(otherPlaces(place{})) {
		w.t.Error("the attack is built wrong: masks that depend on no place pass it")
	}
}

// unplacedSecret is a secret whose masks do not depend on the place.
type unplacedSecret struct{ proof.Secret }

func (x unplacedSecret) Shuffle(_ transcript.Context, k proof.Key, in []proof.MaskedCard, rand io.Reader) ([]proof.MaskedCard, proof.Witness, error) {
	return x.Secret.Shuffle(place{}.context(), k, in, rand)
}

func (x unplacedSecret) Transfer(_ transcript.Context, old proof.MaskedCard, to proof.Key, rand io.Reader) (proof.MaskedCard, proof.Witness, error) {
	return x.Secret.Transfer(place{}.context(), old, to, rand)
}

// maskDrawing is a shuffle of in under key, and a hand-over of old to another key.
type maskDrawing struct {
	name    string
	by      proof.Secret
	at      place
	key     proof.Key
	readers []proof.Secret // those who can read what is masked under key
	in      []proof.MaskedCard
	old     proof.MaskedCard
	to      proof.Key
}

// drawMasks returns the cards after the shuffle, and the card handed over if the suite hands cards
// over.
func (d maskDrawing) drawMasks(w *world, snapshot byte) (out, moved []proof.MaskedCard) {
	w.t.Helper()
	out, _, err := d.by.Shuffle(d.at.context(), d.key, d.in, restoredRandom(snapshot))
	w.failOnError(err)
	if !w.provesRelation("transfer") {
		return out, nil
	}
	c, _, err := d.by.Transfer(d.at.context(), d.old, d.to, restoredRandom(snapshot))
	w.failOnError(err)
	return out, []proof.MaskedCard{c}
}

// shuffleOrder is the permutation of a shuffle of open cards.
func (d maskDrawing) shuffleOrder(w *world, out []proof.MaskedCard) (order []int) {
	w.t.Helper()
	for _, c := range out {
		f, ok := w.deck.Face(w.stripTokens(c, d.readers...))
		if !ok {
			w.t.Fatal("a card after a shuffle has no face")
		}
		open := w.deck.Cards()[f].Bytes()
		order = append(order, slices.IndexFunc(d.in, func(c proof.MaskedCard) bool { return bytes.Equal(c.Bytes(), open) }))
	}
	return order
}

// repeatedMasks lists what x draws again at another place, by another secret, or for another statement.
// All of them shuffle open cards, whose faces tell the order.
func (w *world) repeatedMasks(x func(proof.Secret) proof.Secret) (list []string) {
	w.t.Helper()
	hand, _ := w.dealHand(1, 2)
	here := maskDrawing{"here", x(w.secrets[1]), w.honestPlace(), w.joint, w.secrets, w.deck.Cards(), hand[0], w.keys[2]}
	less, key, by := here, here, here
	less.name, less.in, less.old = "of other cards", slices.Concat(here.in[1:], here.in[:1]), hand[1]
	key.name, key.key, key.readers, key.to = "under another key", w.keys[1], w.secrets[1:2], w.keys[0]
	by.name, by.by = "by another secret", x(w.secrets[0])
	all := []maskDrawing{less, key, by}
	if w.locks { // there is no other key, and whoever shuffled a card reads it
		here.readers, less.readers, by.readers = w.secrets[1:2], w.secrets[1:2], w.secrets[:1]
		all = []maskDrawing{less, by}
	}
	for _, e := range otherPlaces(here.at) {
		d := here
		d.name, d.at = "at "+e.name, e.value
		all = append(all, d)
	}
	out, moved := here.drawMasks(w, 1)
	order := here.shuffleOrder(w, out)
	for _, d := range all {
		otherOut, otherMoved := d.drawMasks(w, 1)
		if slices.Equal(order, d.shuffleOrder(w, otherOut)) {
			list = append(list, "a shuffle "+d.name+" has the same order")
		}
		if !w.locks && w.shareValue(out, otherOut) { // a lock is the same at every place
			list = append(list, "a shuffle "+d.name+" has a mask again")
		}
		if w.shareValue(moved, otherMoved) {
			list = append(list, "a hand-over "+d.name+" has its mask again")
		}
	}
	return list
}

// shareValue reports whether cards of both lists contain one value. The part that says under which keys
// a card is does not count.
func (w *world) shareValue(a, b []proof.MaskedCard) bool {
	known := map[string]bool{}
	for _, k := range append(w.keys[:len(w.keys):len(w.keys)], w.joint) {
		for v := range slices.Chunk(k.Bytes(), field) {
			known[string(v)] = true
		}
	}
	seen := map[string]bool{}
	for _, c := range a {
		for v := range slices.Chunk(c.Bytes(), field) {
			seen[string(v)] = !known[string(v)]
		}
	}
	for _, c := range b {
		for v := range slices.Chunk(c.Bytes(), field) {
			if len(v) == field && seen[string(v)] {
				return true
			}
		}
	}
	return false
}

// testFreshMasks: a mask can be predicted by somebody who knows the places of a secret, or depends on
// more than is specified.
func testFreshMasks(w *world) {
	hand, _ := w.dealHand(1, 1)
	here := maskDrawing{"here", w.secrets[1], w.honestPlace(), w.joint, w.secrets, w.deck.Cards(), hand[0], w.keys[2]}
	if w.locks {
		here.readers = w.secrets[1:2]
	}
	out, moved := here.drawMasks(w, 1)
	same, sameMoved := here.drawMasks(w, 1)
	if !bytes.Equal(encodeCards(out...), encodeCards(same...)) || !bytes.Equal(encodeCards(moved...), encodeCards(sameMoved...)) {
		w.t.Error("masks are not a function of secret, place, statement and randomness")
	}
	other, otherMoved := here.drawMasks(w, 2)
	if !w.locks && w.shareValue(out, other) || slices.Equal(here.shuffleOrder(w, out), here.shuffleOrder(w, other)) ||
		w.shareValue(moved, otherMoved) {
		w.t.Error("other randomness draws the same")
	}
}

func encodeCards(cards ...proof.MaskedCard) (b []byte) {
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return b
}

// testRestoredProofs: a random source that repeats itself gives two proofs a common value, and with a
// nonce under two challenges the secret.
func testRestoredProofs(w *world) {
	x := w.secrets[1]
	hand, _ := w.dealHand(1, 3)
	out, shuffled, err := x.Shuffle(w.honestPlace().context(), w.keys[1], hand, restoredRandom(1))
	w.failOnError(err)
	proofs := []falseStatement{ // the statements are true here
		{"shuffle", proof.Shuffle{Key: w.keys[1], By: w.keys[1], In: hand, Out: out}, shuffled},
	}
	if w.provesRelation("transfer") {
		moved, handed, err := x.Transfer(w.honestPlace().context(), hand[0], w.keys[2], restoredRandom(1))
		w.failOnError(err)
		proofs = append(proofs, falseStatement{"transfer", proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[0], New: moved}, handed})
	}
	for _, p := range w.honestProofs() {
		switch p.statement.(type) {
		case proof.Ownership, proof.Reveal, proof.Condition:
			proofs = append(proofs, falseStatement{p.name, p.statement, nil})
		}
	}
	places := append(otherPlaces(w.honestPlace()), namedValue[place]{"here", w.honestPlace()})
	seen := map[[field]byte]string{}
	proofs = slices.DeleteFunc(proofs, func(p falseStatement) bool { return w.isDeferred(p.statement) })
	for _, p := range proofs {
		for _, at := range places {
			name := p.name + " at " + at.name
			b, err := x.Prove(at.value.context(), p.statement, p.witness, restoredRandom(1))
			w.failOnError(err)
			for i := range len(b) - field + 1 {
				if bytes.Count(b[i:i+field], []byte{0}) > field/4 {
					continue // the part above a challenge in a longer scalar
				}
				if earlier, ok := seen[[field]byte(b[i:])]; ok && earlier != name {
					w.t.Fatalf("%s and %s have a value in common", earlier, name)
				}
				seen[[field]byte(b[i:])] = name
			}
		}
	}
}
