package tamper_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/cmd/pakli-web/tamper"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/verifier"
)

// The page shows another verdict than its table promises, or blames the wrong seat.
func TestTry(t *testing.T) {
	ctx := context.Background()
	g := testmust.Have(tamper.Play(ctx, func(int) {}))(t)
	want := map[tamper.Change]struct {
		verdict verifier.Verdict
		says    string
	}{
		{"file", "byte"}:        {judge.Unchecked, "B3-hash"},
		{"file", "repaired"}:    {judge.Unchecked, "B7-proof"},
		{"file", "left-out"}:    {judge.Unchecked, "B7-proof"},
		{"file", "swapped"}:     {judge.Unchecked, "B7-proof"},
		{"file", "end"}:         {verifier.Unfinished, "as shown"},
		{"server", "entry"}:     {verifier.LogBroken, "root"},
		{"operator", "entry"}:   {verifier.Unfinished, "Waiting"},
		{"operator", "history"}: {verifier.LogBroken, "signed"},
		{"seat", "face"}:        {verifier.Foul, "csilla"},
		{"seat", "rule"}:        {verifier.Foul, "csilla"},
		{"seat", "proof"}:       {verifier.Foul, "csilla"},
		{"seat", "shuffle"}:     {verifier.Foul, "csilla"},
	}
	for _, c := range tamper.Changes {
		tried, err := g.Try(ctx, c, "en")
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		t.Logf("%v: %s: %s", c, tried.Verdict, tried.Headline)
		if w := want[c]; tried.Verdict != w.verdict || !strings.Contains(tried.Headline+tried.Text, w.says) {
			t.Errorf("%v: %s, %q, want %s and %q", c, tried.Verdict, tried.Headline, w.verdict, w.says)
		}
		testmust.Holdf(t, tried.Verdict == verifier.Foul || !strings.Contains(tried.JSON, `"verdict": "foul"`), "%v: somebody is blamed", c)
	}
}
