package tablelog_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

var catalogue = table.Catalogue{Game: games.Lookup, Suite: clear.Lookup}

// world is one log, whose operator shows it through any number of servers.
type world struct {
	t     testing.TB
	key   ledger.Key
	log   *ledger.Ledger
	seats []*player.Identity
	id    wire.Hash
	first []byte // genesis entry
}

func newLog(t testing.TB, key ledger.Key) *ledger.Ledger {
	t.Helper()
	dir, o := t.TempDir(), ledger.Options{Signer: key.Signer, Store: new(ledgertest.Stores)}
	testmust.Do(t, ledger.Create(dir, o))
	l := testmust.Have(ledger.Open(dir, o))(t)
	t.Cleanup(func() { l.Close() })
	return l
}

// newWorld makes a log and a table for n seats, which is not in the log yet.
func newWorld(t testing.TB, game, suite string, n int, options map[string]string) *world {
	t.Helper()
	w := &world{t: t}
	w.key = testmust.Have(ledger.CreateKey(t.TempDir(), "log.example", rand.Reader))(t)
	w.log = newLog(t, w.key)
	g := &wire.Genesis{Format: wire.TableFormat, Game: game, Suite: suite, Options: options,
		Deals: 1, Fouls: wire.RefuseFouls, Nonce: make([]byte, wire.NonceBytes)}
	rand.Read(g.Nonce)
	dir := t.TempDir()
	for i := range n {
		id := testmust.Have(seatfile.Create(filepath.Join(dir, fmt.Sprintf("%d.seat", i)), fmt.Sprintf("player%d", i), ""))(t)
		t.Cleanup(func() { id.Close() })
		w.seats, g.Seats = append(w.seats, id), append(g.Seats, id.VerifierKey())
	}
	g.Organiser = w.seats[0].VerifierKey()
	w.first = testmust.Have(wire.Sign(g, w.seats[0].Signer()))(t)
	w.id = wire.HashEntry(w.first)
	return w
}

// view is what one server shows of the table: an admission that accepts every entry, and lists what
// its operator chooses. All views show one log.
type view struct {
	httpapi.Admission
	log *ledger.Ledger

	posting sync.Mutex // from the read of the head until the entry is shown, as at a server
	mu      sync.Mutex
	entries []admission.LoggedEntry
	state   *table.State
	changed chan struct{}
}

// Moves implements httpapi.Admission.
func (v *view) Moves() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return uint64(len(v.entries))
}

func newView(l *ledger.Ledger) *view { return &view{log: l, changed: make(chan struct{})} }

// fork returns a view with the same entries.
func (v *view) fork() *view {
	v.mu.Lock()
	defer v.mu.Unlock()
	return &view{log: v.log, entries: slices.Clone(v.entries), state: v.state, changed: make(chan struct{})}
}

func (v *view) State() *table.State {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.state
}

// show lists an entry of the log, and returns its number and the state after it.
func (v *view) show(index uint64, entry []byte) (n int, s *table.State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e, err := wire.Parse(entry)
	if err != nil {
		panic(err)
	}
	logged := admission.LoggedEntry{Entry: admission.Entry{N: len(v.entries), Index: index, Hash: e.Hash}, Bytes: entry}
	if v.state == nil {
		v.state, err = table.Open(e, catalogue)
	} else if next, failed := v.state.Apply(e, table.Facts{}); failed == nil {
		v.state = next
	} else if fault, ok := errors.AsType[*table.Fault](failed); ok {
		logged.Fault = fault
	}
	if err != nil {
		panic(err)
	}
	v.entries = append(v.entries, logged)
	close(v.changed)
	v.changed = make(chan struct{})
	return logged.N, v.state
}

func (v *view) Post(ctx context.Context, e *bulletin.Entry) (admission.PostedEntry, error) {
	v.posting.Lock()
	defer v.posting.Unlock()
	if s := v.State(); s != nil && e.Message.Parent != s.Head() {
		return admission.PostedEntry{}, &admission.Conflict{Table: s.ID(), Head: s.Head(), Fault: &table.Fault{Class: table.Void, Check: table.CheckParent, Err: errors.New("stale")}}
	}
	r, err := v.log.Append(ctx, e.Bytes())
	if err != nil {
		return admission.PostedEntry{}, err
	}
	n, s := v.show(r.Index, e.Bytes())
	return admission.PostedEntry{Receipt: r, Table: s.ID(), Hash: e.Hash, N: n, Head: s.Head()}, nil
}

func (v *view) Table(_ context.Context, id wire.Hash) (admission.Table, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.state == nil || v.state.ID() != id {
		return admission.Table{}, &admission.UnknownError{Subject: admission.Subject{ID: id}}
	}
	return admission.Table{State: v.state, Entries: len(v.entries)}, nil
}

func (v *view) Entries(_ context.Context, _ admission.Subject, n int) iter.Seq2[admission.LoggedEntry, error] {
	v.mu.Lock()
	list := v.entries[min(n, len(v.entries)):]
	v.mu.Unlock()
	return func(yield func(admission.LoggedEntry, error) bool) {
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (v *view) Wait(ctx context.Context, _ admission.Subject, n int) error {
	for {
		v.mu.Lock()
		there, changed := len(v.entries) > n, v.changed
		v.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *world) handler(v *view) http.Handler {
	return httpapi.New(httpapi.Options{Log: v.log, Tiles: v.log, Admission: v, Key: w.key.Public,
		Limits: httpapi.Limits{PostRate: -1, TableRate: -1, KeyRate: -1}})
}

// serve serves a view over HTTP.
func (w *world) serve(v *view) string {
	return w.through(v, func(http.ResponseWriter, *http.Request) bool { return false })
}

// through serves a view with a server that may give an answer of its own.
func (w *world) through(v *view, answers func(http.ResponseWriter, *http.Request) bool) string {
	inner := w.handler(v)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !answers(rw, r) {
			inner.ServeHTTP(rw, r)
		}
	}))
	w.t.Cleanup(s.Close)
	return s.URL
}

// copied returns a view of another log with the same key, which shares its first n entries with this
// one.
func (w *world) copied(n uint64) *view {
	w.t.Helper()
	v := newView(newLog(w.t, w.key))
	for entry, err := range w.log.Entries(w.t.Context(), 0, n) {
		testmust.Do(w.t, err)
		v.put(w, entry)
	}
	return v
}

// put appends an entry to the log of a view, and shows it if it belongs to the table.
func (v *view) put(w *world, entry []byte) uint64 {
	w.t.Helper()
	r := testmust.Have(v.log.Append(w.t.Context(), entry))(w.t)
	if named, ok := wire.TableNamed(entry); ok && named == w.id || wire.HashEntry(entry) == w.id {
		v.show(r.Index, entry)
	}
	return r.Index
}

// shuffle returns the message of the seat that shuffles next in a view.
func (w *world) shuffle(v *view) []byte {
	w.t.Helper()
	s, seat := v.State(), 0
	for !owes(s, table.Seat(seat), table.Shuffle) {
		seat++
	}
	return w.say(w.hand(seat), s)
}

func (w *world) client(url string, carry client.Carrier) *client.Client {
	w.t.Helper()
	return testmust.Have(client.New(url, w.key.Verifier, carry))(w.t)
}

func (w *world) at(url string) tablelog.Place {
	w.t.Helper()
	return testmust.Have(tablelog.NewOtherServer(url, nil, w.key.Verifier))(w.t)
}

// told collects findings.
type told struct {
	mu   sync.Mutex
	list []tablelog.Finding
}

func (l *told) tell(f tablelog.Finding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, f)
}

func (l *told) has(k tablelog.Kind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.list, func(f tablelog.Finding) bool { return f.Kind == k })
}

// sit seats a player at a server, with the other options of o.
func (w *world) sit(ctx context.Context, seat int, url string, o tablelog.Options) (*player.Seat, *tablelog.Source, error) {
	o.Server = w.client(url, nil)
	src := tablelog.New(w.id, o)
	p, err := player.Sit(ctx, w.seats[seat], src, w.id, catalogue, player.Bot(mathrand.New(mathrand.NewPCG(uint64(seat), 1))), rand.Reader)
	if err == nil {
		p.Stray = func(*wire.Message, bool) { src.Doubt() }
	}
	return p, src, err
}

// hand returns a Hand for a seat, which signs without a player's precautions.
func (w *world) hand(seat int) player.Hand {
	w.t.Helper()
	secret := testmust.Have(w.seats[seat].Secret(w.id, clear.Suite{}, rand.Reader))(w.t)
	return player.Hand{Seat: table.Seat(seat), Secret: secret, Signer: w.seats[seat].Signer()}
}

// say returns the message that a hand owes in a view.
func (w *world) say(h player.Hand, s *table.State) []byte {
	w.t.Helper()
	return testmust.Have(h.SignMessage(s, s.DutiesOf(h.Seat)[0], nil, rand.Reader))(w.t)
}

// append puts an entry into the log and shows it in views.
func (w *world) append(entry []byte, in ...*view) uint64 {
	w.t.Helper()
	for _, v := range in {
		v.posting.Lock()
		defer v.posting.Unlock()
	}
	r := testmust.Have(w.log.Append(w.t.Context(), entry))(w.t)
	for _, v := range in {
		v.show(r.Index, entry)
	}
	return r.Index
}

func owes(s *table.State, seat table.Seat, kind table.Kind) bool {
	d := s.DutiesOf(seat)
	return len(d) > 0 && d[0].Kind == kind
}

func verifiers(w *world) []note.Verifier { return []note.Verifier{w.key.Verifier} }
