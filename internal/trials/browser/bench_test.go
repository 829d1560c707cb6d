package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// imported finds the modules that a file of the pages imports.
var imported = regexp.MustCompile(`(?m)^(?:import|export) .*"\./(\w+\.mjs)";`)

// sent returns how many bytes a browser gets for the first page and everything that comes with it:
// the cards, the styles, the longest language, and the modules of the players' pages. Other pages
// load their own files when they are opened.
func sent(b *testing.B) (n int) {
	p := testmust.Have(web.New(web.Options{}))(b)
	get := func(path string) string {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
		r.Header.Set("Accept-Encoding", "br")
		p.ServeHTTP(w, r)
		n += w.Body.Len()
		return string(testmust.Have(io.ReadAll(brotli.NewReader(w.Body)))(b))
	}
	base := regexp.MustCompile("/p/[0-9a-f]+/").FindString(get("/"))
	seen := map[string]bool{}
	var load func(name string)
	load = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, m := range imported.FindAllStringSubmatch(get(base+name), -1) {
			load(m[1])
		}
	}
	for _, name := range []string{"app.mjs", "worker.mjs", "style.css", "words.hu.json"} {
		load(name)
	}
	testmust.Hold(b, len(seen) > 20 && !seen["events.mjs"], "the first page loads", seen)
	return n
}

// BenchmarkSize measures the bytes that a visitor loads.
func BenchmarkSize(b *testing.B) {
	m := testmust.Have(made())(b)
	unpacked := testmust.Have(gzip.NewReader(bytes.NewReader(m.Wasm)))(b)
	var module bytes.Buffer
	module.ReadFrom(unpacked) // of our own
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(m.Wasm))/1e6, "module-MB-gzip")
	b.ReportMetric(float64(len(build.CompressBrotli(module.Bytes(), brotli.BestCompression)))/1e6, "module-MB-brotli")
	b.ReportMetric(float64(sent(b))/1e3, "pages-kB-brotli")
	b.ReportMetric(float64(len(web.VerifyPage(m)))/1e6, "verify.html-MB")
	b.ReportMetric(float64(len(m.Sealer))/1e6, "seal-MB-gzip")
}

// measured are times of program measure, in milliseconds.
type measured struct{ Multiplication, Prove, Verify float64 }

// measure runs program measure natively, and in a Worker of a page.
func (p *tab) measure(f *front) (native, worker measured) {
	p.Helper()
	said, err := exec.Command("go", "run", "-tags", "force64bit", "./measure").Output()
	if err == nil {
		err = json.Unmarshal(said, &native)
	}
	testmust.Do(p, err)
	m := testmust.Have(made())(p)
	path := filepath.Join(p.TempDir(), "measure.wasm")
	compile := exec.Command("go", "build", "-tags", "force64bit", "-ldflags", "-s -w", "-o", path, "./measure")
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	said, err = compile.CombinedOutput()
	testmust.Requiref(p, err == nil, "%v\n%s", err, said)
	wasm := testmust.Have(os.ReadFile(path))(p)
	worker = worked[measured](p, f, "measure", `
		importScripts("/bench/wasm_exec.js");
		console.log = line => postMessage(JSON.parse(line));
		const go = new Go();
		WebAssembly.instantiateStreaming(fetch("/bench/measure.wasm"), go.importObject).then(m => go.run(m.instance));`,
		map[string][]byte{"measure.wasm": wasm, "wasm_exec.js": m.Exec})
	return native, worker
}

// worked runs a script in a Worker of a new tab, with the files that it loads below /bench/, and
// returns its first message.
func worked[T any](p *tab, f *front, name, script string, files map[string][]byte) T {
	p.Helper()
	files[name+".js"] = []byte(script)
	files[name+".html"] = []byte("<!doctype html><title>bench</title>") // without a policy, so that it starts Workers of its own
	for file, text := range files {
		if path := "/bench/" + file; !f.isPage(httptest.NewRequest("GET", path, nil)) {
			f.pages.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", map[string]string{".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}[filepath.Ext(file)])
				w.Write(text) // a client that left does not need it
			})
		}
	}
	q := p.another()
	defer q.close()
	q.visit(f.URL + "/bench/" + name + ".html")
	return eval[T](q, fmt.Sprintf(`(async () => {
		const worker = new Worker("/bench/%s.js");
		return await new Promise((done, failed) => { worker.onmessage = e => done(e.data); worker.onerror = e => failed(new Error(e.message)); });
	})()`, name))
}

// BenchmarkShuffle measures the shuffle of 42 cards in a Worker, in multiplications of the same
// Worker, and natively.
func BenchmarkShuffle(b *testing.B) {
	f := serve(b)
	p := visitor(b, f)
	for b.Loop() {
		native, worker := p.measure(f)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(worker.Multiplication*1e3, "u-us")
		b.ReportMetric(native.Multiplication*1e3, "native-u-us")
		b.ReportMetric(worker.Prove/worker.Multiplication, "prove-u")
		b.ReportMetric(worker.Verify/worker.Multiplication, "verify-u")
		b.ReportMetric(worker.Prove/native.Prove, "prove-wasm/native")
		b.ReportMetric(worker.Verify/native.Verify, "verify-wasm/native")
	}
}

// BenchmarkJournal writes a seat's record as before each message: 64 kB, into both slots by turns.
func BenchmarkJournal(b *testing.B) {
	f := serve(b)
	p := visitor(b, f)
	for b.Loop() {
		p95 := worked[float64](p, f, "journal", `(async () => {
			const base = (await (await fetch("/about")).text()).match(/\/p\/[0-9a-f]+\//)[0];
			const { openVault, removeVault } = await import(base + "vault.mjs");
			const vault = await openVault("bench"), bytes = new Uint8Array(1 << 16), times = [];
			for (let i = 0; i < 200; i++) {
				crypto.getRandomValues(bytes);
				const before = performance.now();
				await vault.replace("journal", bytes);
				times.push(performance.now() - before);
			}
			vault.close();
			await removeVault("bench");
			postMessage(times.sort((x, y) => x - y)[190]);
		})()`, map[string][]byte{})
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(p95, "p95-ms")
	}
}

// bots play a table natively, over REST, and return its bundle.
func (f *front) bots(id wire.Hash, seats []memory) []byte {
	f.t.Helper()
	var running sync.WaitGroup
	for _, v := range seats {
		running.Go(func() {
			s, err := player.OpenIdentity(v)
			if err != nil {
				f.t.Error(err)
				return
			}
			ctx := context.Background()
			p, err := player.Sit(ctx, s, tablelog.New(id, tablelog.Options{Server: f.log()}), id, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}, player.Bot(mathrand.New(mathrand.NewPCG(1, 2))), rand.Reader)
			if err == nil {
				err = p.Play(ctx)
			}
			testmust.Hold(f.t, err == nil, err)
		})
	}
	running.Wait()
	return testmust.Have(f.log().Bundle(context.Background(), id))(f.t)
}

// BenchmarkVerifyDeal measures the start of the module in a Worker, and the verification of a deal of
// tarokk: the first in a fresh Worker, the least of the next five, and natively.
func BenchmarkVerifyDeal(b *testing.B) {
	f := serve(b)
	p := visitor(b, f)
	id, seats := f.begin("tarokk/v1", 1, "anna", "bela", "csilla", "dezso")
	begun := time.Now()
	file := f.bots(id, seats)
	played := time.Since(begun)
	p.visit(f.URL + "/about")
	for b.Loop() {
		times := eval[[]float64](p, fmt.Sprintf(`(async () => {
			const { Desk, about } = await import(JSON.parse(document.body.dataset.about).base + "core.mjs");
			const bytes = Uint8Array.from(atob(%s), c => c.charCodeAt(0)), desk = new Desk(() => {}), times = [];
			const time = async f => { const before = performance.now(); await f(); times.push(performance.now() - before); };
			await time(() => desk.start());
			for (let i = 0; i < 6; i++) await time(async () => { const a = await desk.call("verify", { key: about.key }, bytes); if (a.verdict !== "sound") throw new Error(a.headline); });
			desk.stop();
			return times;
		})()`, quote(base64.StdEncoding.EncodeToString(file))))
		native := time.Hour
		for range 5 {
			begun := time.Now()
			a, err := judge.File(context.Background(), file, []string{f.key}, "en")
			testmust.Require(b, err == nil && a.Verdict == "sound", a.Headline, err)
			native = min(native, time.Since(begun))
		}
		ms := native.Seconds() * 1e3
		warm := min(times[2], times[3], times[4], times[5], times[6])
		_, worker := p.measure(f)
		b.ReportMetric(times[0]/worker.Multiplication, "start-u")
		b.ReportMetric(times[1]/worker.Multiplication, "cold-u")
		b.ReportMetric(warm/worker.Multiplication, "warm-u")
		b.ReportMetric(times[0], "start-ms")
		b.ReportMetric(times[1], "cold-ms")
		b.ReportMetric(warm, "warm-ms")
		b.ReportMetric(ms, "native-ms")
		b.ReportMetric(warm/ms, "warm/native")
	}
	b.ReportMetric(played.Seconds(), "deal-by-native-bots-s")
}

// BenchmarkDeal plays a deal of tarokk by four browsers whose players click at once, and one by four
// native bots over REST.
func BenchmarkDeal(b *testing.B) {
	f := serve(b)
	names := []string{"anna", "bela", "csilla", "dezso"}
	tabs := make([]*tab, len(names))
	for i := range tabs {
		tabs[i] = visitor(b, f)
		tabs[i].visit(f.URL + "/about")
	}
	for b.Loop() {
		id, seats := f.begin("tarokk/v1", 1, names...)
		begun := time.Now()
		f.bots(id, seats)
		native := time.Since(begun)
		id, seats = f.begin("tarokk/v1", 1, names...)
		for i, p := range tabs {
			p.bring(fmt.Sprintf("seat%d", i), seats[i])
		}
		begun = time.Now()
		before := processor(fmt.Sprint(os.Getpid()), "")
		for i, p := range tabs {
			p.sits(f, id, 1000+i)
		}
		for _, p := range tabs {
			p.over(8 * time.Minute)
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric((processor(fmt.Sprint(os.Getpid()), "") - before).Seconds(), "processor-s")
		b.ReportMetric(native.Seconds(), "native-bots-s")
		b.ReportMetric(time.Since(begun).Seconds(), "browsers-s")
		b.ReportMetric(time.Since(begun).Seconds()/native.Seconds(), "browsers/native")
	}
}

// processor is the processor time of a process and those that it has started, of those with such an argument, on Linux: a
// busy machine makes a deal longer, and takes little more of it.
func processor(pid, argument string) (used time.Duration) {
	stat, _ := os.ReadFile("/proc/" + pid + "/stat") // nothing: it has ended
	line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
	_, rest, _ := strings.Cut(string(stat), ") ")
	if of := strings.Fields(rest); len(of) > 12 && bytes.Contains(line, []byte(argument)) {
		for _, ticks := range of[11:13] { // in user mode and in the kernel, in hundredths of a second
			n, _ := strconv.Atoi(ticks) // of the kernel
			used += time.Duration(n) * 10 * time.Millisecond
		}
	}
	lists, _ := filepath.Glob("/proc/" + pid + "/task/*/children") // the pattern is valid
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			used += processor(child, argument)
		}
	}
	return used
}

// BenchmarkLongestTask measures the longest task of a page's main thread while a table of four runs
// in one browser: by the clock, which includes other load of the machine, and in processor time.
func BenchmarkLongestTask(b *testing.B) {
	f := serve(b)
	p := visitor(b, f)
	for b.Loop() {
		id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "dezso")
		begun := time.Now()
		p.sits(f, id, 1)
		p.until(asked)
		clock, processor := p.tasks(func() { p.over(8 * time.Minute) })
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(clock[len(clock)-1], "longest-task-ms")
		b.ReportMetric(clock[len(clock)*95/100], "task-p95-ms")
		b.ReportMetric(processor, "longest-task-processor-ms")
		b.ReportMetric(time.Since(begun).Seconds(), "deal-s")
	}
}

// noticing records when cards are clicked and when they lie on the felt, by the clock that all tabs
// share. It does not wait until they are drawn, which never happens in a hidden tab.
const noticing = `(() => {
	const now = () => performance.timeOrigin + performance.now(), named = card => card.getAttribute("aria-label");
	let felt = [], picked;
	globalThis.noticed = { clicked: {}, laid: {} };
	addEventListener("click", e => {
		const card = e.target.closest(".card-button")?.querySelector("svg");
		if (card) picked = named(card);
		if (card || e.target.closest(".confirm .main")) noticed.clicked[picked] = now();
	}, true);
	new MutationObserver(() => {
		const cards = [...document.querySelectorAll(".zone.trick .card")].map(named);
		for (const card of cards) if (!felt.includes(card)) noticed.laid[card] = now();
		felt = cards;
	}).observe(document, { subtree: true, childList: true, attributes: true });
})()`

// BenchmarkClick measures how long a card takes to its player's screen and to three others, with one
// card every two seconds; the time until the first page is usable on the first and on a later visit;
// and the processor time of an idle table.
func BenchmarkClick(b *testing.B) {
	f := serve(b)
	usable := func(p *tab) float64 {
		p.visit(f.URL)
		return eval[float64](p, `new Promise(done => { const look = () => document.querySelector(".landing button.main:not(:disabled)") ? done(performance.now()) : setTimeout(look, 5); look(); })`)
	}
	usable(visitor(b, f)) // has the module made
	for b.Loop() {
		b.ReportMetric(0, "ns/op")
		p := visitor(b, f)
		b.ReportMetric(usable(p), "landing-cold-ms")
		b.ReportMetric(usable(p), "landing-warm-ms")
		id, seats := f.begin("tarokk/v1", 4, "anna", "bela", "csilla", "dezso") // of which one may have no play
		tabs := make([]*tab, len(seats))
		for i := range tabs {
			tabs[i] = visitor(b, f)
		}
		time.Sleep(10 * time.Second) // what a tab does when it opens
		_, blank := idle(20*time.Second, len(tabs))
		b.ReportMetric(blank, "blank-page-ms/s")
		for i := range tabs {
			tabs[i].visit(f.URL + "/about")
			tabs[i].bring(fmt.Sprintf("seat%d", i), seats[i])
			tabs[i].sits(f, id, 20+i)
			eval[chromedp.Void](tabs[i], noticing)
		}
		tabs[0].until(`Object.keys(noticed.laid).length > 0`) // after the auction and the announcements
		for _, p := range tabs {
			eval[any](p, "pakliTest.rest()")
		}
		for heard := -1; ; time.Sleep(5 * time.Second) { // a card that is the only one is played by itself, and the module is compiled once more where it is slow
			said := 0
			for _, p := range tabs {
				said += eval[int](p, `pakliTest.told.filter(m => !m.includes('"present"')).length`)
			}
			if said == heard {
				break
			}
			heard = said
		}
		all, page := idle(20*time.Second, len(tabs))
		b.ReportMetric(all, "idle-ms/s")
		b.ReportMetric(page, "idle-page-ms/s")
		tasks, _ := tabs[0].tasks(func() { time.Sleep(10 * time.Second) })
		b.ReportMetric(float64(len(tasks))/10/float64(len(tabs)), "idle-page-tasks/s")
		for i := 1; len(eval[map[string]float64](tabs[0], "noticed.laid")) < 24; i++ {
			p := tabs[i%len(tabs)]
			if !eval[bool](p, "!!"+asked) {
				time.Sleep(50 * time.Millisecond)
				continue
			}
			had := len(eval[map[string]float64](p, "noticed.laid"))
			eval[any](p, fmt.Sprintf("pakliTest.play(%d)", i))
			p.until(fmt.Sprintf("Object.keys(noticed.laid).length > %d", had))
			eval[any](p, "pakliTest.rest()")
			time.Sleep(2 * time.Second)
		}
		mine, others := delays(tabs)
		testmust.Requiref(b, len(mine) > 15 && len(others) > 40, "%d and %d cards were seen", len(mine), len(others))
		b.ReportMetric(mine[len(mine)/2], "own-p50-ms")
		b.ReportMetric(others[len(others)/2], "others-p50-ms")
	}
}

// idle returns the processor time, in milliseconds a second, that browsers, server and test take for a
// while, and that of the renderers for each page.
func idle(while time.Duration, pages int) (all, page float64) {
	own := fmt.Sprint(os.Getpid())
	before, rendered := processor(own, ""), processor(own, "--type=renderer")
	time.Sleep(while)
	return (processor(own, "") - before).Seconds() * 1000 / while.Seconds(),
		(processor(own, "--type=renderer") - rendered).Seconds() * 1000 / while.Seconds() / float64(pages)
}

// delays returns the times in milliseconds from the click on a card until it lies on its player's
// screen, and on others' screens, in ascending order.
func delays(tabs []*tab) (own, others []float64) {
	type record struct{ Clicked, Laid map[string]float64 }
	var list []record
	for _, p := range tabs {
		list = append(list, eval[record](p, "noticed"))
	}
	for i, mine := range list {
		for card, clicked := range mine.Clicked {
			for j, theirs := range list {
				laid, is := theirs.Laid[card]
				switch {
				case !is || laid < clicked: // picked, and not played
				case i == j:
					own = append(own, laid-clicked)
				default:
					others = append(others, laid-clicked)
				}
			}
		}
	}
	slices.Sort(own)
	slices.Sort(others)
	return own, others
}

// tasks traces pages while f runs. It returns the durations of tasks of main threads in milliseconds
// by the clock, in ascending order, and the largest processor time of one task.
func (p *tab) tasks(f func()) (clock []float64, processor float64) {
	p.Helper()
	var mu sync.Mutex
	var events []jsonv2.Value
	done := make(chan bool)
	if err := chromedp.ListenBrowser(p.ctx, func(e any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case *tracing.EventDataCollected:
			events = append(events, e.Value...)
		case *tracing.EventTracingComplete:
			close(done)
		}
	}); err != nil {
		p.Fatal(err)
	}
	p.call(func(ctx context.Context) error {
		_, err := chromedp.CallBrowser(ctx, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "__metadata"}, ExcludedCategories: []string{"*"}}})
		return err
	})
	f()
	p.call(func(ctx context.Context) error {
		_, err := chromedp.CallBrowser(ctx, tracing.End, cdp.Empty{})
		return err
	})
	<-done
	type thread struct{ PID, TID int64 }
	type event struct {
		thread
		Name, Ph  string
		Dur, Tdur float64 // microseconds
		Args      struct{ Name string }
	}
	main, all := map[thread]bool{}, []event{}
	for _, text := range events {
		var e event
		if json.Unmarshal(text, &e) == nil { // other events have arguments of other types
			all = append(all, e)
			main[e.thread] = main[e.thread] || e.Name == "thread_name" && e.Args.Name == "CrRendererMain"
		}
	}
	for _, e := range all {
		if main[e.thread] && e.Ph == "X" && strings.HasSuffix(e.Name, "RunTask") {
			clock, processor = append(clock, e.Dur/1e3), max(processor, e.Tdur/1e3)
		}
	}
	if processor == 0 {
		p.Fatalf("of %d events none is a task", len(all))
	}
	slices.Sort(clock)
	return clock, processor
}
