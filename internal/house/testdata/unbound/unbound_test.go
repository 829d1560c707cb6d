package unbound

import (
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
)

func TestBinding(t *testing.T) {
	prooftest.Binding(t, Wrapped{Forgotten{1}}, Wrapped{Forgotten{2}})
	prooftest.Binding(t, labelled(1), labelled(2))
}
