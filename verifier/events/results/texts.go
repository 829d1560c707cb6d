package results

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
)

//go:embed texts.json
var rows []byte

var languages = scene.ReadTexts(rows).ByTag()
