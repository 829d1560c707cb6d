package report

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

// texts are the report's own texts: verdicts, headings and notes beside a step. Package
// protocol/scene has the texts for what happens at a table, and each game has its own.
var texts = scene.ReadTexts(rows)
