package parts

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// security is one self-signed certificate for all parts. If it is nil, connections are not encrypted.
type security struct {
	cert, key string // files
	config    *tls.Config
}

func newSecurity(dir string) (*security, error) {
	s := &security{cert: filepath.Join(dir, "parts.pem"), key: filepath.Join(dir, "parts.key")}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "parts of a cluster"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(0, 0, 7), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	s.config = &tls.Config{RootCAs: x509.NewCertPool()}
	s.config.RootCAs.AppendCertsFromPEM(public)
	return s, errors.Join(os.WriteFile(s.cert, public, 0o644), os.WriteFile(s.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600))
}

func (s *security) scheme() string {
	if s == nil {
		return "http://"
	}
	return "https://"
}

// logServer returns flags of Trillian's programs, which ask for no client certificate.
func (s *security) logServer() []string {
	if s == nil {
		return nil
	}
	return []string{"--tls_cert_file=" + s.cert, "--tls_key_file=" + s.key}
}

// etcd returns flags of a member, with a separate address for its health check.
func (s *security) etcd(health string) []string {
	flags := []string{"--listen-metrics-urls=http://" + health}
	if s == nil {
		return flags
	}
	return append(flags, "--cert-file="+s.cert, "--key-file="+s.key, "--trusted-ca-file="+s.cert, "--client-cert-auth")
}

// pakli returns settings of a front end.
func (s *security) pakli() []string {
	if s == nil {
		return nil
	}
	return []string{"--cluster-ca=" + s.cert, "--cluster-cert=" + s.cert, "--cluster-key=" + s.key}
}

// transport returns credentials for a log server.
func (s *security) transport() credentials.TransportCredentials {
	if s == nil {
		return insecure.NewCredentials()
	}
	return credentials.NewTLS(s.config)
}
