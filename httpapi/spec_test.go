package httpapi_test

import (
	"maps"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/pakli/pakli/httpapi"
)

// A refusal that the specification does not know, or one that it promises and
// nobody gives.
func TestProblemsAreSpecified(t *testing.T) {
	spec, err := os.ReadFile("../docs/spec/70-http.md")
	if err != nil {
		t.Fatal(err)
	}
	specified := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `/problems/([a-z-]+)` \\| (\\d+) \\|").FindAllStringSubmatch(string(spec), -1) {
		specified[row[1]], _ = strconv.Atoi(row[2])
	}
	if !maps.Equal(specified, httpapi.Problems()) {
		t.Errorf("specified are %v, given are %v", specified, httpapi.Problems())
	}
}
