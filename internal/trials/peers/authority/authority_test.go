package authority_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
)

const host = "cards.example"

// patience bounds every wait; it is no measure of speed.
const patience = time.Minute

// freePort returns a port of this machine that nobody had a moment ago.
func freePort(t *testing.T) (address string, port int) {
	t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String(), l.Addr().(*net.TCPAddr).Port
}

// pebble is an authority that looks names up as one DNS server says, and where it
// issues certificates.
type pebble struct {
	*httptest.Server
	orders atomic.Int64 // that were begun
	root   []byte       // PEM, of what it issues
}

// newPebble starts an authority that checks names at a port of this machine.
func newPebble(t *testing.T, port int) *pebble {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	quiet := log.New(io.Discard, "", 0)
	if testing.Verbose() {
		quiet = log.New(t.Output(), "pebble ", 0)
	}
	dns, _ := freePort(t)
	names := testmust.Have(challtestsrv.New(challtestsrv.Config{Log: quiet, DNSAddrs: []string{dns}}))(t)
	names.SetDefaultDNSIPv4("")
	names.SetDefaultDNSIPv6("")
	names.AddDNSARecord(host, []string{"127.0.0.1"})
	names.Run()
	t.Cleanup(names.Shutdown)

	store := db.NewMemoryStore()
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {Description: "for tests"}})
	checker := va.New(quiet, 0, port, false, dns, store)
	front := wfe.New(quiet, store, checker, issuer, []string{"pebble.example"}, false, false, 1, 1)
	p := &pebble{root: issuer.GetRootCert(0).PEM()}
	handler := front.Handler()
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/order-plz" {
			p.orders.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// binary builds pakli.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pakli-authority")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "pakli")
	build := exec.Command("go", "build", "-o", path, "./cmd/pakli")
	build.Dir = filepath.Join("..", "..", "..", "..") // of the module whose dependencies it has
	build.Stderr = os.Stderr
	return path, build.Run()
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// serve runs pakli until the function that it returns is called, which checks
// that it ends well.
func serve(t *testing.T, data, listen string, p *pebble) (stop func()) {
	t.Helper()
	path := testmust.Have(binary())(t)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	testmust.Do(t, os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.Certificate().Raw}), 0o600))
	cmd := exec.Command(path, "serve", "--data", data, "--listen", listen, "--organisers", "anyone", "--ballast", "0", "--operator-addr", "none",
		"--acme-host", host, "--acme-directory", p.URL+"/dir", "--acme-email", "club@cards.example")
	cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+roots)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out := testmust.Have(cmd.StdoutPipe())(t)
	testmust.Do(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "https://"+host) {
		cmd.Wait()
		t.Fatalf("%q, %v\n%s", line, err, complaints.Bytes())
	}
	return func() {
		t.Helper()
		cmd.Process.Signal(syscall.SIGTERM)
		err := cmd.Wait()
		testmust.Holdf(t, err == nil, "%v\n%s", err, complaints.Bytes())
	}
}

// ask asks the server at an address for its health under a name, and returns the
// certificate that it showed to those who believe the authority.
func ask(t *testing.T, address, name string, p *pebble) (*x509.Certificate, error) {
	t.Helper()
	roots := x509.NewCertPool()
	testmust.Require(t, roots.AppendCertsFromPEM(p.root), "the authority has no root")
	c := &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: name}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
	resp, err := c.Get("https://" + address + "/livez")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK || string(b) != "alive\n" || resp.ProtoMajor != 2 {
		t.Errorf("%s %d %q, %v", resp.Proto, resp.StatusCode, b, err)
	}
	return resp.TLS.PeerCertificates[0], nil
}

// A server that no authority gives a certificate to, that asks for one again at
// each start, for names that others make up, or that leaves its key to be read.
func TestCertificate(t *testing.T) {
	listen, port := freePort(t)
	p := newPebble(t, port)
	data := filepath.Join(t.TempDir(), "data")
	stop := serve(t, data, listen, p)
	var first *x509.Certificate
	testwait.Until(t, "a certificate", func() (is bool) { // who asks first may have to ask again, since the authority takes its time
		got, err := ask(t, listen, host, p)
		first = got
		return err == nil
	})
	if err := first.VerifyHostname(host); err != nil || p.orders.Load() != 1 {
		t.Errorf("%v after %d orders, want one", err, p.orders.Load())
	}
	if _, err := ask(t, listen, "other.example", p); err == nil || p.orders.Load() != 1 {
		t.Errorf("another name: %v, %d orders", err, p.orders.Load())
	}
	again, err := ask(t, listen, host, p)
	testmust.Holdf(t, err == nil && again.Equal(first), "another certificate for the next one who asks: %v", err)
	stop()
	files, err := os.ReadDir(filepath.Join(data, "acme"))
	testmust.Requiref(t, err == nil && len(files) != 0, "kept %v, %v", files, err)
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v, %v", f.Name(), info.Mode(), err)
		}
	}

	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "the authority is away", http.StatusServiceUnavailable)
	})
	stop = serve(t, data, listen, p)
	kept, err := ask(t, listen, host, p)
	testmust.Holdf(t, err == nil && kept.Equal(first), "after a restart, without the authority: %v", err)
	stop()
}

// What the authority refuses is refused to those who ask, and the server lives.
func TestRefused(t *testing.T) {
	listen, port := freePort(t)
	p := newPebble(t, port+1) // where nobody answers
	stop := serve(t, filepath.Join(t.TempDir(), "data"), listen, p)
	testmust.Fail(t, testmust.ErrorOf(ask(t, listen, host, p)), "a certificate of a name that was not checked")
	stop()
}
