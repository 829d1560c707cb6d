package arrange

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/transcript"
)

// Doors for tests that prove what is false.
var (
	ProveUnder = prove
	Powers     = Statement.drawPowers
)

// Mask is what an arrangement of cards is hedged by.
func Mask(f Family, k *masking.Key, in []masking.Card) transcript.Statement {
	return mask{f, k, in}
}
