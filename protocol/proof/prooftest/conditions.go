package prooftest

import (
	"slices"
	"strings"
)

// conditions returns conditions of many shapes on cards of a larger deck, for which
// a suite may have other arguments than for small ones: of one card, of none, of
// all, of as many as the set has faces, of some, and of exact counts.
func (w *world) conditions() []proved {
	w.t.Helper()
	return []proved{
		w.condition(1, 1, 1, 1, 1),
		w.condition(1, 1, 24, 1, 1),
		w.condition(3, 0, 2, 0, 0),
		w.condition(3, 3, 17, 3, 3),
		w.condition(4, 4, 0, 4, 4),
		w.condition(4, 4, 1, 4, 4),
		w.condition(4, 2, 1, 1, 4),
		w.condition(5, 4, 4, 4, 9),
		w.condition(5, 1, 25, 0, 2),
		w.condition(5, 2, 8, 2, 2),
		w.condition(8, 3, 4, 2, 4),
	}
}

// testConditions: a condition of some shape that is proved by an argument of its
// own, which misses a check.
func testConditions(w *world) {
	w = newWorld(w.t, w.suite, 32)
	all := w.conditions()
	b := w.suite.NewBatch()
	for i, p := range all {
		if err := w.accepts(p); err != nil {
			w.t.Errorf("%s: honest proof is refused: %v", p.name, err)
		}
		b.Label(uint64(i))
		w.fatal(w.suite.Verify(p.at.context(), p.statement, p.proof, b))
	}
	if err := b.Check(); err != nil {
		w.t.Errorf("batch of honest proofs: %v", err)
	}
	for _, p := range all {
		w.refusesAltered(p)
		for other, q := range all {
			moved := p
			moved.statement = q.statement
			if !slices.Equal(p.proof, q.proof) && w.accepts(moved) == nil {
				w.t.Errorf("%s: accepted for condition %d", p.name, other)
			}
		}
	}
}

// refusesAltered fails the test if p is accepted for another statement, at another
// place, with another length, or with a field made zero or changed in a bit.
func (w *world) refusesAltered(p proved) {
	w.t.Helper()
	w.refusesStatements(p)
	w.refusesPlaces(p)
	list := slices.DeleteFunc(alteredProofs(p.proof), func(a named[[]byte]) bool {
		return strings.HasPrefix(a.name, "field ") && !strings.HasSuffix(a.name, " zero") // the changed bit will do
	})
	for at := 0; at < len(p.proof); at += field {
		b := slices.Clone(p.proof)
		b[at+at/field%field] ^= 1 << (at / field % 8)
		list = append(list, named[[]byte]{"a bit changed", b})
	}
	refusesEach(w, p, list, func(q *proved, b []byte) { q.proof = b })
}
