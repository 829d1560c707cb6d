package rounds

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

func TestParseOrder(t *testing.T) {
	for _, b := range [][]byte{{0, 1, 2}, {2, 0, 1}, {0}, {}} {
		testmust.Have(ParseOrder(b))(t, b)
	}
	for _, b := range [][]byte{{0, 0, 2}, {1, 2, 3}, {0, 1, 1}, {255, 1, 2}, {1}, {0, 3, 1}} {
		testmust.Fail(t, testmust.ErrorOf(ParseOrder(b)), b, "is a permutation")
	}
}
