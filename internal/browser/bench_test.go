package browser

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// What a visitor loads.
func BenchmarkSize(b *testing.B) {
	m, err := made()
	if err != nil {
		b.Fatal(err)
	}
	var pages bytes.Buffer
	z := gzip.NewWriter(&pages)
	names, _ := filepath.Glob(filepath.Join(build.Sources(), "httpapi", "web", "src", "*")) // of our own
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		z.Write(text) // to memory
	}
	z.Close()
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(len(m.Wasm))/1e6, "module-MB-gzip")
	b.ReportMetric(float64(len(web.VerifyPage(m)))/1e6, "verify.html-MB")
	b.ReportMetric(float64(pages.Len())/1e3, "pages-kB-gzip")
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
			p, err := player.Sit(ctx, s, reading.New(id, reading.Options{Server: f.log()}), id, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}, player.Bot(mathrand.New(mathrand.NewPCG(1, 2))), rand.Reader)
			if err == nil {
				err = p.Play(ctx)
			}
			if err != nil {
				f.t.Error(err)
			}
		})
	}
	running.Wait()
	file, err := f.log().Bundle(context.Background(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return file
}

// The start of the module in a Worker, and the verification of a deal of tarokk: the
// first in a fresh Worker, the least of five after it, and the same natively.
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
			if a, err := judge.File(context.Background(), file, []string{f.key}, "en"); err != nil || a.Verdict != "sound" {
				b.Fatal(a.Headline, err)
			}
			native = min(native, time.Since(begun))
		}
		ms := native.Seconds() * 1e3
		warm := min(times[2], times[3], times[4], times[5], times[6])
		b.ReportMetric(times[0], "start-ms")
		b.ReportMetric(times[1], "cold-ms")
		b.ReportMetric(warm, "warm-ms")
		b.ReportMetric(ms, "native-ms")
		b.ReportMetric(warm/ms, "warm/native")
	}
	b.ReportMetric(played.Seconds(), "deal-by-native-bots-s")
}

// The longest task of the main thread while a table of four goes on in one browser.
func BenchmarkLongestTask(b *testing.B) {
	f := serve(b)
	p := visitor(b, f)
	for b.Loop() {
		id := p.alone(f, "tarokk/v1", "anna", "bela", "csilla", "dezso")
		begun := time.Now()
		p.sits(f, id, 1)
		p.until(asked)
		eval[any](p, `(() => { globalThis.longest = 0; new PerformanceObserver(list => { for (const e of list.getEntries()) longest = Math.max(longest, e.duration); }).observe({ type: "longtask" }); })()`)
		p.over(8 * time.Minute)
		b.ReportMetric(eval[float64](p, "longest"), "longest-task-ms")
		b.ReportMetric(time.Since(begun).Seconds(), "deal-s")
	}
}
