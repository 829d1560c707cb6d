package admission

import (
	"encoding/binary"
	"testing"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// SaveEvery makes the index be saved more often.
func SaveEvery(t *testing.T, n uint64) {
	before := saveEvery
	saveEvery = n
	t.Cleanup(func() { saveEvery = before })
}

// RememberWrong puts n entries into what is known to be wrong, and returns how
// many of the latest are remembered, and how many in all.
func RememberWrong(n int) (latest, all int) {
	var k wrongEntries
	hash := func(i int) (h wire.Hash) {
		binary.BigEndian.PutUint64(h[:], uint64(i))
		return h
	}
	for i := range n {
		k.putFault(hash(i), &table.Fault{})
	}
	for i := range n {
		if _, ok := k.faultOf(hash(n - 1 - i)); ok {
			all++
			if latest == i {
				latest++
			}
		}
	}
	return latest, all
}
