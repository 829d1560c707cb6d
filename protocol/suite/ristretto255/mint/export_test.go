package mint

import (
	"github.com/pakli/pakli/protocol/suite/ristretto255/group"
	"github.com/pakli/pakli/protocol/suite/ristretto255/masking"
)

// Doors for tests that forge or rewind a prover.
var (
	VerifyUnder = verify
	ProveUnder  = prove
)

// Mask is what is absorbed before a card is drawn.
type Mask = mask

// NewMask is of that key and these faces.
func NewMask(k *masking.Key, faces []*group.Element) Mask { return Mask{k, faces} }
