package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/limit"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// viaLoopback lets tests name the caller in X-Forwarded-For.
func viaLoopback(o *httpapi.Options) {
	o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// A stranger who has a processor, and asks for a table that is not replayed or
// posts long rubbish to it, must wait alone: not before the seats of the table.
func TestStrangersStopNoTable(t *testing.T) {
	const away, here = "203.0.113.9", "198.51.100.1"
	p := newTable(t, wire.RefuseFouls)
	gate := httpapi.NewGate(httpapi.Limits{ChecksPerAddress: 1}, nil)
	h := newHouse(t, func(o *httpapi.Options) {
		log := o.Log.(tlog.Log)
		if _, err := log.Append(t.Context(), p.Entries[0]); err != nil {
			t.Fatal(err)
		}
		a, err := admission.Open(t.Context(), log, catalogue, admission.Options{Gate: gate})
		if err != nil {
			t.Fatal(err)
		}
		o.Admission = a
		viaLoopback(o)
	})
	leave, err := gate.Enter(limit.With(t.Context(), limit.Prefix(away)), admission.Work{Bytes: 5000}) // and it takes its time
	if err != nil {
		t.Fatal(err)
	}
	path := "/v1/tables/" + p.State.ID().String()
	due := key(t, p, 0)
	done := make(chan answer)
	go func() { done <- h.get(path, "X-Forwarded-For", away) }()
	for gate.Waiting() == 0 {
		time.Sleep(time.Millisecond)
	}
	for i := range 70 {
		junk := forge(t, p, due, func(m *wire.Message) { m.Proofs = append(m.Proofs, bytes.Repeat([]byte{byte(i)}, 6000)) })
		junk, err := wire.Sign(parseMessage(t, junk), p.Organiser)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			done <- h.call("POST", path+"/messages", junk, "Content-Type", "text/plain", "X-Forwarded-For", away)
		}()
	}
	if got := h.call("POST", path+"/messages", due, "Content-Type", "text/plain", "X-Forwarded-For", here); got.status != http.StatusCreated {
		t.Errorf("a seat that is due: %d %s", got.status, got.body)
	}
	leave(admission.Unsigned)
	seen := map[string]bool{}
	for range 71 {
		seen[fmt.Sprint((<-done).status)] = true
	}
	for _, status := range []string{"201", "500"} {
		if seen[status] {
			t.Errorf("a stranger got %s", status)
		}
	}
}
