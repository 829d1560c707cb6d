package authority

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

const host = "cards.example"

// freePort returns a port of this machine that nobody had a moment ago.
func freePort(t *testing.T) (address string, port int) {
	t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	return l.Addr().String(), l.Addr().(*net.TCPAddr).Port
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
func serve(t *testing.T, data, listen string, p *Pebble) (stop func()) {
	t.Helper()
	path := testmust.Have(binary())(t)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	testmust.Do(t, os.WriteFile(roots, p.Own, 0o600))
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
func ask(t *testing.T, address, name string, p *Pebble) (*x509.Certificate, error) {
	t.Helper()
	c := p.Client(name)
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

// A server gets no certificate from an authority, requests a new one at each start or for names that
// others invent, or leaves its key readable.
func TestCertificate(t *testing.T) {
	listen, port := freePort(t)
	p := New(t, host, "127.0.0.1:0", port, 0)
	data := filepath.Join(t.TempDir(), "data")
	stop := serve(t, data, listen, p)
	var first *x509.Certificate
	testmust.Until(t, "a certificate", func() (is bool) { // who asks first may have to ask again, since the authority takes its time
		got, err := ask(t, listen, host, p)
		first = got
		return err == nil
	})
	if err := first.VerifyHostname(host); err != nil || p.Orders.Load() != 1 {
		t.Errorf("%v after %d orders, want one", err, p.Orders.Load())
	}
	if _, err := ask(t, listen, "other.example", p); err == nil || p.Orders.Load() != 1 {
		t.Errorf("another name: %v, %d orders", err, p.Orders.Load())
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

	p.Away.Store(true)
	stop = serve(t, data, listen, p)
	kept, err := ask(t, listen, host, p)
	testmust.Holdf(t, err == nil && kept.Equal(first), "after a restart, without the authority: %v", err)
	stop()
}

// What the authority refuses is refused to clients, and the server continues.
func TestRefused(t *testing.T) {
	listen, port := freePort(t)
	p := New(t, host, "127.0.0.1:0", port+1, 0) // where nobody answers
	stop := serve(t, filepath.Join(t.TempDir(), "data"), listen, p)
	testmust.Fail(t, testmust.ErrorOf(ask(t, listen, host, p)), "a certificate of a name that was not checked")
	stop()
}
