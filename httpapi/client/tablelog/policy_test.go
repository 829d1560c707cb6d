package tablelog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/cosign"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
)

// cosigned serves a view whose log shows its checkpoints to a cosigner after begin is called.
func (w *world) cosigned(v *view) (url, cosignerURL string, p *tlog.Policy, begin func()) {
	t := w.t
	t.Helper()
	skey, own := ledgertest.NewKey(t, "anna.example", tlog.Ed25519Cosignature)
	logKey := testmust.Have(tlog.ParseVerifierKey(w.key.Public))(t)
	c := testmust.Have(cosign.OpenCosigner(t.TempDir(), cosign.CosignerOptions{Signers: []string{skey}, Logs: []tlog.PolicyLog{{Key: logKey}}}))(t)
	t.Cleanup(func() { c.Close() })
	other := httptest.NewServer(c)
	t.Cleanup(other.Close)
	p = testmust.Have(tlog.ParsePolicy(fmt.Appendf(nil, "witness anna %s %s\nquorum anna\n", own.Verifier(), other.URL)))(t)
	s := httptest.NewServer(httpapi.New(httpapi.Options{Log: v.log, Tiles: v.log, Admission: v, Key: w.key.Public, Cosigned: v.log.CosignedReader()}))
	t.Cleanup(s.Close)
	return s.URL, other.URL, p, func() {
		submitter := testmust.Have(cosign.NewSubmitter(w.log, cosign.SubmitterOptions{Policy: p}))(t)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); submitter.Run(ctx) }()
		t.Cleanup(func() { cancel(); <-done })
	}
}

// A player who requires cosigners must give no token before they have seen its reason, and must give
// it then.
func TestTokensWaitForCosigners(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "schwarzer-peter/v1", clear.Name, 2, map[string]string{})
	v := newView(w.log)
	w.append(w.first, v)
	url, _, policy, begin := w.cosigned(v)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var players [2]*playing
	for i := range players {
		p := &playing{ended: make(chan error, 1)}
		var src *tablelog.Source
		var err error
		p.seat, src, err = w.sit(ctx, i, url, tablelog.Options{Policy: policy, Tell: p.tell,
			After: func(time.Duration) <-chan time.Time { return time.After(5 * time.Millisecond) }})
		testmust.Require(t, err == nil, err)
		p.seat.Vouched = src.AwaitVouching
		players[i] = p
		go func() { p.ended <- p.seat.Play(ctx) }()
	}
	testmust.Until(t, "a player who waits for cosigners", func() bool { return players[0].has(tablelog.Vouching) || players[1].has(tablelog.Vouching) })
	time.Sleep(50 * time.Millisecond) // time to do it wrong
	given := shows(t, v)
	testmust.Holdf(t, len(given) == 0, "tokens that nobody vouches for: %v", given)
	begin()
	testmust.Until(t, "tokens of both", func() bool { return len(shows(t, v)) == 2 })
	cancel()
	for i, p := range players {
		err := <-p.ended
		testmust.Holdf(t, err == nil || errors.Is(err, context.Canceled), "seat %d: %v", i, err)
	}
}

// Cosignatures on a smaller tree, by others, or under another history do not vouch for a tree.
func TestWhatDoesNotVouch(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	url, _, policy, begin := w.cosigned(v)
	begin()
	src, l := w.reader(t, url, tablelog.Options{Policy: policy})
	read(t, src, 0)
	testmust.Do(t, src.AwaitVouching(t.Context(), v.State().Head()))
	_, _, strangers, _ := w.cosigned(v)
	once := func() (context.Context, func(time.Duration) <-chan time.Time) { // ends instead of asking again
		ctx, cancel := context.WithCancel(t.Context())
		return ctx, func(time.Duration) <-chan time.Time { cancel(); return nil }
	}
	ctx, after := once()
	unknown, known := w.reader(t, url, tablelog.Options{Policy: strangers, After: after})
	read(t, unknown, 0)
	err := unknown.AwaitVouching(ctx, v.State().Head())
	testmust.Holdf(t, errors.Is(err, context.Canceled) && known.has(tablelog.Vouching), "by strangers: %v, told %+v", err, known.list)
	l.list = nil
	err = src.AwaitVouching(t.Context(), w.id)
	testmust.Holdf(t, err == nil && !l.has(tablelog.Vouching), "an older entry: %v, told %+v", err, l.list)
	seen := testmust.Have(w.log.CosignedReader().Checkpoint(t.Context()))(t)
	w.append(w.shuffle(v), v)
	s := httptest.NewServer(httpapi.New(httpapi.Options{Log: v.log, Tiles: v.log, Admission: v, Key: w.key.Public, Cosigned: stuck{v.log, seen}}))
	t.Cleanup(s.Close)
	ctx, after = once()
	late, known := w.reader(t, s.URL, tablelog.Options{Policy: policy, After: after})
	read(t, late, 0)
	if err := late.AwaitVouching(ctx, v.State().Head()); !errors.Is(err, context.Canceled) || !strings.Contains(known.list[0].Text, "they have not come as far") {
		t.Errorf("under a smaller tree: %v, told %+v", err, known.list)
	}
	testmust.Fail(t, src.AwaitVouching(t.Context(), [32]byte{1}), "an entry that was not read")
}

// stuck is a log whose cosigners have seen nothing new.
type stuck struct {
	tlog.Reader
	seen tlog.Checkpoint
}

func (s stuck) Checkpoint(context.Context) (tlog.Checkpoint, error) { return s.seen, nil }

// A cosigner who has seen more than a server shows, or another history, must be heard.
func TestCosignersAreAsked(t *testing.T) {
	t.Parallel()
	w, v := begun(t)
	url, other, policy, begin := w.cosigned(v)
	begin()
	src, l := w.reader(t, url, tablelog.Options{})
	src.Others = []tablelog.Place{tablelog.Cosigner{Name: "anna", URL: other, Server: src.Server}}
	read(t, src, 0)
	testmust.Do(t, (func() error { src.Policy = policy; return src.AwaitVouching(t.Context(), v.State().Head()) })())
	n, err := read(t, src, 4)
	testmust.Holdf(t, n == 0 && err == nil && l.has(tablelog.Waiting), "nothing new: %d entries, %v, told %+v", n, err, l.list)

	src, l = w.reader(t, w.serve(w.copied(2)), tablelog.Options{})
	src.Others = []tablelog.Place{tablelog.Cosigner{Name: "anna", URL: other, Server: src.Server}}
	read(t, src, 0)
	if _, err := read(t, src, 1); err != nil || len(l.list) != 1 || !strings.Contains(l.list[0].Text, "cosigner anna: it has seen 8 entries") {
		t.Errorf("a server behind: %v, told %+v", err, l.list)
	}
}

// A log forks. The player has an entry of one history from another place, and cosigners have seen the
// other history, of the same size. They do not vouch for that entry.
func TestCosignersOfAnotherHistory(t *testing.T) {
	t.Parallel()
	w, one := begun(t)
	url, _, policy, begin := w.cosigned(one)
	two := w.copied(8)
	fork := two.put(w, w.shuffle(two))
	src, l := w.reader(t, url, tablelog.Options{Policy: policy, Others: []tablelog.Place{w.at(w.serve(two))}})
	read(t, src, 0)
	n, err := read(t, src, 4)
	testmust.Requiref(t, n == 1 && err == nil, "%d entries, %v", n, err)
	for i := range 4 {
		w.append([]byte(strings.Repeat("v", i+1)))
	}
	begin()
	testmust.Until(t, "a cosigned checkpoint", func() bool {
		c, err := w.log.CosignedReader().Checkpoint(t.Context())
		return err == nil && c.Size > fork
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = src.AwaitVouching(ctx, two.State().Head())
	testmust.Holdf(t, errors.Is(err, tlog.ErrForked), "%v, told %+v", err, l.list)
}

// keeping is a keeper that shows the entries of a view.
func (w *world) keeping(v *view, lie func(*exchange.ShownEntry)) *client.Keeper {
	w.t.Helper()
	cp := testmust.Have(w.log.Checkpoint(w.t.Context()))(w.t)
	shown := exchange.KeeperView{Table: w.id, Held: []exchange.HeldPlace{}}
	for _, m := range v.entries {
		p := testmust.Have(w.log.Inclusion(w.t.Context(), m.Index, cp.Size))(w.t)
		r := tlog.Receipt{Index: m.Index, Hashes: p.Hashes, Checkpoint: cp.Note}
		e := exchange.ShownEntry{Index: m.Index, Entry: string(m.Bytes), Receipt: string(r.Marshal())}
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
	_, lines := markstest.LineSigner(w.t, "anna.example")
	return testmust.Have(client.NewKeeper("anna", s.URL, lines, nil))(w.t)
}

// A server hides the head from a player. Keepers show it long before they may state silence on it,
// and play continues. A keeper that shows what the log does not have is not believed. (Attack 14)
func TestKeepersShowTheHead(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		lie   func(*exchange.ShownEntry)
		shows int
	}{
		"the head":      {nil, 1},
		"another entry": {func(e *exchange.ShownEntry) { e.Entry = strings.Replace(e.Entry, `"seat":2`, `"seat":1`, 1) }, 0},
		"another index": {func(e *exchange.ShownEntry) { e.Index++ }, 0},
		"no receipt":    {func(e *exchange.ShownEntry) { e.Receipt = "" }, 0},
	} {
		w, whole := begun(t)
		now := time.Now()
		src, l := w.reader(t, w.serve(part(whole, 3)), tablelog.Options{Now: func() time.Time { return now }, Patience: time.Hour})
		n, err := read(t, src, 0)
		testmust.Requiref(t, n == 3 && err == nil, "%d entries, %v", n, err)
		k := tablelog.NewKeepers(src, []*client.Keeper{w.keeping(whole, c.lie)}, nil, func(keeper.Message) (string, error) { return "", nil })
		src.ReadKeepers(k.Places(src.Server), 5*time.Second)
		now = now.Add(4 * time.Second)
		n, _ = read(t, src, 3)
		testmust.Holdf(t, n == 0, "%s: asked before it was time", what)
		now = now.Add(time.Second)
		n, err = read(t, src, 3)
		testmust.Holdf(t, n == c.shows && err == nil && l.has(tablelog.Hidden) == (c.shows > 0), "%s: %d entries, %v, told %+v", what, n, err, l.list)
	}
}

// A server shows a table but not the one proof that only keepers need, or keepers do not accept the
// proof stored with a seat. Whoever asked them before, they know nothing of this seat.
func TestKeepersWithoutReceipt(t *testing.T) {
	t.Parallel()
	for what, proof := range map[string]*exchange.Request{"none": nil, "one that was altered": {Receipt: []byte("altered")}} {
		w, whole := begun(t)
		withheld, receipts := new(atomic.Bool), new(atomic.Int64)
		withheld.Store(true)
		url := w.through(whole, func(rw http.ResponseWriter, r *http.Request) bool {
			no := withheld.Load() && strings.Contains(r.URL.Path, "/tile/")
			if no {
				http.Error(rw, "no", http.StatusNotFound)
			}
			return no
		})
		src, _ := w.reader(t, url, tablelog.Options{Patience: time.Hour})
		n, err := read(t, src, 0)
		testmust.Requiref(t, n >= 3 && err == nil, "%d entries, %v", n, err)
		s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			about, err := exchange.ParseRequest(body)
			if receipt, wrong := tlog.ParseReceipt(about.Receipt); err == nil && wrong == nil && receipt.Verify(about.Genesis, src.Server.Keys()...) == nil {
				receipts.Add(1)
			} else {
				http.Error(rw, "not known, and not shown", http.StatusBadRequest)
			}
		}))
		t.Cleanup(s.Close)
		_, lines := markstest.LineSigner(t, "anna.example")
		one := testmust.Have(client.NewKeeper("anna", s.URL, lines, nil))(t)
		k := tablelog.NewKeepers(src, []*client.Keeper{one}, proof, func(keeper.Message) (string, error) { return "", nil })
		var sat exchange.Request
		k.Sat = func(r exchange.Request) { sat = r }
		doc := testmust.Have(exchange.SignPresence(keeper.Place{Table: w.id, Parent: w.id}, exchange.Lost, time.Now(), w.seats[0].Signer()))(t)
		n = k.Present(t.Context(), doc, nil)
		testmust.Holdf(t, n == 0 && sat.Receipt == nil, "%s: %d keepers know, kept %d bytes", what, n, len(sat.Receipt))
		withheld.Store(false)
		for range 2 { // the first has no answer of the server yet, or drops an altered proof
			k.Present(t.Context(), doc, []byte("an act"))
		}
		testmust.Holdf(t, receipts.Load() != 0 && bytes.Equal(sat.Message, doc) && string(sat.Reseat) == "an act",
			"%s: %d requests with the receipt, kept %+v", what, receipts.Load(), sat)
	}
}
