package desk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// until waits for an event.
func (b *browser) until(t *testing.T, what string, is func(event) bool) event {
	t.Helper()
	end := time.After(time.Minute)
	for {
		select {
		case e := <-b.events:
			if is(e) {
				return e
			}
		case <-end:
			t.Fatalf("never: %s", what)
		}
	}
}

func ofTable(e event) bool { return e.Event == "offer" && e.Table != "" }

// offered is what a page shows of an open table.
type offered struct {
	Offer, Code, Link, Organiser, Words, Table string
	Sat                                        bool
}

// Players of two browsers cannot reach one table, or one of them is not told who joined or that a
// name is taken.
func TestOpenTable(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b1, b2 := newBrowser(), newBrowser()
	anna, bela := open(t, b1, at), open(t, b2, at)
	var made, found offered
	anna.must("offer.make", map[string]any{"name": "anna", "bots": []string{"csilla"}, "game": "schwarzer-peter/v1", "deals": 1, "places": 3, "title": "Thursday"}, &made)
	anna.must("offer.watch", map[string]any{"offer": made.Offer}, nil)
	b1.until(t, "the organiser and her bot have joined", func(e event) bool { return len(e.Joins) == 2 })
	path, fragment, _ := strings.Cut(made.Link, "#")
	code := path[strings.LastIndex(path, "/")+1:]
	err := bela.call("offer.find", map[string]any{"code": code, "fragment": strings.Repeat("0", 64) + fragment[64:]}, &found)
	testmust.Require(t, err != nil, "a link that was changed is followed")
	bela.must("offer.find", map[string]any{"code": code, "fragment": fragment}, &found)
	id := map[string]any{"offer": found.Offer}
	var joined struct{ Name, Free string }
	bela.must("offer.join", map[string]any{"offer": found.Offer, "name": "Anna"}, &joined)
	testmust.Requiref(t, joined.Free == "Anna 2", "a name twice: %+v", joined)
	bela.must("offer.join", map[string]any{"offer": found.Offer, "name": "bela"}, &joined)
	b3 := newBrowser()
	zoli := open(t, b3, at)
	zoli.must("offer.find", map[string]any{"code": code, "fragment": fragment}, nil)
	zoli.must("offer.watch", id, nil)
	b3.until(t, "who has joined, as one sees it who has not", func(e event) bool { return len(e.Joins) == 3 })
	bela.must("offer.watch", id, nil)
	for b, p := range map[*browser]page{b1: anna, b2: bela} {
		e := b.until(t, "the table", ofTable)
		testmust.Equal(t, fmt.Sprint(e.Names), "[{anna true} {csilla true} {bela true}]", "there sit")
		p.at["table"] = e.Table
	}
	testmust.Hold(t, strings.Contains(b2.toldTexts(), `"names":[{"name":"anna","joined":true},`), "the page cannot read who sits there")
	testmust.Require(t, anna.at["table"] == bela.at["table"], "they sit at two tables")
	b3.until(t, "the table, as one sees it who watches", func(e event) bool { return e.Begun == anna.at["table"] && e.Table == "" })
	zoli.must("offer.unwatch", id, nil)
	testmust.Fail(t, bela.call("offer.leave", id, nil), "a player leaves the table that has begun, and the seat is forgotten")
	for _, p := range []page{anna, bela} {
		err := p.call("sit", nil, nil)
		testmust.Require(t, err != nil, "signed before the seat is kept")
		var before, after offered
		p.must("offer.find", map[string]any{"hash": found.Offer}, &before)
		p.must("sit", map[string]any{"kept": "trifling"}, nil)
		p.must("offer.find", map[string]any{"hash": found.Offer}, &after)
		testmust.Holdf(t, !before.Sat && after.Sat, "sat down before and after that: %v, %v", before.Sat, after.Sat)
	}
	done := make(chan bool)
	go func() { bela.play(b2, mathrand.New(mathrand.NewPCG(5, 2))); close(done) }()
	anna.play(b1, mathrand.New(mathrand.NewPCG(6, 2)))
	<-done
	anna.sound()
	b1.secret(t)
	b2.secret(t)
}

// A player leaves but still holds the place, or the organiser leaves and the others still wait.
func TestLeaving(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b1, b2 := newBrowser(), newBrowser()
	anna, bela := open(t, b1, at), open(t, b2, at)
	var made offered
	anna.must("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, &made)
	id := map[string]any{"offer": made.Offer}
	anna.must("offer.watch", id, nil)
	for range 2 {
		bela.must("offer.find", map[string]any{"code": made.Code}, nil)
		bela.must("offer.join", map[string]any{"offer": made.Offer, "name": "bela"}, nil)
		b1.until(t, "bela has joined", func(e event) bool { return len(e.Joins) == 2 })
		bela.must("offer.leave", id, nil)
		b1.until(t, "bela has left", func(e event) bool { return len(e.Joins) == 1 })
		testmust.Equal(t, len(b2.vaults), 0, "a seat that left is not forgotten")
	}
	anna.must("offer.leave", id, nil)
	list := testmust.Have(at.dial(t).Offers(t.Context(), 0, ""))(t)
	testmust.Holdf(t, len(list.Offers) == 0 && len(b1.vaults) == 0, "after its organiser has left there are %v", list.Offers)
}

// A server restarts, and players wait for a table that it has forgotten.
func TestServerForgets(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b1, b2 := newBrowser(), newBrowser()
	anna, bela := open(t, b1, at), open(t, b2, at)
	var made offered
	anna.must("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, &made)
	id := map[string]any{"offer": made.Offer}
	bela.must("offer.find", map[string]any{"code": made.Code}, nil)
	bela.must("offer.join", map[string]any{"offer": made.Offer, "name": "bela"}, nil)
	at.restart()
	for _, p := range []page{anna, bela} {
		p.must("offer.watch", id, nil)
	}
	for _, b := range []*browser{b1, b2} {
		b.until(t, "both are there again", func(e event) bool { return len(e.Joins) == 2 })
	}
	anna.must("offer.fill", map[string]any{"offer": made.Offer, "names": []string{"csilla"}}, nil)
	one, two := b1.until(t, "the table", ofTable), b2.until(t, "the table", ofTable)
	testmust.Equal(t, one.Table, two.Table, "they come to two tables")
	bela.must("offer.find", map[string]any{"hash": made.Offer}, &made)
	testmust.Equal(t, made.Table, one.Table, "a page that is opened again does not know the table")
}

// tab is another tab of a browser. Something else happens before it gets a vault.
type tab struct {
	*browser
	before func(id string)
}

func (t *tab) Vault(id string) (player.Vault, error) {
	if before := t.before; before != nil {
		t.before = nil
		before(id)
	}
	return t.browser.Vault(id)
}

// An organiser has two tabs. The second has read the seat's record and waits for the vault while the
// first begins the table. The second must not begin another table.
func TestSecondTabBeginsNoSecondTable(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b1, b2 := newBrowser(), newBrowser()
	anna, bela := open(t, b1, at), open(t, b2, at)
	var made offered
	anna.must("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 2}, &made)
	bela.must("offer.find", map[string]any{"code": made.Code}, nil)
	bela.must("offer.join", map[string]any{"offer": made.Offer, "name": "bela"}, nil)
	var first string
	second := page{t, desk.New(&tab{b1, func(id string) { first = b1.begins(t, at, id) }}), anna.at}
	second.must("offer.find", map[string]any{"hash": made.Offer}, nil)
	second.must("offer.watch", map[string]any{"offer": made.Offer}, nil)
	testmust.Equal(t, b1.until(t, "the table", ofTable).Table, first, "the first tab has begun", "and the second one")
	second.must("offer.unwatch", map[string]any{"offer": made.Offer}, nil)
}

// begins begins the table of an organiser's offer as another tab of the browser does, with an added
// player instead of the one who joined.
func (b *browser) begins(t *testing.T, at place, id string) string {
	t.Helper()
	vault := testmust.Have(b.Vault(id))(t)
	organiser := testmust.Have(player.OpenIdentity(vault))(t)
	defer organiser.Close()
	var about struct {
		Offers []struct{ Offer string }
	}
	record, _ := vault.ReadRecord("about")
	testmust.Do(t, json.Unmarshal(record, &about))
	o := testmust.Have(offer.Parse([]byte(about.Offers[0].Offer)))(t)
	entry := testmust.Have(wire.Sign(o.TableGenesis([]offer.Seat{{Key: organiser.VerifierKey(), Name: "anna"}, {Key: newVault(t, "csilla").VerifierKey()}}), organiser.Signer()))(t)
	kept, _ := json.Marshal(string(entry))
	testmust.Do(t, vault.ReplaceRecord("about", []byte(strings.Replace(string(record), `"organiser":true`, `"organiser":true,"genesis":`+string(kept), 1))))
	testmust.Have(at.dial(t).CreateTable(t.Context(), entry))(t)
	return wire.HashEntry(entry).String()
}

// dial returns a client of the log.
func (at place) dial(t *testing.T) *client.Client {
	t.Helper()
	key := testmust.Have(note.NewVerifier(at.Key))(t)
	return testmust.Have(client.New(at.URL, key, nil))(t)
}

// The page is left while the organiser seats a bot. The bot must not stay held, since it would never
// play.
func TestBotSeatedWhileThePageLeaves(t *testing.T) {
	t.Parallel()
	at := serve(t)
	arrived, goOn := make(chan struct{}), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "csilla") {
			close(arrived)
			<-goOn
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		at.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	b := newBrowser()
	p := open(t, b, place{URL: slow.URL, Key: at.Key})
	var made offered
	p.must("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, &made)
	id := map[string]any{"offer": made.Offer}
	p.must("offer.watch", id, nil)
	b.until(t, "anna is there", func(e event) bool { return len(e.Joins) == 1 })
	filled, left := make(chan error), make(chan error)
	go func() {
		filled <- p.call("offer.fill", map[string]any{"offer": made.Offer, "names": []string{"csilla"}}, nil)
	}()
	<-arrived
	go func() { left <- p.call("offer.unwatch", id, nil) }()
	var err error
	early := false
	select {
	case err = <-left:
		early = true
	case <-time.After(300 * time.Millisecond): // it waits for the bot
	}
	close(goOn)
	wrong := <-filled
	testmust.Require(t, wrong == nil, wrong)
	if !early {
		err = <-left
	}
	testmust.Do(t, err)
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, r := range b.vaults {
		testmust.Holdf(t, !r.held, "the seat %s is held by nobody's page", id)
	}
}

// liar is a server that names another table than the one that was begun.
type liar struct {
	url   string
	table atomic.Pointer[wire.Hash]
}

func newLiar(t *testing.T, honest string) *liar {
	l := &liar{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, honest+r.URL.RequestURI(), r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header = r.Header
		offers := strings.HasPrefix(r.URL.Path, "/v1/offers/") && r.Method == "GET"
		if offers {
			req.URL.RawQuery = "" // so that nobody waits for the next lie
			time.Sleep(20 * time.Millisecond)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		var o client.OpenOffer
		if table := l.table.Load(); offers && table != nil && json.Unmarshal(body, &o) == nil {
			o.Table = table
			body, _ = json.Marshal(o)
		}
		for k := range resp.Header {
			if k != "Content-Length" {
				w.Header()[k] = resp.Header[k]
			}
		}
		w.WriteHeader(resp.StatusCode)
		w.Write(body)
	}))
	t.Cleanup(s.Close)
	l.url = s.URL
	return l
}

// A server or an organiser leads a player to another table than the offered one. The player refuses
// with the name of the differing field, signs nothing there, and can still reach the right one.
func TestOtherTableThanOffered(t *testing.T) {
	t.Parallel()
	at := serve(t)
	l := newLiar(t, at.URL)
	b := newBrowser()
	bela := open(t, b, place{URL: l.url, Key: at.Key})
	c := at.dial(t)
	anna, other := newVault(t, "anna"), newVault(t, "anna")
	o := testmust.Have(offer.Offer{
		Table:  wire.Genesis{Game: "schwarzer-peter/v1", Suite: suite.Default, Deals: 1, Fouls: wire.RefuseFouls, Organiser: anna.VerifierKey()},
		Places: 2, Log: at.Key, Nonce: make([]byte, wire.NonceBytes),
	}.Sign(anna.Signer()))(t)
	testmust.Have(c.PostOffer(t.Context(), o.Text))(t)
	var found offered
	bela.must("offer.find", map[string]any{"code": offer.Code(o.Hash)[:6]}, &found)
	testmust.Requiref(t, found.Organiser == "anna" && found.Words == offer.KeyWords(anna.VerifierKey()), "found %+v", found)
	id := map[string]any{"offer": o.Hash}
	bela.must("offer.join", map[string]any{"offer": o.Hash, "name": "bela"}, nil)
	bela.must("offer.watch", id, nil)
	b.until(t, "bela has joined", func(e event) bool { return len(e.Joins) == 1 })
	mine := theirs(b).VerifierKey

	post := func(by *player.Identity, change func(g *wire.Genesis)) wire.Hash {
		g := o.TableGenesis([]offer.Seat{{Key: anna.VerifierKey()}, {Key: mine}})
		change(g)
		entry := testmust.Have(wire.Sign(g, by.Signer()))(t)
		testmust.Have(c.CreateTable(context.Background(), entry))(t)
		return wire.HashEntry(entry)
	}
	for _, lie := range []struct {
		field  string
		by     *player.Identity
		change func(g *wire.Genesis)
	}{
		{"organiser", other, func(g *wire.Genesis) { g.Organiser = other.VerifierKey() }},
		{"nonce", anna, func(g *wire.Genesis) { g.Nonce = make([]byte, wire.NonceBytes) }},
		{"deals", anna, func(g *wire.Genesis) { g.Deals = 2 }},
		{"fouls", anna, func(g *wire.Genesis) { g.Fouls = wire.RecordFouls }},
		{"seats", anna, func(g *wire.Genesis) { g.Seats[1] = newVault(t, "bela").VerifierKey() }},
		{"seats", anna, func(g *wire.Genesis) { g.Seats = append(g.Seats, newVault(t, "csilla").VerifierKey()) }},
	} {
		table := post(lie.by, lie.change)
		l.table.Store(&table)
		e := b.until(t, "a lie in "+lie.field+" is refused", func(e event) bool { return e.Field == lie.field || ofTable(e) })
		testmust.Requiref(t, !ofTable(e), "sat down at a table with other %s", lie.field)
	}
	unknown := wire.Hash{1}
	l.table.Store(&unknown)
	b.until(t, "a table that is not in the log is refused", func(e event) bool { return e.Why != "" && e.Field == "" || e.Field == "entry" })
	for _, r := range b.vaults {
		for name := range r.data {
			testmust.Holdf(t, name == player.SeatRecord || name == "about", "the seat has a record %s: it has signed something", name)
		}
	}
	right := post(anna, func(*wire.Genesis) {})
	l.table.Store(&right)
	e := b.until(t, "the right table", ofTable)
	testmust.Holdf(t, e.Table == right.String() && fmt.Sprint(e.Names) == "[{anna false} {bela true}]", "seated at %s with %v", e.Table, e.Names)
	second := post(anna, func(g *wire.Genesis) { g.Seats[0] = newVault(t, "csilla").VerifierKey() })
	l.table.Store(&second)
	bela.must("offer.watch", id, nil)
	e = b.until(t, "a second table is refused", func(e event) bool { return e.Field != "" || ofTable(e) })
	testmust.Holdf(t, e.Field == "offer", "sits at two tables of one offer: %+v", e)
	bela.must("offer.unwatch", id, nil)
}

func newVault(t *testing.T, name string) *player.Identity {
	t.Helper()
	v := testmust.Have(newBrowser().Vault("x"))(t)
	return testmust.Have(player.CreateIdentity(v, name))(t)
}

// theirs returns the description that a browser's only seat gives of itself.
func theirs(b *browser) (a struct{ VerifierKey string }) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.vaults {
		var about struct{ Key string }
		if json.Unmarshal(r.data["about"], &about) == nil {
			a.VerifierKey = about.Key
		}
	}
	return a
}

// A table has a clock that nobody would keep, or the clock is not shown to those who join.
func TestClockOfAnOpenTable(t *testing.T) {
	t.Parallel()
	_, cosigner := ledgertest.NewKey(t, "witness", tlog.Ed25519Cosignature)
	policy := fmt.Sprintf("witness w %s\nquorum w\n", cosigner.Verifier())
	make := func(at place, clock, policy string) (o offered, names []string, err error) {
		p := open(t, newBrowser(), at)
		var clocks []struct{ Name string }
		p.must("offer.clocks", map[string]any{"policy": policy}, &clocks)
		for _, c := range clocks {
			names = append(names, c.Name)
		}
		return o, names, p.call("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 2, "clock": clock, "policy": policy}, &o)
	}
	cosigned := serve(t, func(o *httpapi.Options) { o.Cosigned = o.Log })
	for what, at := range map[string]place{"": cosigned, policy: serve(t)} { // no policy, and no cosigners
		_, names, err := make(at, "club", what)
		testmust.Holdf(t, len(names) == 0 && err != nil, "with the policy %q there are %v, %v", what, names, err)
	}
	made, names, err := make(cosigned, "club", policy)
	testmust.Requiref(t, err == nil && fmt.Sprint(names) == "[club rapid post]", "%v, %v", names, err)
	var found struct{ Clock wire.Clock }
	open(t, newBrowser(), cosigned).must("offer.find", map[string]any{"code": made.Code}, &found)
	testmust.Holdf(t, found.Clock.Move == 180 && found.Clock.Quorum == 1 && fmt.Sprint(found.Clock.Keepers) == fmt.Sprint([]string{cosigner.Verifier().String()}), "who joins is shown %+v", found.Clock)
}

// A player leaves with the others' result; nobody can ask a bot to end the table; players who all
// want to play again come to two tables; a player plays under another's name.
func TestLeaveEndAndPlayAgain(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b1, b2 := newBrowser(), newBrowser()
	anna, bela := open(t, b1, at), open(t, b2, at)
	var made, found offered
	testmust.Fail(t, anna.call("offer.make", map[string]any{"name": "Kovács, Anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, nil), "a comma in a name")
	anna.must("offer.make", map[string]any{"name": "Kovács Anna", "bots": []string{"csilla-bot"}, "game": "schwarzer-peter/v1", "deals": 1, "places": 3, "forfeit": 2}, &made)
	anna.must("offer.watch", map[string]any{"offer": made.Offer}, nil)
	bela.must("offer.find", map[string]any{"code": made.Code}, &found)
	var joined struct{ Name, Free string }
	bela.must("offer.join", map[string]any{"offer": found.Offer, "name": "kovács anna"}, &joined)
	testmust.Equal(t, joined.Free, "kovács anna 2", "a name that looks like another")
	bela.must("offer.join", map[string]any{"offer": found.Offer, "name": "Grün-Weiß"}, nil)
	bela.must("offer.watch", map[string]any{"offer": found.Offer}, nil)
	both := map[*browser]page{b1: anna, b2: bela}
	for b, p := range both {
		e := b.until(t, "the table", ofTable)
		testmust.Equal(t, fmt.Sprint(e.Names), "[{Kovács Anna true} {csilla-bot true} {Grün-Weiß true}]", "there sit")
		p.at["table"] = e.Table
		p.must("sit", map[string]any{"kept": "trifling"}, nil)
	}
	first := anna.at["table"]
	b2.until(t, "bela is asked, or sees the table", func(e event) bool { return e.View != nil && e.View.Deal > 0 })
	bela.must("act", map[string]any{"kind": "resign"}, nil)
	left := b1.until(t, "bela has left", func(e event) bool { return e.View != nil && e.View.Leaving.Gone != nil })
	testmust.Holdf(t, *left.View.Leaving.Gone == 2 && len(left.View.Leaving.Asked) == 2 && left.View.Leaving.Forfeit == 2, "%+v", left.View.Leaving)
	testmust.Fail(t, bela.call("act", map[string]any{"kind": "agree", "to": "end"}, nil), "who has left ends the table")
	testmust.Fail(t, bela.call("act", map[string]any{"kind": "close"}, nil), "a player closes the table")
	anna.must("act", map[string]any{"kind": "agree", "to": "end"}, nil)
	for b := range both {
		e := b.until(t, "the end, which the bot wants with its person", func(e event) bool { return e.View != nil && e.View.Over })
		testmust.Holdf(t, e.View.Leaving.Again && e.View.Chairs[2].Score == e.View.Chairs[0].Score*-2, "the table is over, and nobody can play again, or who left has not paid: %+v", e.View.Chairs)
	}

	var replay struct{ Length int }
	var last struct {
		Tells []struct{ Text string }
	}
	anna.must("replay.open", map[string]any{"id": "r"}, &replay)
	anna.must("replay.at", map[string]any{"id": "r", "n": replay.Length - 1}, &last)
	testmust.Holdf(t, len(last.Tells) == 1 && strings.Contains(last.Tells[0].Text, "all others have agreed, and Grün-Weiß has left"), "a replay says of the end: %+v", last.Tells)

	offers := make(chan offered, 2)
	for _, p := range both {
		go func() {
			var again offered
			p.must("offer.again", nil, &again)
			offers <- again
		}()
	}
	one, two := <-offers, <-offers
	testmust.Requiref(t, one.Offer == two.Offer, "two clicks at once offer two tables: %s and %s", one.Link, two.Link)
	var tables []string
	for _, p := range both {
		p.must("offer.again", nil, nil) // a second click
		p.must("offer.watch", map[string]any{"offer": one.Offer}, nil)
	}
	for b := range both {
		e := b.until(t, "the next table", ofTable)
		testmust.Equal(t, fmt.Sprint(e.Names), "[{csilla-bot true} {Grün-Weiß true} {Kovács Anna true}]", "there sit, and the next one deals")
		tables = append(tables, e.Table)
	}
	testmust.Holdf(t, tables[0] == tables[1] && !slices.Contains(tables, fmt.Sprint(first)), "after %s the players are at %v", first, tables)
	b1.secret(t)
	b2.secret(t)
}

// Players wait for ever for one who does not come, or one is led to a stranger's table instead.
func TestGoOnWithoutOne(t *testing.T) {
	t.Parallel()
	at := serve(t)
	var fails atomic.Bool // the server refuses joins and leaves
	var refused atomic.Value
	refused.Store("/joins")
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails.Load() && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, refused.Load().(string)) {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		at.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	at.URL = front.URL
	b1, b2, b3 := newBrowser(), newBrowser(), newBrowser()
	anna, bela, csilla := open(t, b1, at), open(t, b2, at), open(t, b3, at)
	names := map[*browser]string{b1: "anna", b2: "bela", b3: "csilla"}
	both := map[*browser]page{b1: anna, b2: bela, b3: csilla}
	var made, again, found offered
	anna.must("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, &made)
	testmust.Fail(t, anna.call("offer.open", map[string]any{"offer": made.Offer}, nil), "places that are kept for nobody are opened")
	for b, p := range both {
		if b != b1 {
			p.must("offer.find", map[string]any{"code": made.Code}, nil)
			p.must("offer.join", map[string]any{"offer": made.Offer, "name": names[b]}, nil)
		}
		p.must("offer.watch", map[string]any{"offer": made.Offer}, nil)
	}
	for b, p := range both {
		p.at["table"] = b.until(t, "the table", ofTable).Table
		p.must("sit", map[string]any{"kept": "trifling"}, nil)
	}
	for b := range both {
		b.until(t, "the deal", func(e event) bool { return e.View != nil && e.View.Deal > 0 })
	}
	for _, p := range both {
		p.must("act", map[string]any{"kind": "agree", "to": "end"}, nil)
	}
	for b := range both {
		b.until(t, "the end", func(e event) bool { return e.View != nil && e.View.Over })
	}
	noneOpen := func(what string) (offers int) {
		t.Helper()
		var list struct{ Offers []struct{ Free int } }
		answer := testmust.Have(http.Get(at.URL + "/v1/offers"))(t)
		defer answer.Body.Close()
		testmust.Do(t, json.NewDecoder(answer.Body).Decode(&list))
		for _, o := range list.Offers {
			testmust.Hold(t, o.Free < 3, what, "is left open with nobody at it")
		}
		return len(list.Offers)
	}
	fails.Store(true)
	testmust.Fail(t, anna.call("offer.make", map[string]any{"name": "anna", "game": "schwarzer-peter/v1", "deals": 1, "places": 3}, nil), "a table at which nobody can wait is offered")
	noneOpen("a new table")
	testmust.Fail(t, anna.call("offer.again", nil, nil), "a table at which nobody can wait is offered again")
	noneOpen("a table to play again")
	fails.Store(false)
	anna.must("offer.again", nil, &again)
	bela.must("offer.again", nil, nil)
	id := map[string]any{"offer": again.Offer}
	bela.must("offer.watch", id, nil)
	b2.until(t, "two of three", func(e event) bool { return len(e.Joins) == 3 })
	var open offered
	fails.Store(true)
	testmust.Fail(t, anna.call("offer.open", id, nil), "a table at which nobody can wait is opened")
	noneOpen("a table with open places")
	fails.Store(false)
	refused.Store("/leaves")
	fails.Store(true)
	testmust.Fail(t, anna.call("offer.open", id, nil), "a table is opened by one who still waits at another")
	fails.Store(false)
	anna.must("offer.open", id, &open)
	testmust.Equal(t, noneOpen("a table with open places"), 1, "tables with open places")
	next := b2.until(t, "where the other goes on", func(e event) bool { return e.Next != "" }).Next
	testmust.Equal(t, next, open.Link, "bela is led")
	bela.must("offer.find", map[string]any{"code": open.Code}, &found)
	bela.must("offer.join", map[string]any{"offer": open.Offer, "name": "bela"}, nil)
	anna.must("offer.watch", map[string]any{"offer": open.Offer}, nil)
	anna.must("offer.fill", map[string]any{"offer": open.Offer, "names": []string{"elza-bot"}}, nil)
	e := b1.until(t, "the next table", ofTable)
	testmust.Equal(t, fmt.Sprint(e.Names), "[{anna true} {bela true} {elza-bot true}]", "there sit")
}
