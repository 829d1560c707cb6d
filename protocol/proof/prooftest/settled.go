package prooftest

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// settledSuite is a suite that defers, with what a seat will disclose in place of each proof: its lock,
// and for a shuffle also the order behind it. False statements are refused here as they will be at a
// table. Only what a proof promises about its place cannot be expected of a lock.
type settledSuite struct {
	proof.Prover
	defers proof.DeferringSuite
}

// settleSuite returns s; if it defers, the suite made of its disclosures; if others ask for its proofs,
// the suite made of commitments and answers.
func settleSuite(s proof.Prover) proof.Prover {
	if _, done := s.(settledSuite); done {
		return s
	}
	s = proof.JoinProofs(s)
	if defers, ok := proof.AsDeferring(s); ok {
		return settledSuite{s, defers}
	}
	return s
}

// Proves is Proves of the suite.
func (s settledSuite) Proves(relation string) bool { return proof.Proves(s.Prover, relation) }

// KeysPerDeal is KeysPerDeal of the suite.
func (s settledSuite) KeysPerDeal() bool { return proof.KeysPerDeal(s.Prover) }

func (s settledSuite) Verify(c transcript.Context, st proof.Statement, b []byte, batch proof.Batch) error {
	switch st := st.(type) {
	case proof.Shuffle:
		lock, order, err := s.readDisclosure(c, st, st.By, b, len(st.Out), batch)
		if err != nil {
			return err
		}
		return wrapWrong(lock.CheckShuffle(st, order))
	case proof.Reveal:
		lock, _, err := s.readDisclosure(c, st, st.Key, b, 0, batch)
		if err != nil {
			return err
		}
		return wrapWrong(lock.CheckReveal(st))
	}
	return s.Prover.Verify(c, st, b, batch)
}

// readDisclosure checks the form of a statement, and reads the lock of key and an order of n places.
func (s settledSuite) readDisclosure(c transcript.Context, st proof.Statement, key proof.Key, b []byte, n int, batch proof.Batch) (proof.Lock, []byte, error) {
	if err := s.Prover.Verify(c, st, nil, batch); err != nil {
		return nil, nil, err
	}
	if len(b) < n {
		return nil, nil, errors.New("it ends too early")
	}
	order := b[len(b)-n:]
	if err := proof.CheckPermutation(order, n); err != nil {
		return nil, nil, err
	}
	lock, err := s.defers.ParseLock(key, b[:len(b)-n])
	return lock, order, err
}

func wrapWrong(err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", proof.ErrWrong, err)
	}
	return nil
}

func (s settledSuite) NewSecret(rand io.Reader) (proof.Secret, error) {
	return wrapDiscloser(s.Prover.NewSecret(rand))
}

func (s settledSuite) ParseSecret(b []byte) (proof.Secret, error) {
	return wrapDiscloser(s.Prover.ParseSecret(b))
}

func wrapDiscloser(x proof.Secret, err error) (proof.Secret, error) {
	if err != nil {
		return nil, err
	}
	return discloser{x}, nil
}

// discloser is a seat that shows its lock with everything it does.
type discloser struct{ proof.Secret }

func (x discloser) Prove(c transcript.Context, st proof.Statement, w proof.Witness, rand io.Reader) ([]byte, error) {
	b, err := x.Secret.Prove(c, st, w, rand)
	if err != nil {
		return nil, err
	}
	switch st.(type) {
	case proof.Shuffle:
		return append(x.Bytes(), w.(proof.OrderWitness).Order()...), nil
	case proof.Reveal:
		return x.Bytes(), nil
	}
	return b, nil
}

// isDeferred reports whether s is checked by a lock, and has no proof that is bound to a place.
func (w *world) isDeferred(s proof.Statement) bool {
	_, deferring := proof.AsDeferring(w.suite)
	return deferring && proof.IsDeferred(s)
}

// testDeferred: a suite that defers accepts bytes for what it does not prove, proves more than it says,
// or lets one lock replace another.
func testDeferred(w *world) {
	suite, ok := w.suite.(settledSuite)
	if !ok {
		return
	}
	for _, relation := range proof.Relations() {
		if want := slices.Contains([]string{"ownership", "shuffle", "reveal"}, relation); proof.Proves(suite, relation) != want {
			w.t.Errorf("proves %s: %v", relation, !want)
		}
	}
	if !proof.KeysPerDeal(suite) {
		w.t.Error("a lock that was disclosed is for the next deal, too")
	}
	for _, p := range w.honestProofs() {
		if !w.isDeferred(p.statement) {
			continue
		}
		for _, b := range [][]byte{{}, {0}, p.proof} {
			if err := suite.Prover.Verify(p.at.context(), p.statement, b, w.suite.NewBatch()); (err == nil) != (len(b) == 0) {
				w.t.Errorf("%s: with %d bytes for a proof: %v", p.name, len(b), err)
			}
		}
	}
	p := w.proveShuffle(5, true)
	s := p.statement.(proof.Shuffle)
	lock, order, err := suite.readDisclosure(p.at.context(), s, s.By, p.proof, 5, w.suite.NewBatch())
	w.failOnError(err)
	if err := lock.CheckShuffle(s, order); err != nil {
		w.t.Errorf("an honest shuffle: %v", err)
	}
	if found, ok := lock.FindOrder(s); !ok || !slices.Equal(found, order) {
		w.t.Errorf("the order of an honest shuffle is found as %v, and is %v", found, order)
	}
	slices.Reverse(order)
	if err := lock.CheckShuffle(s, order); !errors.Is(err, proof.ErrOrder) {
		w.t.Errorf("a shuffle of which another order is said: %v", err)
	}
	s.Out = append(slices.Clone(s.Out[:4]), w.strangerCard())
	if err := lock.CheckShuffle(s, order); err == nil || errors.Is(err, proof.ErrOrder) {
		w.t.Errorf("a shuffle of other cards in no order: %v", err)
	}
	if found, ok := lock.FindOrder(s); ok {
		w.t.Errorf("a shuffle of other cards is found to have the order %v", found)
	}
	if l, err := suite.ParseLock(w.keys[0], w.secrets[1].Bytes()); err == nil {
		w.t.Errorf("the lock of another key is read: %v", l)
	}
}

// ParseLock is ParseLock of the suite.
func (s settledSuite) ParseLock(key proof.Key, b []byte) (proof.Lock, error) {
	return s.defers.ParseLock(key, b)
}
