package arrange_test

import (
	"testing"

	"github.com/pakli/pakli/protocol/proof/prooftest"
	"github.com/pakli/pakli/protocol/suite/ristretto255/arrange"
	"github.com/pakli/pakli/protocol/suite/ristretto255/handtest"
)

// A value of the statement that is chosen after the challenge, or a mask that is drawn
// again for other cards.
func TestBinding(t *testing.T) {
	a, _ := arranged(t, arrange.Cut, 3, 1)
	b, _ := arranged(t, arrange.Insert, 3, 1)
	for i := range b.In {
		a.In[i] = a.Out[(i+1)%3]
		b.In[i] = b.Out[(i+1)%3]
	}
	b.Key = handtest.Secret(t).Key()
	prooftest.Binding(t, a, b)
	prooftest.Binding(t, arrange.Mask(a.Family, a.Key, a.In), arrange.Mask(b.Family, b.Key, b.In))
}
