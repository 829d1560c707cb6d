package masking_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/elgamal/handtest"
)

// A value of a shuffle that is chosen after the challenge, whatever the argument.
func TestBinding(t *testing.T) {
	a, b := handtest.BindingPair(t)
	prooftest.Binding(t, a.WithLabel("a"), b.WithLabel("a"))
}
