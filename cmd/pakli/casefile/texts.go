package casefile

import (
	_ "embed"

	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/verifier/report"
)

var languages = texts.ByTag()

func withTexts(l report.Language) report.Language {
	l.Language = l.WithTexts(languages[l.Tag])
	return l
}

//go:embed texts.json
var rows []byte

// texts are the texts of the folder's README and of key.txt.
var texts = scene.ReadTexts(rows)
