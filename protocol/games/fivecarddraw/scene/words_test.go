package scene

import (
	"regexp"
	"testing"

	"github.com/pakli/pakli/protocol/scene/scenetest"
)

// A text that one language lacks, that is left in English, or that says less.
func TestTexts(t *testing.T) {
	scenetest.Texts(t, texts.ByTag(), regexp.MustCompile(`^$`))
}
