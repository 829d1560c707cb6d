package suite_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite"
)

// TestConformance: a suite in the catalogue that breaks a promise of the seam.
func TestConformance(t *testing.T) {
	for _, name := range suite.Names() {
		t.Run(name, func(t *testing.T) {
			prooftest.Run(t, func() proof.Suite {
				s, ok := suite.Lookup(name)
				if !ok || s.Name() != name {
					t.Fatalf("Lookup(%q) = %v, %v", name, s, ok)
				}
				return s
			})
		})
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
