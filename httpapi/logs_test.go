package httpapi_test

import (
	"net/http"
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
	if a := h.expect(http.StatusOK, h.get("/v1/logs")); string(a.body) != list {
		t.Errorf("the list: %s", a.body)
	}
	h.unchanged("/v1/logs")
	p, _ := h.newTable(wire.RefuseFouls)
	size := h.size()
	closed.Store(true)
	for _, way := range ways(p.State.ID().String())[:6] { // to the log
		h.refusal(client.LogClosed, h.expect(http.StatusGone, h.post(way, p.Entries[0])))
	}
	if now := h.size(); now != size {
		t.Errorf("a log that is closed has grown from %d to %d", size, now)
	}
}

func (h *house) size() uint64 {
	h.t.Helper()
	return testmust.Have(h.log.Checkpoint(h.t.Context()))(h.t).Size
}
