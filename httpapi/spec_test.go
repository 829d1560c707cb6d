package httpapi_test

import (
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
)

// A resource that the specification does not know.
func TestResourcesAreSpecified(t *testing.T) {
	var text []byte
	for _, name := range []string{"../docs/spec/65-log.md", "../docs/spec/70-http.md"} {
		spec := testmust.Have(os.ReadFile(name))(t)
		text = append(text, spec...)
	}
	doc := testmust.Have(description())(t)
	in65 := strings.NewReplacer("{level}", "<L>", "{tile}", "<N>[.p/<W>]", "{hash}", "{sha256}")
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			row := regexp.MustCompile(`(?m)^\|.*\x60(` + method + ` )?` + regexp.QuoteMeta(in65.Replace(path)) + `[?\x60]`)
			if !row.Match(text) {
				t.Errorf("%s %s is in no table", method, path)
			}
		}
	}
}

// A refusal that the specification does not know, or one that it promises and
// nobody gives.
func TestProblemsAreSpecified(t *testing.T) {
	spec := testmust.Have(os.ReadFile("../docs/spec/70-http.md"))(t)
	specified := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `/problems/([a-z-]+)` \\| (\\d+) \\|").FindAllStringSubmatch(string(spec), -1) {
		specified[row[1]], _ = strconv.Atoi(row[2])
	}
	if !maps.Equal(specified, httpapi.Problems()) {
		t.Errorf("specified are %v, given are %v", specified, httpapi.Problems())
	}
}
