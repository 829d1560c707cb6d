package browser

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/load/serving"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

func decode(t testing.TB, r io.Reader, into any) {
	t.Helper()
	testmust.Do(t, json.NewDecoder(r).Decode(into))
}

// memory is a player.Vault.
type memory map[string][]byte

func (m memory) ReadRecord(name string) ([]byte, error) {
	if record, ok := m[name]; ok {
		return record, nil
	}
	return nil, fs.ErrNotExist
}

func (m memory) ReplaceRecord(name string, data []byte) error { m[name] = data; return nil }
func (m memory) Close() error                                 { return nil }

// begin begins a table, with one seat for each name, and returns the records of the seats.
func (f *front) begin(game string, deals int, names ...string) (id wire.Hash, seats []memory) {
	f.t.Helper()
	g := &wire.Genesis{Format: wire.TableFormat, Game: game, Suite: suite.Default, Options: map[string]string{}, Deals: deals, Fouls: wire.RefuseFouls, Nonce: make([]byte, wire.NonceBytes)}
	maps.Copy(g.Options, f.options)
	rand.Read(g.Nonce)
	var organiser note.Signer
	for _, name := range names {
		v := memory{}
		s := testmust.Have(player.CreateIdentity(v, name))(f.t)
		g.Seats, seats = append(g.Seats, s.VerifierKey()), append(seats, v)
		if organiser == nil {
			g.Organiser, organiser = s.VerifierKey(), s.Signer()
		}
	}
	entry := testmust.Have(wire.Sign(g, organiser))(f.t)
	testmust.Have(f.log().CreateTable(context.Background(), entry))(f.t)
	id = wire.HashEntry(entry)
	for i, v := range seats {
		v["about"] = fmt.Appendf(nil, `{"id":"seat%d","name":%q,"key":%q,"tables":[{"url":%q,"key":%q,"table":%q,"kept":"trifling"}]}`, i, names[i], g.Seats[i], f.URL, f.key, id)
	}
	return id, seats
}

// head is the length of a slot's header.
const head = sha256.Size + 8

// slot is a record as a slot of httpapi/web/src/vault.mjs.
func slot(number uint64, record []byte) []byte {
	b := append(binary.LittleEndian.AppendUint64(nil, number), record...)
	sum := sha256.Sum256(b)
	return append(sum[:], b...)
}

// bring puts a seat into a browser as if it had been there before: the first slot of every record.
func (p *tab) bring(seat string, records memory) {
	p.Helper()
	files := map[string]string{}
	for name, record := range records {
		files[name+".0"] = base64.StdEncoding.EncodeToString(slot(1, record))
	}
	p.write(seat, files)
}

// write writes slots of a seat in Base64; "" removes the slot.
func (p *tab) write(seat string, files map[string]string) {
	p.Helper()
	text, _ := json.Marshal(files) // strings
	eval[chromedp.Void](p, fmt.Sprintf(`(async () => {
		const seats = await (await navigator.storage.getDirectory()).getDirectoryHandle("seats", { create: true });
		const folder = await seats.getDirectoryHandle(%s, { create: true });
		for (const [name, text] of Object.entries(%s)) {
			if (!text) {
				await folder.removeEntry(name).catch(e => { if (e.name !== "NotFoundError") throw e; });
				continue;
			}
			const w = await (await folder.getFileHandle(name, { create: true })).createWritable();
			await w.write(Uint8Array.from(atob(text), c => c.charCodeAt(0)));
			await w.close();
		}
	})()`, quote(seat), text))
}

// slots returns the files of all seats of a browser: for each seat, name to bytes.
func (p *tab) slots() map[string]map[string][]byte {
	p.Helper()
	return eval[map[string]map[string][]byte](p, `(async () => {
		const all = {};
		const seats = await (await navigator.storage.getDirectory()).getDirectoryHandle("seats", { create: true });
		for await (const [id, folder] of seats.entries()) {
			all[id] = {};
			for await (const [name, file] of folder.entries()) {
				const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
				all[id][name] = btoa(String.fromCharCode(...bytes));
			}
		}
		return all;
	})()`)
}

// record returns the content of a record's newest slot.
func record(files map[string][]byte, name string) (found []byte) {
	var newest uint64
	for _, s := range []string{".0", ".1"} {
		if b := files[name+s]; len(b) >= head {
			n := binary.LittleEndian.Uint64(b[sha256.Size:])
			if body := b[head:]; bytes.Equal(slot(n, body), b) && n > newest {
				newest, found = n, body
			}
		}
	}
	return found
}

// secrets of a seat.
type secrets struct {
	Key    string
	VKey   string
	Tables map[string][]byte
}

// secretsOf returns the secrets of all seats of a browser.
func (p *tab) secretsOf() map[string]secrets {
	p.Helper()
	all := map[string]secrets{}
	for id, files := range p.slots() {
		var s secrets
		err := json.Unmarshal(record(files, player.SeatRecord), &s)
		testmust.Requiref(p, err == nil, "the seat %s: %v", id, err)
		all[id] = s
	}
	return all
}

// history returns the states of a table, by number of applied messages, as the native packages replay
// the log.
func (f *front) history(id wire.Hash) []*table.State {
	f.t.Helper()
	src := tablelog.New(id, tablelog.Options{Server: f.log()})
	var states []*table.State
	for read := 0; ; {
		entries := testmust.Have(src.Messages(context.Background(), id, read, 0))(f.t)
		if len(entries) == 0 {
			return states
		}
		read += len(entries)
		for _, entry := range entries {
			e := testmust.Have(wire.Parse(entry))(f.t)
			if len(states) == 0 {
				s := testmust.Have(table.Open(e, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}))(f.t)
				states = append(states, s)
			} else if s, err := states[len(states)-1].Apply(e, table.Facts{}); err == nil {
				states = append(states, s)
			}
		}
	}
}

// sound fails unless the native verifier finds a table of the log sound.
func (f *front) sound(id wire.Hash) {
	f.t.Helper()
	a, err := judge.Table(context.Background(), f.log(), id, []string{f.key}, "en")
	testmust.Holdf(f.t, err == nil && a.Verdict == "sound", "the native verifier says %q, %v: %s", a.Verdict, err, a.Headline)
}

// secret parses the card secret of a seat at a table.
func secret(t testing.TB, s *table.State, b []byte) proof.Secret {
	t.Helper()
	prover := testmust.Have(proof.ProverOf(s.Suite()))(t)
	return testmust.Have(prover.ParseSecret(b))(t)
}

// made is the module of the pages, compiled once.
var made = sync.OnceValues(func() (build.Module, error) { return build.Make(context.Background()) })

// compiled is pakli, compiled once.
var compiled = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pakli-browser-")
	if err != nil {
		return "", err
	}
	atEnd(func() { os.RemoveAll(dir) })
	return serving.Build(context.Background(), dir)
})

// front serves the pages, passes other requests on to a pakli serve, and is the proxy of the test's
// browsers, so that it gets all their requests.
type front struct {
	options map[string]string // of tables that begin
	*httptest.Server
	t     testing.TB
	key   string // the log's
	data  string // its directory
	push  string // the key that identifies it to push services
	pages *http.ServeMux

	mu        sync.Mutex
	server    *serving.Server // nil while there is none
	asked     []request
	elsewhere []string // requests to other hosts
	own       bool     // a whole browser makes requests of its own: elsewhere records nothing
	reports   []string // of the content security policy
	posted    map[place]map[string]bool
	alter     func(r *http.Request, body []byte) []byte // of an answer
	late      time.Duration                             // of each request, and of each answer
	lose      func() bool                               // reports whether an answer is lost; nil: none is
}

// searchEngine is a connection to its search engine that Chromium itself opens once for every
// context. A page could not open it, and its policy would report it.
const searchEngine = "www.google.com:443"

// request is a request of a browser.
type request struct{ method, url, body string }

// place is a parent and seat for which a message was signed.
type place struct {
	table, parent wire.Hash
	seat          int
}

// serve starts a server with its front.
func serve(t testing.TB) *front {
	t.Helper()
	program(t)
	if _, err := made(); err != nil { // before anything waits for a page
		t.Fatal(err)
	}
	f := &front{t: t, data: filepath.Join(t.TempDir(), "log"), posted: map[place]map[string]bool{}}
	f.start()
	t.Cleanup(f.kill)
	f.Server = httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(f.Close)
	t.Cleanup(f.CloseClientConnections) // of browsers that wait for news
	answer := testmust.Have(http.Get(f.server.URL + "/v1/log"))(t)
	defer answer.Body.Close()
	var info client.LogInfo
	decode(t, answer.Body, &info)
	f.key, f.push = info.Key, testmust.Have(notify.LoadKey(filepath.Join(f.data, "push-key"), nil))(t).Public()
	pages := testmust.Have(web.New(web.Options{Key: f.key, Push: f.push, Make: func(context.Context) (build.Module, error) { return made() }}))(t)
	f.pages = http.NewServeMux()
	for _, path := range pages.Paths() {
		path = regexp.MustCompile(":([a-z]+)").ReplaceAllString(path, "{$1}")
		if path == "/" {
			path = "/{$}"
		}
		f.pages.Handle(strings.Replace(path, "*", "{rest...}", 1), pages)
	}
	return f
}

// start starts the server on the log in its current state.
func (f *front) start() {
	f.t.Helper()
	path := testmust.Have(compiled())(f.t)
	s := testmust.Have(serving.Start([]string{path}, f.data, "--operator-addr", "none", "--push-contact", "mailto:klub@example.org"))(f.t)
	f.mu.Lock()
	f.server = s
	f.mu.Unlock()
}

// kill kills the server with SIGKILL.
func (f *front) kill() {
	f.mu.Lock()
	s := f.server
	f.server = nil
	f.mu.Unlock()
	if s == nil {
		return
	}
	if p, err := os.FindProcess(s.PID()); err == nil {
		p.Kill()
	}
	s.Stop() // an error: it was killed
}

func (f *front) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	elsewhere := r.Method == http.MethodConnect || r.URL.Host != "" && "http://"+r.URL.Host != f.URL
	f.mu.Lock()
	server, alter, late, lose := f.server, f.alter, f.late, f.lose
	switch {
	case elsewhere && (f.own || r.RequestURI == searchEngine):
	case elsewhere:
		f.elsewhere = append(f.elsewhere, r.Method+" "+r.RequestURI)
	case r.URL.Path == "/report":
		f.reports = append(f.reports, string(body))
	default:
		f.asked = append(f.asked, request{r.Method, r.URL.String(), string(body)})
	}
	f.mu.Unlock()
	time.Sleep(late)
	switch {
	case elsewhere:
		http.Error(w, "elsewhere", http.StatusForbidden)
	case r.URL.Path == "/report":
	case f.isPage(r):
		time.Sleep(late)
		f.pages.ServeHTTP(&reporting{ResponseWriter: w}, r)
	case server == nil:
		http.Error(w, "no server", http.StatusBadGateway)
	default:
		f.note(r, body)
		to, _ := url.Parse(server.URL) // as it said itself
		proxy := httputil.NewSingleHostReverseProxy(to)
		proxy.FlushInterval = -1
		proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) { w.WriteHeader(http.StatusBadGateway) }
		if lose != nil {
			proxy.ModifyResponse = func(a *http.Response) error {
				time.Sleep(late)
				if lose() {
					a.Body.Close()
					panic(http.ErrAbortHandler) // the connection ends without an answer
				}
				return nil
			}
		}
		if alter != nil {
			r.Header.Del("Accept-Encoding")
			proxy.ModifyResponse = func(a *http.Response) error {
				body, err := io.ReadAll(a.Body)
				if err == nil {
					body = alter(r, body)
					a.Body, a.ContentLength = io.NopCloser(bytes.NewReader(body)), -1
					a.Header.Del("Content-Length")
				}
				return err
			}
		}
		proxy.ServeHTTP(w, r)
	}
}

// isPage reports whether a request is for a page or one of its files.
func (f *front) isPage(r *http.Request) bool {
	_, pattern := f.pages.Handler(r)
	return pattern != ""
}

// reporting makes browsers report to the front what a page's policy forbade.
type reporting struct{ http.ResponseWriter }

func (w *reporting) Write(b []byte) (int, error) {
	const name = "Content-Security-Policy"
	if p := w.Header().Get(name); p != "" && !strings.Contains(p, "report-uri") {
		w.Header().Set(name, p+"; report-uri /report")
	}
	return w.ResponseWriter.Write(b)
}

// note records a seat's posts.
func (f *front) note(r *http.Request, parcel []byte) {
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/messages") {
		return
	}
	entry, _ := wire.CutParcel(parcel)
	e, err := wire.Parse(entry)
	if err == nil && e.Act != nil {
		return
	}
	if err != nil || e.Message == nil {
		f.t.Errorf("a page posted what is no message: %v", err)
		return
	}
	at := place{e.Message.Table, e.Message.Parent, e.Message.Seat}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.posted[at] == nil {
		f.posted[at] = map[string]bool{}
	}
	f.posted[at][string(entry)] = true
}

// lies makes the server's answers false from now on.
func (f *front) lies(alter func(*http.Request, []byte) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alter = alter
}

// far delays every request and answer, and loses some answers.
func (f *front) far(late time.Duration, lose func() bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.late, f.lose = late, lose
}

// log returns a client of the log that bypasses the front.
func (f *front) log() *client.Client {
	f.t.Helper()
	v := testmust.Have(note.NewVerifier(f.key))(f.t)
	return testmust.Have(client.New(f.server.URL, v, nil))(f.t)
}

// orderly fails if a seat posted two messages on one parent, a page sent a request to another host,
// or its policy forbade anything.
func (f *front) orderly() {
	f.t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for at, messages := range f.posted {
		testmust.Holdf(f.t, len(messages) <= 1, "seat %d posted %d messages on %s", at.seat, len(messages), at.parent)
	}
	testmust.Holdf(f.t, len(f.elsewhere) == 0, "asked elsewhere: %q", f.elsewhere)
	testmust.Holdf(f.t, len(f.reports) == 0, "the content security policy reports: %s", f.reports)
}

// The pages work with a server that was started elsewhere, such as in a container
// (PAKLI_BROWSER_SERVER), and not only with the server of these tests on this machine.
// or that plays with this machine's own alone.
func TestServerElsewhere(t *testing.T) {
	if elsewhere == "" {
		t.Skip("PAKLI_BROWSER_SERVER names no server")
	}
	program(t)
	browser := testmust.Have(shared())(t)
	ctx, done := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	p := opened(t, ctx, done)
	p.visit(elsewhere)
	p.fill("main input[autocomplete=nickname]", "Anna")
	p.fill("main select", "schwarzer-peter/v1")
	p.press("Play now with bots")
	p.until(`location.pathname.startsWith("/t/")`)
	eval[any](p, "pakliTest.play(3)")
	p.untilIn(4*time.Minute, `document.querySelector(".waiting")?.textContent.includes("The table is over")`)
}
