package httpapi_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// A bundle that the server makes must be, byte for byte, the one that is made from
// the whole log, with the table's blobs and nothing of other tables.
func TestServedBundle(t *testing.T) {
	b := newBlobHouse(t)
	b.posted(b.path, b.shuffle)
	_, blob := wire.Cut(b.shuffle)
	id := b.State.ID()
	path := "/v1/tables/" + id.String() + "/bundle"
	a := b.get(path)
	if a.status != http.StatusOK || a.header.Get("Cache-Control") != "no-cache" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	served := testmust.Have(bundle.Parse(a.body))(t)
	if len(served.Entries) != len(b.Entries)+1 || len(served.Blobs) != 1 || sha256.Sum256(served.Blobs[0]) != sha256.Sum256(blob) {
		t.Errorf("%d entries, %d blobs", len(served.Entries), len(served.Blobs))
	}
	key := testmust.Have(tlog.ParseVerifierKey(b.key.Public))(t)
	made, err := bundle.Collect(t.Context(), b.client(), id, bundle.Keys{Log: []*tlog.VerifierKey{key}})
	if err != nil || !bytes.Equal(made.Marshal(), a.body) {
		t.Errorf("from the whole log it is another one (%v)", err)
	}
	b.expect(http.StatusNotModified, b.get(path, "If-None-Match", a.header.Get("ETag")))
	if file, err := b.client().Bundle(t.Context(), id); err != nil || !bytes.Equal(file, a.body) {
		t.Errorf("client: %d bytes, %v", len(file), err)
	}
}

// asked counts how often the entries of a table are read.
type asked struct {
	httpapi.Admission
	n *atomic.Int64
}

func (a asked) Entries(ctx context.Context, id wire.Hash, n int) iter.Seq2[admission.Logged, error] {
	a.n.Add(1)
	return a.Admission.Entries(ctx, id, n)
}

// Many addresses that ask for one bundle, each of which has it made, or who is shown one without what he has posted.
func TestBundleIsKeptForASecond(t *testing.T) {
	var n atomic.Int64
	h := newHouse(t, func(o *httpapi.Options) { o.Admission = asked{o.Admission, &n} })
	p, path := h.newTable(wire.RefuseFouls)
	begun := time.Now()
	for range 20 {
		h.expect(http.StatusOK, h.get(path+"/bundle"))
	}
	if most := int64(time.Since(begun)/time.Second) + 2; n.Load() > most {
		t.Errorf("made %d times, want at most %d", n.Load(), most)
	}
	h.posted(path+"/messages", key(t, p, 0))
	if b := testmust.Have(bundle.Parse(h.get(path + "/bundle").body))(t); len(b.Entries) != 2 {
		t.Errorf("%d entries, after a post", len(b.Entries))
	}
}

// A table under a cosigned checkpoint takes that; one that has gone on does not.
func TestBundleIsCosigned(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) { o.Cosigned = o.Log.(*ledger.Ledger).Cosigned() })
	p, _ := h.newTable(wire.RefuseFouls)
	h.cosign()
	path := "/v1/tables/" + p.State.ID().String() + "/bundle"
	sizeOf := func() uint64 {
		return testmust.Have(bundle.Parse(h.get(path).body))(t).Checkpoint.Size
	}
	before := sizeOf()
	h.posted("/v1/tables", newTable(t, wire.RefuseFouls).Entries[0])
	if got := sizeOf(); got != before {
		t.Errorf("the log grew, and the bundle is of size %d and not of the cosigned %d", got, before)
	}
	h.posted("/v1/tables/"+p.State.ID().String()+"/messages", key(t, p, 0))
	if got := sizeOf(); got != before+2 {
		t.Errorf("the table went on: size %d, want %d", got, before+2)
	}
}
