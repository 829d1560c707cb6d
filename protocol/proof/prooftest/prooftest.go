// Package prooftest is the conformance of suites. [Run] holds a suite to the promises of package proof,
// at the level of the kernel's seam, and tries those forgeries that the seam alone makes possible.
// Forgeries that need a suite's algebra are in the tests of its relations. [Binding] holds a relation
// to the promise of package transcript that every public value of a statement reaches the challenge.
//
// It knows no group and no equation, so every suite runs all of it.
package prooftest

import (
	"bytes"
	"testing"

	"github.com/pakli/pakli/protocol/proof"
)

// Run holds the suite that newSuite returns to its contract.
func Run(t *testing.T, newSuite func() proof.Prover) {
	for _, test := range []struct {
		name string
		run  func(*world)
	}{
		{"Completeness", testCompleteness},
		{"Deal", testDeal},
		{"False", testFalse},
		{"Altered", testAltered},
		{"Conditions", testConditions},
		{"OtherStatement", testOtherStatement},
		{"BatchNamesTheWrong", testBatchNamesTheWrong},
		{"BatchIsEmptied", testBatchIsEmptied},
		{"Meaningless", testMeaningless},
		{"Foreign", testForeign},
		{"Parse", testParse},
		{"Joint", testJoint},
		{"Secret", testSecret},
		{"RestoredMasks", testRestoredMasks},
		{"RestoredProofs", testRestoredProofs},
		{"FreshMasks", testFreshMasks},
		{"Concurrent", testConcurrent},
		{"Deferred", testDeferred},
		{"Arranged", testArranged},
		{"ArrangedFalse", testArrangedFalse},
		{"RestoredArrangements", testRestoredArrangements},
		{"ForgeryReplayedKeyProof", testReplayedKeyProof},
		{"ForgeryMalleatedCopy", testMalleatedCopy},
		{"ForgeryConditionLeavesOutCard", testConditionLeavesOutCard},
		{"ForgeryShuffleOfOtherCards", testShuffleOfOtherCards},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, newSuite(), 12)
			if w.isSlow() {
				w = newWorld(t, newSuite(), 7)
			}
			test.run(w)
		})
	}
}

// Fuzz offers bytes as the proof of an honest statement of a relation: none may panic, and only the
// honest proof may be accepted.
func Fuzz(f *testing.F, s proof.Prover, relation string) {
	w := newWorld(f, s, 6)
	var all []provedStatement
	for _, p := range w.honestProofs() {
		if proof.RelationName(p.statement) != relation {
			continue
		}
		all = append(all, p)
		f.Add(byte(len(all)-1), p.proof)
		for i, a := range alteredProofs(p.proof) {
			if len(p.proof) < 512 && (!w.isSlow() || i%8 == 0) {
				f.Add(byte(len(all)-1), a.value)
			}
		}
	}
	f.Fuzz(func(t *testing.T, which byte, b []byte) {
		p := all[int(which)%len(all)]
		honest := p.proof
		p.proof = b
		if accepted := w.verifyAlone(p) == nil; accepted != bytes.Equal(b, honest) {
			t.Errorf("%s: accepted %v, honest %v: %x", p.name, accepted, bytes.Equal(b, honest), b)
		}
	})
}

// FuzzParse offers bytes as a key, card, token and secret: none may panic, and a value that is accepted
// must encode to the same bytes.
func FuzzParse(f *testing.F, s proof.Prover) {
	w := newWorld(f, s, 6)
	hand, _ := w.dealHand(1, 1)
	for _, v := range []interface{ Bytes() []byte }{w.keys[0], hand[0], w.secrets[0].Token(hand[0]), w.secrets[0], w.deck.Cards()[0]} {
		f.Add(v.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, parse := range map[string]func([]byte) ([]byte, error){
			"key": parseAndEncode(w.enc.ParseKey), "masked": parseAndEncode(w.enc.ParseMasked),
			"token": parseAndEncode(w.enc.ParseToken), "secret": parseAndEncode(s.ParseSecret),
		} {
			if got, err := parse(b); err == nil && !bytes.Equal(got, b) {
				t.Errorf("%s %x encodes as %x", name, b, got)
			}
		}
	})
}
