package compose_test

import (
	"archive/tar"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
)

// A secret in the image or in the environment of its container is in every registry and in every log of `docker inspect`; a program that
// is not pakli's is one more that an intruder finds.
func TestImage(t *testing.T) {
	p := newProject(t, buildQuickly(t))
	p.up()
	p.checkSaid()
	shown := p.inspect("pakli", "{{json .}}") + docker(t, "image", "inspect", "pakli-trial") + docker(t, "history", "--no-trunc", "pakli-trial")
	for _, path := range []string{"/data/log.key", "/data/operator-token"} {
		for line := range strings.Lines(p.copyOut("pakli", path)) {
			if line = strings.TrimSpace(line); line != p.copyOut("pakli", "/data/log.vkey") {
				testmust.Hold(t, len(line) > 16 && !strings.Contains(shown, line), "a line of", path, "is shown by the engine")
			}
		}
	}
	testmust.Equal(t, strings.Join(executables(t, p.container("pakli")), " "), "usr/local/bin/pakli usr/local/bin/pakli-verify", "programs in the image")
}

// Build stages that need what only this machine has: the images are built as the Dockerfiles say, by an engine, with Go modules from a
// proxy. The server's program has the bytes that it has in the image of the other tests, of which Docker builds the last stage alone.
func TestDockerfiles(t *testing.T) {
	testmust.OnlyThorough(t, "compiles everything twice, without Go's cache")
	quick := buildQuickly(t)
	if exec.Command("docker", "image", "inspect", "golang:1.26.8-bookworm").Run() != nil {
		t.Skip("NOT RUN: the image of Go is not here: pull it, or run standins")
	}
	var programs [][]byte
	for _, image := range []struct{ name, file, target, programs string }{
		{"pakli-built", "Dockerfile", "", "pakli pakli-verify"}, {quick, "", "", "pakli pakli-verify"},
		{"pakli-built-trillian", "deploy/cluster/Dockerfile", "trillian", "trillian_log_server trillian_log_signer wget"},
		{"pakli-built-postgres", "deploy/cluster/Dockerfile", "postgres", ""}, {"pakli-built-init", "deploy/cluster/Dockerfile", "init", ""}, // on images with a shell
	} {
		if image.file != "" {
			file := filepath.Join(t.TempDir(), "Dockerfile")
			testmust.Do(t, os.WriteFile(file, []byte(withoutDigests(t, image.file)), 0o600))
			docker(t, "build", "-q", "-f", file, "--target", image.target, "-t", image.name, top)
		}
		container := docker(t, "create", image.name, "none") // a name of a program, for images that name none
		if image.programs != "" {
			testmust.Equal(t, strings.ReplaceAll(strings.Join(executables(t, container), " "), "usr/local/bin/", ""), image.programs, "programs in", image.name)
		}
		if strings.HasPrefix(image.programs, "pakli ") {
			at := filepath.Join(t.TempDir(), "pakli")
			docker(t, "cp", container+":/usr/local/bin/pakli", at)
			programs = append(programs, testmust.Have(os.ReadFile(at))(t))
		}
		docker(t, "rm", container)
		t.Logf("%s: %s bytes, layers:\n%s", image.name, docker(t, "image", "inspect", "-f", "{{.Size}}", image.name), docker(t, "history", "--format", "{{.Size}}\t{{.CreatedBy}}", image.name))
	}
	testmust.Hold(t, bytes.Equal(programs[0], programs[1]), "Docker compiles another program")
}

// executables lists the programs of a container.
func executables(t *testing.T, container string) (list []string) {
	t.Helper()
	export := exec.Command("docker", "export", container)
	out := testmust.Have(export.StdoutPipe())(t)
	testmust.Do(t, export.Start())
	for files := tar.NewReader(out); ; {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		testmust.Do(t, err)
		if h.Typeflag == tar.TypeReg && h.Mode&0o111 != 0 && h.Size > 0 && !strings.HasPrefix(h.Name, "etc/") { // the engine puts empty files there, and the base has a script without a shell
			list = append(list, h.Name)
		}
	}
	testmust.Do(t, export.Wait())
	return list
}

// The time zone and the language of a host, of which a byte on the log or in a report would make two hosts disagree. Turkish has
// another small I, and Chatham is 12:45 ahead.
func TestHostChangesNoByte(t *testing.T) {
	testmust.OnlyThorough(t, "plays a game")
	p := newProject(t, buildQuickly(t))
	p.up()
	key := p.checkSaid()
	p.playGame(key)
	var said []string
	for _, env := range [][]string{{"TZ=UTC", "LANG=C", "LC_ALL=C"}, {"TZ=Pacific/Chatham", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8"}} {
		run := []string{"run", "--rm", "-T", "--no-deps", "--entrypoint", verifierProgram}
		for _, each := range env {
			run = append(run, "-e", each)
		}
		said = append(said, p.do(append(run, "pakli", "--json", "--log", key, "--all", "http://pakli:8080")...))
	}
	testmust.Hold(t, strings.Contains(said[0], `"sound"`), said[0])
	testmust.Equal(t, said[0], said[1], "two hosts say of one log")
}

// A server that others reach by TLS, with a certificate of the settings' folder, which is changed while it runs.
func TestCertificateOfSettings(t *testing.T) {
	testmust.OnlyThorough(t, "starts a container")
	p := newProject(t, buildQuickly(t))
	first := p.writeCertificate()
	p.set("PAKLI_TLS_CERT", "/etc/pakli/tls.pem")
	p.set("PAKLI_TLS_KEY", "/etc/pakli/tls.key")
	p.up()
	p.checkServes(first)
	p.checkServes(p.writeCertificate())
}

// writeCertificate writes a certificate of its own and its key, which only the server's user can read.
func (p *project) writeCertificate() *x509.Certificate {
	p.t.Helper()
	key := testmust.Have(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(p.t)
	about := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	text := testmust.Have(x509.CreateCertificate(rand.Reader, about, about, key.Public(), key))(p.t)
	secret := testmust.Have(x509.MarshalPKCS8PrivateKey(key))(p.t)
	for name, block := range map[string]*pem.Block{"tls.pem": {Type: "CERTIFICATE", Bytes: text}, "tls.key": {Type: "PRIVATE KEY", Bytes: secret}} {
		path := filepath.Join(p.settings, name)
		testmust.Do(p.t, os.WriteFile(path+".new", pem.EncodeToMemory(block), 0o600))
		testmust.Do(p.t, os.Chown(path+".new", 65532, 65532))
		testmust.Do(p.t, os.Rename(path+".new", path))
	}
	return testmust.Have(x509.ParseCertificate(text))(p.t)
}

// checkServes waits until the server shows a certificate.
func (p *project) checkServes(c *x509.Certificate) {
	p.t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(c)
	asks := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
	testmust.Until(p.t, "a server with the certificate", func() bool {
		resp, err := asks.Get("https://localhost:" + p.port + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}
