package prooftest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// testMeaningless: a meaningless statement is proved, or accepted with an empty proof or with the proof
// of a sensible statement.
func testMeaningless(w *world) {
	hand, faces := w.dealHand(1, 3)
	c := proof.Condition{Key: w.keys[1], Deck: w.deck, Cards: hand, Set: card.SetOf(faces[:2]...), Min: 1, Max: 3}
	sensible := w.proveReveal(3)
	if w.provesRelation("condition") {
		sensible = w.proveHere("condition", w.secrets[1], c, nil)
	}
	change := func(f func(*proof.Condition)) proof.Condition {
		d := c
		f(&d)
		return d
	}
	for name, st := range map[string]proof.Statement{
		"min above max":          change(func(c *proof.Condition) { c.Min, c.Max = 2, 1 }),
		"max below zero":         change(func(c *proof.Condition) { c.Min, c.Max = -2, -1 }),
		"min above all":          change(func(c *proof.Condition) { c.Min, c.Max = 4, 4 }),
		"set beyond the deck":    change(func(c *proof.Condition) { c.Set = c.Set.AddFace(card.Face(w.faces.Len())) }),
		"no cards":               change(func(c *proof.Condition) { c.Cards = nil }),
		"repeated card":          change(func(c *proof.Condition) { c.Cards = []proof.MaskedCard{c.Cards[0], c.Cards[1], c.Cards[0]} }),
		"open card":              change(func(c *proof.Condition) { c.Cards = append(w.deck.Cards()[:1:1], c.Cards[1:]...) }),
		"at least of none":       change(func(c *proof.Condition) { c.Set = card.Set{} }),
		"at most of all":         change(func(c *proof.Condition) { c.Set, c.Min, c.Max = card.Set{}.Complement(w.faces), 0, 2 }),
		"reveal of nothing":      proof.Reveal{Key: w.keys[1]},
		"reveal of open card":    proof.Reveal{Key: w.keys[1], Cards: w.deck.Cards()[:1], Tokens: []proof.Token{w.secrets[1].Token(c.Cards[0])}},
		"transfer of an open":    proof.Transfer{From: w.keys[1], To: w.keys[2], Old: w.deck.Cards()[0], New: c.Cards[0]},
		"transfer to an open":    proof.Transfer{From: w.keys[1], To: w.keys[2], Old: c.Cards[0], New: w.deck.Cards()[0]},
		"shuffle of nothing":     proof.Shuffle{Key: w.joint, By: w.keys[1]},
		"shuffle of one":         proof.Shuffle{Key: w.joint, By: w.keys[1], In: c.Cards[:1], Out: c.Cards[1:2]},
		"shuffle of too many":    proof.Shuffle{Key: w.joint, By: w.keys[1], In: slices.Repeat(c.Cards[:1], 257), Out: slices.Repeat(c.Cards[:1], 257)},
		"shuffle losing one":     proof.Shuffle{Key: w.joint, By: w.keys[1], In: c.Cards, Out: c.Cards[:2]},
		"shuffle opening a card": proof.Shuffle{Key: w.joint, By: w.keys[1], In: c.Cards, Out: append(w.deck.Cards()[:1:1], c.Cards[1:]...)},
		"arrange nothing":        proof.Arrange{Family: proof.Cut, Key: w.joint},
		"arrange losing one":     proof.Arrange{Family: proof.Cut, Key: w.joint, In: c.Cards, Out: c.Cards[:2]},
		"arrange too many":       proof.Arrange{Family: proof.Cut, Key: w.joint, In: slices.Repeat(c.Cards[:1], 257), Out: slices.Repeat(c.Cards[:1], 257)},
		"arrange opening a card": proof.Arrange{Family: proof.Insert, Key: w.joint, In: c.Cards, Out: append(w.deck.Cards()[:1:1], c.Cards[1:]...)},
		"arrange of no family":   proof.Arrange{Family: "deal", Key: w.joint, In: c.Cards, Out: c.Cards},
		"mint of no face":        proof.Mint{Key: w.joint, Deck: w.deck, Card: c.Cards[0]},
		"mint beyond the deck":   proof.Mint{Key: w.joint, Deck: w.deck, Card: c.Cards[0], Set: card.SetOf(card.Face(w.faces.Len()))},
		"mint of an open card":   proof.Mint{Key: w.joint, Deck: w.deck, Card: w.deck.Cards()[0], Set: card.SetOf(0)},
	} {
		if b, err := w.secrets[1].Prove(w.honestPlace().context(), st, nil, w.rand); err == nil {
			w.t.Errorf("%s: proved by %d bytes", name, len(b))
		}
		for _, p := range [][]byte{nil, {}, sensible.proof, make([]byte, 32*(3*257+10))} {
			if w.verifyAlone(provedStatement{name: name, at: w.honestPlace(), statement: st, proof: p}) == nil {
				w.t.Errorf("%s: accepted with %d bytes", name, len(p))
			}
		}
	}
	if !w.provesRelation("condition") {
		return
	}
	// What says nothing needs no proof, and has no other than the empty one.
	trivial := change(func(c *proof.Condition) { c.Min, c.Max = -1, 7 })
	empty, err := w.secrets[1].Prove(w.honestPlace().context(), trivial, nil, w.rand)
	if err != nil || len(empty) != 0 || w.verifyAlone(provedStatement{at: w.honestPlace(), statement: trivial}) != nil {
		w.t.Errorf("condition that says nothing: %d bytes, %v", len(empty), err)
	}
	if w.verifyAlone(provedStatement{at: w.honestPlace(), statement: trivial, proof: sensible.proof}) == nil {
		w.t.Error("condition that says nothing: accepted with bytes")
	}
}

// foreignValue is a value that belongs to no suite.
type foreignValue struct{}

func (foreignValue) Bytes() []byte                           { return nil }
func (foreignValue) Cards() []proof.MaskedCard               { return nil }
func (foreignValue) Face(proof.MaskedCard) (card.Face, bool) { return 0, false }
func (foreignValue) Label(uint64)                            {}
func (foreignValue) Check() error                            { return nil }

// testForeign: values of another suite, or of none, panic or pass.
func testForeign(w *world) {
	hand, _ := w.dealHand(1, 2)
	two := []proof.MaskedCard{foreignValue{}, foreignValue{}}
	tokens := []proof.Token{w.secrets[1].Token(hand[0]), w.secrets[1].Token(hand[1])}
	for i, st := range []proof.Statement{
		nil,
		proof.Ownership{},
		proof.Ownership{Key: foreignValue{}},
		proof.Shuffle{In: hand, Out: hand},
		proof.Shuffle{Key: w.joint, By: w.keys[1], In: two, Out: hand},
		proof.Shuffle{Key: w.joint, By: w.keys[1], In: hand, Out: two},
		proof.Shuffle{Key: w.joint, By: w.keys[1], In: make([]proof.MaskedCard, 2), Out: hand},
		proof.Reveal{Cards: hand, Tokens: tokens},
		proof.Reveal{Key: w.keys[1], Cards: two, Tokens: tokens},
		proof.Reveal{Key: w.keys[1], Cards: hand, Tokens: []proof.Token{foreignValue{}, nil}},
		proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[0]},
		proof.Transfer{From: foreignValue{}, To: w.keys[2], Old: hand[0], New: hand[1]},
		proof.Transfer{From: w.keys[1], Old: hand[0], New: hand[1]},
		proof.Condition{Key: w.keys[1], Cards: hand},
		proof.Condition{Key: w.keys[1], Cards: hand, Deck: foreignValue{}},
		proof.Condition{Cards: hand, Deck: w.deck},
		proof.Condition{Key: w.keys[1], Cards: two, Deck: w.deck},
		proof.Arrange{Family: proof.Cut, In: hand, Out: hand},
		proof.Arrange{Family: proof.Cut, Key: w.joint, In: two, Out: hand},
		proof.Arrange{Family: proof.Insert, Key: w.joint, In: hand, Out: two},
		proof.Mint{Deck: w.deck, Card: hand[0], Set: card.SetOf(0)},
		proof.Mint{Key: w.joint, Card: hand[0], Set: card.SetOf(0)},
		proof.Mint{Key: w.joint, Deck: foreignValue{}, Card: hand[0], Set: card.SetOf(0)},
		proof.Mint{Key: w.joint, Deck: w.deck, Set: card.SetOf(0)},
	} {
		for _, size := range []int{0, 64, 96, 160, 512} {
			if w.suite.Verify(w.honestPlace().context(), st, make([]byte, size), w.suite.NewBatch()) == nil {
				w.t.Errorf("statement %d, %T: accepted", i, st)
			}
		}
		if b, err := w.secrets[1].Prove(w.honestPlace().context(), st, nil, w.rand); err == nil {
			w.t.Errorf("statement %d, %T: proved by %d bytes", i, st, len(b))
		}
	}
	p := w.proveOwnership(1)
	for _, b := range []proof.Batch{nil, foreignValue{}} {
		if w.suite.Verify(p.at.context(), p.statement, p.proof, b) == nil {
			w.t.Errorf("verified into %T", b)
		}
	}
	if _, err := w.enc.Joint([]proof.Key{w.keys[0], foreignValue{}}); err == nil {
		w.t.Error("joint key with a foreign key")
	}
}

// testParse: one value has two encodings, an identity or an open card is read, or bytes panic. Bytes
// that are accepted must be the encoding of the value.
func testParse(w *world) {
	hand, _ := w.dealHand(1, 1)
	for name, p := range map[string]struct {
		honest []byte
		parse  func([]byte) ([]byte, error)
	}{
		"key":    {w.keys[0].Bytes(), parseAndEncode(w.enc.ParseKey)},
		"masked": {hand[0].Bytes(), parseAndEncode(w.enc.ParseMasked)},
		"token":  {w.secrets[0].Token(hand[0]).Bytes(), parseAndEncode(w.enc.ParseToken)},
		"secret": {w.secrets[0].Bytes(), parseAndEncode(w.suite.ParseSecret)},
	} {
		if b, err := p.parse(p.honest); err != nil || !bytes.Equal(b, p.honest) {
			w.t.Errorf("%s: honest bytes: %v", name, err)
		}
		for _, a := range alteredProofs(p.honest) {
			b, err := p.parse(a.value)
			if err == nil && !bytes.Equal(b, a.value) {
				w.t.Errorf("%s: %s: accepted, and encodes otherwise", name, a.name)
			}
			if err == nil && (len(a.value) != len(p.honest) || bytes.Equal(a.value, make([]byte, len(a.value)))) {
				w.t.Errorf("%s: %s: accepted", name, a.name)
			}
		}
	}
	if w.locks {
		return // an open card is an element like any other; its form does not show it
	}
	for f, c := range w.deck.Cards() {
		if _, err := w.enc.ParseMasked(c.Bytes()); err == nil {
			w.t.Errorf("open card of face %d is accepted from the wire", f)
		}
	}
}

func parseAndEncode[T interface{ Bytes() []byte }](parse func([]byte) (T, error)) func([]byte) ([]byte, error) {
	return func(b []byte) ([]byte, error) {
		v, err := parse(b)
		if err != nil {
			return nil, err
		}
		return v.Bytes(), nil
	}
}

// testJoint: a joint key of repeated keys, or of no keys.
func testJoint(w *world) {
	if k, err := w.enc.Joint(nil); err == nil {
		w.t.Errorf("joint key of no keys: %x", k.Bytes())
	}
	copied, err := w.enc.ParseKey(w.keys[0].Bytes())
	w.failOnError(err)
	if _, err := w.enc.Joint([]proof.Key{w.keys[0], w.keys[1], copied}); err == nil {
		w.t.Error("joint key with a repeated key")
	}
	other, err := w.enc.Joint([]proof.Key{w.keys[2], w.keys[0], w.keys[1]})
	if err != nil || !bytes.Equal(other.Bytes(), w.joint.Bytes()) {
		w.t.Errorf("joint key depends on the order of keys (%v)", err)
	}
}

// drySource is a random source that has run out.
type drySource struct{}

func (drySource) Read([]byte) (int, error) { return 0, errDry }

var errDry = errors.New("no randomness left")

// testSecret: a secret does not survive its file, or a suite goes on without randomness.
func testSecret(w *world) {
	x, err := w.suite.ParseSecret(w.secrets[1].Bytes())
	if err != nil || !bytes.Equal(x.Key().Bytes(), w.keys[1].Bytes()) {
		w.t.Fatalf("secret read back has another key (%v)", err)
	}
	hand, _ := w.dealHand(1, 2)
	if _, err := w.suite.NewSecret(drySource{}); !errors.Is(err, errDry) {
		w.t.Errorf("secret without randomness: %v", err)
	}
	if _, _, err := x.Shuffle(w.honestPlace().context(), w.joint, hand, drySource{}); !errors.Is(err, errDry) {
		w.t.Errorf("shuffle without randomness: %v", err)
	}
	if _, _, err := x.Transfer(w.honestPlace().context(), hand[0], w.keys[2], drySource{}); w.provesRelation("transfer") && !errors.Is(err, errDry) {
		w.t.Errorf("transfer without randomness: %v", err)
	}
	for _, p := range []proof.Statement{
		proof.Ownership{Key: w.keys[1]},
		proof.Reveal{Key: w.keys[1], Cards: hand[:1], Tokens: []proof.Token{x.Token(hand[0])}},
		proof.Condition{Key: w.keys[1], Deck: w.deck, Cards: hand, Set: card.Set{}.Complement(w.faces), Min: 2, Max: 2},
	} {
		if !w.provesRelation(proof.RelationName(p)) || w.isDeferred(p) {
			continue
		}
		if b, err := x.Prove(w.honestPlace().context(), p, nil, drySource{}); !errors.Is(err, errDry) || b != nil {
			w.t.Errorf("%T without randomness: %d bytes, %v", p, len(b), err)
		}
	}
}
