package prooftest

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// namedValue is a value with a description.
type namedValue[T any] struct {
	name  string
	value T
}

// testAltered alters every honest proof, its statement and its place; by default only a third of them,
// since the vectors of a suite always include some that are refused.
func testAltered(w *world) {
	all := w.honestProofs()
	tried := testmust.SomeOf(w.t, len(all), (len(all)+2)/3)
	for i, p := range all {
		if tried(i) {
			w.refusesStatements(p)
			w.refusesProofs(p)
			w.refusesBits(p)
			w.refusesPlaces(p)
		}
	}
}

// refusesEach fails the test if p is accepted with any of the values put in.
func refusesEach[T any](w *world, p provedStatement, list []namedValue[T], put func(*provedStatement, T)) {
	w.t.Helper()
	for i, v := range list {
		q := p
		q.name += ": " + v.name
		put(&q, v.value)
		switch {
		case !w.isSlow() || i%16 == 0:
			w.checkRefused(q, i)
		case i%3 == 1 && w.verifyAlone(q) == nil: // elements of thousands of bits are slow, and the others run the same code
			w.t.Errorf("%s: accepted", q.name)
		}
	}
}

// refusesStatements: a proof that is accepted for another statement than the one it was
// made for. Every field of the statement is altered by itself.
func (w *world) refusesStatements(p provedStatement) {
	refusesEach(w, p, w.alteredStatements(p.statement), func(q *provedStatement, s proof.Statement) { q.statement = s })
}

// refusesProofs: a proof of which some field is not checked.
func (w *world) refusesProofs(p provedStatement) {
	refusesEach(w, p, alteredProofs(p.proof), func(q *provedStatement, b []byte) { q.proof = b })
}

// refusesPlaces: a proof that is worth something at another place.
func (w *world) refusesPlaces(p provedStatement) {
	if w.isDeferred(p.statement) {
		return
	}
	refusesEach(w, p, otherPlaces(p.at), func(q *provedStatement, at place) { q.at = at })
}

// refusesBits: a proof of which some bit is free.
func (w *world) refusesBits(p provedStatement) {
	step := alterationStride(len(p.proof))
	if len(w.keys[0].Bytes()) > field {
		step = len(p.proof)/12 | 1
	} else if step == 1 && !testmust.Thorough() {
		step = 7 // alters four or five bytes of each field
	}
	for i := 0; i < len(p.proof); i += step {
		q := p
		q.proof = slices.Clone(p.proof)
		q.proof[i] ^= 1 << (i % 8)
		if w.verifyAlone(q) == nil {
			w.t.Errorf("%s: accepted with bit %d of byte %d changed", p.name, i%8, i)
		}
	}
}

// alterationStride is 1, or for a long proof, which is slow to check, a number that leaves sixteen or
// forty places with many remainders modulo the size of a field. The tests of its argument, which can
// make the proof short, try all places.
func alterationStride(n int) int {
	switch {
	case n <= 4096:
		return 1
	case testmust.Thorough():
		return n/40 | 1
	}
	return n/16 | 1
}

// testOtherStatement: a proof of one relation that passes for one of another.
func testOtherStatement(w *world) {
	all := w.honestProofs()
	for i, p := range all {
		for j, q := range all {
			if i == j || w.isDeferred(p.statement) && bytes.Equal(p.proof, q.proof) {
				continue // one lock proves all of a seat's tokens
			}
			p := p
			p.statement = q.statement
			if w.verifyAlone(p) == nil {
				w.t.Errorf("proof of %s is accepted for %s", p.name, q.name)
			}
		}
	}
}

// checkRefused fails the test if p is accepted, alone or at a place n among honest proofs, or if the
// batch blames another label. Of a long list only some are tried among others, which takes four times
// as long.
func (w *world) checkRefused(p provedStatement, n int) {
	w.t.Helper()
	if w.verifyAlone(p) == nil {
		w.t.Errorf("%s: accepted", p.name)
		return
	}
	if n%7 > 0 && !testmust.Thorough() {
		return
	}
	if w.neighbours == nil {
		w.neighbours = onlyProved(w.proveOwnership(0), w.proveTransfer(), w.proveReveal(2), w.proveOwnership(2))[:3]
	}
	list := slices.Insert(slices.Clone(w.neighbours), n%4, p)
	b := w.suite.NewBatch()
	for i, q := range list {
		b.Label(uint64(10 * i))
		err := w.suite.Verify(q.at.context(), q.statement, q.proof, b)
		if i == n%4 && err != nil {
			return // refused before it reaches the batch
		}
		if err != nil {
			w.t.Errorf("%s: honest neighbour %s is refused: %v", p.name, q.name, err)
		}
	}
	if got, err := firstLabel(b.Check()); err != nil || got != uint64(10*(n%4)) {
		w.t.Errorf("%s: batch blames %d (%v), want %d", p.name, got, err, 10*(n%4))
	}
}

// fewBits reports whether a token is bits of a face rather than an element. Then two cards may have the
// same token, and any token shows some face.
func fewBits(t proof.Token) bool { return len(t.Bytes()) < field }

// alteredStatements returns copies of s, each with one of its public values changed.
func (w *world) alteredStatements(s proof.Statement) []namedValue[proof.Statement] {
	var list []namedValue[proof.Statement]
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		if v.Type().Field(i).Name == w.unstatedField(s) {
			continue
		}
		for _, c := range w.fieldChanges(v.Field(i)) {
			changed := reflect.New(v.Type()).Elem()
			changed.Set(v)
			changed.Field(i).Set(reflect.ValueOf(c.value))
			if reflect.DeepEqual(changed.Interface(), s) {
				if tokens, _ := v.Field(i).Interface().([]proof.Token); len(tokens) == 0 || !fewBits(tokens[0]) {
					w.t.Fatalf("%T: %s %s is no change", s, v.Type().Field(i).Name, c.name)
				}
				continue // the other token has the same bits
			}
			list = append(list, namedValue[proof.Statement]{v.Type().Field(i).Name + " " + c.name, changed.Interface().(proof.Statement)})
		}
	}
	if len(list) == 0 {
		w.t.Fatalf("%T: nothing to alter", s)
	}
	return list
}

type fieldChange = namedValue[any]

// fieldChanges returns other values for a public value. The type of the field distinguishes keys from
// cards, which have the same methods.
func (w *world) fieldChanges(field reflect.Value) []fieldChange {
	if field.Type() == reflect.TypeFor[proof.MaskedCard]() {
		return w.cardChanges(field.Interface().(proof.MaskedCard))
	}
	switch v := field.Interface().(type) {
	case proof.Key:
		return []fieldChange{{"of another seat", w.keys[2-w.seatOf(v)]}}
	case []proof.MaskedCard:
		return listChanges(v, w.cardChanges, w.strangerCard())
	case []proof.Token:
		return listChanges(v, w.tokenChanges, w.secrets[0].Token(w.strangerCard()))
	case proof.Deck:
		other, err := w.enc.Deck(deckOf(w.t, "another", w.faces.Len()))
		w.failOnError(err)
		return []fieldChange{{"another", other}}
	case card.Set:
		list := []fieldChange{{"complement", v.Complement(w.faces)}}
		for f := card.Face(0); int(f) < w.faces.Len(); f += card.Face(1 + w.faces.Len()/16) { // only some faces of a large deck
			list = append(list, fieldChange{fmt.Sprintf("with %d changed", f), toggleFace(v, f)})
		}
		return list
	case proof.Family:
		other := map[proof.Family]proof.Family{proof.Cut: proof.Insert, proof.Insert: proof.Cut}
		return []fieldChange{{"another", other[v]}, {"unknown", v + "s"}, {"none", proof.Family("")}}
	case int:
		return []fieldChange{{"one more", v + 1}, {"one less", v - 1}}
	}
	w.t.Fatalf("prooftest: no changes known for %s", field.Type())
	return nil
}

// seatOf returns the seat of a key, or 0 if the key is no seat's or seat 1's, so that seat 2 minus it
// is always another seat.
func (w *world) seatOf(k proof.Key) int {
	if string(k.Bytes()) == string(w.keys[2].Bytes()) {
		return 2
	}
	return 0
}

// strangerCard returns a masked card of no statement; of another deck, where cards of this deck are
// masked in the same way everywhere.
func (w *world) strangerCard() proof.MaskedCard {
	deck := w.deck
	if w.locks {
		var err error
		deck, err = w.enc.Deck(deckOf(w.t, "stranger", 2))
		w.failOnError(err)
	}
	return w.shuffleCards(deck.Cards()[:2])[0]
}

// cardChanges returns a stranger, and the card with either half taken from a stranger.
func (w *world) cardChanges(c proof.MaskedCard) []fieldChange {
	stranger := w.strangerCard()
	list := []fieldChange{{"replaced", stranger}}
	a, b := c.Bytes(), stranger.Bytes()
	half := len(a) / 2
	for i, mixed := range [][]byte{slices.Concat(b[:half], a[half:]), slices.Concat(a[:half], b[half:])} {
		if m, err := w.enc.ParseMasked(mixed); err == nil {
			list = append(list, fieldChange{fmt.Sprintf("half %d replaced", i), m})
		}
	}
	return list
}

func (w *world) tokenChanges(proof.Token) []fieldChange {
	return []fieldChange{{"replaced", w.secrets[1].Token(w.strangerCard())}}
}

// listChanges changes each element, and the list: one element more, one less, two exchanged, one
// repeated in place of another.
func listChanges[T any](list []T, changes func(T) []fieldChange, more T) []fieldChange {
	var all []fieldChange
	for i, v := range list {
		for _, c := range changes(v) {
			changed := slices.Clone(list)
			changed[i] = c.value.(T)
			all = append(all, fieldChange{fmt.Sprintf("%d %s", i, c.name), changed})
		}
	}
	all = append(all, fieldChange{"one more", append(slices.Clone(list), more)}, fieldChange{"one less", slices.Clone(list[1:])})
	if len(list) > 1 {
		exchanged, repeated := slices.Clone(list), slices.Clone(list)
		exchanged[0], exchanged[1] = list[1], list[0]
		repeated[1] = list[0]
		all = append(all, fieldChange{"two exchanged", exchanged}, fieldChange{"one repeated", repeated})
	}
	return all
}

func toggleFace(s card.Set, f card.Face) card.Set {
	s[f/64] ^= 1 << (f % 64)
	return s
}

// field is the size of the parts of a proof. In a suite with another field size the altered places are
// finer or coarser, which does as well.
const field = 32

// alteredProofs returns proofs with one field changed, or of another length. Nothing is left of a value
// shorter than a field, as tokens of a few bits are, if a field is taken away.
func alteredProofs(p []byte) []namedValue[[]byte] {
	list := []namedValue[[]byte]{
		{"one byte more", append(slices.Clone(p), 0)},
		{"one field more", append(slices.Clone(p), make([]byte, field)...)},
		{"one byte before", append([]byte{0}, p...)},
		{"twice", append(slices.Clone(p), p...)},
	}
	if len(p) == 0 {
		return list
	}
	list = append(list, namedValue[[]byte]{"empty", []byte{}}, namedValue[[]byte]{"none", nil},
		namedValue[[]byte]{"one byte less", p[:len(p)-1]}, namedValue[[]byte]{"one field less", p[:max(0, len(p)-field)]})
	twice := slices.Concat(p, p)
	for at := 0; at+field <= len(p); at += field * ((alterationStride(len(p)) + 2) / 3) {
		next := twice[at+field:][:field]
		for _, c := range []namedValue[[]byte]{
			{"zero", make([]byte, field)},
			{"ones", slices.Repeat([]byte{0xff}, field)},
			{"two", append([]byte{2}, make([]byte, field-1)...)},
			{"exchanged", next},
		} {
			changed := slices.Clone(p)
			copy(changed[at:], c.value)
			if c.name == "exchanged" {
				copy(changed[(at+field)%len(p):], p[at:at+field])
			}
			if !bytes.Equal(changed, p) {
				list = append(list, namedValue[[]byte]{fmt.Sprintf("field %d %s", at/field, c.name), changed})
			}
		}
	}
	return list
}

// otherPlaces returns places that differ from p in one respect each.
func otherPlaces(p place) []namedValue[place] {
	var list []namedValue[place]
	differ := func(name string, change func(*place)) {
		q := p
		change(&q)
		list = append(list, namedValue[place]{name, q})
	}
	differ("another suite", func(q *place) { q.suite += "x" })
	differ("other rules", func(q *place) { q.rules = "prooftest/v2" })
	differ("another table", func(q *place) { q.table.ID[31] ^= 1 })
	differ("another deck", func(q *place) { q.deck.ID[0] ^= 1 })
	differ("other seat keys", func(q *place) { q.keys.Hash[0] ^= 1 })
	differ("another deal", func(q *place) { q.deal++ })
	differ("another parent", func(q *place) { q.parent.Hash[0] ^= 1 })
	differ("another kind", func(q *place) { q.kind = "tes" })
	differ("another seat", func(q *place) { q.seat++ })
	differ("another slot", func(q *place) { q.slot++ })
	return list
}
