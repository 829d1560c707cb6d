package httpapi_test

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
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

func (u *unwatched) Changed(context.Context, ledger.Promise) (<-chan struct{}, error) {
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
func (h *house) play(p *tabletest.Table) client.Posted {
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
	if got := b.second.get(nobodys); got.status != http.StatusNotFound {
		t.Errorf("what nobody has: %d %s", got.status, got.body)
	}
	b.first.play(p)
	if got := b.second.play(p); got.N != 5 {
		t.Errorf("on a message that came elsewhere: %+v", got)
	}
}
