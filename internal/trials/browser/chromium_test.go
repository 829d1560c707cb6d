package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/internal/testmust"
)

// patience is how long a test waits for something to appear on a page, since the machine may be busy.
const patience = 90 * time.Second

var (
	required  = os.Getenv("PAKLI_BROWSER") == "required"
	named     = os.Getenv("PAKLI_BROWSER_PATH")
	longer    = os.Getenv("PAKLI_BROWSER_LONG") != ""
	pictures  = os.Getenv("PAKLI_BROWSER_PICTURES")
	elsewhere = os.Getenv("PAKLI_BROWSER_SERVER")
)

// long reports whether the long forms were requested.
func long() bool { return longer }

func installed() (path string, ok bool) {
	for _, name := range []string{named, "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path, true
		}
	}
	return "", false
}

// program returns the path of Chromium, or skips the test.
func program(t testing.TB) string {
	t.Helper()
	if path, ok := installed(); ok {
		return path
	}
	testmust.Require(t, !required,
		"there is no Chromium on this machine, and PAKLI_BROWSER=required: install Debian's package chromium, or name one with PAKLI_BROWSER_PATH")
	t.Skip("there is no Chromium on this machine; Debian has it as the package chromium")
	return ""
}

// flags are the flags of every browser here. They turn off a browser's own requests, which would look
// like requests of the page.
func flags(path string, more ...chromedp.ExecAllocatorOption) []chromedp.ExecAllocatorOption {
	o := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(path), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-pings", true), chromedp.Flag("no-service-autorun", true), chromedp.Flag("mute-audio", true),
		chromedp.Flag("disable-features", "Translate,OptimizationHints,MediaRouter,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,AutofillServerCommunication,PreconnectToSearch,DSEPreconnect2,PreconnectOnDSE,NavigationPredictor"))
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox)
	}
	return append(o, more...)
}

// shared is the browser in which most tests have contexts. It starts when first needed.
var shared = sync.OnceValues(func() (context.Context, error) {
	dir, err := profile()
	if err != nil {
		return nil, err
	}
	path, _ := installed() // visitor has asked
	all, stop := chromedp.NewExecAllocator(context.Background(), flags(path, chromedp.UserDataDir(dir))...)
	browser, closed := chromedp.NewContext(all)
	atEnd(func() {
		closed()
		stop()
		os.RemoveAll(dir)
	})
	return browser, chromedp.Do(browser)
})

// profile makes a directory for a browser that makes no connections of its own.
func profile() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "pakli-chromium-"); err != nil {
		return "", err
	}
	if err := os.Mkdir(filepath.Join(dir, "Default"), 0o700); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "Default", "Preferences"), []byte(`{"net":{"network_prediction_options":2},"default_search_provider":{"enabled":false},"search":{"suggest_enabled":false},"signin":{"allowed":false}}`), 0o600)
}

// last lists functions to call after all tests, the latest first. Tests run in parallel.
var last struct {
	sync.Mutex
	list []func()
}

func atEnd(f func()) {
	last.Lock()
	defer last.Unlock()
	last.list = append(last.list, f)
}

func TestMain(m *testing.M) {
	for _, name := range []string{"PAKLI_BROWSER", "PAKLI_BROWSER_PATH", "PAKLI_BROWSER_LONG", "PAKLI_BROWSER_PICTURES", "PAKLI_BROWSER_SERVER"} {
		os.Unsetenv(name) // pakli serve warns about variables that it does not know
	}
	code := m.Run()
	for _, f := range slices.Backward(last.list) {
		f()
	}
	os.Exit(code)
}

// tab is a page in a browser.
type tab struct {
	testing.TB
	ctx   context.Context
	close context.CancelFunc
	root  context.Context // in which further tabs of the same storage are opened
}

// visitor opens a tab in a browser context of its own, with its own storage. All its requests go to
// f.
func visitor(t testing.TB, f *front) *tab {
	t.Helper()
	program(t)
	browser := testmust.Have(shared())(t)
	ctx, done := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		p.ProxyServer, p.ProxyBypassList = f.URL, "<-loopback>"
	}))
	return opened(t, ctx, done)
}

// opened prepares a new tab: it records all messages between its page and its Worker.
func opened(t testing.TB, ctx context.Context, done context.CancelFunc) *tab {
	t.Helper()
	p := &tab{t, ctx, done, ctx}
	t.Cleanup(done)
	if err := chromedp.Do(ctx); err != nil { // binds the tab to ctx, and to no shorter context
		t.Fatal(err)
	}
	p.call(func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: listening})
		return err
	})
	return p
}

// another opens a tab in the same context.
func (p *tab) another() *tab {
	ctx, done := chromedp.NewContext(p.root)
	next := opened(p.TB, ctx, done)
	next.root = p.root
	return next
}

// listening records the messages between page and Worker and every shown result, and adds a player
// who clicks.
const listening = `(() => {
	const told = [];
	const Real = Worker;
	globalThis.Worker = class extends Real {
		constructor(url, options) { super(url, options); this.addEventListener("message", e => told.push(JSON.stringify(e.data))); }
		postMessage(data, ...rest) { told.push(JSON.stringify(data)); super.postMessage(data, ...rest); }
	};
	let seed = 1;
	const random = n => (seed = (seed * 48271) % 2147483647) % n;
	let turned = true; // something on the page: to look for buttons costs more than to wait
	const results = new Map(); // by the heading of the deal
	new MutationObserver(() => {
		turned = true;
		const shown = document.querySelector(".result"), cells = (row, kind) => [...shown.querySelectorAll(row + " " + kind)].map(e => e.innerText);
		if (shown) results.set(shown.querySelector("h2").innerText, { why: cells("table:not(.payments) tr", "td:nth-child(2)"), names: cells(".payments thead", "th"), paid: cells(".payments tbody tr:first-child", "td").map(n => Number(n.replace("−", "-"))) });
	}).observe(document, { subtree: true, childList: true, attributes: true });
	let tick = 0;
	const step = () => {
		if (!turned && ++tick % 25) return;
		turned = false;
		const main = document.querySelector(pakliTest.reads ? ".confirm .main" : ".confirm .main, .result .main"), raised = document.querySelector(".card-button.raised");
		if (main || raised) return (main || raised).click();
		const all = [...document.querySelectorAll(".card-button.free:not(.picked)"), ...document.querySelectorAll(".group button:not(:disabled)")];
		if (all.length) all[random(all.length)].click();
	};
	let clicking;
	globalThis.pakliTest = {
		told,
		reads: false, // results stand until the page takes them away
		results: () => [...results].map(([deal, result]) => ({ deal, ...result })),
		play(from) { seed = from; clearInterval(clicking); clicking = setInterval(step, 40); },
		rest() { clearInterval(clicking); },
	};
})()`

func (p *tab) call(f func(ctx context.Context) error) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	testmust.Do(p, f(ctx))
}

// visit opens an address.
func (p *tab) visit(url string) {
	p.Helper()
	p.call(func(ctx context.Context) error { return chromedp.Do(ctx, chromedp.Navigate(url)) })
}

// eval evaluates JavaScript, and awaits its promise.
func eval[T any](p *tab, script string) T {
	p.Helper()
	var v T
	p.call(func(ctx context.Context) (err error) {
		v, err = chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
		return err
	})
	return v
}

// until waits for an expression to be true.
func (p *tab) until(script string) {
	p.Helper()
	p.untilIn(patience, script)
}

func (p *tab) untilIn(d time.Duration, script string) {
	p.Helper()
	for end := time.Now().Add(d); ; time.Sleep(150 * time.Millisecond) {
		if p.holds(script) {
			return
		}
		if time.Now().After(end) { // only now, since this question may remain unanswered, too
			p.Fatalf("in %v this did not come true: %s\nThe page:\n%s", d, script, p.text())
		}
	}
}

// holds reports whether an expression is true. Chromium's debugger may never answer a question asked
// while a document came or went, so holds asks again.
func (p *tab) holds(script string) bool {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience/6)
	defer cancel()
	is, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+script+")"))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		p.Logf("no answer in %v: %s", patience/6, script)
	case err != nil:
		p.Fatal(err)
	}
	return is
}

// text returns the page's visible text.
func (p *tab) text() string {
	p.Helper()
	return eval[string](p, "document.body.innerText")
}

// shows waits for words of the page.
func (p *tab) shows(words string) {
	p.Helper()
	p.until(fmt.Sprintf("document.body.innerText.includes(%s)", quote(words)))
}

// press clicks the button with these words on it.
func (p *tab) press(words string) {
	p.Helper()
	button := fmt.Sprintf("[...document.querySelectorAll('button')].find(b => b.textContent.includes(%s) && !b.disabled)", quote(words))
	p.until(button)
	eval[chromedp.Void](p, button+".click()")
}

func quote(s string) string {
	text, _ := json.Marshal(s) // of a string
	return string(text)
}

// told returns the messages between page and Worker since the page was opened.
func (p *tab) told() []string {
	p.Helper()
	return eval[[]string](p, "pakliTest.told")
}

// over waits until the table is over, or play stops with an alarm.
func (p *tab) over(d time.Duration) {
	p.Helper()
	p.untilIn(d, `document.querySelector(".waiting")?.textContent.includes("The table is over")`)
}

// shown sets the width of the window, and whether the system uses dark colours.
func (p *tab) shown(width int, dark bool) {
	p.Helper()
	p.call(func(ctx context.Context) error {
		height := map[int]int64{375: 740, 768: 1024}[width]
		if height == 0 {
			height = 800
		}
		if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: int64(width), Height: height, DeviceScaleFactor: 1}); err != nil {
			return err
		}
		scheme := "light"
		if dark {
			scheme = "dark"
		}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
		return err
	})
}

// speak sets the language of the pages, which takes effect at the next visit.
func (p *tab) speak(lang string) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf(`localStorage.setItem("pakli", JSON.stringify({...JSON.parse(localStorage.getItem("pakli") || "{}"), lang: %s}))`, quote(lang)))
}
