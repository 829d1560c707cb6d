package scene

import (
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

type at = scene.At[tarokk.State]

// Tell implements scene.Presentation.
func (presentation) Tell(before, after at, by table.Seat, m *tarokk.Move) []scene.Tell {
	if m == nil {
		return nil
	}
	return []scene.Tell{{What: did(before.State, by, *m)}}
}
