package authority

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"github.com/pakli/pakli/internal/testmust"
)

// Pebble is an authority that looks names up in one DNS server, and the place where it issues
// certificates.
type Pebble struct {
	*httptest.Server
	Orders atomic.Int64 // that were begun
	Away   atomic.Bool  // answer nobody
	Root   []byte       // PEM, root of the certificates that it issues
	Own    []byte       // PEM, its own server certificate, for 127.0.0.1 and example.com
}

// New starts an authority at an address. It finds host at a port of this machine. validity is the
// lifetime of its certificates, or 0 for its own default.
func New(t *testing.T, host, address string, port int, validity time.Duration) *Pebble {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	quiet := log.New(io.Discard, "", 0)
	if testing.Verbose() {
		quiet = log.New(t.Output(), "pebble ", 0)
	}
	l := testmust.Have(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	dns := l.LocalAddr().String()
	l.Close()
	names := testmust.Have(challtestsrv.New(challtestsrv.Config{Log: quiet, DNSAddrs: []string{dns}}))(t)
	names.SetDefaultDNSIPv4("")
	names.SetDefaultDNSIPv6("")
	names.AddDNSARecord(host, []string{"127.0.0.1"})
	names.Run()
	t.Cleanup(names.Shutdown)

	store := db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "for tests", ValidityPeriod: uint64(validity / time.Second)}})
	checker := va.New(quiet, 0, port, false, dns, store)
	front := wfe.New(quiet, store, checker, issuer, []string{"pebble.example"}, false, false, 1, 1)
	handler := front.Handler()
	p := &Pebble{Root: issuer.GetRootCert(0).PEM()}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.Away.Load() {
			panic(http.ErrAbortHandler) // after an answer of 503 clients pause for five minutes
		}
		if r.URL.Path == "/order-plz" {
			p.Orders.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	p.Listener.Close()
	p.Listener = testmust.Have(net.Listen("tcp", address))(t)
	p.StartTLS()
	p.Own = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw})
	t.Cleanup(p.Close)
	return p
}

// Client returns a client that trusts the authority, asks for a server's certificate by name, and
// keeps no connection. Its time-out is no measure of speed.
func (p *Pebble) Client(name string) *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(p.Root)
	return &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
}
