package web_test

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
)

func get(t *testing.T, p *web.Pages, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", path, nil))
	return w
}

func pages(t *testing.T, o web.Options) *web.Pages {
	t.Helper()
	return testmust.Have(web.New(o))(t)
}

var module = build.Module{Wasm: []byte("wasm"), Exec: []byte("exec"), Hash: strings.Repeat("a", 64), Checker: []byte("checker"), CheckerHash: strings.Repeat("b", 64), Sealer: []byte("sealer"), SealerHash: strings.Repeat("d", 64)}

// A browser lets a page do more than it needs: run a script from elsewhere, send data elsewhere,
// appear in a frame, put text into HTML.
func TestPolicy(t *testing.T) {
	p := pages(t, web.Options{Make: func(context.Context) (build.Module, error) { return module, nil }})
	for _, path := range []string{"/", "/lobby", "/t/" + strings.Repeat("0", 64), "/p/module.json", "/p/nothing"} {
		policy := get(t, p, path).Header().Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "connect-src 'self';", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
			testmust.Hold(t, strings.Contains(policy, part), path, "no", part, "in", policy)
		}
		testmust.Holdf(t, !strings.Contains(policy, "unsafe-inline") && (!strings.Contains(policy, "unsafe-eval'") || strings.Contains(policy, "'wasm-unsafe-eval'")), "%s: %q", path, policy)
	}
	others := pages(t, web.Options{Logs: []string{"https://cards.example"}})
	policy := get(t, others, "/").Header().Get("Content-Security-Policy")
	testmust.Holdf(t, strings.Contains(policy, "connect-src 'self' https://cards.example;"), "pages from one's own machine cannot ask the log: %q", policy)
}

// The page on which strangers' bundles are dropped has access to the seats of this origin, or appears
// in a frame.
func TestVerifyHTMLIsApart(t *testing.T) {
	p := pages(t, web.Options{Make: func(context.Context) (build.Module, error) { return module, nil }})
	got := get(t, p, "/verify.html")
	policy := got.Header().Get("Content-Security-Policy")
	testmust.Holdf(t, got.Code == 200 && policy == "sandbox allow-scripts allow-downloads; frame-ancestors 'none'", "%d, policy %q", got.Code, policy)
	within := `http-equiv="Content-Security-Policy" content="default-src 'none'; `
	testmust.Hold(t, strings.Contains(got.Body.String(), within), "saved, the page has no policy")
}

// A stranger, behind an undeclared proxy or by a name that leads here, makes the server run a
// compiler or wait for one.
func TestOnlyOwnMachineCompiles(t *testing.T) {
	compiled := 0
	p := pages(t, web.Options{Own: true, Make: func(context.Context) (build.Module, error) { compiled++; return module, nil }})
	from := func(path, host, header string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		if r.Host = host; header != "" {
			r.Header.Set(header, "192.0.2.1")
		}
		p.ServeHTTP(w, r)
		return w
	}
	for _, c := range []struct{ host, header string }{
		{"cards.example", ""}, {"192.168.0.2:8080", ""}, {"", ""},
		{"127.0.0.1:8080", "Forwarded"}, {"localhost", "X-Forwarded-For"}, {"localhost", "x-forwarded-proto"}, {"localhost", "X-Real-IP"}, {"[::1]:80", "Via"},
	} {
		got := from("/p/module.json", c.host, c.header)
		testmust.Holdf(t, strings.Contains(got.Body.String(), `"state":"none","why":"this server compiles`), "%v: %s", c, got.Body)
		testmust.Equal(t, from("/verify.html", c.host, c.header).Code, 503, c, "verify.html")
		testmust.Equal(t, from("/p/m/"+module.Hash+"/pakli.wasm", c.host, c.header).Code, 404, c, "the module")
	}
	old := httptest.NewRequestWithContext(t.Context(), "GET", "/p/module.json", nil) // of an unconfigured nginx, which shows itself in no other header
	old.Host, old.Proto, old.ProtoMinor = "127.0.0.1:8080", "HTTP/1.0", 0
	w := httptest.NewRecorder()
	p.ServeHTTP(w, old)
	testmust.Holdf(t, strings.Contains(w.Body.String(), `"state":"none"`), "HTTP/1.0: %s", w.Body)
	testmust.Equal(t, compiled, 0, "compiled for strangers")
	for _, host := range []string{"127.0.0.1:8080", "localhost:8080", "[::1]:8080"} {
		got := from("/p/module.json", host, "")
		testmust.Holdf(t, strings.Contains(got.Body.String(), `"state":"ready"`), "%s: %s", host, got.Body)
	}
}

// A name that a stranger chose becomes markup of the page.
func TestKeyIsText(t *testing.T) {
	page := get(t, pages(t, web.Options{Key: `"><script>alert(1)</script>`}), "/").Body.String()
	testmust.Hold(t, !strings.Contains(page, "<script>alert"), "the log's key is markup")
}

// A missing module, or one that failed to compile, is waited for without end, or reported as present.
func TestModule(t *testing.T) {
	made := pages(t, web.Options{Make: func(context.Context) (build.Module, error) { return module, nil }})
	var where struct{ State, Hash, Wasm, Exec, Seal, SealHash, Why string }
	err := json.Unmarshal(get(t, made, "/p/module.json").Body.Bytes(), &where)
	testmust.Requiref(t, err == nil && where.State == "ready" && where.Hash == module.Hash, "%v, %+v", err, where)
	if got := get(t, made, where.Exec); got.Code != 200 || got.Body.String() != "exec" || !strings.Contains(got.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	got := get(t, made, where.Seal)
	testmust.Holdf(t, got.Code == 200 && where.SealHash == module.SealerHash, "the module for copies: %d at %q", got.Code, where.Seal)
	for _, path := range []string{"/p/m/" + module.Hash + "/seal.wasm", "/p/m/" + strings.Repeat("c", 64) + "/pakli.wasm", "/p/m/../module.json", "/p/0/app.mjs", "/p/"} {
		testmust.Equal(t, get(t, made, path).Code, 404, path)
	}
	for _, o := range []web.Options{{}, {Make: func(context.Context) (build.Module, error) { return build.Module{}, errors.New("broken") }}} {
		err := json.Unmarshal(get(t, pages(t, o), "/p/module.json").Body.Bytes(), &where)
		testmust.Holdf(t, err == nil && where.State == "none" && where.Why != "", "%v, %+v", err, where)
		testmust.Equal(t, get(t, pages(t, o), "/verify.html").Code, 503, "verify.html")
	}
}

// A program with its pages has the module, and any file of the pages, compressed with Brotli only.
// Browsers that accept Brotli must not get the larger form, and other callers nothing that they
// cannot read.
func TestByBrotli(t *testing.T) {
	packed := build.Module{Brotli: build.CompressBrotli([]byte("the module"), brotli.BestCompression), Hash: module.Hash}
	p := pages(t, web.Options{Make: func(context.Context) (build.Module, error) { return packed, nil }})
	push := testmust.Have(os.ReadFile("src/push.js"))(t)
	for taken, coding := range map[string]string{"gzip, deflate, br, zstd": "br", "gzip, deflate": "gzip", "": "", "br;q=0.0": "", "abroad": "", "gzip;q=1.0, br;q=0.8": "br", "GZIP ; q=0.5": "gzip"} {
		for path, want := range map[string]string{"/p/m/" + module.Hash + "/pakli.wasm": "the module", "/push.js": string(push)} {
			r := httptest.NewRequest("GET", "http://localhost"+path, nil)
			r.Header.Set("Accept-Encoding", taken)
			w := httptest.NewRecorder()
			p.ServeHTTP(w, r)
			testmust.Hold(t, slices.Contains(w.Header().Values("Vary"), "Accept-Encoding"), path, "is kept by a cache for who cannot read it")
			plain := io.Reader(w.Body)
			switch coding {
			case "br":
				plain = brotli.NewReader(plain)
			case "gzip":
				plain = testmust.Have(gzip.NewReader(plain))(t)
			}
			text, err := io.ReadAll(plain)
			testmust.Holdf(t, err == nil && w.Header().Get("Content-Encoding") == coding && string(text) == want, "%s for %q is answered %q: %q, %v", path, taken, w.Header().Get("Content-Encoding"), text, err)
		}
	}
}

// A file requests something from another host, or a library differs from the one that was reviewed.
func TestSources(t *testing.T) {
	names, err := filepath.Glob("src/*")
	testmust.Require(t, err == nil && len(names) >= 10, names, err)
	for _, name := range names {
		text := testmust.Have(os.ReadFile(name))(t)
		switch filepath.Base(name) {
		case "preact.mjs":
			testmust.Equal(t, fmt.Sprintf("%x", sha256.Sum256(text)), preactSum, "preact.mjs has changed")
			continue
		case "preact.LICENSE.txt":
			continue
		}
		found := regexp.MustCompile(`https?://[^\s"'<]+|innerHTML|outerHTML|document\.write|insertAdjacentHTML|\beval\(|document\.cookie`).FindAllString(string(text), -1)
		testmust.Holdf(t, found == nil, "%s: %v", name, found)
	}
}

// preactSum is the sum of dist/preact.mjs of preact 11.2.0 without its last line, which is the
// address of a source map.
const preactSum = "86c693f569d3ec7b694002cc62d0aac3c00231cc0ab76e48f607b3c3df3f6217"

// A page shows a key in place of words in some language.
func TestWords(t *testing.T) {
	texts := map[string]map[string]string{}
	for _, tag := range []string{"de", "en", "hu"} {
		text := testmust.Have(os.ReadFile("src/words." + tag + ".json"))(t)
		err := json.Unmarshal(text, ptr(texts, tag))
		testmust.Require(t, err == nil, tag, err)
	}
	places, article := regexp.MustCompile(`\{\w+\}`), strings.NewReplacer("{az:", "{", "{Az:", "{")
	for key, english := range texts["en"] {
		for tag, words := range texts {
			got, want := places.FindAllString(article.Replace(words[key]), -1), places.FindAllString(english, -1)
			slices.Sort(got)
			slices.Sort(want)
			testmust.Holdf(t, words[key] != "" && slices.Equal(slices.Compact(got), slices.Compact(want)),
				"%s: %s: %q has the values %v, and English %v", tag, key, words[key], got, want)
		}
	}
	a, b := len(texts["de"]), len(texts["hu"])
	testmust.Holdf(t, a == len(texts["en"]) && b == a, "%d, %d, %d texts", len(texts["en"]), a, b)
	used := regexp.MustCompile(`\bt\("([a-z][\w.-]*)"`)
	names, _ := filepath.Glob("src/*.*js")
	for _, name := range names {
		text := testmust.Have(os.ReadFile(name))(t)
		for _, m := range used.FindAllStringSubmatch(string(text), -1) {
			key := m[1]
			begins := func(k string) bool { return strings.HasPrefix(k, key) } // the rest is not known here
			testmust.Holdf(t, texts["en"][key] != "" || texts["en"][key+".n"] != "" || strings.HasSuffix(key, ".") && slices.ContainsFunc(slices.Collect(maps.Keys(texts["en"])), begins),
				"%s says %s, which has no words", name, key)
		}
	}
}

func ptr(m map[string]map[string]string, tag string) *map[string]string {
	v := map[string]string{}
	m[tag] = v
	return &v
}

// An address that no page has is answered as if it existed, with a script that may do more than other
// pages, or with half a megabyte of cards.
func TestMissing(t *testing.T) {
	p, w := pages(t, web.Options{}), httptest.NewRecorder()
	p.Missing(w, httptest.NewRequestWithContext(t.Context(), "GET", "/nowhere", nil))
	if kind := w.Header().Get("Content-Type"); w.Code != 404 || !strings.HasPrefix(kind, "text/html") || w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%d %q %v", w.Code, kind, w.Header())
	}
	testmust.Hold(t, w.Body.Len() <= 16<<10, w.Body.Len(), "bytes")
}

// A trick that nobody could see, a question that comes late or comes back, a result that disappears
// before it was read. Node runs testdata/director.mjs for these, testdata/course.mjs for what stands
// beside the table, testdata/people.mjs for the lobby, and testdata/schedule.mjs for the start of
// rounds.
func TestDirector(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		testmust.Require(t, os.Getenv("PAKLI_NODE") != "required", "there is no Node in PATH")
		t.Skip("NOT RUN: there is no Node in PATH")
	}
	out, err := exec.CommandContext(t.Context(), node, "--test", "testdata/director.mjs", "testdata/course.mjs", "testdata/people.mjs", "testdata/schedule.mjs").CombinedOutput()
	testmust.Holdf(t, err == nil, "%v\n%s", err, out)
}
