package desk_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/wire"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
)

// TestMain runs more tests in parallel than there are processors, since they wait for pages and
// servers. It also shortens the pauses after a server refuses.
func TestMain(m *testing.M) {
	client.LongestPause = 100 * time.Millisecond
	_ = flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}

// place is a log with its server.
type place struct {
	URL, Key string
	*http.Server
	restart func() // forgets everything that is not in the log
}

func serve(t *testing.T, change ...func(*httpapi.Options)) place {
	t.Helper()
	dir := t.TempDir()
	key := testmust.Have(ledger.CreateKey(dir, "desk.test", rand.Reader))(t)
	o := ledger.Options{Signer: key.Signer, Store: new(ledgertest.Stores)}
	testmust.Do(t, ledger.Create(dir, o))
	log := testmust.Have(ledger.Open(dir, o))(t)
	t.Cleanup(func() { log.Close() })
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	tables := testmust.Have(admission.Open(ctx, log, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}, admission.Options{Blobs: log, Gate: httpapi.NewGate(httpapi.Limits{}, nil)}))(t)
	var now atomic.Pointer[httpapi.Server]
	restart := func() {
		o := httpapi.Options{Log: log, Tiles: log, Blobs: log, Admission: tables, Key: key.Public, Limits: httpapi.Limits{ReadShare: -1}}
		for _, f := range change {
			f(&o)
		}
		now.Store(httpapi.New(o))
	}
	restart()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
	t.Cleanup(s.Close)
	return place{s.URL, key.Public, s.Config, restart}
}

// browser is a Host in memory.
type browser struct {
	mu     sync.Mutex
	vaults map[string]*records
	looked func() // if set, called once after the seats were looked at
	events chan event
	told   strings.Builder // everything that the page received
}

type event struct {
	Event string          `json:"event"`
	Seat  string          `json:"seat"`
	State string          `json:"state"`
	Ask   *desk.Ask       `json:"ask"`
	View  *desk.View      `json:"view"`
	Tells []desk.Tell     `json:"tells"`
	Text  json.RawMessage `json:"text"`

	Table, Begun, Field, Why, Lost, Server, Next string // of an open table
	Joins                                        []struct{ Name string }
	Names                                        []struct {
		Name   string
		Joined bool
	}
}

type records struct {
	browser *browser
	held    bool
	data    map[string][]byte
}

func newBrowser() *browser {
	return &browser{vaults: map[string]*records{}, events: make(chan event, 10_000)}
}

// toldTexts returns all texts that the page received.
func (b *browser) toldTexts() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.told.String()
}

func (b *browser) Emit(text []byte) {
	b.mu.Lock()
	b.told.Write(text)
	b.mu.Unlock()
	var e event
	if err := json.Unmarshal(text, &e); err != nil {
		panic(err)
	}
	b.events <- e
}

func (b *browser) Vault(id string) (player.Vault, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, ok := b.vaults[id]
	if !ok {
		r = &records{browser: b, data: map[string][]byte{}}
		b.vaults[id] = r
	}
	if r.held {
		return nil, fs.ErrPermission
	}
	r.held = true
	return r, nil
}

func (b *browser) Vaults(name string) (map[string][]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := map[string][]byte{}
	for id, r := range b.vaults {
		if record, ok := r.data[name]; ok {
			found[id] = record
		}
	}
	if looked := b.looked; looked != nil {
		b.looked = nil
		b.mu.Unlock()
		looked()
		b.mu.Lock()
	}
	return found, nil
}

func (b *browser) Remove(id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.vaults, id)
	return nil
}

func (r *records) ReadRecord(name string) ([]byte, error) {
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	if record, ok := r.data[name]; ok {
		return record, nil
	}
	return nil, fs.ErrNotExist
}

func (r *records) ReplaceRecord(name string, data []byte) error {
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	r.data[name] = append([]byte(nil), data...)
	return nil
}

func (r *records) Close() error {
	r.browser.mu.Lock()
	defer r.browser.mu.Unlock()
	r.held = false
	return nil
}

// page calls a desk as a page does.
type page struct {
	*testing.T
	desk *desk.Desk
	at   map[string]any
}

func (p page) call(name string, args map[string]any, into any) error {
	p.Helper()
	all := maps.Clone(p.at)
	maps.Copy(all, args)
	text := testmust.Have(json.Marshal(all))(p.T)
	result, err := p.desk.Call(context.Background(), name, text, nil)
	if err == nil && into != nil {
		err = json.Unmarshal(result, into)
	}
	return err
}

func (p page) must(name string, args map[string]any, into any) {
	p.Helper()
	err := p.call(name, args, into)
	testmust.Requiref(p, err == nil, "%s: %v", name, err)
}

func open(t *testing.T, b *browser, at place) page {
	return page{t, desk.New(b), map[string]any{"lang": "en", "url": at.URL, "key": at.Key}}
}

// practice begins a table of anna with bots of her browser.
func (p page) practice(game string, bots ...string) (id wire.Hash) {
	p.Helper()
	p.must("practice", map[string]any{"name": "anna", "bots": bots, "game": game, "deals": 1}, &id)
	p.at["table"] = id
	return id
}

// play plays a table to its end by picks, at random.
func (p page) play(b *browser, random *mathrand.Rand) {
	p.Helper()
	for over := false; !over; {
		e := b.until(p.T, "the end", func(e event) bool {
			return e.State == "stopped" || e.State == "copy" || e.Ask != nil || e.View != nil
		})
		switch {
		case e.State == "stopped" || e.State == "copy":
			p.Errorf("%s: %s", e.State, e.Text)
			return
		case e.Ask != nil:
			p.pick(e.Ask, random)
		default:
			over = e.View.Over
		}
	}
}

// sound fails if the page finds any fault at its table.
func (p page) sound() {
	p.Helper()
	var v struct{ Verdict, Headline string }
	p.must("verify", nil, &v)
	testmust.Holdf(p, v.Verdict == "sound", "verdict %q: %s", v.Verdict, v.Headline)
}

// pick answers a question, part by part.
func (p page) pick(ask *desk.Ask, random *mathrand.Rand) {
	p.Helper()
	for !ask.Whole {
		var free []desk.Part
		for _, part := range ask.Parts {
			if part.Why == "" {
				free = append(free, part)
			}
		}
		testmust.Requiref(p, len(free) != 0, "nothing can be picked: %+v", ask)
		picks := append(ask.Picked, free[random.IntN(len(free))].Pick)
		ask = nil
		if !p.inTime("consider", map[string]any{"picks": picks}, &ask) {
			return
		}
	}
	p.inTime("answer", map[string]any{"picks": ask.Picked}, nil)
}

// inTime is like must, but returns false if others moved meanwhile. Then the player is asked again.
func (p page) inTime(name string, args map[string]any, into any) bool {
	p.Helper()
	err := p.call(name, args, into)
	if err != nil && (strings.Contains(err.Error(), "nothing is asked of you now") || strings.Contains(err.Error(), "something else is asked now")) {
		return false
	}
	testmust.Requiref(p, err == nil, "%s: %v", name, err)
	return true
}

// secret fails if any part of a seat's secrets reached the page.
func (b *browser) secret(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.vaults {
		var seat struct {
			Key    string
			Tables map[string]string
		}
		testmust.Do(t, json.Unmarshal(r.data[player.SeatRecord], &seat))
		_, seed, _ := strings.Cut(strings.TrimPrefix(seat.Key, "PRIVATE+KEY+"), "+")
		secrets := []string{seat.Key, seed}
		for _, s := range seat.Tables {
			secrets = append(secrets, s)
		}
		for _, s := range secrets {
			testmust.Holdf(t, len(s) >= 20 && !strings.Contains(b.told.String(), s), "the page was told a secret, or it is none: %d bytes", len(s))
		}
	}
}

// A seat signs before its message is stored. If the message is lost, the table stops for all.
func TestNothingIsSignedBeforeItIsKept(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	id := p.practice("schwarzer-peter/v1", "bela").String()
	for _, r := range b.vaults { // as if the player had joined elsewhere
		r.data["about"] = []byte(strings.Replace(string(r.data["about"]), `"kept":"trifling"`, `"kept":""`, 1))
	}
	err := p.call("sit", nil, nil)
	testmust.Requiref(t, err != nil && strings.Contains(err.Error(), desk.ErrKept.Error()), "sat down: %v", err)
	err = p.call("sit", map[string]any{"kept": "because"}, nil)
	testmust.Require(t, err != nil, "any reason will do")
	var copied struct{ Name, File string }
	p.must("seat.export", nil, &copied)
	testmust.Hold(t, strings.Contains(copied.File, id), "the copy of the seat does not have this table's card secret")
	p.must("sit", map[string]any{"kept": "backup"}, nil)
	p.must("leave", nil, nil)
}

// A game that cannot be finished by random picks of what is offered, or that is not sound. Two whole games and their
// replays take two seconds.
//
// A replay must not show a hand to somebody who did not see it. Others see only open cards, and a
// seat what it saw at that moment, as far as the log opens it. In Schwarzer Peter a place that was
// dealt to a seat is soon in another hand, with another card.
func TestWholeGameAndItsReplay(t *testing.T) {
	t.Parallel()
	at := serve(t)
	for game, least := range map[string]int{"tarokk/v1": 9, "schwarzer-peter/v1": 2} {
		t.Run(game, func(t *testing.T) {
			t.Parallel()
			b := newBrowser()
			p := open(t, b, at)
			random := mathrand.New(mathrand.NewPCG(3, 4))
			live := map[int]*desk.View{}    // the views of seat 0, by number of entries applied
			for opened := 0; opened == 0; { // if all pass, no card is opened
				p.practice(game, "bela", "csilla", "dezso")
				p.must("sit", nil, nil)
				clear(live)
				for over := false; !over; {
					e := b.until(t, "the table goes on", func(event) bool { return true })
					testmust.Requiref(t, e.State != "stopped" && e.State != "copy", "%s: %s", e.State, e.Text)
					if e.Ask != nil {
						p.pick(e.Ask, random)
					}
					if e.View != nil {
						live[e.View.Entries] = e.View
						over, opened = e.View.Over, opened+len(e.View.Past)
						if game != "tarokk/v1" {
							opened = 1
						}
					}
				}
			}
			p.sound()
			b.secret(t)
			var info struct {
				ID     string
				Length int
			}
			p.must("replay.open", nil, &info)
			shownTo := func(n int, as any) (view desk.View, faces int) {
				var answer struct{ View desk.View }
				p.must("replay.at", map[string]any{"id": info.ID, "n": n, "as": as}, &answer)
				for place, face := range hands(answer.View) {
					if faces++; as == nil || place.seat != as.(int) {
						t.Fatalf("after %d messages seat %v sees %s of seat %d", n, as, face, place.seat)
					}
				}
				return answer.View, faces
			}
			var most int
			for n := range info.Length {
				if _, faces := shownTo(n, nil); faces > 0 {
					t.Fatalf("everybody sees a hand after %d messages", n)
				}
				view, faces := shownTo(n, 0)
				most = max(most, faces)
				if was := live[view.Entries]; was != nil {
					saw := hands(*was)
					for place, face := range hands(view) {
						testmust.Requiref(t, saw[place] == face, "after %d messages seat 0 sees %s at %+v, and saw %q", n, face, place, saw[place])
					}
				}
				shownTo(n, 1)
			}
			testmust.Hold(t, most >= least, "a player saw", most, "of the own cards at the most")
		})
	}
}

// inHand is a place in a hand.
type inHand struct{ seat, place int }

// hands returns the faces of the hands in a view.
func hands(v desk.View) map[inHand]string {
	faces := map[inHand]string{}
	for _, z := range v.Zones {
		for _, c := range z.Cards {
			if z.Layout == "hand" && c.Face != "" {
				faces[inHand{*z.Seat, c.Place}] = c.Face
			}
		}
	}
	return faces
}

// A seat must not sign at a table only because somebody wrote its key into the table. Only its owner
// seats it, and a browser without a seat there says so.
func TestNamedSeatSitsDownWhenToldTo(t *testing.T) {
	t.Parallel()
	at := serve(t)
	theirs, ours := open(t, newBrowser(), at), open(t, newBrowser(), at)
	var seat struct{ ID, Key, Name string }
	ours.must("seat.make", map[string]any{"name": "anna"}, &seat)
	id := ours.create(at, seat.Key, newVault(t, "stranger").VerifierKey())
	ours.at["table"], theirs.at["table"] = id, id
	for name, p := range map[string]page{"named": ours, "not named": theirs} {
		err := p.call("sit", map[string]any{"kept": "trifling"}, nil)
		testmust.Holdf(t, err != nil && err.Error() == desk.ErrNoSeat.Error(), "%s: %v", name, err)
	}
	var named *struct{ Name string }
	theirs.must("seat.named", nil, &named)
	testmust.Holdf(t, named == nil, "a stranger is named: %+v", named)
	ours.must("seat.named", nil, &named)
	testmust.Requiref(t, named != nil && named.Name == "anna", "named: %+v", named)
	testmust.Fail(t, theirs.call("seat.adopt", nil, nil), "a stranger sat down")
	ours.must("seat.adopt", nil, nil)
	err := ours.call("sit", nil, nil)
	testmust.Holdf(t, err != nil && err.Error() == desk.ErrKept.Error(), "it sits and nothing keeps it: %v", err)
	ours.must("sit", map[string]any{"kept": "trifling"}, nil)
	ours.must("leave", nil, nil)
}
