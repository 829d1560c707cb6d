package prooftest

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// again is the randomness of a machine that is restored from a snapshot: the same
// bytes from the beginning, others for another snapshot.
func again(snapshot byte) io.Reader { return rand.NewChaCha8([32]byte{snapshot}) }

// testRestoredMasks: a random source that repeats itself gives one order or one
// factor at two places, by two secrets or to two statements; then the differences
// of the cards tell them to everybody.
func testRestoredMasks(w *world) {
	for _, repeated := range w.repeatedMasks(func(x proof.Secret) proof.Secret { return x }) {
		w.t.Error(repeated)
	}
	things := 2 // an order and a mask
	if w.locks {
		things = 1
	}
	if len(w.repeatedMasks(func(x proof.Secret) proof.Secret { return unplaced{x} })) < things*len(elsewhere(place{})) {
		w.t.Error("the attack is built wrong: masks that depend on no place pass it")
	}
}

// unplaced is a secret whose masks depend on no place.
type unplaced struct{ proof.Secret }

func (x unplaced) Shuffle(_ transcript.Context, k proof.Key, in []proof.Masked, rand io.Reader) ([]proof.Masked, proof.Witness, error) {
	return x.Secret.Shuffle(place{}.context(), k, in, rand)
}

func (x unplaced) Transfer(_ transcript.Context, old proof.Masked, to proof.Key, rand io.Reader) (proof.Masked, proof.Witness, error) {
	return x.Secret.Transfer(place{}.context(), old, to, rand)
}

// drawing is a shuffle of in under key, and a hand-over of old to another key.
type drawing struct {
	name    string
	by      proof.Secret
	at      place
	key     proof.Key
	readers []proof.Secret // of what is masked under key
	in      []proof.Masked
	old     proof.Masked
	to      proof.Key
}

// draw returns the cards after the shuffle, and the card handed over if the suite hands
// cards over.
func (d drawing) draw(w *world, snapshot byte) (out, moved []proof.Masked) {
	w.t.Helper()
	out, _, err := d.by.Shuffle(d.at.context(), d.key, d.in, again(snapshot))
	w.fatal(err)
	if !w.proves("transfer") {
		return out, nil
	}
	c, _, err := d.by.Transfer(d.at.context(), d.old, d.to, again(snapshot))
	w.fatal(err)
	return out, []proof.Masked{c}
}

// order is the permutation of a shuffle of open cards.
func (d drawing) order(w *world, out []proof.Masked) (order []int) {
	w.t.Helper()
	for _, c := range out {
		f, ok := w.deck.Face(w.stripped(c, d.readers...))
		if !ok {
			w.t.Fatal("a card after a shuffle has no face")
		}
		open := w.deck.Cards()[f].Bytes()
		order = append(order, slices.IndexFunc(d.in, func(c proof.Masked) bool { return bytes.Equal(c.Bytes(), open) }))
	}
	return order
}

// repeatedMasks says what is drawn again by x: at another place, by another
// secret, or for another statement. All shuffle open cards, whose faces tell the
// order.
func (w *world) repeatedMasks(x func(proof.Secret) proof.Secret) (list []string) {
	w.t.Helper()
	hand, _ := w.hand(1, 2)
	here := drawing{"here", x(w.secrets[1]), w.here(), w.joint, w.secrets, w.deck.Cards(), hand[0], w.keys[2]}
	less, key, by := here, here, here
	less.name, less.in, less.old = "of other cards", slices.Concat(here.in[1:], here.in[:1]), hand[1]
	key.name, key.key, key.readers, key.to = "under another key", w.keys[1], w.secrets[1:2], w.keys[0]
	by.name, by.by = "by another secret", x(w.secrets[0])
	all := []drawing{less, key, by}
	if w.locks { // there is no other key, and a card is read by who shuffled it
		here.readers, less.readers, by.readers = w.secrets[1:2], w.secrets[1:2], w.secrets[:1]
		all = []drawing{less, by}
	}
	for _, e := range elsewhere(here.at) {
		d := here
		d.name, d.at = "at "+e.name, e.value
		all = append(all, d)
	}
	out, moved := here.draw(w, 1)
	order := here.order(w, out)
	for _, d := range all {
		otherOut, otherMoved := d.draw(w, 1)
		if slices.Equal(order, d.order(w, otherOut)) {
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

// shareValue reports whether a value is in cards of both lists. What says under
// which keys a card is does not count.
func (w *world) shareValue(a, b []proof.Masked) bool {
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

// testFreshMasks: a mask that can be foretold by who knows the secret's places, or
// that depends on more than is specified.
func testFreshMasks(w *world) {
	hand, _ := w.hand(1, 1)
	here := drawing{"here", w.secrets[1], w.here(), w.joint, w.secrets, w.deck.Cards(), hand[0], w.keys[2]}
	if w.locks {
		here.readers = w.secrets[1:2]
	}
	out, moved := here.draw(w, 1)
	same, sameMoved := here.draw(w, 1)
	if !bytes.Equal(encode(out...), encode(same...)) || !bytes.Equal(encode(moved...), encode(sameMoved...)) {
		w.t.Error("masks are not a function of secret, place, statement and randomness")
	}
	other, otherMoved := here.draw(w, 2)
	if !w.locks && w.shareValue(out, other) || slices.Equal(here.order(w, out), here.order(w, other)) ||
		w.shareValue(moved, otherMoved) {
		w.t.Error("other randomness draws the same")
	}
}

func encode(cards ...proof.Masked) (b []byte) {
	for _, c := range cards {
		b = append(b, c.Bytes()...)
	}
	return b
}

// testRestoredProofs: a random source that repeats itself gives two proofs a
// value in common, and with a nonce under two challenges the secret.
func testRestoredProofs(w *world) {
	x := w.secrets[1]
	hand, _ := w.hand(1, 3)
	out, shuffled, err := x.Shuffle(w.here().context(), w.keys[1], hand, again(1))
	w.fatal(err)
	proofs := []untrue{ // these are true
		{"shuffle", proof.Shuffle{Key: w.keys[1], By: w.keys[1], In: hand, Out: out}, shuffled},
	}
	if w.proves("transfer") {
		moved, handed, err := x.Transfer(w.here().context(), hand[0], w.keys[2], again(1))
		w.fatal(err)
		proofs = append(proofs, untrue{"transfer", proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[0], New: moved}, handed})
	}
	for _, p := range w.honest() {
		switch p.statement.(type) {
		case proof.Ownership, proof.Reveal, proof.Condition:
			proofs = append(proofs, untrue{p.name, p.statement, nil})
		}
	}
	places := append(elsewhere(w.here()), named[place]{"here", w.here()})
	seen := map[[field]byte]string{}
	proofs = slices.DeleteFunc(proofs, func(p untrue) bool { return w.defers(p.statement) })
	for _, p := range proofs {
		for _, at := range places {
			name := p.name + " at " + at.name
			b, err := x.Prove(at.value.context(), p.statement, p.witness, again(1))
			w.fatal(err)
			for i := range len(b) - field + 1 {
				if bytes.Count(b[i:i+field], []byte{0}) > field/4 {
					continue // what is above a challenge, in a scalar that is longer
				}
				if earlier, ok := seen[[field]byte(b[i:])]; ok && earlier != name {
					w.t.Fatalf("%s and %s have a value in common", earlier, name)
				}
				seen[[field]byte(b[i:])] = name
			}
		}
	}
}
