package compose_test

import (
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/peers/authority"
)

// lifetime of a certificate, of which a third is left when the server gets the next one.
const lifetime = 90 * time.Second

// A server whose certificate comes from an authority of the operator's own: it says so while that is away, gets one by itself when it is
// there, renews it, and has it again, with its key, after it was taken down while the authority is away. internal/trials/peers/authority has
// the rest, without containers.
func TestAuthority(t *testing.T) {
	testmust.OnlyThorough(t, "waits until a certificate is renewed")
	const host = "cards.example"
	p := newProject(t, buildQuickly(t))
	a := authority.New(t, host, "0.0.0.0:0", testmust.Have(strconv.Atoi(p.port))(t), lifetime) // where containers reach the host is told by no engine of all versions
	_, port, _ := net.SplitHostPort(a.Listener.Addr().String())
	p.settle("acme-directory = https://example.com:" + port + "/dir\n")
	testmust.Do(t, os.WriteFile(filepath.Join(p.settings, "root.pem"), a.Own, 0o644))
	p.override("services: {pakli: {environment: {SSL_CERT_FILE: /etc/pakli/root.pem}, extra_hosts: ['example.com:host-gateway']}}\n")
	p.set("PAKLI_ACME_HOST", host)
	p.set("PAKLI_ORGANISERS", "anyone")
	ask := func() (*x509.Certificate, error) {
		resp, err := a.Client(host).Get("https://127.0.0.1:" + p.port + "/livez")
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		return resp.TLS.PeerCertificates[0], nil
	}
	awaitCertificate := func(when string) (c *x509.Certificate) {
		testmust.Until(t, "a certificate "+when, func() (is bool) {
			got, err := ask()
			c = got
			return err == nil
		})
		return c
	}

	a.Away.Store(true)
	p.up()
	testmust.Fail(t, testmust.ErrorOf(ask()), "a certificate of nobody")
	said := p.do("logs", "--no-color", "pakli")
	testmust.Hold(t, strings.Contains(said, `"no certificate for those who ask"`) && strings.Contains(said, "EOF"), "it says", said)
	a.Away.Store(false)
	first := awaitCertificate("when the authority is there")
	second := first
	testmust.Until(t, "the next order", func() bool { return a.Orders.Load() > 1 })
	testmust.Until(t, "the next certificate", func() bool { second = awaitCertificate("all the time"); return !second.Equal(first) })
	t.Logf("renewed %v before the end of the first", first.NotAfter.Sub(second.NotBefore))

	a.Away.Store(true)
	p.do("down")
	p.up()
	testmust.Hold(t, awaitCertificate("kept on the volume").Equal(second), "another certificate than before it was taken down")
	files := testmust.Have(os.ReadDir(filepath.Join(docker(t, "volume", "inspect", "-f", "{{.Mountpoint}}", p.volume("pakli-data")), "acme")))(t)
	testmust.Require(t, len(files) == 2, "an account's key and a certificate are", files)
	for _, f := range files {
		about := testmust.Have(f.Info())(t)
		testmust.Hold(t, about.Mode() == 0o600 && about.Sys().(*syscall.Stat_t).Uid == 65532, f.Name(), "has", about.Mode(), about.Sys())
	}
}
