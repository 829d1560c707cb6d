package mint

import (
	"github.com/pakli/pakli/protocol/suite/elgamal/masking"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// ProveUnder is a door for tests that prove what is false.
var ProveUnder = prove

// Mask is what a new card is hedged by.
func Mask(k *masking.Key, faces []group.Element) transcript.Statement {
	return mask{k, faces}
}
