package admission

import "testing"

// SaveEvery makes the index be saved more often.
func SaveEvery(t *testing.T, n uint64) {
	before := saveEvery
	saveEvery = n
	t.Cleanup(func() { saveEvery = before })
}
