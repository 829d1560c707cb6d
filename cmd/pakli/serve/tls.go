package serve

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/pakli/pakli/internal/command"
)

// transport has the settings for TLS: none, a certificate from files, or one that the server gets by
// ACME (RFC 8555).
type transport struct {
	cert, key string // files

	acmeHost, acmeEmail, acmeDirectory string
}

// acmeDir holds certificates and the account key, in the data directory.
const acmeDir = "acme"

// config returns the TLS configuration, or nil without TLS.
func (t transport) config(data string, logger *slog.Logger) (*tls.Config, error) {
	switch {
	case (t.cert == "") != (t.key == ""):
		return nil, command.WrongUsage("--tls-cert and --tls-key belong together")
	case t.cert != "" && t.acmeHost != "":
		return nil, command.WrongUsage("a certificate comes from files or by --acme-host, not both")
	case t.acmeHost == "" && t.acmeDirectory+t.acmeEmail != "":
		return nil, command.WrongUsage("--acme-directory and --acme-email say nothing without --acme-host")
	case t.acmeDirectory != "" && !isURL(t.acmeDirectory):
		return nil, command.WrongUsage("--acme-directory %q is no URL like https://host/path", t.acmeDirectory)
	case t.acmeHost != "":
		config := t.manager(data).TLSConfig()
		config.GetCertificate = logCertificate(config.GetCertificate, t.acmeHost, logger, time.Now)
		return config, nil
	case t.cert == "":
		return nil, nil
	}
	files, err := newWatched(logger, time.Now, func() (tls.Certificate, error) { return tls.LoadX509KeyPair(t.cert, t.key) }, t.cert, t.key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c := files.currentValue()
			return &c, nil
		},
	}, nil
}

// manager gets certificates for one name only: other names that a client asks for would cost the
// operator requests at the authority. The authority checks the name with TLS-ALPN-01 on port 443 (RFC
// 8737).
func (t transport) manager(data string) *autocert.Manager {
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		HostPolicy: autocert.HostWhitelist(t.acmeHost),
		Cache:      autocert.DirCache(filepath.Join(data, acmeDir)),
		Email:      t.acmeEmail,
	}
	if t.acmeDirectory != "" {
		m.Client = &acme.Client{DirectoryURL: t.acmeDirectory}
	}
	return m
}

// logCertificate logs, at most once a minute, that there is no certificate or that the current one is
// overdue for renewal. autocert reports a missing one only to the client that asks; it renews when a
// third of the time is left, and reports no failure. Requests for other names, or with the
// authority's challenge, are not logged.
func logCertificate(get func(*tls.ClientHelloInfo) (*tls.Certificate, error), host string, logger *slog.Logger, clock func() time.Time) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	var mu sync.Mutex
	var quiet time.Time // no line before this time
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		c, err := get(hello)
		if !strings.EqualFold(hello.ServerName, host) || slices.Contains(hello.SupportedProtos, acme.ALPNProto) {
			return c, err
		}
		mu.Lock()
		defer mu.Unlock()
		now := clock()
		switch {
		case now.Before(quiet):
			return c, err
		case err != nil:
			logger.Warn("no certificate for those who ask", "host", host, "error", err)
		case c.Leaf != nil && c.Leaf.NotAfter.Sub(now) < c.Leaf.NotAfter.Sub(c.Leaf.NotBefore)/4:
			logger.Warn("the certificate could not be renewed: look whether the authority answers, and reaches port 443 here", "host", host, "ends", c.Leaf.NotAfter)
		default:
			return c, nil
		}
		quiet = now.Add(time.Minute)
		return c, err
	}
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// url returns the URL of a server at an address.
func (t transport) url(address string) string {
	switch {
	case t.acmeHost != "":
		if _, port, err := net.SplitHostPort(address); err == nil && port != "443" {
			return "https://" + net.JoinHostPort(t.acmeHost, port)
		}
		return "https://" + t.acmeHost
	case t.cert != "":
		return "https://" + address
	}
	return "http://" + address
}
