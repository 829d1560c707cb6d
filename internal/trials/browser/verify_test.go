package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
)

// vectors is where docs/spec/vectors/bundle is.
func vectors() string { return filepath.Join(build.Sources(), "docs", "spec", "vectors", "bundle") }

// A verify.html that asks a network, or judges a bundle otherwise than the native
// verifier: docs/spec/85-bundle.md, 85.8.
func TestVerifyHTML(t *testing.T) {
	t.Parallel()
	f := serve(t)
	m := testmust.Have(made())(t)
	page := filepath.Join(t.TempDir(), "verify.html")
	testmust.Do(t, os.WriteFile(page, web.VerifyPage(m), 0o644))
	var list []struct {
		File    string
		Log     []string
		Policy  string
		Against json.RawMessage
		Outcome string
	}
	text := testmust.Have(os.Open(filepath.Join(vectors(), "vectors.json")))(t)
	defer text.Close()
	decode(t, text, &list)
	p := visitor(t, f)
	p.visit("file://" + page)
	for i := 0; i < len(list); {
		keys := strings.Join(list[i].Log, "\n")
		var files []string
		n := i
		for ; n < len(list) && strings.Join(list[n].Log, "\n") == keys; n++ {
			files = append(files, filepath.Join(vectors(), list[n].File))
		}
		got := p.judged("file://"+page, list[i].Log, files)
		for j, g := range got {
			v := list[i+j]
			file := testmust.Have(os.ReadFile(files[j]))(t)
			want, err := judge.File(context.Background(), file, v.Log, "en")
			if err != nil {
				want = judge.Answer{Verdict: judge.Unchecked, Headline: err.Error()}
			}
			testmust.Holdf(t, g.Name == v.File && g.Verdict == string(want.Verdict) && g.Headline == want.Headline,
				"%s: the page says %q, %q, and the native verifier %q, %q", v.File, g.Verdict, g.Headline, want.Verdict, want.Headline)
			outcome := strings.Replace(v.Outcome, "cannot check", string(judge.Unchecked), 1)
			testmust.Holdf(t, v.Policy != "" || len(v.Against) != 0 || g.Verdict == outcome,
				"%s: the page says %q, and the vector %q", v.File, g.Verdict, v.Outcome)
		}
		i = n
	}
	p.looks("verify.html")
	f.mu.Lock()
	if len(f.asked)+len(f.elsewhere) > 1 { // the test itself asks for the log's key past the front
		t.Errorf("verify.html asked for something: %v %v", f.asked, f.elsewhere)
	}
	f.mu.Unlock()
	got := p.judged(f.URL+"/verify.html", list[0].Log, []string{filepath.Join(vectors(), list[0].File)})
	testmust.Holdf(t, got[0].Report == list[0].File+".html", "%s: the report is offered as %q", list[0].File, got[0].Report)
	testmust.Holdf(t, got[0].Verdict == list[0].Outcome,
		"%s: the page as it is served says %q, and the vector %q", list[0].File, got[0].Verdict, list[0].Outcome)
	testmust.Equal(t, eval[string](p, "origin"), "null", "verify.html is within reach of what", "keeps")
	f.orderly()
}

// answer is a verdict that verify.html shows.
type answer struct{ Name, Verdict, Headline, Report string }

// judged has verify.html at an address judge files under the keys of logs.
func (p *tab) judged(address string, keys, files []string) []answer {
	p.Helper()
	p.visit(address)
	eval[any](p, fmt.Sprintf(`(() => { const k = document.getElementById("keys"); k.value = %s; k.dispatchEvent(new Event("input")); })()`, quote(strings.Join(keys, " "))))
	p.call(func(ctx context.Context) error {
		return chromedp.Do(ctx, chromedp.SetUploadFiles(`input[type=file]`, files))
	})
	p.untilIn(3*time.Minute, fmt.Sprintf(`document.querySelectorAll(".verdict").length === %d`, len(files)))
	return eval[[]answer](p, `[...document.querySelectorAll(".verdict")].map(v => ({ name: v.querySelector("bdi").textContent, verdict: v.dataset.verdict, headline: v.querySelector(".headline").textContent, report: v.querySelector("a[download]")?.download || "" })).reverse()`)
}
