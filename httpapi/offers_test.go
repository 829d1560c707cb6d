package httpapi_test

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

type person struct {
	key    string
	signer note.Signer
}

func newPerson(t testing.TB, name string) person {
	t.Helper()
	_, key := ledgertest.NewKey(t, name, tlog.Ed25519)
	return person{key.Verifier().String(), key}
}

func (h *house) offer(organiser person, places int, change func(*offer.Offer)) *offer.Offer {
	h.t.Helper()
	o := offer.Offer{Table: wire.Genesis{Game: "schwarzer-peter/v1", Suite: clear.Name, Deals: 1, Fouls: wire.RefuseFouls, Organiser: organiser.key},
		Places: places, Title: "Thursday", Log: h.key.Public, Nonce: make([]byte, wire.NonceBytes)}
	rand.Read(o.Nonce)
	if change != nil {
		change(&o)
	}
	return testmust.Have(o.Sign(organiser.signer))(h.t)
}

func join(t testing.TB, o *offer.Offer, p person) *offer.Join {
	t.Helper()
	return testmust.Have(offer.SignJoin(o, p.key, "", p.signer))(t)
}

func leave(t testing.TB, o *offer.Offer, what wire.Hash, by person) []byte {
	t.Helper()
	return testmust.Have(offer.SignLeave(o.Hash, what, by.signer))(t).Text
}

// posts sends a document, and returns the status and what was answered: an open table, or
// the type of a problem.
func (h *house) posts(path string, doc []byte) (status int, o client.OpenOffer, p client.Problem) {
	h.t.Helper()
	resp := testmust.Have(http.Post(h.url+path, "text/plain", bytes.NewReader(doc)))(h.t)
	defer resp.Body.Close()
	body := testmust.Have(io.ReadAll(resp.Body))(h.t)
	var into any = &o
	if resp.StatusCode/100 != 2 {
		into = &p
	}
	testmust.Do(h.t, json.Unmarshal(body, into))
	return resp.StatusCode, o, p
}

// A board on which one sits twice, in another's name, at another's table, or where one can be
// sent away by strangers.
func TestBoard(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.Offers.Playable = func(g *wire.Genesis, seats int) error {
			if g.Game != "schwarzer-peter/v1" {
				return errors.New("unknown game")
			}
			return nil
		}
	})
	anna, bela, csilla, dezso := newPerson(t, "anna"), newPerson(t, "bela"), newPerson(t, "csilla"), newPerson(t, "dezso")
	o := h.offer(anna, 2, nil)
	at := "/v1/offers/" + o.Hash.String()
	first, second := join(t, o, anna), join(t, o, bela)
	other := join(t, h.offer(anna, 2, nil), csilla)
	renamed := bela.called("bela2")
	anotherBela := newPerson(t, "Bela")
	for _, step := range []struct {
		name, path string
		doc        []byte
		status     int
		slug       string
		free       int
	}{
		{"a join before the offer", at + "/joins", first.Text, 404, client.NotFound, 0},
		{"a leave before the offer", at + "/leaves", leave(t, o, first.Hash, anna), 404, client.NotFound, 0},
		{"no offer", "/v1/offers", first.Text, 400, client.MalformedEntry, 0},
		{"another log", "/v1/offers", h.offer(anna, 2, func(o *offer.Offer) { o.Log = bela.key }).Text, 422, client.RefusedTable, 0},
		{"another game", "/v1/offers", h.offer(anna, 2, func(o *offer.Offer) { o.Table.Game = "skat/v1" }).Text, 422, client.RefusedTable, 0},
		{"the offer", "/v1/offers", o.Text, 201, "", 2},
		{"again", "/v1/offers", o.Text, 200, "", 2},
		{"no hash", "/v1/offers/x/joins", first.Text, 400, client.MalformedRequest, 0},
		{"no hash to leave", "/v1/offers/x/leaves", first.Text, 400, client.MalformedRequest, 0},
		{"no join", at + "/joins", o.Text, 400, client.MalformedEntry, 0},
		{"a join of another offer", at + "/joins", other.Text, 400, client.MalformedEntry, 0},
		{"a join", at + "/joins", second.Text, 201, "", 1},
		{"the same", at + "/joins", second.Text, 200, "", 1},
		{"one name twice", at + "/joins", join(t, o, anotherBela).Text, 409, client.NameTaken, 0},
		{"a stranger's leave", at + "/leaves", leave(t, o, second.Hash, csilla), 422, client.RefusedMessage, 0},
		{"a leave of nothing", at + "/leaves", leave(t, o, other.Hash, csilla), 404, client.NotFound, 0},
		{"a leave", at + "/leaves", leave(t, o, second.Hash, bela), 201, "", 2},
		{"the join again, by anybody", at + "/joins", second.Text, 409, client.SeatTaken, 0},
		{"the leave again", at + "/leaves", leave(t, o, second.Hash, bela), 200, "", 2},
		{"a new name", at + "/joins", join(t, o, renamed).Text, 201, "", 1},
		{"the key again", at + "/joins", join(t, o, bela).Text, 409, client.SeatTaken, 0},
		{"the second", at + "/joins", join(t, o, csilla).Text, 201, "", 0},
		{"full", at + "/joins", join(t, o, dezso).Text, 409, client.SeatTaken, 0},
		{"the organiser makes room", at + "/leaves", leave(t, o, join(t, o, csilla).Hash, anna), 201, "", 1},
		{"who was sent away", at + "/joins", join(t, o, csilla).Text, 409, client.SeatTaken, 0},
		{"the organiser", at + "/joins", first.Text, 201, "", 0},
	} {
		status, open, problem := h.posts(step.path, step.doc)
		testmust.Requiref(t, status == step.status && problem.Slug() == step.slug && (status/100 != 2 || open.Free == step.free),
			"%s: %d %s (%s), %d free; want %d %s, %d free", step.name, status, problem.Slug(), problem.Detail, open.Free, step.status, step.slug, step.free)
		testmust.Holdf(t, step.slug != client.NameTaken || problem.Free == "Bela2", "free is %q", problem.Free)
	}
	c := h.client()
	list, err := c.Offers(t.Context(), 0, strings.ToLower(offer.Code(o.Hash)[:5]))
	testmust.Holdf(t, err == nil && len(list.Offers) == 1 && list.Offers[0].ID == o.Hash && list.Offers[0].Free == 0, "by its code there is %+v: %v", list, err)
	for path, status := range map[string]int{"/v1/offers?code=x": 400, "/v1/offers/x": 400, "/v1/offers/" + other.Hash.String(): 404, "/v1/offers?after=1": 200, at + "?wait=0.01": 200} {
		testmust.Equal(t, h.get(path).status, status, path)
	}

	open, err := c.Offer(t.Context(), o.Hash, 0, 0)
	testmust.Requiref(t, err == nil && open.Offer == string(o.Text) && len(open.Joins) == 2, "%+v: %v", open, err)
	news := make(chan client.OpenOffer, 1)
	go func() {
		o, _ := c.Offer(context.WithoutCancel(t.Context()), o.Hash, open.Version, 20*time.Second)
		news <- o
	}()
	genesis := testmust.Have(wire.Sign(o.TableGenesis([]offer.Seat{{Key: renamed.key}, {Key: anna.key}}), anna.signer))(t)
	testmust.Have(c.CreateTable(t.Context(), genesis))(t)
	got := <-news
	testmust.Holdf(t, got.Table != nil && *got.Table == wire.HashEntry(genesis), "begun, and told of is %v", got.Table)
	status, _, problem := h.posts(at+"/leaves", leave(t, o, first.Hash, anna))
	testmust.Holdf(t, status == 409 && problem.Slug() == client.SeatTaken, "left a table that has begun: %d", status)
	status, _, _ = h.posts(at+"/leaves", leave(t, o, o.Hash, anna))
	testmust.Holdf(t, status == 201 && h.get(at).status == 404, "the organiser's offer cannot be taken back: %d", status)
}

// present answers the challenge of an open table, in somebody's name.
func present(t testing.TB, id wire.Hash, challenge []byte, by person) []byte {
	t.Helper()
	return testmust.Have(offer.SignPresent(id, challenge, by.signer))(t).Text
}

// A stranger who makes an organiser seem present: with the offer, with an answer that was given
// before, for another offer, or signed by another. And an offer that was taken back and comes again.
func TestOrganiserIsThere(t *testing.T) {
	h := newHouse(t, nil)
	anna, bela := newPerson(t, "anna"), newPerson(t, "bela")
	o, other := h.offer(anna, 2, nil), h.offer(anna, 2, nil)
	at, never := "/v1/offers/"+o.Hash.String(), int(24*time.Hour/time.Second)
	status, _, _ := h.posts(at+"/present", present(t, o.Hash, make([]byte, 16), anna))
	testmust.Holdf(t, status == 404, "before the offer: %d", status)
	_, open, _ := h.posts("/v1/offers", o.Text)
	h.posts("/v1/offers", o.Text)
	answer := present(t, o.Hash, open.Challenge, anna)
	for _, step := range []struct {
		name, path   string
		doc          []byte
		status, away int
	}{
		{"no document", at + "/present", o.Text, 400, 0},
		{"no hash", "/v1/offers/x/present", answer, 400, 0},
		{"of another offer", at + "/present", present(t, other.Hash, open.Challenge, anna), 400, 0},
		{"by another", at + "/present", present(t, o.Hash, open.Challenge, bela), 422, 0},
		{"to another challenge", at + "/present", present(t, o.Hash, make([]byte, 16), anna), 200, never},
		{"the offer again", "/v1/offers", o.Text, 200, never},
		{"the organiser", at + "/present", answer, 201, 0},
		{"the answer again", at + "/present", answer, 200, 0},
	} {
		status, now, problem := h.posts(step.path, step.doc)
		testmust.Holdf(t, status == step.status && (status/100 != 2 || now.Away == step.away),
			"%s: %d (%s), away %d; want %d, away %d", step.name, status, problem.Detail, now.Away, step.status, step.away)
		list, err := h.client().Offers(t.Context(), 0, "")
		listed := step.status/100 == 2 && step.away == 0
		testmust.Holdf(t, err == nil && (len(list.Offers) == 1) == listed, "%s: %d are listed: %v", step.name, len(list.Offers), err)
	}
	if now, err := h.client().Offer(t.Context(), o.Hash, 0, 0); err != nil || bytes.Equal(now.Challenge, open.Challenge) || now.Version != open.Version {
		t.Errorf("the challenge stays, or wakes everybody: %v", err)
	}
	h.posts(at+"/leaves", leave(t, o, o.Hash, anna))
	status, _, problem := h.posts("/v1/offers", o.Text)
	testmust.Holdf(t, status == 422 && problem.Slug() == client.RefusedTable, "taken back, and posted again: %d", status)
}

// called is the same key under another name.
func (p person) called(name string) person {
	material := strings.SplitN(p.key, "+", 3)[2]
	raw := testmust.Need(base64.StdEncoding.DecodeString(material))
	sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
	s := renamedSigner{p.signer, name, binary.BigEndian.Uint32(sum[:])}
	return person{fmt.Sprintf("%s+%08x+%s", name, s.hash, material), s}
}

// renamedSigner is a key under another name.
type renamedSigner struct {
	note.Signer
	name string
	hash uint32
}

func (s renamedSigner) Name() string    { return s.name }
func (s renamedSigner) KeyHash() uint32 { return s.hash }

// A board that fills up with offers of one organiser.
func TestBoardIsBounded(t *testing.T) {
	h := newHouse(t, nil)
	anna := newPerson(t, "anna")
	for n := range 17 {
		more := h.offer(anna, 2, nil)
		status, open, problem := h.posts("/v1/offers", more.Text)
		testmust.Equal(t, n == 16, (status == 429), "offer", n, status, problem.Detail)
		if n < 16 {
			h.posts("/v1/offers/"+more.Hash.String()+"/present", present(t, more.Hash, open.Challenge, anna))
		}
	}
}

// A code that leads to another table, to none that is there, or into the server's arms.
func TestFind(t *testing.T) {
	h := newHouse(t, nil)
	var ids []wire.Hash
	for range 3 {
		p, _ := h.newTable(wire.RefuseFouls)
		ids = append(ids, p.State.ID())
	}
	c := h.client()
	for i, id := range ids {
		for _, code := range []string{id.Code()[:8], strings.ToLower(id.Code()[:4]) + "-" + id.Code()[4:9], id.Code()} {
			list, err := c.FindCode(t.Context(), code)
			testmust.Holdf(t, err == nil && len(list.Found) == 1 && list.Found[0].ID == id && list.Found[0].Index == uint64(i) && list.Found[0].Kind == "table",
				"%s leads to %+v: %v", code, list, err)
		}
	}
	other := wire.HashEntry([]byte("other"))
	list, err := c.FindCode(t.Context(), other.Code()[:8])
	testmust.Holdf(t, err == nil && len(list.Found) == 0, "a code of nothing leads to %+v: %v", list, err)
	for _, wrong := range []string{ids[0].Code()[:7], "ABCDEFGU", strings.Repeat("A", 53), "%20"} {
		testmust.Equal(t, h.get("/v1/find/"+wrong).status, 400, wrong)
	}
	h.unchanged("/v1/find/" + ids[0].Code()[:8])
}

// practice begins a table of one person with a bot.
func (h *house) practice() wire.Hash {
	h.t.Helper()
	p := newPerson(h.t, "anna")
	g := h.offer(p, 2, nil).Table
	g.Format, g.Seats, g.Nonce = wire.TableFormat, []string{p.key, newPerson(h.t, "bela-bot").key}, bytes.Repeat([]byte{1}, wire.NonceBytes)
	return h.posted("/v1/tables", testmust.Have(wire.Sign(&g, p.signer))(h.t)).Table
}

// A lobby that shows an open table as it was, a turn that is over, or practice with bots among the tables of people; one that is
// told the same again and again.
func TestLobbyStream(t *testing.T) {
	h := newHouse(t, func(o *httpapi.Options) {
		o.After = func(d time.Duration) <-chan time.Time { return time.After(d / 200) }
	})
	h.refusal(client.MalformedRequest, h.get("/v1/lobby/events?named=00"))
	people, _ := h.newTable(wire.RefuseFouls)
	practice := h.practice()
	lobby, _ := h.listen("/v1/lobby/events?people=2")
	own, _ := h.listen("/v1/lobby/events?people=2&named=" + practice.String() + "," + strings.Repeat("0", 64))
	told := func(l *listener) (rows []wire.Hash) {
		t.Helper()
		var list client.TableList
		_, kind := l.event(&list)
		testmust.Equal(t, kind, "tables", "it is told of")
		for _, row := range list.Tables {
			rows = append(rows, row.ID)
		}
		return rows
	}
	open := func(l *listener) []client.OfferRow {
		t.Helper()
		var list client.OfferList
		_, kind := l.event(&list)
		testmust.Equal(t, kind, "offers", "it is told of")
		return list.Offers
	}
	testmust.Equal(t, fmt.Sprint(told(lobby)), fmt.Sprint([]wire.Hash{people.State.ID()}), "tables of people")
	testmust.Equal(t, fmt.Sprint(told(own)), fmt.Sprint([]wire.Hash{people.State.ID(), practice}), "and one's own")
	testmust.Equal(t, len(open(lobby))+len(open(own)), 0, "open tables")
	h.practice() // which is news to nobody
	h.posted("/v1/entries", next(t, people))
	testmust.Equal(t, fmt.Sprint(told(own)), fmt.Sprint([]wire.Hash{people.State.ID()}), "what has moved on")
	testmust.Equal(t, fmt.Sprint(told(lobby)), fmt.Sprint([]wire.Hash{people.State.ID()}), "what has moved on")
	organiser := newPerson(t, "anna")
	o := h.offer(organiser, 2, nil)
	_, posted, _ := h.posts("/v1/offers", o.Text)
	h.posts("/v1/offers/"+o.Hash.String()+"/present", present(t, o.Hash, posted.Challenge, organiser))
	rows := open(lobby)
	testmust.Holdf(t, len(rows) == 1 && rows[0].ID == o.Hash && len(rows[0].Players) == 0, "open tables: %+v", rows)
	h.posts("/v1/offers/"+o.Hash.String()+"/joins", join(t, o, organiser).Text)
	rows = open(lobby)
	testmust.Holdf(t, len(rows) == 1 && len(rows[0].Players) == 1, "after one has joined: %+v", rows)
}

// A stranger, somebody with a seat at another table or a document that was recorded, who makes a seat seem there; a seat that seems there
// though it has gone.
func TestWhoIsThere(t *testing.T) {
	h := newHouse(t, nil)
	anna, bela := newPerson(t, "anna"), newPerson(t, "bela")
	o := h.offer(anna, 2, nil)
	_, open, _ := h.posts("/v1/offers", o.Text)
	h.posts("/v1/offers/"+o.Hash.String()+"/present", present(t, o.Hash, open.Challenge, anna))
	h.posts("/v1/offers/"+o.Hash.String()+"/joins", join(t, o, bela).Text)
	table, _ := h.newTable(wire.RefuseFouls)
	held := person{table.State.HolderKey(1), table.Hands[1].Signer}
	for id, who := range map[wire.Hash]person{o.Hash: bela, table.State.ID(): held} {
		at := "/v1/present/" + id.String()
		there := func() client.Presence { t.Helper(); return read[client.Presence](h, at) }
		challenge := there().Challenge
		for name, step := range map[string]struct {
			doc    []byte
			status int
		}{
			"no document":      {o.Text, 400},
			"of another table": {present(t, wire.Hash{}, challenge, who), 400},
			"by a stranger":    {present(t, id, challenge, anna), 422},
			"to another one":   {present(t, id, open.Challenge, who), 200},
		} {
			status, _, _ := h.posts(at, step.doc)
			testmust.Equal(t, status, step.status, name)
		}
		testmust.Equal(t, len(there().Present), 0, "there are")
		status, _, _ := h.posts(at, present(t, id, challenge, who))
		testmust.Equal(t, status, 201, "the seat's own word")
		testmust.Equal(t, fmt.Sprint(there().Present), fmt.Sprint([]string{who.key}), "there is")
	}
	h.refusal(client.UnknownTable, h.get("/v1/present/"+strings.Repeat("0", 64)))
	h.refusal(client.MalformedRequest, h.get("/v1/present/x"))
	none := wire.Hash{1}
	h.refusal(client.UnknownTable, h.post("/v1/present/"+none.String(), present(t, none, open.Challenge, bela)))
	rows := read[client.OfferList](h, "/v1/offers").Offers
	testmust.Holdf(t, len(rows) == 1 && fmt.Sprint(rows[0].Present) == "[0]", "in the list: %+v", rows)
}

// pushService is a push service with its browsers: it believes nobody who is not named by RFC 8292, and they read what RFC 8291 has encrypted.
type pushService struct {
	*httptest.Server
	t       *testing.T
	public  string // key of the server that may send
	secret  []byte
	browser *ecdh.PrivateKey
	mu      sync.Mutex
	answers map[string][]int // by path, before it takes everything
	heard   chan string
}

func newPushService(t *testing.T, public string) *pushService {
	p := &pushService{t: t, public: public, secret: make([]byte, 16), browser: testmust.Have(ecdh.P256().GenerateKey(rand.Reader))(t), answers: map[string][]int{}, heard: make(chan string, 64)}
	rand.Read(p.secret)
	p.Server = httptest.NewTLSServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *pushService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if list := p.answers[r.URL.Path]; len(list) > 0 {
		p.answers[r.URL.Path] = list[1:]
		w.WriteHeader(list[0])
		return
	}
	p.checkSender(r.Header.Get("Authorization"))
	testmust.Holdf(p.t, r.Header.Get("Content-Encoding") == "aes128gcm" && r.Header.Get("Ttl") != "", "headers %v", r.Header)
	body := testmust.Have(io.ReadAll(r.Body))(p.t)
	p.heard <- r.URL.Path + " " + string(p.decrypt(body))
	w.WriteHeader(http.StatusCreated)
}

func unbase(text string) []byte { raw, _ := base64.RawURLEncoding.DecodeString(text); return raw }

func (p *pushService) checkSender(authorization string) {
	token, key, _ := strings.Cut(strings.TrimPrefix(authorization, "vapid t="), ", k=")
	testmust.Equal(p.t, key, p.public, "the key that names the sender")
	parts := strings.Split(token, ".")
	testmust.Requiref(p.t, len(parts) == 3, "the token is %s", token)
	sum, sig := sha256.Sum256([]byte(parts[0]+"."+parts[1])), unbase(parts[2])
	public := testmust.Have(ecdsa.ParseUncompressedPublicKey(elliptic.P256(), unbase(key)))(p.t)
	testmust.Hold(p.t, len(sig) == 64 && ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:])), "the token's signature")
	var head struct{ Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	testmust.Do(p.t, json.Unmarshal(unbase(parts[0]), &head))
	testmust.Do(p.t, json.Unmarshal(unbase(parts[1]), &claims))
	testmust.Holdf(p.t, head.Alg == "ES256" && claims.Aud == p.URL && claims.Sub == "mailto:klub@example.org" && claims.Exp > 1_900_000_000 && claims.Exp <= 1_900_086_400, "the token says %+v", claims)
}

// decrypt reads as a browser does (RFC 8188, 2.1; RFC 8291, 3.4).
func (p *pushService) decrypt(body []byte) []byte {
	salt, sender, sealed := body[:16], body[21:21+int(body[20])], body[21+int(body[20]):]
	shared := testmust.Have(p.browser.ECDH(testmust.Have(ecdh.P256().NewPublicKey(sender))(p.t)))(p.t)
	input := testmust.Have(hkdf.Key(sha256.New, shared, p.secret, "WebPush: info\x00"+string(p.browser.PublicKey().Bytes())+string(sender), 32))(p.t)
	key := testmust.Have(hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16))(p.t)
	nonce := testmust.Have(hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12))(p.t)
	open := testmust.Have(cipher.NewGCM(testmust.Have(aes.NewCipher(key))(p.t)))(p.t)
	plain := testmust.Have(open.Open(nil, nonce, sealed, nil))(p.t)
	testmust.Equal(p.t, plain[len(plain)-1], byte(2), "the end of the last record")
	return plain[:len(plain)-1]
}

// wants is the subscription of a seat at a path there.
func (p *pushService) wants(o *organiser, path, language string) []byte {
	return testmust.Have(bulletin.Push{Event: o.id, By: o.key, Endpoint: p.URL + path, Key: p.browser.PublicKey().Bytes(), Auth: p.secret, Language: language}.Sign(o.signer))(p.t)
}

// A player who has the server write its list again and again.
func TestSubscriptionsAreBounded(t *testing.T) {
	d := newDuel(t, 5)
	p := newPushService(t, "")
	d.server.SetPush(testmust.Have(notify.NewPush(notify.PushOptions{Feed: &notify.Feed{}, Services: []string{"127.0.0.1"}, List: filepath.Join(t.TempDir(), "list")}))(t))
	taken := 0
	for taken < 32 && d.post(d.path+"/push", p.wants(d.all[0], fmt.Sprint("/", taken), "hu")).status == http.StatusCreated {
		taken++
	}
	testmust.Holdf(t, taken > 0 && taken < 32, "%d subscriptions of one address are taken at once", taken)
}

// Who is not told what concerns them, is told what concerns others, or twice; who subscribes for a seat of others, or has the server ask
// where no push service is; a browser that has gone and is told for ever; what a push service cannot read or believe.
func TestPush(t *testing.T) {
	d := newDuel(t, 5)
	dir := t.TempDir()
	key := testmust.Have(notify.LoadKey(filepath.Join(dir, "key"), rand.Reader))(t)
	p := newPushService(t, key.Public())
	now, looks, mu := time.Unix(1_900_000_000, 0), 0, sync.Mutex{}
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "told"), []byte("0\n"), 0o600))
	push := testmust.Have(notify.NewPush(notify.PushOptions{
		Feed: &notify.Feed{
			File: filepath.Join(dir, "told"), Read: d.server.Happenings(), Link: func(id wire.Hash) string { return "/events/" + id.Code()[:wire.MinCode] },
			Clock: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }, Chance: func() float64 { return 0 }, Logger: slog.New(slog.DiscardHandler),
			After: func(d time.Duration) <-chan time.Time {
				mu.Lock()
				defer mu.Unlock()
				if looks++; d == notify.TurnLook && looks < 64 {
					now = now.Add(d)
				}
				return time.After(time.Millisecond)
			},
		},
		Key: key, Contact: "mailto:klub@example.org", Services: []string{"127.0.0.1"}, List: filepath.Join(dir, "list"), Owed: d.server.SeatsOwing, Random: rand.Reader, Client: p.Client(),
	}))(t)
	h, players := d.house, d.all
	h.refusal(client.NotFound, h.post(d.path+"/push", p.wants(players[0], "/0", "hu")))
	d.server.SetPush(push)
	stranger, _ := newOrganiser(t)
	stranger.id = d.o.id
	h.refusal(client.RefusedNotice, h.post(d.path+"/push", p.wants(stranger, "/stranger", "en")))
	h.refusal(client.MalformedEntry, h.post(d.path+"/push", []byte("push")))
	forged := *players[0]
	forged.signer = stranger.signer
	_, err := bulletin.Push{Event: d.o.id, By: forged.key, Endpoint: p.URL, Key: p.browser.PublicKey().Bytes(), Auth: p.secret, Language: "en"}.Sign(forged.signer)
	testmust.Fail(t, err, "a subscription for the seat of another")
	inside := testmust.Have(bulletin.Push{Event: d.o.id, By: players[0].key, Endpoint: "https://metadata.example/", Key: p.browser.PublicKey().Bytes(), Auth: p.secret, Language: "en"}.Sign(players[0].signer))(t)
	h.refusal(client.RefusedNotice, h.post(d.path+"/push", inside))
	noPoint := testmust.Have(bulletin.Push{Event: d.o.id, By: players[0].key, Endpoint: p.URL, Key: make([]byte, 65), Auth: p.secret, Language: "en"}.Sign(players[0].signer))(t)
	h.refusal(client.RefusedNotice, h.post(d.path+"/push", noPoint))
	for i, o := range players {
		doc := p.wants(o, fmt.Sprint("/", i), []string{"hu", "de"}[i])
		testmust.Equal(t, h.post(d.path+"/push", doc).status, http.StatusCreated, "a subscription")
		testmust.Equal(t, h.post(d.path+"/push", doc).status, http.StatusOK, "the same again")
	}
	h.post(d.path+"/push", p.wants(d.o, "/club", "en"))
	h.post(d.path+"/push", p.wants(d.o, "/gone", "en"))
	p.answers["/0"], p.answers["/gone"] = []int{500, 429}, []int{410}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- push.Run(ctx) }()
	t.Cleanup(func() { cancel(); testmust.Do(t, <-done) })
	link := `","link":"/events/` + d.o.id.Code()[:wire.MinCode] + `"}`
	hear := func(want ...string) {
		t.Helper()
		var got []string
		for range want {
			got = append(got, <-p.heard)
		}
		slices.Sort(got)
		for i := range want {
			want[i] += link
		}
		slices.Sort(want)
		testmust.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "what was told")
	}
	owing := testmust.Have(d.server.SeatsOwing(t.Context(), d.o.id))(t)[0].Keys
	testmust.Requiref(t, len(owing) == 1, "the table waits for %v", owing)
	turn := `/0 {"title":"Kupa: az asztalod rád vár.`
	if owing[0] == players[1].key {
		turn = `/1 {"title":"Kupa: Dein Tisch wartet auf dich.`
	}
	hear(`/0 {"title":"Kupa: megvan a(z) 1. forduló sorsolása.`, `/1 {"title":"Kupa: Runde 1 ist ausgelost.`, `/0 {"title":"Kupa: kezdődik az asztalod.`, `/1 {"title":"Kupa: Dein Tisch beginnt.`, turn)
	d.take(d.path+"/entries", players[0].notice(t, bulletin.Call, bulletin.CallBody{Table: d.table.State.ID(), Reason: "He looks at my cards."}))
	hear(`/club {"title":"Kupa: an arbiter is called to table 1/1.`)
	testmust.Until(t, "a browser that has gone", func() bool { return push.Count() == 3 })
	d.decide(bulletin.DecideCancel, bulletin.RemarkBody{Text: "The hall burns."})
	testmust.Until(t, "an event that is over", func() bool { return push.Count() == 0 })
	h.refusal(client.RefusedNotice, h.post(d.path+"/push", p.wants(players[0], "/0", "hu")))
	testmust.Equal(t, len(p.heard), 0, "messages that nobody has asked for")
}

// Something of an event that nobody outside is told, is told twice, or before it was; what does not count, and is told.
func TestHappenings(t *testing.T) {
	d := newDuel(t, 5)
	read, from := d.server.Happenings(), uint64(0)
	more := func() (said []string) {
		t.Helper()
		for range 2 { // an entry is looked at when it was there before
			list, next, err := read(t.Context(), from)
			testmust.Do(t, err)
			for _, h := range list {
				testmust.Holdf(t, h.Index >= from && h.Index < next && h.Event == d.o.id && h.Name == string(d.h.Terms.Name), "from %d to %d: %+v", from, next, h)
				said = append(said, fmt.Sprint(h.Kind, " ", h.Round, "/", h.Table))
			}
			from = next
		}
		return said
	}
	say := func(kind bulletin.NoticeKind, body any) { d.take(d.path+"/entries", d.all[0].notice(t, kind, body)) }
	expect := func(want ...string) {
		t.Helper()
		testmust.Equal(t, fmt.Sprint(more()), fmt.Sprint(want), "what was told")
	}
	expect(notify.RoundDrawn+" 1/0", notify.TableBegun+" 1/1")
	say(bulletin.Call, bulletin.CallBody{Table: d.table.State.ID(), Reason: "He looks at my cards."})
	expect(notify.ArbiterCalled + " 1/1")
	d.goOn(func() error { return d.table.Play(3) })
	expect()
	d.goOn(func() error { return d.table.Play(-1) })
	expect(notify.RoundOver + " 1/0")
	d.decide(bulletin.DecideRuling, bulletin.RulingBody{About: bulletin.RulingSubject{Player: 1}, Do: bulletin.RulePenalty, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Grounds: []wire.Hash{}, Reason: "Késett."})
	d.decide(bulletin.DecideRemark, bulletin.RemarkBody{Text: "Soup is served."})
	say(bulletin.Appeal, bulletin.AppealBody{Ruling: d.h.Rulings[0].Hash, Reason: "I was there."})
	expect(notify.RulingMade+" 0/0", notify.RulingAppealed+" 0/0")
	d.decide(bulletin.DecideCancel, bulletin.RemarkBody{Text: "The hall burns."})
	expect(notify.EventCancelled + " 0/0")
	list, end, err := read(t.Context(), ^uint64(0))
	testmust.Holdf(t, err == nil && len(list) == 0 && end == from, "beyond the end: %v to %d, %v", list, end, err)
}

// A stranger's table that names the event, at the place of another: its players are told to come there, and not that theirs waits.
func TestTableOfAStrangerOwesNothing(t *testing.T) {
	d := newDuel(t, 5)
	owing := func() string { return fmt.Sprint(testmust.Have(d.server.SeatsOwing(t.Context(), d.o.id))(t)) }
	before := owing()
	stranger, _ := newOrganiser(t)
	g := d.h.TableGenesis(1, 1)
	g.Organiser, g.Arbiters, g.Nonce = stranger.key, []string{stranger.key}, make([]byte, wire.NonceBytes)
	d.posted("/v1/tables", stranger.sign(t, g))
	testmust.Equal(t, owing(), before, "what tables of the event wait for")
}
