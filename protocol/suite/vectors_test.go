package suite_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite"
)

//go:generate go test -run TestVectors -update .

var update = flag.Bool("update", false, "write the vectors anew")

// TestVectors: a change of the protocol that its author did not notice, and
// that other implementations would.
func TestVectors(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			s, _ := suite.Lookup(name)
			prooftest.Vectors(t, s, filepath.Join("testdata", strings.ReplaceAll(name, "/", "-")), *update)
		})
	}
}

func FuzzOwnership(f *testing.F) { fuzz(f, "ownership") }
func FuzzShuffle(f *testing.F)   { fuzz(f, "shuffle") }
func FuzzReveal(f *testing.F)    { fuzz(f, "reveal") }
func FuzzTransfer(f *testing.F)  { fuzz(f, "transfer") }
func FuzzCondition(f *testing.F) { fuzz(f, "condition") }

func fuzz(f *testing.F, relation string) {
	s, _ := suite.Lookup(suite.Default)
	prooftest.Fuzz(f, s, relation)
}

func FuzzParse(f *testing.F) {
	s, _ := suite.Lookup(suite.Default)
	prooftest.FuzzParse(f, s)
}
