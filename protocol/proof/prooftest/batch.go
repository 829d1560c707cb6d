package prooftest

import (
	"fmt"
	"slices"
)

// testBatchNamesTheWrong: an honest seat is blamed because somebody else's proof
// is wrong, or one of two cheats is missed.
func testBatchNamesTheWrong(w *world) {
	const n = 5
	right, wrong := []provedStatement{w.proveOwnership(0), w.proveOwnership(1), w.proveOwnership(2)}, w.wrongProof()
	for first := range n {
		for second := first; second < n; second++ {
			b := w.suite.NewBatch()
			for i := range n {
				b.Label(uint64(100 + i))
				p := right[i%3]
				if i == first || i == second {
					p = wrong
				}
				if err := w.suite.Verify(p.at.context(), p.statement, p.proof, b); err != nil {
					w.t.Fatalf("proof of the right form is refused before the batch: %v", err)
				}
			}
			want := slices.Compact([]uint64{uint64(100 + first), uint64(100 + second)})
			if got, err := blamedLabels(b.Check()); err != nil || !slices.Equal(got, want) {
				w.t.Errorf("proofs %d are wrong: batch blames %d (%v)", want, got, err)
			}
		}
	}
}

// wrongProof returns a proof of the right form that does not verify.
func (w *world) wrongProof() provedStatement {
	p := w.proveOwnership(1)
	p.at.seat++
	return p
}

// testBatchIsEmptied: proofs that were judged once are judged again with the next ones.
func testBatchIsEmptied(w *world) {
	b := w.suite.NewBatch()
	for i, p := range []provedStatement{w.proveOwnership(0), w.wrongProof(), w.proveReveal(1), w.wrongProof(), w.proveReveal(2)} {
		b.Label(uint64(i))
		w.failOnError(w.suite.Verify(p.at.context(), p.statement, p.proof, b))
		got, err := firstLabel(b.Check())
		if bad := i%2 == 1; bad != (err == nil) || bad && got != uint64(i) {
			w.t.Errorf("check %d: blames %d (%v)", i, got, err)
		}
	}
	if err := b.Check(); err != nil {
		w.t.Errorf("empty batch: %v", err)
	}
}

// testConcurrent: goroutines that share values race, or one of them gets another answer.
func testConcurrent(w *world) {
	p, q := w.proveShuffle(5, true), w.proveReveal(3)
	done := make(chan error)
	const n = 4
	for range n {
		go func() {
			b := w.suite.NewBatch()
			for _, r := range []provedStatement{p, q} {
				if err := w.suite.Verify(r.at.context(), r.statement, r.proof, b); err != nil {
					done <- fmt.Errorf("%s: %w", r.name, err)
					return
				}
			}
			if _, err := w.suite.Encoding().Deck(w.faces); err != nil {
				done <- err
				return
			}
			done <- b.Check()
		}()
	}
	for range n {
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}
