package report

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

// texts are the report's own: verdicts, headings and what stands beside a step. What
// happens at a table is put into words by protocol/scene, and what a game says by
// the game.
var texts = scene.ReadTexts(rows)
