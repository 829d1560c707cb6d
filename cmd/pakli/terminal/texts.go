package terminal

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

// texts are the terminal's own texts (protocol/scene).
var texts = scene.ReadTexts(rows).ByTag()
