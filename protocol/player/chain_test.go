package player

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// A value that is not the one which was fixed, since it was taken from what is kept of another; and
// a chain that is computed from its start for each of its values.
func TestChainIsKept(t *testing.T) {
	hashes := 0
	next := func(v []byte) []byte {
		hashes++
		h := sha256.Sum256(v)
		return h[:]
	}
	const links = 3*keptAt + 7
	c := new(Chain)
	for _, first := range [][]byte{{1}, {2}} {
		all := [][]byte{first}
		for range links {
			all = append(all, next(all[len(all)-1]))
		}
		hashes = 0
		for n := links; n >= 0; n-- {
			testmust.Requiref(t, bytes.Equal(c.valueAfter(first, n, next), all[n]), "of %d, value %d is another", first, n)
		}
		most := links + links*keptAt/2
		testmust.Holdf(t, hashes <= most, "%d hashes, at most %d are needed", hashes, most)
	}
}
