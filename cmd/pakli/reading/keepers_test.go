package reading_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/held"
	"github.com/pakli/pakli/protocol/keeper"
)

// keeping is a keeper that shows what a view shows.
func (w *world) keeping(v *view, lie func(*held.ShownEntry)) *client.Keeper {
	w.t.Helper()
	cp := testmust.Have(w.log.Checkpoint(w.t.Context()))(w.t)
	shown := held.Shown{Table: w.id, Held: []held.HeldPlace{}}
	for _, m := range v.entries {
		p := testmust.Have(w.log.Inclusion(w.t.Context(), m.Index, cp.Size))(w.t)
		r := tlog.Receipt{Index: m.Index, Hashes: p.Hashes, Checkpoint: cp.Note}
		e := held.ShownEntry{Index: m.Index, Entry: string(m.Bytes), Receipt: string(r.Marshal())}
		if lie != nil {
			lie(&e)
		}
		shown.Entries = append(shown.Entries, e)
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/held/"+w.id.String()) {
			http.NotFound(rw, r)
			return
		}
		_ = json.NewEncoder(rw).Encode(shown)
	}))
	w.t.Cleanup(s.Close)
	_, lines := markstest.Liner(w.t, "anna.example")
	return testmust.Have(client.NewKeeper("anna", s.URL, lines, nil))(w.t)
}

// A server that hides the head from a player: keepers show it, long before they may say that they
// hold nothing on it, and play goes on with it. A keeper that shows what the log does not have is
// not believed. (Attack 14)
func TestKeepersShowTheHead(t *testing.T) {
	for what, c := range map[string]struct {
		lie   func(*held.ShownEntry)
		shows int
	}{
		"the head":      {nil, 1},
		"another entry": {func(e *held.ShownEntry) { e.Entry = strings.Replace(e.Entry, `"seat":2`, `"seat":1`, 1) }, 0},
		"another index": {func(e *held.ShownEntry) { e.Index++ }, 0},
		"no receipt":    {func(e *held.ShownEntry) { e.Receipt = "" }, 0},
	} {
		w, whole := begun(t)
		now := time.Now()
		src, l := w.reader(t, w.serve(part(whole, 3)), reading.Options{Now: func() time.Time { return now }, Patience: time.Hour})
		if n, err := read(t, src, 0); n != 3 || err != nil {
			t.Fatalf("%d entries, %v", n, err)
		}
		k := testmust.Have(reading.NewKeepers(t.Context(), src, []*client.Keeper{w.keeping(whole, c.lie)}, func(keeper.Message) (string, error) { return "", nil }))(t)
		src.ReadKeepers(k.Places(src.Server), 5*time.Second)
		now = now.Add(4 * time.Second)
		if n, _ := read(t, src, 3); n != 0 {
			t.Errorf("%s: asked before it was time", what)
		}
		now = now.Add(time.Second)
		if n, err := read(t, src, 3); n != c.shows || err != nil || l.has(reading.Hidden) != (c.shows > 0) {
			t.Errorf("%s: %d entries, %v, told %+v", what, n, err, l.list)
		}
	}
}
