package desk

import (
	"regexp"
	"strconv"
	"testing"

	"rsc.io/qr"

	"github.com/pakli/pakli/internal/testmust"
)

// An invitation whose drawing is not that of the code: a phone reads another link, or none.
func TestInvitationIsDrawnModuleByModule(t *testing.T) {
	const link = "https://cards.example/j/706PR#380d6c1fb89ae2cf074bbc4d3738a06c2a8e4f7d2d9844ced4a4a09aa0456b87"
	drawn := testmust.Have(qrOf(link))(t)
	code := testmust.Have(qr.Encode(link, qr.M))(t)
	dark := map[[2]int]bool{}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-\d+z`).FindAllStringSubmatch(drawn.Path, -1) {
		x, y, n := testmust.Have(strconv.Atoi(m[1]))(t), testmust.Have(strconv.Atoi(m[2]))(t), testmust.Have(strconv.Atoi(m[3]))(t)
		for i := range n {
			dark[[2]int{x + i, y}] = true
		}
	}
	for y := range code.Size {
		for x := range code.Size {
			testmust.Equal(t, dark[[2]int{x, y}], code.Black(x, y), "the module at", x, y)
		}
	}
	testmust.Equal(t, drawn.Size, code.Size, "modules on a side")
}
