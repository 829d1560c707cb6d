package httpapi_test

import (
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
	"encoding/json"
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

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

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
