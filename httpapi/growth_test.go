package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// What a client knows and cannot be true must be told from what this log does not
// have yet; and who asks for no growth must get none.
func TestGrowth(t *testing.T) {
	h := newHouse(t, nil)
	p, path := h.newTable(wire.RefuseFouls)
	path += "/messages"
	entry := key(t, p, 0)
	h.posted(path+"?edge=1&size=1", entry)
	page := read[client.Messages](h, path)
	if page.Checkpoint != "" || page.Growth != "" {
		t.Errorf("not asked for: %+v", page)
	}
	h.decode(h.get(path+"?from=1&edge=0&size=1"), &page)
	hashes, err := tlog.ParseHashes(page.Growth)
	if err != nil || len(hashes) != 1 || hashes[0] != tlog.LeafHash(p.Entries[0]) || page.Checkpoint != string(h.get("/checkpoint").body) {
		t.Errorf("%+v, %v", page, err)
	}
	page = client.Messages{}
	if h.decode(h.get(path+"?from=2&edge=2&size=2"), &page); page.Checkpoint != "" {
		t.Errorf("nothing to prove: %+v", page)
	}
	for query, want := range map[string]string{
		"edge=0":                client.MalformedRequest,
		"size=0":                client.MalformedRequest,
		"edge=2&size=1":         client.MalformedRequest,
		"edge=-1&size=1":        client.MalformedRequest,
		"edge=0&size=x":         client.MalformedRequest,
		"from=0&edge=1&size=1":  client.MalformedRequest, // the genesis entry is before the edge
		"edge=0&size=3":         client.BeyondLog,
		"edge=0&size=999999999": client.BeyondLog,
	} {
		h.refusal(want, h.get(path+"?"+query))
	}
	for query, status := range map[string]int{"edge=1": http.StatusBadRequest, "edge=0&size=9": http.StatusOK, "edge=2&size=2": http.StatusOK, "edge=0&size=0": http.StatusOK} {
		h.expect(status, h.call("POST", fmt.Sprintf("%s?%s", path, query), entry))
	}
}
