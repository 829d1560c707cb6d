package clear_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

// A suite that broke a promise would let tests of the kernel pass for the
// wrong reason.
func TestSuite(t *testing.T) { prooftest.Run(t, func() proof.Prover { return clear.Suite{} }) }
