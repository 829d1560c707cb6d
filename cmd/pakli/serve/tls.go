package serve

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/pakli/pakli/internal/command"
)

// transport is how the server speaks TLS: not at all, with a certificate from
// files, or with one that it gets itself by ACME (RFC 8555).
type transport struct {
	cert, key string // files

	acmeHost, acmeEmail, acmeDirectory string
}

// acmeDir holds certificates and the account key, in the data directory.
const acmeDir = "acme"

// config returns nil if no TLS is spoken.
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
		return t.manager(data).TLSConfig(), nil
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

// manager gets certificates for one name alone: whatever else a client asks for
// would cost the operator requests at the authority. The authority checks with
// TLS-ALPN-01, on port 443 (RFC 8737).
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

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// url is where a server at an address is found.
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
