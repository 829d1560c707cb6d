package prooftest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
)

// testStatementAltered: a proof that is accepted for another statement than the
// one it was made for. Every field of every statement is altered by itself.
func testStatementAltered(t *testing.T, s proof.Prover) {
	w := newWorld(t, s, 12)
	for _, p := range w.honest() {
		for i, a := range w.alterations(p.statement) {
			q := p
			q.name, q.statement = p.name+": "+a.name, a.statement
			w.refuses(q, i)
		}
	}
}

// testProofAltered: a proof of which some field is not checked.
func testProofAltered(t *testing.T, s proof.Prover) {
	w := newWorld(t, s, 12)
	for _, p := range w.honest() {
		for i, a := range alteredProofs(p.proof) {
			q := p
			q.name, q.proof = p.name+": "+a.name, a.proof
			w.refuses(q, i)
		}
	}
}

// testProofBytes: a proof of which some bit is free.
func testProofBytes(t *testing.T, s proof.Prover) {
	w := newWorld(t, s, 12)
	for _, p := range w.honest() {
		for i := 0; i < len(p.proof); i += stride(len(p.proof)) {
			q := p
			q.proof = slices.Clone(p.proof)
			q.proof[i] ^= 1 << (i % 8)
			if w.accepts(q) == nil {
				t.Errorf("%s: accepted with bit %d of byte %d changed", p.name, i%8, i)
			}
		}
	}
}

// stride is 1, but for a long proof a number that leaves about forty places,
// of all remainders modulo the size of a field: such a proof is checked slowly.
// The tests of its argument, which can make it short, try all of them.
func stride(n int) int {
	if n <= 4096 {
		return 1
	}
	return n/40 | 1
}

// testReplay: a proof that is worth something at another place.
func testReplay(t *testing.T, s proof.Prover) {
	w := newWorld(t, s, 12)
	for _, p := range w.honest() {
		for i, e := range elsewhere(p.at) {
			q := p
			q.name, q.at = p.name+": at "+e.name, e.at
			w.refuses(q, i)
		}
	}
}

// testOtherStatement: a proof of one relation that passes for one of another.
func testOtherStatement(t *testing.T, s proof.Prover) {
	w := newWorld(t, s, 12)
	all := w.honest()
	for i, p := range all {
		for j, q := range all {
			if i == j {
				continue
			}
			p := p
			p.statement = q.statement
			if w.accepts(p) == nil {
				t.Errorf("proof of %s is accepted for %s", p.name, q.name)
			}
		}
	}
}

// refuses fails the test if p is accepted, alone or between honest proofs at a
// place that n chooses, or if the batch blames another label.
func (w *world) refuses(p proved, n int) {
	w.t.Helper()
	if w.accepts(p) == nil {
		w.t.Errorf("%s: accepted", p.name)
		return
	}
	if w.neighbours == nil {
		w.neighbours = []proved{w.ownership(0), w.transfer(), w.reveal(2)}
	}
	list := slices.Insert(slices.Clone(w.neighbours), n%4, p)
	b := w.suite.NewBatch()
	for i, q := range list {
		b.Label(uint64(10 * i))
		err := w.suite.Verify(q.at.context(), q.statement, q.proof, b)
		if i == n%4 && err != nil {
			return // refused before the batch
		}
		if err != nil {
			w.t.Errorf("%s: honest neighbour %s is refused: %v", p.name, q.name, err)
		}
	}
	if got, err := label(b.Check()); err != nil || got != uint64(10*(n%4)) {
		w.t.Errorf("%s: batch blames %d (%v), want %d", p.name, got, err, 10*(n%4))
	}
}

// altered is a statement with one public value changed.
type altered struct {
	name      string
	statement proof.Statement
}

// alterations returns s with each of its public values changed by itself.
func (w *world) alterations(s proof.Statement) []altered {
	var list []altered
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		for _, c := range w.changes(v.Field(i).Interface()) {
			changed := reflect.New(v.Type()).Elem()
			changed.Set(v)
			changed.Field(i).Set(reflect.ValueOf(c.value))
			list = append(list, altered{v.Type().Field(i).Name + " " + c.name, changed.Interface().(proof.Statement)})
		}
	}
	if len(list) == 0 {
		w.t.Fatalf("%T: nothing to alter", s)
	}
	return list
}

type change struct {
	name  string
	value any
}

// changes returns other values for a public value.
func (w *world) changes(value any) []change {
	switch v := value.(type) {
	case proof.Key:
		return []change{{"of another seat", w.keys[2-w.seatOf(v)]}}
	case proof.Masked:
		return w.cardChanges(v)
	case []proof.Masked:
		return listChanges(v, w.cardChanges, w.stranger())
	case []proof.Token:
		return listChanges(v, w.tokenChanges, w.secrets[0].Token(w.stranger()))
	case proof.Deck:
		other, err := w.enc.Deck(deckOf(w.t, "another", w.faces.Len()))
		w.fatal(err)
		return []change{{"another", other}}
	case card.Set:
		list := []change{{"complement", v.Complement(w.faces)}}
		for f := range card.Face(w.faces.Len()) {
			list = append(list, change{fmt.Sprintf("with %d changed", f), toggled(v, f)})
		}
		return list
	case int:
		return []change{{"one more", v + 1}, {"one less", v - 1}}
	}
	w.t.Fatalf("prooftest: no changes known for %T", value)
	return nil
}

// seatOf returns the seat of a key, or 0 for one that is no seat's or seat 1's,
// such that seat 2 minus it is always another seat.
func (w *world) seatOf(k proof.Key) int {
	if string(k.Bytes()) == string(w.keys[2].Bytes()) {
		return 2
	}
	return 0
}

// stranger returns a masked card of no statement.
func (w *world) stranger() proof.Masked { return w.shuffled(w.deck.Cards()[:2])[0] }

// cardChanges returns a stranger, and the card with each half of a stranger.
func (w *world) cardChanges(c proof.Masked) []change {
	list := []change{{"replaced", w.stranger()}}
	a, b := c.Bytes(), w.stranger().Bytes()
	half := len(a) / 2
	for i, mixed := range [][]byte{slices.Concat(b[:half], a[half:]), slices.Concat(a[:half], b[half:])} {
		if m, err := w.enc.ParseMasked(mixed); err == nil {
			list = append(list, change{fmt.Sprintf("half %d replaced", i), m})
		}
	}
	return list
}

func (w *world) tokenChanges(proof.Token) []change {
	return []change{{"replaced", w.secrets[1].Token(w.stranger())}}
}

// listChanges changes each element, and the list: one more, one less, two
// exchanged, one repeated in place of another.
func listChanges[T any](list []T, changes func(T) []change, more T) []change {
	var all []change
	for i, v := range list {
		for _, c := range changes(v) {
			changed := slices.Clone(list)
			changed[i] = c.value.(T)
			all = append(all, change{fmt.Sprintf("%d %s", i, c.name), changed})
		}
	}
	all = append(all, change{"one more", append(slices.Clone(list), more)}, change{"one less", slices.Clone(list[1:])})
	if len(list) > 1 {
		exchanged, repeated := slices.Clone(list), slices.Clone(list)
		exchanged[0], exchanged[1] = list[1], list[0]
		repeated[1] = list[0]
		all = append(all, change{"two exchanged", exchanged}, change{"one repeated", repeated})
	}
	return all
}

func toggled(s card.Set, f card.Face) card.Set {
	s[f/64] ^= 1 << (f % 64)
	return s
}

type alteredProof struct {
	name  string
	proof []byte
}

// field is the size of what a proof consists of. A suite of another field size
// is altered at finer or coarser places, which is as good.
const field = 32

// alteredProofs returns proofs with one field changed, or of another length.
func alteredProofs(p []byte) []alteredProof {
	list := []alteredProof{
		{"one byte more", append(slices.Clone(p), 0)},
		{"one field more", append(slices.Clone(p), make([]byte, field)...)},
		{"one byte before", append([]byte{0}, p...)},
		{"twice", append(slices.Clone(p), p...)},
	}
	if len(p) == 0 {
		return list
	}
	list = append(list, alteredProof{"empty", []byte{}}, alteredProof{"none", nil},
		alteredProof{"one byte less", p[:len(p)-1]}, alteredProof{"one field less", p[:len(p)-field]})
	twice := slices.Concat(p, p)
	for at := 0; at+field <= len(p); at += field * ((stride(len(p)) + 2) / 3) {
		next := twice[at+field:][:field]
		for _, c := range []alteredProof{
			{"zero", make([]byte, field)},
			{"ones", slices.Repeat([]byte{0xff}, field)},
			{"two", append([]byte{2}, make([]byte, field-1)...)},
			{"exchanged", next},
		} {
			changed := slices.Clone(p)
			copy(changed[at:], c.proof)
			if c.name == "exchanged" {
				copy(changed[(at+field)%len(p):], p[at:at+field])
			}
			list = append(list, alteredProof{fmt.Sprintf("field %d %s", at/field, c.name), changed})
		}
	}
	return list
}

type other struct {
	name string
	at   place
}

// elsewhere returns places that differ from p in one thing.
func elsewhere(p place) []other {
	var list []other
	differ := func(name string, change func(*place)) {
		q := p
		change(&q)
		list = append(list, other{name, q})
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
