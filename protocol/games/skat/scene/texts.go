package scene

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

// texts are in English, German and Hungarian. German is the game's own language.
var texts = scene.ReadTexts(rows)
