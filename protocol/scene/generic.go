package scene

import (
	"encoding/json"

	"github.com/pakli/pakli/protocol/table"
)

// Generic presents a game of which nothing is known but its rules: zones from the
// kernel, and its moves as they are written.
func Generic(name string) Game { return Game{name: name, erased: generic{}} }

type generic struct{}

func (generic) Tell(_, _ Position, _ table.Seat, move json.RawMessage) []Tell {
	if move == nil {
		return nil
	}
	return []Tell{{What: Say("did.move", Text("move", string(move)))}}
}

func (generic) Sheets(*table.State) []Sheet { return nil }

func (generic) Claim(c table.Condition) Claim { return AnyClaim(c) }

func (generic) Rule(string) Note { return Note{} }
