package words

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

// texts are the kernel's, by key, in English, German and Hungarian.
var texts = scene.ReadTexts(rows)

//go:embed germancards.json
var germanRows []byte

// germanCards are the names of the same cards in German pictures.
var germanCards = scene.ReadTexts(germanRows)
