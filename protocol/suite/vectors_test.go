package suite_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
	"github.com/pakli/pakli/protocol/suite/sra255"
)

//go:generate go test -run TestInstances -update .
//go:generate go test -run TestVectors -update .

// file has the vectors of a suite, which are part of the specification.
func file(name string) string {
	return filepath.Join("..", "..", "docs", "spec", "vectors", "proof", strings.ReplaceAll(name, "/", "-")+".jsonl")
}

// TestVectors: a change of the protocol that its author did not notice, and
// that other implementations would. Suites that have all but the shuffle from
// the default one have vectors of shuffles.
func TestVectors(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			if large(name) && !thorough.Tests() && !testfile.Updating() {
				if strings.HasPrefix(name, "schindelhauer3072") || strings.Contains(name, "-c") && name != schindelhauer.Name2048 {
					thorough.Only(t, "the suite is another one but for its rounds, or its numbers are longer")
				}
				prooftest.SomeVectors(t, proverOf(t, name), file(name))
				return
			}
			var only []string
			switch {
			case strings.HasPrefix(name, "schindelhauer"):
				only = []string{"deal"} // a proof has as many bytes as all other vectors
			case name == "qr2048-bayergroth/v1":
				only = append(few("ownership", "shuffle-two", "reveal", "transfer", "condition-some", "arrange-cut", "mint-private"), "deal")
			case strings.HasPrefix(name, "qr"):
				only = few("shuffle-two")
			case strings.Contains(name, "-chosen"):
				only = []string{"shuffle-two*"} // of more cards they are long
			case name != suite.Default && !strings.HasPrefix(name, "sra"):
				only = []string{"shuffle*"}
			}
			prooftest.Vectors(t, proverOf(t, name), file(name), testfile.Updating(), only...)
		})
	}
}

// large reports whether the numbers of a suite have thousands of bits: its vectors take seconds
// to make, and minutes where keys are drawn.
func large(name string) bool {
	return strings.HasPrefix(name, "qr") || strings.HasPrefix(name, "schindelhauer") || strings.HasPrefix(name, "sra3072")
}

// few are names of vectors: of each of some honest proofs it and two that are refused.
func few(honest ...string) (list []string) {
	for _, name := range honest {
		list = append(list, name, name+"-statement", name+"-first-field-all-ones")
	}
	return list
}

// TestVectorsInBatch: a failure that passes, or is laid at another's door, among
// honest proofs.
func TestVectorsInBatch(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "schindelhauer") {
				t.Skip("there are vectors of a deal alone")
			}
			if large(name) {
				thorough.Only(t, "the batch is that of ristretto255, or checks one after another")
			}
			prooftest.VectorsInBatch(t, proverOf(t, name), file(name), !thorough.Tests())
		})
	}
}

func FuzzOwnership(f *testing.F)         { fuzz(f, suite.Default, "ownership") }
func FuzzShuffle(f *testing.F)           { fuzz(f, suite.Default, "shuffle") }
func FuzzShuffleTwoColumns(f *testing.F) { fuzz(f, "ristretto255-bayergroth/v2", "shuffle") }
func FuzzShuffleTereliusWikstrom(f *testing.F) {
	fuzz(f, "ristretto255-tereliuswikstrom/v1", "shuffle")
}
func FuzzShuffleCutAndChoose(f *testing.F) { fuzz(f, "ristretto255-cutandchoose/v1", "shuffle") }
func FuzzShuffleLocks(f *testing.F)        { fuzz(f, sra255.Name, "shuffle") }
func FuzzShuffleDisclosed(f *testing.F)    { fuzz(f, sra255.Disclosed, "shuffle") }
func FuzzReveal(f *testing.F)              { fuzz(f, suite.Default, "reveal") }
func FuzzRevealLocks(f *testing.F)         { fuzz(f, sra255.Name, "reveal") }
func FuzzRevealDisclosed(f *testing.F)     { fuzz(f, sra255.Disclosed, "reveal") }
func FuzzTransfer(f *testing.F)            { fuzz(f, suite.Default, "transfer") }
func FuzzCondition(f *testing.F)           { fuzz(f, suite.Default, "condition") }
func FuzzArrange(f *testing.F)             { fuzz(f, suite.Default, "arrange") }
func FuzzMint(f *testing.F)                { fuzz(f, suite.Default, "mint") }

func FuzzParse(f *testing.F)          { prooftest.FuzzParse(f, proverOf(f, suite.Default)) }
func FuzzParseDisclosed(f *testing.F) { prooftest.FuzzParse(f, proverOf(f, sra255.Disclosed)) }
func FuzzParseLocks(f *testing.F)     { prooftest.FuzzParse(f, proverOf(f, sra255.Name)) }
func FuzzParseSquares(f *testing.F)   { prooftest.FuzzParse(f, proverOf(f, "qr2048-bayergroth/v1")) }

func fuzz(f *testing.F, name, relation string) { prooftest.Fuzz(f, proverOf(f, name), relation) }
