package scene

import (
	_ "embed"
)

//go:embed texts.json
var rows []byte

// texts are the kernel's texts, by key, in English, German and Hungarian.
var texts = ReadTexts(rows)

//go:embed germancards.json
var germanRows []byte

// germanCards are the names of the cards for people who look at German pictures.
var germanCards = ReadTexts(germanRows)
