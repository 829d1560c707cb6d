package report_test

import (
	"testing"

	"github.com/pakli/pakli/verifier/report"
)

// What words cost beside the verdict.
func BenchmarkBuild(b *testing.B) {
	s := scenes["tarokk"](b)
	r, rec := s.verified(b)
	l := language(b, "en")
	for b.Loop() {
		if _, err := report.Build(r, rec, s.Catalogue(), l); err != nil {
			b.Fatal(err)
		}
	}
}
