// Package web serves the pages: play, watch, replay, verify, and those that lead to them.
//
// The folder src has the files as a browser gets them: JavaScript modules without a bundler, one
// pinned library (preact.mjs, MIT), styles, and the pages' own texts in three languages. Rules and
// the words of games are in the module, which is Go compiled to WebAssembly (cmd/pakli-web), made by
// package build or embedded with the build tag webdist. Only the rulebooks for players are files
// ([games.Rulebooks]). Every file is served below /p/<hash of all files>/ and never changes there.
//
// No page loads anything from another host, sets a cookie or puts text from outside into HTML, and
// the policy in its headers makes browsers enforce this. Users should not have to believe that a
// server hands out these pages and no others: see docs/design/threat-model.md, and [Options.Logs] for
// pages from one's own machine.
package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/ascii85"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
)

//go:embed src
var sources embed.FS

// Options say which pages are served, and for which log.
type Options struct {
	// Make makes the module at the first request for a page. If it is nil there is no module, and
	// None says why, for people.
	Make func(context.Context) (build.Module, error)
	None string
	Own  bool // only a direct request of this machine makes the module

	Key     string   // the log's verifier key, as this server says it
	Policy  string   // with the log's cosigners, as in c2sp.org/tlog-policy; "": none
	Push    string   // this server's key for notifications (RFC 8292); "": it sends none
	Logs    []string // URLs of other servers' logs that pages may read, for pages from one's own machine
	Version string
}

// Reasons why there is no module.
var (
	errNone = errors.New("this program has no pages")
	errOwn  = errors.New("this server compiles its pages for its own machine alone, and this request came through a proxy or by another name: build the server with its pages, by go run ./httpapi/web/build/make and go build -tags webdist ./cmd/pakli")
)

// Pages serves the pages. Several goroutines may use it.
type Pages struct {
	Options
	files map[string]file // by their names
	hash  string          // of all files

	first   func() file // the document of all pages
	nowhere func() file // the same without cards, which are half a megabyte

	once               sync.Once
	made               chan struct{} // closed when the fields below are set
	module             build.Module
	wasm, exec, single file // single: verify.html
	seal               file
	err                error
}

// file is a served file, made and compressed at its first request.
type file struct {
	kind                  string
	plain, gzipped, small func() []byte // small: by Brotli; nil if there is none
}

// New prepares the pages. It compiles nothing.
func New(o Options) (*Pages, error) {
	p := &Pages{Options: o, files: map[string]file{}, made: make(chan struct{})}
	sum := sha256.New()
	for _, of := range []struct {
		files   embed.FS
		pattern string
	}{{sources, "src/*"}, {games.Rulebooks, "*/scene/*"}} {
		names, err := fs.Glob(of.files, of.pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := of.files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(text))
			name = strings.ReplaceAll(strings.TrimPrefix(name, "src/"), "/scene/", ".") // skat.rules.json
			p.files[name] = newFile(name, text)
		}
	}
	p.hash = fmt.Sprintf("%x", sum.Sum(nil)[:10])
	p.first = sync.OnceValue(func() file { return p.makeDocument(cardSymbols()) })
	p.nowhere = sync.OnceValue(func() file { return p.makeDocument("") })
	return p, nil
}

func newFile(name string, text []byte) file { return fileOf(name, func() []byte { return text }) }

func fileOf(name string, plain func() []byte) file {
	kind := map[string]string{".mjs": "text/javascript; charset=utf-8", ".js": "text/javascript; charset=utf-8"}[path.Ext(name)]
	if kind == "" {
		kind = mime.TypeByExtension(path.Ext(name))
	}
	return file{kind, plain, sync.OnceValue(func() []byte { return gzipBytes(plain()) }), sync.OnceValue(func() []byte { return build.CompressBrotli(plain(), pageQuality) })}
}

// pageQuality of Brotli is fast enough for the first request: all pages take 40 ms, and are a sixth
// smaller than by gzip.
const pageQuality = 6

func gzipBytes(text []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a valid level
	z.Write(text)                                         // to memory
	z.Close()
	return b.Bytes()
}

// Paths returns the paths of pages other than the first, of their files, and of the module.
func (p *Pages) Paths() []string {
	return []string{"/lobby", "/new", "/seats", "/join", "/j/:code", "/t/:id", "/r/:id", "/verify", "/try", "/club", "/events", "/events/:code", "/about", "/verify.html", "/push.js", "/p/*"}
}

// ServeHTTP serves a page, a file below /p/, or the module.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.setPolicies(w.Header())
	name, below := strings.CutPrefix(r.URL.Path, "/p/")
	switch {
	case r.URL.Path == "/verify.html":
		p.serveVerify(w, r)
	case r.URL.Path == "/push.js": // at a path that never changes: browsers keep subscriptions by it
		w.Header().Set("Cache-Control", "no-cache")
		p.files["push.js"].serve(w, r)
	case !below:
		p.servePage(w, r)
	case name == "module.json":
		p.serveStatus(w, r)
	case strings.HasPrefix(name, "m/"):
		p.serveModule(w, r, strings.TrimPrefix(name, "m/"))
	default:
		hash, name, _ := strings.Cut(name, "/")
		f, ok := p.files[name]
		if hash != p.hash || !ok {
			http.NotFound(w, r)
			return
		}
		forEver(w.Header())
		f.serve(w, r)
	}
}

// forEver lets browsers cache a path whose content never changes.
func forEver(h http.Header) { h.Set("Cache-Control", "public, max-age=31536000, immutable") }

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	f.answerStatus(w, r, http.StatusOK)
}

func (f file) answerStatus(w http.ResponseWriter, r *http.Request, status int) {
	var text []byte
	w.Header().Set("Content-Type", f.kind)
	w.Header().Add("Vary", "Accept-Encoding")
	switch {
	case f.small != nil && limit.TakesCoding(r, "br"):
		w.Header().Set("Content-Encoding", "br")
		text = f.small()
	case limit.TakesCoding(r, "gzip"):
		w.Header().Set("Content-Encoding", "gzip")
		text = f.gzipped()
	default:
		text = f.plain()
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	w.WriteHeader(status)
	w.Write(text) // a client that has left does not need it
}

// setPolicies sets the policies that browsers enforce on pages.
func (p *Pages) setPolicies(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "+
		"connect-src "+strings.Join(append([]string{"'self'"}, p.Logs...), " ")+"; worker-src 'self'; media-src 'self'; base-uri 'none'; form-action 'none'; "+
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types pakli")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// servePage serves the document of all pages. Its script reads from the address which page it is.
func (p *Pages) servePage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	p.first().serve(w, r)
}

// Missing serves the same document for an address without a page. Its script says so.
func (p *Pages) Missing(w http.ResponseWriter, r *http.Request) {
	p.setPolicies(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	p.nowhere().answerStatus(w, r, http.StatusNotFound)
}

func (p *Pages) makeDocument(cards string) file {
	about, _ := json.Marshal(map[string]any{"base": "/p/" + p.hash + "/", "key": p.Key, "policy": p.Policy, "logs": p.Logs, "version": p.Version, "none": p.None, "push": p.Push}) // text alone
	return newFile("index.html", []byte(strings.NewReplacer("{{base}}", "/p/"+p.hash+"/", "{{about}}", html.EscapeString(string(about)), "{{cards}}", cards).
		Replace(string(p.files["index.html"].plain()))))
}

// cardSymbols returns the symbols of all drawn cards: "fr-HK", "de-HK" and "back", and French figures
// with the letters of other languages, "fr-HQ-hu".
func cardSymbols() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<symbol id="back" viewBox="%s">%s</symbol>`, scene.ViewBox, scene.CardBack)
	draw := func(tag string, pack scene.Pack) {
		for _, f := range pack.Faces() {
			id := tag + "-" + f.Suit + f.Rank
			b.WriteString(pack.Symbol(id, f))
			for _, language := range []string{"de", "hu"} {
				if lettered := scene.FrenchPackOf(language); tag == "fr" && lettered.Draw(f) != pack.Draw(f) {
					b.WriteString(lettered.Symbol(id+"-"+language, f))
				}
			}
		}
	}
	draw("fr", scene.FrenchPack)
	draw("de", scene.GermanPack)
	return b.String()
}

// mayMake reports whether a request may make the module. A proxy that the server was not told of
// shows itself by its headers, or by HTTP/1.0, which no browser uses.
func (p *Pages) mayMake(r *http.Request) bool {
	if !p.Own {
		return true
	}
	if !r.ProtoAtLeast(1, 1) {
		return false
	}
	for name := range r.Header {
		if name == "Forwarded" || name == "Via" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return false
		}
	}
	return limit.IsLoopback(r.Host)
}

// startMaking makes the module once. The error says that this request may not.
func (p *Pages) startMaking(r *http.Request) error {
	if !p.mayMake(r) {
		return errOwn
	}
	p.once.Do(func() {
		go func() {
			defer close(p.made)
			if p.Make == nil {
				p.err = errNone
				return
			}
			p.module, p.err = p.Make(context.Background())
			p.exec = newFile("wasm_exec.js", p.module.Exec)
			p.wasm, p.seal = moduleFile(p.module), wasmFile(p.module.Sealer)
			p.single = fileOf("verify.html", sync.OnceValue(func() []byte { return VerifyPage(p.module) }))
		}()
	})
	return nil
}

// awaitModule waits for the module. The error says why there is none.
func (p *Pages) awaitModule(r *http.Request) error {
	if err := p.startMaking(r); err != nil {
		return err
	}
	select {
	case <-p.made:
		return p.err
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// moduleFile returns the module of the pages. An embedded module is stored only as Brotli, which is a
// third smaller for phones and for the program.
func moduleFile(m build.Module) file {
	if m.Brotli == nil {
		return wasmFile(m.Wasm)
	}
	plain := sync.OnceValue(func() []byte { return unpackAll(brotli.NewReader(bytes.NewReader(m.Brotli))) })
	return file{"application/wasm", plain, sync.OnceValue(func() []byte { return gzipBytes(plain()) }), func() []byte { return m.Brotli }}
}

// wasmFile returns the file of a gzipped module.
func wasmFile(small []byte) file {
	return file{kind: "application/wasm", plain: sync.OnceValue(func() []byte { return unpackGzip(small) }), gzipped: func() []byte { return small }}
}

// patience is how long a page's request for the state of the module waits for the module.
const patience = 5 * time.Second

// serveStatus answers with the state of the module after waiting a while for it.
func (p *Pages) serveStatus(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	answer := map[string]string{"state": "building"}
	switch err := p.awaitModule(r.WithContext(ctx)); {
	case err == nil:
		answer["state"], answer["hash"] = "ready", p.module.Hash
		answer["wasm"], answer["exec"] = "/p/m/"+p.module.Hash+"/pakli.wasm", "/p/m/"+p.module.Hash+"/wasm_exec.js"
		answer["sealHash"], answer["seal"] = p.module.SealerHash, "/p/m/"+p.module.SealerHash+"/seal.wasm"
	case ctx.Err() == nil:
		answer["state"], answer["why"] = "none", err.Error()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(answer) // a client that has left does not need it
}

func (p *Pages) serveModule(w http.ResponseWriter, r *http.Request, name string) {
	if err := p.awaitModule(r); err != nil {
		http.NotFound(w, r)
		return
	}
	switch hash := p.module.Hash; name {
	case hash + "/wasm_exec.js":
		forEver(w.Header())
		p.exec.serve(w, r)
	case hash + "/pakli.wasm":
		forEver(w.Header())
		p.wasm.serve(w, r)
	case p.module.SealerHash + "/seal.wasm":
		forEver(w.Header())
		p.seal.serve(w, r)
	default:
		http.NotFound(w, r)
	}
}

// serveVerify serves verify.html: a single file with the module, the cards and the words, which works
// from a disk without a network. By its own policy it can send nothing.
func (p *Pages) serveVerify(w http.ResponseWriter, r *http.Request) {
	if err := p.awaitModule(r); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	// The page has its own policy, wherever it is stored. If it is served, its script is separated
	// from the seats of this origin, since it reads strangers' files.
	w.Header().Set("Content-Security-Policy", "sandbox allow-scripts allow-downloads; frame-ancestors 'none'")
	w.Header().Set("Content-Disposition", `inline; filename="verify.html"`)
	p.single.serve(w, r)
}

// VerifyPage returns verify.html with a module and the words that its script uses.
func VerifyPage(m build.Module) []byte {
	read := func(name string) string {
		text, _ := sources.ReadFile("src/" + name) // embedded
		return string(text)
	}
	script := read("alone.js")
	words := map[string]map[string]string{}
	for _, tag := range []string{"de", "en", "hu"} {
		var said map[string]string
		json.Unmarshal([]byte(read("words."+tag+".json")), &said) // embedded
		maps.DeleteFunc(said, func(key, _ string) bool {
			return !strings.HasPrefix(key, "verdict.") && !strings.Contains(script, strconv.Quote(key))
		})
		words[tag] = said
	}
	spoken, _ := json.Marshal(words) // texts
	packed := make([]byte, ascii85.MaxEncodedLen(len(m.Checker)))
	packed = packed[:ascii85.Encode(packed, m.Checker)]
	spelt := strings.NewReplacer(`"`, "v", `\`, "w", "<", "x").Replace(string(packed)) // as the script reads it
	return []byte(strings.NewReplacer("{{style}}", read("style.css"), "{{exec}}", string(m.Exec), "{{words}}", string(spoken), "{{script}}", script,
		"{{hash}}", m.CheckerHash, "{{module}}", spelt).Replace(read("alone.html")))
}

// unpackGzip returns the plain bytes of a module, for clients without gzip.
func unpackGzip(small []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(small))
	if err != nil {
		return nil
	}
	return unpackAll(z)
}

// unpackAll reads data that was made here and cannot fail.
func unpackAll(from io.Reader) []byte {
	plain, _ := io.ReadAll(from)
	return plain
}
