package record_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testfile"
	"github.com/pakli/pakli/internal/testmust"
)

// The records in testdata/deals: a deal that comes to something else than what is
// written beside it. Those with Anna's evening were exported from tables; the
// others are typed in as newspapers and books print deals.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/deals/*.tarokk")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := testmust.Have(os.ReadFile(file))(t)
			s, report := scored(t, string(text))
			testfile.Same(t, strings.TrimSuffix(file, ".tarokk")+".score", report.String())
			testfile.Same(t, strings.TrimSuffix(file, ".tarokk")+".canonical", s.Text())
		})
	}
}
