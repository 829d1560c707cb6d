package httpapi_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"html"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// shared is what the front ends of one log share.
type shared struct {
	key      ledger.Key
	order    *ledgertest.Order
	register *ledgertest.Register
	stores   ledgertest.Stores
}

// frontEnd is another house before the log of s.
func (s *shared) frontEnd(t *testing.T, order ledger.Order, register ledger.Register, poll time.Duration) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir(), key: s.key}
	o := ledger.Options{Signer: s.key.Signer, Store: &s.stores, Order: order, Register: register, Follows: "test", Poll: poll}
	testmust.Do(t, ledger.Create(h.dir, o))
	h.log = testmust.Have(ledger.Open(h.dir, o))(t)
	t.Cleanup(func() { h.log.Close() })
	tables := testmust.Have(admission.Open(t.Context(), h.log, catalogue, admission.Options{Shared: true, Blobs: h.log, AppendTime: 20 * time.Second}))(t)
	h.server = newServer(t, httpapi.Options{Log: h.log, Tiles: h.log, Admission: tables, Blobs: h.log, Key: s.key.Public, CatchUp: tables.CatchUp})
	web := httptest.NewServer(h.server)
	t.Cleanup(web.Close)
	h.url = web.URL
	return h
}

// gatedOrder is an order of which a front end gets no leaves while its gate is closed.
type gatedOrder struct {
	ledger.Order
	mu     sync.Mutex
	opened chan struct{}
}

func (o *gatedOrder) Leaves(ctx context.Context, start, end uint64) iter.Seq2[ledger.Leaf, error] {
	return func(yield func(ledger.Leaf, error) bool) {
		o.mu.Lock()
		opened := o.opened
		o.mu.Unlock()
		select {
		case <-opened:
		case <-ctx.Done():
			yield(ledger.Leaf{}, ctx.Err())
			return
		}
		for l, err := range o.Order.Leaves(ctx, start, end) {
			if !yield(l, err) {
				return
			}
		}
	}
}

// close closes the gate, and returns what opens it.
func (o *gatedOrder) close() (open func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	opened := make(chan struct{})
	o.opened = opened
	return sync.OnceFunc(func() { close(opened) })
}

// unwatched is a register that tells nobody when it changes, and that may be away.
type unwatched struct {
	ledger.Register
	away atomic.Bool
}

func (u *unwatched) PromiseChanged(context.Context, ledger.Promise) (<-chan struct{}, error) {
	return nil, errors.New("nobody watches")
}

func (u *unwatched) Load(ctx context.Context) (ledger.Promise, error) {
	if u.away.Load() {
		return ledger.Promise{}, errors.New("the register is away")
	}
	return u.Register.Load(ctx)
}

// behind is two front ends, of which the second follows only when it has to look.
type behind struct {
	shared
	first, second *house
	gate          gatedOrder
	register      unwatched
	open          func()
}

func newBehind(t *testing.T) *behind {
	t.Helper()
	b := &behind{}
	b.key = testmust.Have(ledger.CreateKey(t.TempDir(), "log.example", rand.Reader))(t)
	b.shared.order, b.shared.register = ledgertest.NewOrder(), ledgertest.NewRegister()
	b.first = b.frontEnd(t, b.shared.order, b.shared.register, 10*time.Millisecond)
	b.gate.Order, b.register.Register = b.shared.order, b.shared.register
	b.open = b.gate.close()
	t.Cleanup(b.open)
	b.second = b.frontEnd(t, &b.gate, &b.register, time.Hour)
	return b
}

// play posts what comes next at a table.
func (h *house) play(p *tabletest.Table) client.PostedEntry {
	h.t.Helper()
	next := testmust.Have(p.Next())(h.t)
	done := h.posted("/v1/tables/"+p.State.ID().String()+"/messages", next)
	testmust.Do(h.t, p.Add(next))
	return done
}

// An entry that one front end has acknowledged, and another one denies; a no of one that cannot know; a message
// that is refused since the one before it came elsewhere.
func TestNoIsNotSaidWithoutLooking(t *testing.T) {
	b, p := newBehind(t), newTable(t, wire.RefuseFouls)
	b.first.posted("/v1/tables", p.Entries[0])
	for range 3 {
		b.first.play(p)
	}
	last := p.Entries[len(p.Entries)-1]
	table, nobodys := "/v1/tables/"+p.State.ID().String(), "/v1/tables/"+wire.Hash{1}.String()
	asks := map[string]func() answer{"a message again": func() answer { return b.second.post(table+"/messages", last) }}
	for _, path := range []string{
		table, table + "/messages", table + "/messages?from=1", table + "/bundle", "/tile/entries/000.p/4", "/tile/0/000.p/4",
		"/v1/entries/3/receipt", "/v1/entries/3/inclusion", "/v1/consistency?old=2&size=4",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			asks[method+" "+path] = func() answer { return b.second.call(method, path, nil) }
		}
	}
	all := func(when string, status int) {
		t.Helper()
		var group sync.WaitGroup
		for what, ask := range asks {
			group.Go(func() {
				got := ask()
				for status == http.StatusOK && got.status == http.StatusServiceUnavailable { // a slow machine: it does not deny
					got = ask()
				}
				testmust.Equal(t, got.status, status, when, what, got.body)
			})
		}
		group.Wait()
	}
	asks["what nobody has"] = func() answer { return b.second.get(nobodys) }
	b.register.away.Store(true)
	all("the register is away", http.StatusServiceUnavailable)
	b.register.away.Store(false)
	usual := b.second.server.Hasten(20 * time.Millisecond)
	all("the cluster shows nothing", http.StatusServiceUnavailable)
	b.second.server.Hasten(usual)
	delete(asks, "what nobody has")
	b.open()
	all("it can look", http.StatusOK)
	got := b.second.get(nobodys)
	testmust.Holdf(t, got.status == http.StatusNotFound, "what nobody has: %d %s", got.status, got.body)
	b.first.play(p)
	if got := b.second.play(p); got.N != 5 {
		t.Errorf("on a message that came elsewhere: %+v", got)
	}
}

// A page that loads something from elsewhere, or leaves out what there is.
func TestReference(t *testing.T) {
	h := newHouse(t, nil)
	a := h.get("/docs/api")
	page := string(a.body)
	testmust.Equal(t, regexp.MustCompile(`(?i)<(script|link|img|iframe)|https?://|src=|url\(|@import|no value|%!`).FindString(page), "", "the page")
	policy := a.header.Get("Content-Security-Policy")
	testmust.Holdf(t, strings.Contains(policy, "default-src 'none'"), "policy %q", policy)
	doc := testmust.Have(description())(t)
	for route, op := range doc.operations() {
		for _, want := range []string{"<b>" + route + "</b>", html.EscapeString(op.Summary)} {
			testmust.Hold(t, strings.Contains(page, want), want, "is not on the page")
		}
	}
	for status := range doc.Components.Responses {
		testmust.Hold(t, strings.Contains(page, `<tr id="`+status+`">`), status, "is not on the page")
	}
	for name := range doc.Components.Schemas {
		testmust.Hold(t, strings.Contains(page, `<h3 id="`+name+`">`), name, "is not on the page")
	}
	h.unchanged("/docs", "/docs/api", "/v1/openapi.json")
}

// A person who opens the address, and a program that does, must each find the way; neither
// must be sent away by a 404.
func TestRoot(t *testing.T) {
	h := newHouse(t, nil)
	for accept, page := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, "text/html": true, "": false, "*/*": false, "application/json": false,
	} {
		a := h.get("/", "Accept", accept)
		testmust.Holdf(t, !page || a.status == http.StatusSeeOther && a.header.Get("Location") == "docs", "Accept %q: %d %v", accept, a.status, a.header)
		if page {
			continue
		}
		var root client.Root
		h.decode(a, &root)
		for _, path := range []string{root.Log, root.Tables, root.Checkpoint, root.OpenAPI, root.Docs, root.Specification} {
			h.expect(http.StatusOK, h.get("/"+path))
		}
	}
	h.refusal(client.NotAcceptable, h.get("/", "Accept", "image/png"))
}

// What the description cites must be there for who reads it.
func TestSpecificationIsServed(t *testing.T) {
	h := newHouse(t, nil)
	a := h.get("/docs/spec/70-http.md")
	want, err := os.ReadFile("../docs/spec/70-http.md")
	testmust.Holdf(t, err == nil && bytes.Equal(a.body, want), "%d bytes, %v", len(a.body), err)
	h.unchanged("/docs/spec/70-http.md", "/docs/stability.md")
	for _, path := range []string{"/docs/spec/99-nothing.md", "/docs/docs.go", "/docs/README.md", "/docs/spec/vectors", "/docs/spec/..", "/docs/spec/"} {
		h.refusal(client.NotFound, h.get(path))
	}
}

// A browser that gets Markdown, a program that gets HTML, a search that answers with all it was asked.
func TestDocuments(t *testing.T) {
	h := newHouse(t, nil)
	for accept, media := range map[string]string{"": "text/markdown", "*/*": "text/markdown", "text/html,*/*;q=0.8": "text/html"} {
		for _, path := range []string{"/docs/guide/play.md", "/docs/stability.md"} {
			a := h.get(path, "Accept", accept)
			testmust.Hold(t, strings.HasPrefix(a.header.Get("Content-Type"), media), path, "is", a.header.Get("Content-Type"), "for who accepts", accept)
		}
	}
	for _, path := range []string{"/docs/guide/play.md", "/docs/stability.md"} {
		h.refusal(client.NotAcceptable, h.get(path, "Accept", "image/png"))
	}
	a := h.get("/docs?q=follow+suit")
	testmust.Hold(t, strings.Contains(string(a.body), `<a href="docs/`), "nothing is found about following suit")
	h.refusal(client.MalformedRequest, h.get("/docs?q="+strings.Repeat("a", 201)))
}

// A resource that the specification does not know.
func TestResourcesAreSpecified(t *testing.T) {
	var text []byte
	for _, name := range []string{"../docs/spec/65-log.md", "../docs/spec/70-http.md"} {
		spec := testmust.Have(os.ReadFile(name))(t)
		text = append(text, spec...)
	}
	doc := testmust.Have(description())(t)
	in65 := strings.NewReplacer("{level}", "<L>", "{tile}", "<N>[.p/<W>]", "{hash}", "{sha256}")
	for route := range doc.operations() {
		method, path, _ := strings.Cut(route, " ")
		row := regexp.MustCompile(`(?m)^\|.*\x60(` + method + ` )?` + regexp.QuoteMeta(in65.Replace(path)) + `[?\x60]`)
		testmust.Hold(t, row.Match(text), route, "is in no table")
	}
}

// A refusal that the specification does not know, or one that it promises and
// nobody gives.
func TestProblemsAreSpecified(t *testing.T) {
	spec := testmust.Have(os.ReadFile("../docs/spec/70-http.md"))(t)
	specified := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `/problems/([a-z-]+)` \\| (\\d+) \\|").FindAllStringSubmatch(string(spec), -1) {
		specified[row[1]], _ = strconv.Atoi(row[2])
	}
	testmust.Hold(t, maps.Equal(specified, httpapi.Problems()), "specified are", specified, "given are", httpapi.Problems())
}
