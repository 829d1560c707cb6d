package desk_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// some answers a number of questions and leaves.
func (p page) some(b *browser, random *mathrand.Rand, questions int) {
	p.Helper()
	p.must("sit", map[string]any{"here": true}, nil)
	for questions > 0 {
		e := b.until(p.T, "a question", func(e event) bool { return e.Ask != nil || e.State == "stopped" })
		testmust.Requiref(p, e.Ask != nil, "stopped: %s", e.Text)
		p.pick(e.Ask, random)
		questions--
	}
	p.must("leave", nil, nil)
}

// A browser was lost in mid-game, and a copy of its seat runs on another device. The copy must not
// sign before its owner says that the other is gone, must not exist twice, and must then play to a
// sound end.
func TestSeatFromACopy(t *testing.T) {
	t.Parallel()
	at := serve(t)
	lost := newBrowser()
	p := open(t, lost, at)
	id := p.practice("schwarzer-peter/v1", "bela", "csilla")
	random := mathrand.New(mathrand.NewPCG(1, 2))
	p.some(lost, random, 2)
	var anna string
	var all []struct {
		ID  string
		Bot bool
	}
	p.must("seats", nil, &all)
	for _, s := range all {
		if !s.Bot {
			anna = s.ID
		}
	}
	var copied struct{ Name, File string }
	p.must("seat.export", map[string]any{"id": anna}, &copied)
	testmust.Equal(t, copied.Name, "anna", "the copy is named")
	p.some(lost, random, 2) // and the seat signs more

	b := newBrowser() // the bots were elsewhere, and continue
	for id, r := range lost.vaults {
		if id != anna {
			b.vaults[id] = &records{browser: b, data: maps.Clone(r.data)}
		}
	}
	q := open(t, b, at)
	q.at["table"] = id
	testmust.Have(q.desk.Call(t.Context(), "seat.import", []byte("{}"), []byte(copied.File)))(t)
	_, err := q.desk.Call(t.Context(), "seat.import", []byte("{}"), []byte(copied.File))
	testmust.Holdf(t, err != nil && strings.Contains(err.Error(), "already") && len(b.vaults) == 3, "taken in twice: %v, %d seats", err, len(b.vaults))
	q.must("seat.adopt", nil, nil)
	q.must("sit", map[string]any{"kept": "trifling"}, nil)
	e := b.until(t, "the seat says that it is a copy", func(e event) bool { return e.State == "copy" || e.Ask != nil })
	testmust.Require(t, e.Ask == nil, "a copy is asked for a move before it was told to go on")
	q.must("leave", nil, nil)
	for r := range maps.Values(b.vaults) {
		for name := range r.data {
			var kept struct{ Key string }
			testmust.Hold(t, name != "about" || json.Unmarshal(r.data[name], &kept) != nil || !strings.HasPrefix(kept.Key, "anna") || len(r.data) <= 2,
				"the copy has a journal before it was told to go on")
		}
	}
	q.must("sit", map[string]any{"here": true}, nil)
	q.play(b, random)
	q.sound()
}

// A page that is given an invalid policy must not act as if there were no cosigners to ask.
func TestPolicyOfAPage(t *testing.T) {
	t.Parallel()
	at := serve(t)
	p := open(t, newBrowser(), at)
	p.at["table"] = strings.Repeat("0", 64)
	err := p.call("sit", map[string]any{"policy": "quorum nobody"}, nil)
	testmust.Holdf(t, err != nil && err.Error() != desk.ErrNoSeat.Error(), "sat down with a policy that is none: %v", err)
}

// An owner once said that the other device is gone, and it comes back while the server is away. The
// seat must stop again, and ask again.
func TestToldOnceThatTheOtherIsGone(t *testing.T) {
	t.Parallel()
	at := serve(t)
	var away atomic.Bool
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		at.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(far.Close)
	one, two := newBrowser(), newBrowser()
	p, q := open(t, one, at), open(t, two, place{URL: far.URL, Key: at.Key})
	var id wire.Hash
	p.must("practice", map[string]any{"name": "anna", "bots": []string{"bela", "csilla"}, "game": "schwarzer-peter/v1", "deals": 3}, &id) // a player without cards is asked nothing more in a deal
	p.at["table"], q.at["table"] = id, id
	random := mathrand.New(mathrand.NewPCG(1, 2))
	p.some(one, random, 1)
	for id, r := range one.vaults { // only the person's seat, with its journals
		if !strings.Contains(string(r.data["about"]), `"bot":true`) {
			two.vaults[id] = &records{browser: two, data: maps.Clone(r.data)}
		}
	}
	p.some(one, random, 1)
	q.must("sit", map[string]any{"here": true}, nil)
	two.until(t, "it waits for the bots, which are not here", func(e event) bool {
		if e.Ask != nil {
			q.pick(e.Ask, random)
			return false
		}
		return e.View != nil && len(e.View.Waits) > 0 &&
			!slices.ContainsFunc(e.View.Waits, func(w desk.Wait) bool { return slices.Contains(w.Seats, *e.View.You) })
	})
	away.Store(true)
	far.CloseClientConnections()
	two.until(t, "the server is away", func(e event) bool { return e.State == "away" })
	p.some(one, random, 2) // the other device was not gone
	away.Store(false)
	e := two.until(t, "the seat asks again", func(e event) bool { return e.State == "elsewhere" || e.Ask != nil })
	testmust.Hold(t, e.Ask == nil, "it plays on beside the other device")
	q.must("leave", nil, nil)
}

// A server shows a table in an old state while a newly loaded page imports a copy of its seat. The
// copy would continue in a history that forks before the seat's later messages, and would give tokens
// there a second time.
func TestCopyBelievesAsMuchAsItsSeat(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	id := p.practice("schwarzer-peter/v1", "bela", "csilla").String()
	random := mathrand.New(mathrand.NewPCG(1, 2))
	p.some(b, random, 2)
	past := newPast(t, at.Handler)
	export := func() (file string) {
		q := open(t, b, place{URL: past, Key: at.Key})
		q.at["table"] = id
		var copied struct{ File string }
		q.must("seat.export", nil, &copied)
		return copied.File
	}
	export() // the answer to this question is given again to the next
	p.some(b, random, 2)
	var seat struct{ Copied map[string][]byte }
	testmust.Do(t, json.Unmarshal([]byte(export()), &seat))
	var journal struct{ Believed []byte }
	for _, r := range b.vaults {
		var kept struct{ Bot bool }
		if json.Unmarshal(r.data["about"], &kept) == nil && !kept.Bot {
			testmust.Do(t, json.Unmarshal(r.data[id+".journal"], &journal))
		}
	}
	now := testmust.Have(tlog.ParseCheckpoint(journal.Believed))(t)
	then, err := tlog.ParseCheckpoint(seat.Copied[id])
	testmust.Holdf(t, err == nil && then.Size >= now.Size, "the copy believes a log of %d entries, %v, and its seat has believed %d", then.Size, err, now.Size)
}

// newPast is a server that shows the messages of a table as it showed them first.
func newPast(t *testing.T, honest http.Handler) (url string) {
	var mu sync.Mutex
	told := map[string]*httptest.ResponseRecorder{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/messages") {
			honest.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		was := told[r.URL.String()]
		if was == nil {
			was = httptest.NewRecorder()
			honest.ServeHTTP(was, r)
			told[r.URL.String()] = was
		}
		maps.Copy(w.Header(), was.Header())
		w.WriteHeader(was.Code)
		w.Write(was.Body.Bytes())
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A bot of the page stopped, and the person hears of it only for a moment. The table waits for the
// bot, and nobody sees why.
func TestBotThatStoppedStaysShown(t *testing.T) {
	t.Parallel()
	at := serve(t)
	refused := make(chan struct{})
	once := sync.OnceFunc(func() { close(refused) })
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages") {
			parcel, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(parcel))
			entry, _ := wire.CutParcel(parcel)
			if e, err := wire.Parse(entry); err == nil && e.Message != nil && e.Message.Seat == 1 {
				http.Error(w, "not here", http.StatusForbidden)
				once()
				return
			}
			<-refused // the table continues after that
		}
		at.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(once)
	b := newBrowser()
	p := open(t, b, place{URL: s.URL, Key: at.Key})
	p.practice("schwarzer-peter/v1", "bela", "csilla")
	p.must("sit", nil, nil)
	said := func(e event) bool { return e.State != "" }
	b.until(t, "the bot stops", func(e event) bool { return e.State == "stopped" })
	b.until(t, "the table goes on", func(e event) bool { return e.View != nil })
	e := b.until(t, "how the seats are", said)
	testmust.Holdf(t, e.State == "stopped" && strings.Contains(string(e.Text), "bela: the server answers 403"), "the page is told %q: %s", e.State, e.Text)
	p.must("leave", nil, nil)
}

// create begins a table of these seats, which anybody may organise.
func (p page) create(at place, keys ...string) wire.Hash {
	p.Helper()
	club := newVault(p.T, "club")
	entry := testmust.Have(wire.Sign(&wire.Genesis{
		Format: wire.TableFormat, Game: "schwarzer-peter/v1", Suite: suite.Default, Options: map[string]string{}, Deals: 1,
		Fouls: wire.RefuseFouls, Organiser: club.VerifierKey(), Seats: keys, Nonce: make([]byte, wire.NonceBytes),
	}, club.Signer()))(p.T)
	testmust.Have(at.dial(p.T).CreateTable(p.Context(), entry))(p.T)
	return wire.HashEntry(entry)
}

// Two seats of one program play at one table. One must not see the other's cards or answer for the
// other, or be unable to follow the game's advice; a vault must not be held twice, and a seat must
// not replace an existing one.
func TestSeatsOfAProgram(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	keys := make([]string, 2)
	for id, name := range map[string]string{"v1": "anna", "v2": "bela"} {
		var made, again desk.SeatKey
		p.must("seat.open", map[string]any{"id": id, "name": name}, &made)
		p.must("seat.open", map[string]any{"id": id, "name": "csilla"}, &again)
		testmust.Requiref(t, made == again && made.Name == name && made.ID == id, "%+v, and again %+v", made, again)
		keys[id[1]-'1'] = made.Key
	}
	p.at["table"] = p.create(at, keys...)
	for _, id := range []string{"v1", "v2"} {
		p.must("seat.sit", map[string]any{"seat": id}, nil)
	}
	testmust.Fail(t, p.call("seat.open", map[string]any{"id": "v1"}, nil), "a vault that is held was opened")
	testmust.FailSaying(t, p.call("hint.picks", map[string]any{"seat": "v3"}, nil), "not open here", "a seat that does not sit here")
	for ended := map[string]bool{}; len(ended) < 2; {
		select {
		case e := <-b.events:
			switch {
			case e.State == "stopped":
				t.Fatalf("stopped: %s", e.Text)
			case e.Seat != "v1" && e.Seat != "v2":
				t.Fatalf("an event of the seat %q", e.Seat)
			case e.Event == "ended":
				ended[e.Seat] = true
			case e.View != nil:
				p.ownCards(e)
			}
			if e.Ask != nil {
				var h desk.Hint
				p.must("hint.picks", map[string]any{"seat": e.Seat}, &h)
				p.must("answer", map[string]any{"seat": e.Seat, "picks": h.Picks}, nil)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing happens any more")
		}
	}
	b.secret(t)
	p.must("seat.open", map[string]any{"id": "v1"}, nil) // it was let go
}

// ownCards fails if a seat was shown another seat's hand.
func (p page) ownCards(e event) {
	p.Helper()
	you := map[string]int{"v1": 0, "v2": 1}[e.Seat]
	for _, z := range e.View.Zones {
		for _, c := range z.Cards {
			if z.Layout == "hand" && *z.Seat != you && c.Face != "" {
				p.Fatalf("%s sees %s of seat %d", e.Seat, c.Face, *z.Seat)
			}
		}
	}
	testmust.Requiref(p, e.View.You != nil && *e.View.You == you, "%s is shown the view of seat %v", e.Seat, e.View.You)
}

// Two tabs import one seat at the same instant. Each sees no such seat yet, so the seat would exist
// twice, and could sign two messages on one parent.
func TestTwoTabsImport(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p, q := open(t, b, at), open(t, b, at)
	var made desk.SeatKey
	var copied struct{ File string }
	p.must("seat.make", map[string]any{"name": "anna"}, &made)
	p.must("seat.export", map[string]any{"id": made.ID}, &copied)
	p.must("seat.remove", map[string]any{"id": made.ID}, nil)
	taken := func(p page) error {
		_, err := p.desk.Call(t.Context(), "seat.import", []byte("{}"), []byte(copied.File))
		return err
	}
	var second error
	b.looked = func() { second = taken(q) }
	err := taken(p)
	testmust.Holdf(t, err == nil && second != nil && len(b.vaults) == 1, "one tab: %v, the other: %v, %d seats", err, second, len(b.vaults))
}

// Evidence covers several tables under several checkpoints, which could belong to two histories; a
// verdict is about something else than the file; a table is skipped.
func TestEvidenceIsUnderOneCheckpoint(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	var ids []wire.Hash
	for range 2 {
		ids = append(ids, p.practice("schwarzer-peter/v1", "bela"))
	}
	var e desk.Evidence
	p.must("evidence", map[string]any{"tables": ids}, &e)
	testmust.Requiref(t, len(e.Tables) == 2 && e.Size >= 2, "%d tables of %d entries", len(e.Tables), e.Size)
	for i, one := range e.Tables {
		file, err := bundle.Parse(one.Bundle)
		testmust.Holdf(t, err == nil && file.Table == ids[i] && one.Table == ids[i] && file.Checkpoint.Size == e.Size && one.Verdict == "unfinished" && !one.Own,
			"table %d: %+v, %v", i, one.Answer, err)
	}
	testmust.Fail(t, p.call("evidence", map[string]any{"tables": []wire.Hash{{1}}}, nil), "there is evidence of no table")
}
