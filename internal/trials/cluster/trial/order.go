package trial

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anishathalye/porcupine"
)

// inOrder asks porcupine, which knows nothing of logs, whether the front ends answered like one log
// that takes one entry after another: if one answer came before another post began, it has the
// smaller index.
func inOrder(acks []Ack) error {
	acks = slices.Clone(acks)
	slices.SortFunc(acks, func(a, b Ack) int { return cmp.Compare(a.Index, b.Index) })
	var calls []porcupine.Operation
	for place, a := range acks {
		calls = append(calls, porcupine.Operation{ClientId: a.Client, Call: a.Begun.UnixNano(), Output: place, Return: a.At.UnixNano()})
	}
	log := porcupine.Model{
		Init: func() any { return 0 },
		Step: func(taken, _, place any) (bool, any) { return place == taken, taken.(int) + 1 },
	}
	if !porcupine.CheckOperations(log, calls) {
		return fmt.Errorf("of %d answers one came before an entry was posted that is before its own", len(acks))
	}
	return nil
}
