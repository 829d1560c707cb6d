package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// picture writes what a player sees, if a folder for pictures is set.
func (p *tab) picture(name string) {
	p.Helper()
	if pictures != "" {
		p.photograph(filepath.Join(pictures, name+".png"))
	}
}

// photograph writes what the window shows to a file.
func (p *tab) photograph(file string) {
	p.Helper()
	var png []byte
	p.call(func(ctx context.Context) (err error) {
		png, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
		return err
	})
	testmust.Do(p, os.WriteFile(file, png, 0o644))
}

// life freezes a tab as a phone does, or wakes it.
func (p *tab) life(state page.SetWebLifecycleStateState) {
	p.Helper()
	p.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state})
		return err
	})
}

// chooses sets the one list that has this value.
func (p *tab) chooses(value string) {
	p.Helper()
	list := fmt.Sprintf("[...document.querySelectorAll('select')].find(s => [...s.options].some(o => o.value === %s))", quote(value))
	p.until(list)
	eval[chromedp.Void](p, fmt.Sprintf("(() => { const s = %s; s.value = %s; s.dispatchEvent(new Event('change', { bubbles: true })); })()", list, quote(value)))
}

// takesName types a player's name.
func (p *tab) takesName(name string) { p.Helper(); p.fill("input[autocomplete=nickname]", name) }

// offers offers a table on the page for it, and returns the link.
func (p *tab) offers(f *front, name, game string, deals int) string {
	p.Helper()
	p.visit(f.URL + "/new")
	p.takesName(name)
	p.chooses(game)
	eval[chromedp.Void](p, fmt.Sprintf("(() => { const i = document.querySelector('input[type=number]'); i.value = '%d'; i.dispatchEvent(new Event('input', { bubbles: true })); })()", deals))
	p.press("Offer the table")
	p.until("document.querySelector('.invite input')")
	return eval[string](p, "document.querySelector('.invite input').value")
}

// seated sits down at the table of an offer, and says that nothing depends on it.
func (p *tab) seated() wire.Hash {
	p.Helper()
	p.press("Sit down")
	p.until("location.pathname.startsWith('/t/')")
	p.press("Nothing depends on this game")
	id := testmust.Have(wire.ParseHash(strings.TrimPrefix(eval[string](p, "location.pathname"), "/t/")))(p)
	p.until("document.querySelector('.table')")
	return id
}

// entries waits until n messages of a table are in the log.
func (f *front) entries(id wire.Hash, n int) {
	f.t.Helper()
	for end := time.Now().Add(4 * time.Minute); ; time.Sleep(500 * time.Millisecond) {
		s, err := f.log().Table(context.Background(), id)
		if err == nil && s.Entries >= n {
			return
		}
		testmust.Requiref(f.t, !time.Now().After(end), "the table has %d messages, and does not come to %d: %v", s.Entries, n, err)
	}
}

// TestTrial is an evening as clubs have it: players far from the server, some lost answers, a
// sleeping phone, a restarted server, and a player who closes the browser and returns the next day.
// Nobody may be blamed or stuck, and nothing signed twice.
func TestTrial(t *testing.T) {
	testmust.OnlyThorough(t, "an evening over a bad network; .ci/run kills, cuts and delays in the other tests")
	t.Parallel()
	f := serve(t)
	game, rest := "schwarzer-peter/v1", 3*time.Second
	if long() {
		game, rest = "tarokk/v1", 20*time.Second
	}
	var mu sync.Mutex
	random, lost := rand.New(rand.NewPCG(rand.Uint64(), 0)), 0
	f.far(200*time.Millisecond, func() bool {
		mu.Lock()
		defer mu.Unlock()
		if random.IntN(100) > 0 {
			return false
		}
		lost++
		return true
	})
	dir := testmust.Have(profile())(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	anna, closes := f.process(t, dir)
	link := anna.offers(f, "anna", game, 1)
	anna.picture("offered")
	bela, csilla, dezso := visitor(t, f), visitor(t, f), visitor(t, f)
	bela.shown(375, false)
	csilla.shown(768, true)
	for name, p := range map[string]*tab{"bela": bela, "csilla": csilla, "dezso": dezso} {
		p.visit(strings.Replace(link, strings.SplitN(link, "/j/", 2)[0], f.URL, 1))
		p.takesName(name)
		p.press("Join")
	}
	var id wire.Hash
	begun := time.Now()
	for i, p := range []*tab{anna, bela, csilla, dezso} {
		id = p.seated()
		eval[any](p, fmt.Sprintf("pakliTest.play(%d)", 100+i))
	}
	t.Logf("all have sat down after %v", time.Since(begun).Round(time.Second))

	f.entries(id, 16)
	bela.picture("phone")
	bela.life(page.SetWebLifecycleStateStateFrozen)
	time.Sleep(rest)
	csilla.picture("one-sleeps")
	bela.life(page.SetWebLifecycleStateStateActive)

	f.entries(id, 24)
	f.kill()
	time.Sleep(rest)
	dezso.picture("server-away")
	bela.picture("server-away-phone")
	f.start()

	f.entries(id, 32)
	closes()
	time.Sleep(rest)
	dezso.picture("one-has-left")
	anna, _ = f.process(t, dir) // the next day
	anna.visit(f.URL + "/lobby")
	mine := fmt.Sprintf("document.querySelector('a[href^=\"/t/%s\"]')", id)
	anna.until(mine)
	anna.picture("next-day")
	eval[chromedp.Void](anna, mine+".click()")
	anna.until("document.querySelector('.table')")
	eval[any](anna, "pakliTest.play(7)")
	for name, p := range map[string]*tab{"anna": anna, "bela": bela, "csilla": csilla, "dezso": dezso} {
		p.over(6 * time.Minute)
		p.picture("over-" + name)
	}
	t.Logf("over after %v; %d answers were lost", time.Since(begun).Round(time.Second), lost)
	f.sound(id)
	f.orderly()
}

// vectors returns the path of docs/spec/vectors/bundle.
func vectors() string { return filepath.Join(build.Sources(), "docs", "spec", "vectors", "bundle") }

// verify.html must not use a network, and must judge a bundle as the native verifier does:
// docs/spec/85-bundle.md, 85.8.
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
	if len(f.asked)+len(f.elsewhere) > 1 { // the test itself requests the log's key through another way
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

// judged makes verify.html at an address judge files under the keys of logs.
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
