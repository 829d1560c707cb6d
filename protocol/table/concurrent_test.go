package table_test

import (
	"sync"
	"testing"

	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// A state is shared by the server's requests: readers, and messages that are
// tried at the same time, must not disturb each other. Meant for -race.
func TestStatesAreShared(t *testing.T) {
	played := playedOut(t, peter, tabletest.Config{Seats: 2}, 1)
	var wait sync.WaitGroup
	for i := range len(played.States) - 1 {
		for range 3 {
			wait.Go(func() {
				s := played.States[i]
				if next, err := tabletest.Apply(s, played.Entries[i+1]); err != nil || next.Head() != played.States[i+1].Head() {
					t.Errorf("entry %d: %v", i+1, err)
				}
				hand, err := play.Peek(s, 0, played.Hands[0].Secret)
				if err != nil {
					t.Error(err)
				}
				dealt, err := play.PeekDealt(s, 0, played.Hands[0].Secret)
				if err != nil {
					t.Error(err)
				}
				if _, err := play.Moves(s, play.View(s, 0, hand, dealt)); err != nil {
					t.Error(err)
				}
				tabletest.Fingerprint(s)
				s.End(&table.Fault{Class: table.Foul, Seat: 1}, wire.Hash{})
			})
		}
	}
	wait.Wait()
}
