package serve

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/cluster"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/cluster/clustertest"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

func init() {
	testmust.InMemory()
	badgerstore.DefaultMemTableSize = 1 << 20 // these servers take few entries
	notify.Look = 20 * time.Millisecond
}

// A server that strangers can reach must not let them begin tables unless the operator says so.
func TestOpenOnLoopbackOnly(t *testing.T) {
	for _, c := range []struct {
		o    Options
		open bool
	}{
		{Options{Listen: "127.0.0.1:80"}, true},
		{Options{Listen: "[::1]:80"}, true},
		{Options{Listen: "localhost:80"}, true},
		{Options{Listen: "0.0.0.0:80"}, false},
		{Options{Listen: ":80"}, false},
		{Options{Listen: "[::]:80"}, false},
		{Options{Listen: "192.0.2.1:80"}, false},
		{Options{Listen: "cards.example:80"}, false},
		{Options{Listen: "127.0.0.1:80", transport: transport{acmeHost: "cards.example"}}, false},
		{Options{Listen: "0.0.0.0:80", published: "127.0.0.1:8080"}, true}, {Options{Listen: "127.0.0.1:80", published: "0.0.0.0:8080"}, false},
		{Options{Listen: "0.0.0.0:80", organisers: anyone}, true},
	} {
		may, err := c.o.mayOrganise()
		testmust.Holdf(t, (err == nil) == c.open && may == nil, "%s: %v", c.o.Listen, err)
		testmust.Holdf(t, err == nil || strings.Contains(err.Error(), "--organisers") && errors.As(err, new(command.UsageError)),
			"%s: %v does not say what to do", c.o.Listen, err)
	}
	behind := Options{Listen: "127.0.0.1:80"}
	testmust.Do(t, (*prefixes)(&behind.proxies).Set("127.0.0.1/32"))
	testmust.Fail(t, testmust.ErrorOf(behind.mayOrganise()), "open behind a proxy that everybody can reach")
	for published, open := range map[string]bool{"127.0.0.1:80": true, "0.0.0.0:80": false, "": false} {
		front := behind
		front.cluster.Trillian, front.published = "log:1", published
		_, err := front.mayOrganise()
		testmust.Equal(t, err == nil, open, "a front end whose proxy is open at", published)
	}
	behind.published = "127.0.0.1:80"
	testmust.Fail(t, testmust.ErrorOf(behind.mayOrganise()), "open behind a proxy on the host that leads to a container")
	named := Options{Listen: "127.0.0.1:80", transport: transport{acmeHost: "cards.example"}}
	for _, o := range []Options{behind, named, {Listen: "0.0.0.0:80"}, {Listen: "127.0.0.1:80"}} {
		p := testmust.Have(pagesFor("", "", o.isLocal()))(t)
		testmust.Holdf(t, (o.isLocal() || p.Make == nil) && (p.Make == nil || p.Own),
			"%s, proxies %v, name %q: strangers have a compiler run", o.Listen, o.proxies, o.transport.acmeHost)
		testmust.Holdf(t, p.Make != nil || p.None != "", "%s: no pages, and not why", o.Listen)
	}
	for _, o := range []operatorOptions{{address: "0.0.0.0:1"}, {address: ":1"}, {address: "127.0.0.1:1", tokenFile: "/nowhere"}} {
		testmust.Fail(t, testmust.ErrorOf(o.token("/nowhere")), "the operator's figures are open at", o)
	}
}

// Pages of other origins may begin tables only if the operator says who may begin them.
func TestPagesFromElsewhere(t *testing.T) {
	entry := firstEntry(t)
	for organisers, want := range map[string]int{"": http.StatusForbidden, anyone: http.StatusCreated} {
		s := start(t, Options{organisers: organisers})
		r := testmust.Have(http.NewRequest("POST", s.URL+"/v1/tables", bytes.NewReader(entry)))(t)
		r.Header.Set("Origin", "https://elsewhere.example")
		got := testmust.Have(http.DefaultClient.Do(r))(t)
		got.Body.Close()
		testmust.Equal(t, got.StatusCode, want, "organisers", organisers)
	}
}

// A changed file must be used, a wrong one must not, and neither may be read at every request.
func TestWatched(t *testing.T) {
	now, reads := time.Unix(1000, 0), 0
	path := filepath.Join(t.TempDir(), "x")
	write := func(s string) {
		t.Helper()
		testmust.Do(t, os.WriteFile(path, []byte(s), 0o600))
	}
	write("1")
	w, err := newWatched(slog.New(slog.DiscardHandler), func() time.Time { return now }, func() (string, error) {
		reads++
		b, err := os.ReadFile(path)
		if string(b) == "wrong" {
			return "", errors.New("wrong")
		}
		return string(b), err
	}, path)
	testmust.Do(t, err)
	expect := func(what, want string, wantReads int) {
		t.Helper()
		got := w.currentValue()
		testmust.Holdf(t, got == want && reads == wantReads, "%s: %q after %d reads, want %q after %d", what, got, reads, want, wantReads)
	}
	write("two")
	expect("at once", "1", 1)
	now = now.Add(recheck)
	expect("after a while", "two", 2)
	now = now.Add(recheck)
	expect("unchanged", "two", 2)
	write("wrong")
	now = now.Add(recheck)
	expect("wrong", "two", 3)
	now = now.Add(recheck)
	expect("still wrong", "two", 3)
	os.Remove(path)
	now = now.Add(recheck)
	expect("gone", "two", 4)
	write("three")
	now = now.Add(recheck)
	expect("right again", "three", 5)
}

// certify writes a self-signed certificate for 127.0.0.1.
func certify(t *testing.T, dir string, serial int64) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private := testmust.Have(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der := testmust.Have(x509.CreateCertificate(rand.Reader, template, template, private.Public(), private))(t)
	secret := testmust.Have(x509.MarshalPKCS8PrivateKey(private))(t)
	parsed := testmust.Have(x509.ParseCertificate(der))(t)
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		testmust.Do(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key, roots
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Data, o.Origin = t.TempDir(), "test"
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s := testmust.Have(Start(t.Context(), o))(t)
	t.Cleanup(func() {
		testmust.Do(t, s.Stop())
	})
	return s
}

// A server with a certificate only speaks TLS, and takes a new certificate without a restart.
func TestTLSFromFiles(t *testing.T) {
	dir := t.TempDir()
	cert, key, roots := certify(t, dir, 1)
	s := start(t, Options{transport: transport{cert: cert, key: key}})
	ask := func(roots *x509.CertPool) (*http.Response, error) {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
		resp, err := c.Get(s.URL + "/livez")
		if err == nil {
			resp.Body.Close()
		}
		return resp, err
	}
	resp, err := ask(roots)
	testmust.Requiref(t, err == nil && resp.StatusCode == 200 && resp.ProtoMajor == 2, "%+v, %v", resp, err)
	resp, err = http.Get("http://" + strings.TrimPrefix(s.URL, "https://") + "/livez")
	testmust.Hold(t, err != nil || resp.StatusCode != 200, "it answers without TLS")
	_, _, roots = certify(t, dir, 2)
	testmust.Until(t, "the new certificate to be used", func() bool {
		resp, err := ask(roots)
		return err == nil && resp.TLS.PeerCertificates[0].SerialNumber.Int64() == 2
	})
}

func TestTLSMistakes(t *testing.T) {
	cert, key, _ := certify(t, t.TempDir(), 1)
	for _, x := range []transport{{cert: cert}, {key: key}, {cert: cert, key: key, acmeHost: "x"}, {cert: key, key: cert}, {cert: "/nowhere", key: key}} {
		testmust.Fail(t, testmust.ErrorOf(x.config(t.TempDir(), slog.New(slog.DiscardHandler))), x)
	}
}

// The authority is away, and the log does not say so before the certificate expires; or strangers'
// requests fill the log.
func TestCertificateIsLogged(t *testing.T) {
	var said bytes.Buffer
	var certificate *tls.Certificate
	now, trouble := time.Unix(0, 0), errors.New("away")
	get := logCertificate(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate, trouble },
		"cards.example", slog.New(slog.NewTextHandler(&said, nil)), func() time.Time { return now })
	asked := func(after time.Duration, name string, protocols ...string) string {
		now = now.Add(after)
		said.Reset()
		c, err := get(&tls.ClientHelloInfo{ServerName: name, SupportedProtos: protocols})
		testmust.Hold(t, c == certificate && err == trouble, "another answer than that of the manager")
		return said.String()
	}
	testmust.Equal(t, asked(0, "other.example")+asked(0, "cards.example", "acme-tls/1"), "", "nobody's trouble")
	testmust.Hold(t, strings.Contains(asked(0, "cards.example"), "no certificate"), "nothing is said of an authority that is away")
	testmust.Equal(t, asked(59*time.Second, "cards.example"), "", "within a minute")
	testmust.Hold(t, strings.Contains(asked(time.Second, "cards.example"), "error=away"), "it is not said again")
	certificate, trouble = &tls.Certificate{Leaf: &x509.Certificate{NotBefore: now, NotAfter: now.Add(80 * time.Hour)}}, nil
	testmust.Equal(t, asked(60*time.Hour, "cards.example"), "", "of a certificate that is new enough")
	testmust.Hold(t, strings.Contains(asked(time.Hour, "cards.example"), "could not be renewed"), "nothing is said of a certificate that ends")
}

// The server's log must say what happened without any secret: bodies, queries, headers, keys and
// tokens.
func TestLogKeepsSecrets(t *testing.T) {
	const secret = "geheimnis"
	token := filepath.Join(t.TempDir(), "token")
	testmust.Do(t, os.WriteFile(token, []byte(secret+secret+"\n"), 0o600))
	for _, format := range []string{"text", "json"} {
		var out testmust.Buffer
		l := logging{format: format, level: "debug", requests: "all"}
		s := start(t, Options{logging: l, logger: l.logger(&out), operator: operatorOptions{address: "127.0.0.1:0", tokenFile: token, patience: time.Minute}})
		ask := func(method, url, body string) *http.Response {
			t.Helper()
			r := testmust.Have(http.NewRequest(method, url, strings.NewReader(body)))(t)
			for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "Referer", "User-Agent", "If-None-Match"} {
				r.Header.Set(name, secret)
			}
			r.Header.Set("Authorization", "Bearer "+secret+secret)
			resp := testmust.Have(http.DefaultClient.Do(r))(t)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			return resp
		}
		first := ask("GET", s.URL+"/v1/tables?limit="+secret, "")
		ask("POST", s.URL+"/v1/entries?"+secret, secret)
		entry := firstEntry(t)
		ask("POST", s.URL+"/v1/tables", string(entry))
		office := testmust.Have(os.ReadFile(filepath.Join(s.data, operatorFile)))(t)
		for path, want := range map[string]int{"/metrics": 200, "/readyz": 200} {
			testmust.Equal(t, ask("GET", strings.TrimSpace(string(office))+path, "").StatusCode, want, path)
			resp, err := http.Get(strings.TrimSpace(string(office)) + path)
			testmust.Holdf(t, err == nil && resp.StatusCode == 401, "%s without the token: %v, %v", path, resp, err)
		}
		key := testmust.Have(os.ReadFile(filepath.Join(s.data, "log.key")))(t)
		text := out.String()
		testmust.Holdf(t, strings.Contains(text, first.Header.Get("X-Request-Id")) && strings.Contains(text, "/v1/entries") && strings.Contains(text, "malformed-request"),
			"%s: requests are not told:\n%s", format, text)
		for _, bad := range append(strings.Fields(string(key)), secret, "pakli\":", `pakli\":`, string(entry[len(entry)-40:])) {
			testmust.Holdf(t, len(bad) <= 6 || !strings.Contains(text, bad), "%s: the log tells %.30q:\n%s", format, bad, text)
		}
	}
}

// The metrics stand still while the server works, or the operator's address shows nothing.
func TestOperatorSees(t *testing.T) {
	s := start(t, Options{operator: operatorOptions{address: "127.0.0.1:0", patience: time.Minute}})
	office := testmust.Have(os.ReadFile(filepath.Join(s.data, operatorFile)))(t)
	get := func(url string) string {
		t.Helper()
		resp := testmust.Have(http.Get(url))(t)
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		testmust.Holdf(t, err == nil && resp.StatusCode == http.StatusOK, "%s: %d %s (%v)", url, resp.StatusCode, b, err)
		return string(b)
	}
	entry := firstEntry(t)
	for _, body := range [][]byte{entry, entry, []byte("x")} {
		resp := testmust.Have(http.Post(s.URL+"/v1/tables", "application/octet-stream", bytes.NewReader(body)))(t)
		resp.Body.Close()
	}
	door := strings.TrimSpace(string(office))
	lines := []string{
		`pakli_log_entries 1`, `pakli_tables 1`, `pakli_log_appended_total 1`, `pakli_log_waiting 0`, `pakli_store_tables 1`,
		`pakli_http_requests_total{code="201",method="POST",route="/v1/tables"} 1`,
		`pakli_http_requests_total{code="200",method="POST",route="/v1/tables"} 1`,
		`pakli_refused_total{reason="malformed-entry"} 1`,
	}
	lacking := func(line string) bool { return !strings.Contains(get(door+"/metrics"), "\n"+line+"\n") }
	// A request is counted after its answer.
	testmust.Until(t, "the figures of what was answered", func() bool { return !slices.ContainsFunc(lines, lacking) })
	ready := get(door + "/readyz")
	for _, check := range []string{"log", "space", "sequencer", "checkpoint"} {
		testmust.Holdf(t, strings.Contains(ready, `{"name":"`+check+`","ready":true`), "%s is missing in %s", check, ready)
	}
	get(s.URL + "/readyz")
	// Players wait and nothing happens, which is not healthy.
	testmust.Hold(t, s.checkDelay(ledger.Health{Delay: 2 * time.Minute}) != nil && s.checkDelay(ledger.Health{Published: time.Hour}) == nil,
		"a log that stands still is well, or one that nobody writes to is not")
}

// The log does not report a disk that fills up, or reports it every five seconds.
func TestHealthIsLogged(t *testing.T) {
	var said bytes.Buffer
	free := true
	health := logHealth(func(context.Context) []httpapi.HealthCheck {
		return []httpapi.HealthCheck{{Name: "log", Ready: true}, {Name: "space", Ready: free, Detail: "room"}}
	}, slog.New(slog.NewTextHandler(&said, nil)))
	for _, free = range []bool{true, true, false, false, true, true} {
		health(t.Context())
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	testmust.Holdf(t, len(lines) == 2 && strings.Contains(lines[0], `level=WARN msg="not ready" check=space`) && strings.Contains(lines[1], `msg="well again" check=space`), "it says\n%s", said.String())
}

// A redirect of the health request would give another server the answer and the token.
func TestReadyIsNotRedirected(t *testing.T) {
	well := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { t.Errorf("asked %s", r.URL) }))
	defer well.Close()
	moved := httptest.NewServer(http.RedirectHandler(well.URL, http.StatusFound))
	defer moved.Close()
	file := filepath.Join(t.TempDir(), operatorFile)
	testmust.Do(t, os.WriteFile(file, []byte(moved.URL+"\n"), 0o644))
	testmust.FailSaying(t, askReady(t.Context(), file, "secret"), "302 Found")
}

// The server writes a removed or changed public key again.
func TestPublicKeyAgain(t *testing.T) {
	data := t.TempDir()
	path := filepath.Join(data, "log.vkey")
	for _, spoil := range []func() error{
		func() error { return nil }, func() error { return os.Remove(path) }, func() error { return os.Truncate(path, 3) },
	} {
		testmust.Do(t, spoil())
		s := testmust.Have(Start(t.Context(), Options{Data: data, Origin: "test", Listen: "127.0.0.1:0"}))(t)
		key := s.Key
		testmust.Do(t, s.Stop())
		text, err := os.ReadFile(path)
		testmust.Holdf(t, string(text) == key.Public+"\n", "%q, %v", text, err)
	}
}

// firstEntry returns the genesis entry of a new table.
func firstEntry(t *testing.T) []byte {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	s, _ := suite.Lookup(suite.Default)
	return testmust.Have(tabletest.New(game, tabletest.Config{Seats: 2, Deals: 1, Suite: s}, 1))(t).Entries[0]
}

// A server tells the club's program nothing, or its operator does not see that; its pages do not have
// the key of its notifications; invalid settings are only found when something happens.
func TestWebhookOfAServer(t *testing.T) {
	browser := testmust.Have(ecdh.P256().GenerateKey(rand.Reader))(t).PublicKey().Bytes()
	t.Parallel()
	heard := make(chan string, 8)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var said struct{ Data struct{ Link string } }
		testmust.Do(t, json.NewDecoder(r.Body).Decode(&said))
		heard <- said.Data.Link
	}))
	t.Cleanup(receiver.Close)
	secret := filepath.Join(t.TempDir(), "secret")
	testmust.Do(t, os.WriteFile(secret, []byte("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), 0o600))
	s := start(t, Options{organisers: anyone, operator: operatorOptions{address: "127.0.0.1:0"}, hook: hookOptions{receiver.URL, secret, "https://cards.example/"}, push: pushOptions{contact: "mailto:klub@example.org", services: notify.UsualServices}})
	c := testmust.Have(client.New(s.URL, testmust.Have(note.NewVerifier(s.Key.Public))(t), nil))(t)
	testmust.Until(t, "the beginning of what is told", func() bool { return testmust.ErrorOf(os.Stat(filepath.Join(s.data, hookFile))) == nil })
	id := testmust.Have(player.CreateIdentity(memoryVault{}, "klub"))(t)
	e := organiser.UsualTerms()
	e.Name, e.Game = "Kupa", "tarokk/v1"
	organiser.FillSeating(e)
	entry := testmust.Have(organiser.Announce(e, id.Signer(), id.VerifierKey()))(t)
	testmust.Have(c.Announce(context.Background(), entry))(t)
	o := organiser.Organiser{Client: c, ID: wire.HashEntry(entry), Key: id.VerifierKey(), Signer: id.Signer()}
	subscribe := func(endpoint string) error {
		doc := testmust.Have(bulletin.Push{Event: o.ID, By: o.Key, Endpoint: endpoint, Key: browser, Auth: make([]byte, 16), Language: "hu"}.Sign(o.Signer))(t)
		return c.PostPush(context.Background(), o.ID, doc)
	}
	testmust.Do(t, subscribe("https://fcm.googleapis.com/fcm/send/x"))
	testmust.Fail(t, subscribe("https://localhost/"), "an address that is none of a push service")
	key := testmust.Have(notify.LoadKey(filepath.Join(s.data, pushKeyFile), nil))(t)
	pages := testmust.Have(Options{Pages: "auto"}.openPages(s.Key.Public, key.Public()))(t)
	page := httptest.NewRecorder()
	pages.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/events", nil))
	testmust.Holdf(t, strings.Contains(page.Body.String(), key.Public()), "the pages do not know the key %s", key.Public())
	testmust.Have(o.Decide(context.Background(), o.ID, bulletin.DecideCancel, bulletin.RemarkBody{Text: "It rains."}))(t)
	testmust.Equal(t, <-heard, "https://cards.example/events/"+o.ID.Code()[:wire.MinCode], "the link")
	var list []notify.Attempt
	at := strings.TrimSpace(string(testmust.Have(os.ReadFile(filepath.Join(s.data, operatorFile)))(t)))
	testmust.Until(t, "the operator's list", func() bool {
		answer := testmust.Have(http.Get(at + "/webhooks"))(t)
		defer answer.Body.Close()
		testmust.Do(t, json.NewDecoder(answer.Body).Decode(&list))
		return len(list) == 1
	})
	testmust.Holdf(t, list[0].Status == http.StatusOK && list[0].Kind == notify.EventCancelled, "the operator sees %+v", list)
	for _, wrong := range []hookOptions{{url: receiver.URL}, {secret: secret}, {"cards.example", secret, ""}, {"file:///etc", secret, ""}, {receiver.URL, secret, "cards.example"}, {receiver.URL, receiver.URL, ""}} {
		testmust.Fail(t, testmust.ErrorOf(wrong.sender(s.data)), wrong)
	}
	testmust.Fail(t, pushOptions{contact: "klub@example.org"}.check(false), "no mailto:")
	testmust.Fail(t, pushOptions{contact: "mailto:klub@example.org"}.check(true), "on a cluster")
}

// memoryVault is a player.Vault in memory.
type memoryVault map[string][]byte

func (m memoryVault) ReadRecord(name string) ([]byte, error) {
	if record, ok := m[name]; ok {
		return record, nil
	}
	return nil, os.ErrNotExist
}

func (m memoryVault) ReplaceRecord(name string, data []byte) error { m[name] = data; return nil }
func (m memoryVault) Close() error                                 { return nil }

// A front end must start with the rest of its rack, say why it is not ready, and stop while it waits.
func TestFrontEndWaits(t *testing.T) {
	trillian := clustertest.New()
	first, _ := trillian.Start(t)
	data, late := t.TempDir(), freeAddress(t)
	o := Options{Data: data, Listen: "127.0.0.1:0", Pages: "off", operator: operatorOptions{address: freeAddress(t)}}
	o.cluster = cluster.Options{Trillian: first, Register: "file:" + t.TempDir(), Poll: 200 * time.Millisecond}
	tree := testmust.Have(cluster.CreateLog(t.Context(), o.cluster, data, "waits.example"))(t)
	o.cluster.Tree, o.cluster.Trillian = tree, late

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := Start(ctx, o); ended <- err }()
	readiness(t, o.operator.address, `"ready":false`, "log server: "+late)
	cancel()
	testmust.FailBy(t, <-ended, context.Canceled, "told to stop")

	started := make(chan *Server, 1)
	go func() {
		s, err := Start(t.Context(), o)
		testmust.Hold(t, err == nil, err)
		started <- s
	}()
	readiness(t, o.operator.address, `"ready":false`, "log server: "+late)
	l := testmust.Have(net.Listen("tcp", late))(t)
	t.Cleanup(trillian.Serve(l).Stop)
	s := <-started
	if s == nil {
		return
	}
	readiness(t, o.operator.address, `"ready":true`, "in order")
	testmust.Do(t, s.Stop())
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String()
}

// readiness waits until the readiness report contains all of want.
func readiness(t *testing.T, address string, want ...string) {
	t.Helper()
	testmust.Until(t, strings.Join(want, " and ")+" for the operator", func() bool {
		r, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			return false
		}
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		return err == nil && !slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(string(b), w) })
	})
}

// trialSections are settings to test with.
func trialSections(port *int, name *string, wait *time.Duration) []section {
	return []section{
		{"One", func(f *flag.FlagSet) {
			f.IntVar(port, "port", 1, "a port")
			f.Float64("rate", -1, "below 0: no bound")
			f.StringVar(name, "long-name", "a", "a name")
		}},
		{"Two", func(f *flag.FlagSet) { f.DurationVar(wait, "wait", time.Second, "a time") }},
	}
}

func parseTrial(t *testing.T, file string, environ []string, args ...string) (s *commandSettings, port int, name string, wait time.Duration, unknown []string, err error) {
	t.Helper()
	var out bytes.Buffer
	if file != "" {
		path := filepath.Join(t.TempDir(), "pakli.conf")
		testmust.Do(t, os.WriteFile(path, []byte(file), 0o600))
		environ = append(environ, "PAKLI_CONFIG="+path)
	}
	f := command.NewFlags(command.Env{Out: &out, Err: &out}, "test", "")
	s = newSettings(f, trialSections(&port, &name, &wait))
	if err = f.Read(args); err == nil {
		unknown, err = s.readSettings(environ)
	}
	return s, port, name, wait, unknown, err
}

// If a weaker source overrode a stronger one, a server would run otherwise than its operator
// believes.
func TestSettingsPrecedence(t *testing.T) {
	file := "# a file\n\nport = 2\nlong-name=of = the file # and more\n wait =  2s \n"
	s, port, name, wait, _, err := parseTrial(t, file, []string{"PAKLI_PORT=3", "PAKLI_LONG_NAME=", "HOME=/", "PAKLI_WAIT=3s"}, "--port", "4")
	testmust.Holdf(t, err == nil && port == 4 && name == "of = the file # and more" && wait == 3*time.Second, "%d %q %v, %v", port, name, wait, err)
	var b bytes.Buffer
	testmust.Do(t, s.write(&b))
	for _, line := range []string{"# from flag\nport = 4\n", "pakli.conf:4\nlong-name = of = the file", "# from PAKLI_WAIT\nwait = 3s\n"} {
		testmust.Holdf(t, strings.Contains(b.String(), line), "%q is missing in\n%s", line, b.String())
	}
	// The printed settings are a file with the same settings.
	again, port2, name2, wait2, _, err := parseTrial(t, b.String(), nil)
	testmust.Holdf(t, err == nil && port2 == port && name2 == name && wait2 == wait && again != nil, "read again: %d %q %v, %v", port2, name2, wait2, err)
	_, port, name, wait, _, err = parseTrial(t, "", nil)
	testmust.Holdf(t, err == nil && port == 1 && name == "a" && wait == time.Second, "nothing given: %d %q %v, %v", port, name, wait, err)
}

// A mistake must be reported, with its place.
func TestSettingsMistakes(t *testing.T) {
	for _, c := range []struct {
		name, file string
		environ    []string
		args       []string
		want       string
	}{
		{"unknown in the file", "port = 2\nprot = 3\n", nil, nil, `pakli.conf:2: there is no setting "prot"`},
		{"config in the file", "config = x\n", nil, nil, "no setting"},
		{"twice", "port = 2\nport = 2\n", nil, nil, "pakli.conf:2: port is set twice"},
		{"no value", "port\n", nil, nil, "not of the form"},
		{"wrong in the file", "\nport = x\n", nil, nil, `pakli.conf:2: invalid value "x" for port`},
		{"wrong variable", "", []string{"PAKLI_WAIT=3"}, nil, `PAKLI_WAIT: invalid value "3"`},
		{"wrong flag", "", nil, []string{"--port=x"}, "want a number"},
		{"below 0", "port = -1\n", nil, nil, "pakli.conf:1: invalid value -1 for port"},
		{"below 0 in time", "", []string{"PAKLI_WAIT=-1s"}, nil, "PAKLI_WAIT: invalid value -1s for wait"},
		{"no number", "", nil, []string{"--rate=NaN"}, "flag: invalid value NaN for rate"},
		{"endless", "", nil, []string{"--rate=Inf"}, "flag: invalid value +Inf for rate"},
		{"an argument", "", nil, []string{"x"}, "one argument too many"},
		{"no such file", "", []string{"PAKLI_CONFIG=/nowhere/at/all"}, nil, "/nowhere/at/all"},
	} {
		_, _, _, _, _, err := parseTrial(t, c.file, c.environ, c.args...)
		testmust.Holdf(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, want %q", c.name, err, c.want)
	}
	// Orchestrators add variables of their own under arbitrary names.
	_, _, _, _, unknown, err := parseTrial(t, "", []string{"PAKLI_PORT_8080_TCP=tcp://10.0.0.1", "PAKLI_PASSPHRASE=x"})
	testmust.Holdf(t, err == nil && len(unknown) == 1 && unknown[0] == "PAKLI_PORT_8080_TCP", "unknown %v, %v", unknown, err)
}

func FuzzSettingsFile(f *testing.F) {
	f.Add([]byte("port = 2\n# x\nlong-name = y\n"))
	f.Add([]byte("= =\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var port int
		var name string
		var wait time.Duration
		var out bytes.Buffer
		s := newSettings(command.NewFlags(command.Env{Out: &out, Err: &out}, "test", ""), trialSections(&port, &name, &wait))
		err := s.takeFile(text)
		testmust.Holdf(t, err != nil || !strings.ContainsAny(name, "\n"), "a value of more than a line: %q", name)
	})
}

const guide = "../../../docs/guide/operate.md"

// markers around the text that document writes
const tablesBegin, tablesEnd = "<!-- settings: from cmd/pakli/serve/settings.go -->\n", "<!-- end of settings -->"

// A setting is missing from the guide or differs there. PAKLI_WRITE_GUIDE=1 writes the tables anew.
func TestGuideIsInStep(t *testing.T) {
	text := testmust.Have(os.ReadFile(guide))(t)
	before, rest, ok := strings.Cut(string(text), tablesBegin)
	got, after, ok2 := strings.Cut(rest, tablesEnd)
	testmust.Require(t, ok && ok2, "the guide has no place for the settings")
	var want bytes.Buffer
	want.WriteByte('\n')
	var o Options
	document(&want, o.sections())
	if got == want.String() {
		return
	}
	testmust.Requiref(t, os.Getenv("PAKLI_WRITE_GUIDE") == "1",
		"the guide has other settings than the server: run the test with PAKLI_WRITE_GUIDE=1 to write them")
	testmust.Do(t, os.WriteFile(guide, []byte(before+tablesBegin+want.String()+tablesEnd+after), 0o644))
}

// document writes the settings as tables for docs/guide/operate.md.
func document(w io.Writer, sections []section) {
	for _, part := range declare(sections) {
		fmt.Fprintf(w, "### %s\n\n| setting | variable | default | |\n|---|---|---|---|\n", part.title)
		for _, f := range part.flags {
			value := "none"
			if f.DefValue != "" {
				value = "`" + f.DefValue + "`"
			}
			fmt.Fprintf(w, "| `%s` | `%s` | %s | %s |\n", f.Name, variable(f.Name), value, f.Usage)
		}
		fmt.Fprintln(w)
	}
}
