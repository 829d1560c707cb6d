package arrange

import "github.com/pakli/pakli/protocol/suite/ristretto255/masking"

// Doors for tests that forge under another transcript, choose x, or rewind a prover.
var (
	VerifyUnder = verify
	ProveUnder  = prove
	Powers      = Statement.powers
	Place       = Family.place
)

// Mask is what is absorbed before an arrangement is drawn.
type Mask = mask

// NewMask is of that family, key and cards.
func NewMask(f Family, k *masking.Key, in []masking.Card) Mask { return Mask{f, k, in} }
