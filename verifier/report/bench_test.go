package report_test

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/verifier/report"
)

// What words cost beside the verdict.
func BenchmarkBuild(b *testing.B) {
	s := scenes["tarokk"](b)
	r, rec := s.verified(b)
	l := language(b, "en")
	for b.Loop() {
		testmust.Have(report.Build(r, rec, s.Catalogue(), l))(b)
	}
}
