package httpapi_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"
)

// An operator's list that is served without being one, or anew each time; and a log that is
// closed and takes an entry, or does not say where the others are.
func TestClosedLog(t *testing.T) {
	if a := newHouse(t, nil).get("/v1/logs"); a.status != http.StatusNotFound {
		t.Errorf("no list: %d", a.status)
	}
	const list = "signed by the operator\n"
	var closed atomic.Bool
	h := newHouse(t, func(o *httpapi.Options) {
		o.Logs, o.Closed = func() []byte { return []byte(list) }, closed.Load
	})
	first := h.get("/v1/logs")
	if first.status != http.StatusOK || string(first.body) != list {
		t.Errorf("the list: %d %s", first.status, first.body)
	}
	if a := h.get("/v1/logs", "If-None-Match", first.header.Get("ETag")); a.status != http.StatusNotModified {
		t.Errorf("the list again: %d", a.status)
	}
	p := newTable(t, wire.RefuseFouls)
	table := h.posted("/v1/tables", p.Entries[0])
	size := h.size()
	closed.Store(true)
	for _, path := range []string{"/v1/entries", "/v1/tables", "/v1/marks", "/v1/events", "/v1/tables/" + table.Table.String() + "/messages",
		"/v1/events/" + strings.Repeat("0", 64) + "/entries"} {
		a := h.post(path, p.Entries[0])
		if got := h.problem(a); a.status != http.StatusGone || !strings.HasSuffix(got.Type, string(client.LogClosed)) {
			t.Errorf("%s: %d %+v", path, a.status, got)
		}
	}
	if now := h.size(); now != size {
		t.Errorf("a log that is closed has grown from %d to %d", size, now)
	}
}

func (h *house) size() uint64 {
	h.t.Helper()
	c := testmust.Have(h.log.Checkpoint(h.t.Context()))(h.t)
	return c.Size
}
