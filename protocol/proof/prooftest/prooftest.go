// Package prooftest is the conformance of suites: [Run] holds a suite to the
// promises of package proof, at the level of the kernel's seam, and tries the
// forgeries that need no more than what the seam offers. Those that need a
// suite's algebra are in the tests of its relations. [Binding] holds a relation
// to the promise of package transcript, that every public value of a statement
// reaches the challenge.
//
// It knows no group and no equation, so every suite runs all of it.
package prooftest

import (
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
		{"StatementAltered", each((*world).refusesStatements)},
		{"ProofAltered", each((*world).refusesProofs)},
		{"ProofBytes", each((*world).refusesBits)},
		{"Replay", each((*world).refusesPlaces)},
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
		{"ForgeryReplayedKeyProof", testReplayedKeyProof},
		{"ForgeryMalleatedCopy", testMalleatedCopy},
		{"ForgeryConditionLeavesOutCard", testConditionLeavesOutCard},
		{"ForgeryShuffleOfOtherCards", testShuffleOfOtherCards},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newWorld(t, newSuite(), 12)) })
	}
}
