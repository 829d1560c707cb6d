package suite_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/suite/schindelhauer"
)

// TestConformance: a suite in the catalogue that breaks a promise of the seam. It takes nearly two seconds, since
// proofs of every relation are made and altered for five suites.
func TestConformance(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			switch name {
			case "sra3072-disclosed/v1":
				thorough.Only(t, "sra255 runs the same code, modulo a number of a twelfth the length")
			case "qr2048-bayergroth/v1":
				thorough.Only(t, "ristretto255 runs the same code, and its conformance takes a hundredth of the time")
			case schindelhauer.Name2048, schindelhauer.Chosen2048, "qr3072-bayergroth/v1", "qr2048-cutandchoose/v1", "qr2048-cutandchoose-chosen40/v1":
				if len(thorough.Suites([]string{name})) == 0 {
					t.Skip("NOT RUN without PAKLI_SUITES=all: hours, for code that other suites run")
				}
			case "ristretto255-cutandchoose/v1", "ristretto255-cutandchoose-chosen40/v1":
				thorough.Only(t, "its package has a conformance of its own, and its proofs are long")
			case schindelhauer.Name3072, schindelhauer.Chosen3072:
				t.Skip("it is the other one with longer numbers")
			}
			prooftest.Run(t, func() proof.Prover {
				p := proverOf(t, name)
				if !thorough.Tests() && (name == "ristretto255-bayergroth/v2" || name == "ristretto255-tereliuswikstrom/v1") {
					return shuffling{p}
				}
				return p
			})
		})
	}
}

// shuffling is a suite of which only shuffles, and what they are dealt with, are tried: all
// else is that of the default one.
type shuffling struct{ proof.Prover }

func (shuffling) Proves(relation string) bool {
	return slices.Contains([]string{"ownership", "shuffle", "reveal", proof.Permute}, relation)
}

// proverOf is the suite of that name, with its proving side.
func proverOf(t testing.TB, name string) proof.Prover {
	t.Helper()
	s, ok := suite.Lookup(name)
	if !ok && runtime.GOOS == "js" {
		t.Skip("the pages are without suites whose numbers have thousands of bits")
	}
	if !ok || s.Name() != name {
		t.Fatalf("Lookup(%q) = %v, %v", name, s, ok)
	}
	return testmust.Have(proof.ProverOf(s))(t)
}

// verifying is a suite without its proving side.
type verifying struct{ proof.Suite }

// TestProverOf: a suite that can only be verified with, and stops the program of a
// player.
func TestProverOf(t *testing.T) {
	s, _ := suite.Lookup(suite.Default)
	if p, err := proof.ProverOf(verifying{s}); p != nil || err == nil || !strings.Contains(err.Error(), suite.Default) {
		t.Errorf("prover of a suite that has none: %v, %v", p, err)
	}
}

// TestLookup: a table of an unknown suite that gets some other one.
func TestLookup(t *testing.T) {
	if s, ok := suite.Lookup("ristretto255-bayergroth/v0"); ok {
		t.Errorf("unknown name found %v", s)
	}
	if names := suite.Names(); names[0] != suite.Default {
		t.Errorf("first of %v is not the default %s", names, suite.Default)
	}
}
