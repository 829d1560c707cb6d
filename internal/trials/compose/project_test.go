package compose_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/cluster/trial"
)

const top = "../../.."

// project is what docker-compose.yml starts, with ports, volumes and settings of its own.
type project struct {
	t        *testing.T
	command  []string // docker compose
	environ  []string
	settings string // folder that the server reads
	file     string
	profiles string // besides the default one
	port     string
	url      string
}

// newProject prepares one, whose images are called as given, and removes it when the test ends.
func newProject(t *testing.T, image string) *project {
	t.Helper()
	p := &project{t: t, command: append(composer(t), "--project-directory", "."), settings: t.TempDir(), port: freePort(t), file: filepath.Join(t.TempDir(), "docker-compose.yml")}
	testmust.Do(t, os.WriteFile(p.file, []byte(withoutDigests(t, "docker-compose.yml")), 0o600))
	testmust.Do(t, os.Chmod(p.settings, 0o755))
	p.url = "http://127.0.0.1:" + p.port
	p.environ = append(os.Environ(), "COMPOSE_FILE="+p.file, "COMPOSE_PROFILES=", "PAKLI_ALONE=1", "PAKLI_BIND=127.0.0.1", "PAKLI_ORGANISERS=", "COMPOSE_PROJECT_NAME=paklitrial"+p.port, "PAKLI_IMAGE="+image, "PAKLI_PORT="+p.port,
		"PAKLI_OPERATOR_PORT="+freePort(t), "PAKLI_COSIGNER_PORT="+freePort(t), "PAKLI_KEEPER_PORT="+freePort(t), "PAKLI_MIRROR_EVERY=500ms", "PAKLI_CLUSTER_PORT="+p.port, "PAKLI_DASHBOARD_PORT="+freePort(t), "PAKLI_SETTINGS="+p.settings)
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := p.try("logs", "--no-color", "--tail", "60")
			t.Logf("%s", out)
		}
		out, err := p.try("--profile", "cluster", "--profile", "federation", "down", "-v", "-t", "30")
		testmust.Holdf(t, err == nil, "down: %v\n%s", err, out)
	})
	return p
}

var digest = regexp.MustCompile("@sha256:[0-9a-f]{64}")

// withoutDigests returns one of our files with images by version only, which stand-ins have, too.
func withoutDigests(t *testing.T, file string) string {
	t.Helper()
	text := testmust.Have(os.ReadFile(filepath.Join(top, file)))(t)
	testmust.Requiref(t, digest.Match(text), "%s names no image by its digest", file)
	return digest.ReplaceAllString(string(text), "")
}

// composer is Compose of either version.
func composer(t *testing.T) []string {
	t.Helper()
	if out, err := exec.Command("docker", "info").CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: no engine of Docker answers here: %.200s", out)
	}
	for _, c := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(c[0], append(c[1:], "version")...).Run() == nil {
			return c
		}
	}
	t.Skip("NOT RUN: Compose is not here")
	return nil
}

func freePort(t *testing.T) string {
	t.Helper()
	l := testmust.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// set gives Compose a variable, as the shell or a file .env would.
func (p *project) set(name, value string) { p.environ = append(p.environ, name+"="+value) }

// override gives Compose a file of its own beside docker-compose.yml.
func (p *project) override(format string, args ...any) {
	p.t.Helper()
	more := filepath.Join(p.t.TempDir(), "more.yml")
	testmust.Do(p.t, os.WriteFile(more, fmt.Appendf(nil, format, args...), 0o600))
	p.set("COMPOSE_FILE", p.file+":"+more)
}

func (p *project) try(args ...string) (string, error) {
	cmd := exec.Command(p.command[0], append(p.command[1:], args...)...)
	cmd.Dir, cmd.Env = top, p.environ
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (p *project) do(args ...string) string {
	p.t.Helper()
	out, err := p.try(args...)
	testmust.Requiref(p.t, err == nil, "%s: %v\n%s", args, err, out)
	return out
}

// docker runs a command of the engine.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	return run(t, append([]string{"docker"}, args...)...)
}

func run(t *testing.T, command ...string) string {
	t.Helper()
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	testmust.Requiref(t, err == nil, "%s: %v\n%s", command, err, out)
	return strings.TrimSpace(string(out))
}

// container returns the container of a service.
func (p *project) container(service string) string {
	p.t.Helper()
	return strings.TrimSpace(p.do("ps", "-q", service))
}

// inspect returns a property of a service's container.
func (p *project) inspect(service, format string) string {
	p.t.Helper()
	return docker(p.t, "inspect", "-f", format, p.container(service))
}

// awaitHealthy returns how long a service took after its start to become healthy.
func (p *project) awaitHealthy(service string) time.Duration {
	p.t.Helper()
	id := p.container(service) // asked once: Compose takes a second of processor time, which the silences have too
	testmust.Until(p.t, service+" is healthy", func() bool { return docker(p.t, "inspect", "-f", "{{.State.Health.Status}}", id) == "healthy" })
	started := testmust.Have(time.Parse(time.RFC3339Nano, docker(p.t, "inspect", "-f", "{{.State.StartedAt}}", id)))(p.t)
	return time.Since(started)
}

// copyOut copies a file out of a service's container, which needs no program in it.
func (p *project) copyOut(service, path string) string {
	p.t.Helper()
	at := filepath.Join(p.t.TempDir(), "file")
	docker(p.t, "cp", p.container(service)+":"+path, at)
	return strings.TrimSpace(string(testmust.Have(os.ReadFile(at))(p.t)))
}

// crowd posts to a server from the host, and remembers the answers.
type crowd struct {
	p      *project
	fronts []string // services that are read at the end of a fault; none: what the port of the project shows
	load   *trial.Load
	oracle *trial.Oracle
	ended  chan error
	stop   context.CancelFunc
}

// crowd begins to post under the log's key, beside a client of other people that follows the log.
func (p *project) crowd(key string) *crowd {
	p.t.Helper()
	v := testmust.Have(note.NewVerifier(key))(p.t)
	c := &crowd{p: p, oracle: trial.NewOracle(v), ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(p.t.Context())
	c.stop = stop
	c.load = &trial.Load{URL: p.url, Clients: 6, Players: 1, Pace: 20 * time.Millisecond, Key: v, Saw: c.oracle.TakeCheckpoint}
	c.load.Start(ctx)
	go func() {
		_, err := trial.Stranger(ctx, p.url, v)
		c.ended <- err
	}()
	return c
}

// acknowledged returns when more entries were acknowledged in posts that began after the call.
func (c *crowd) acknowledged(more int) {
	c.p.t.Helper()
	now := time.Now()
	testmust.Until(c.p.t, "acknowledgements", func() bool {
		acks, _, err := c.load.SeenAcks()
		testmust.Do(c.p.t, err)
		n := 0
		for _, a := range acks {
			if a.Begun.After(now) {
				n++
			}
		}
		return n >= more
	})
}

// judge checks the log against everything that it has said.
func (c *crowd) judge(when string) {
	c.p.t.Helper()
	acks, _, err := c.load.SeenAcks()
	testmust.Do(c.p.t, err, when)
	urls := []string{c.p.url}
	if len(c.fronts) > 0 { // a proxy may lead to the one that has not followed yet
		urls = nil
		for _, service := range c.fronts {
			urls = append(urls, "http://"+c.p.inspect(service, "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}")+":8080")
		}
	}
	testmust.Do(c.p.t, c.oracle.Judge(c.p.t.Context(), acks, urls...), when)
}

// end stops all clients, judges once more, and reports the figures.
func (c *crowd) end() {
	c.p.t.Helper()
	c.load.Stop()
	c.judge("at the end")
	c.stop()
	testmust.Do(c.p.t, <-c.ended)
	acks, _, _ := c.load.SeenAcks()
	c.p.t.Logf("%d entries, %d acknowledged, 0 lost, 0 forks", c.oracle.Size(), len(acks))
}

var built string

// buildQuickly makes the server's image: the steps of the Dockerfile are done here, where Go's cache is, and Docker does the last stage.
func buildQuickly(t *testing.T) (image string) {
	t.Helper()
	composer(t)
	if built != "" {
		return built
	}
	if exec.Command("docker", "image", "inspect", "gcr.io/distroless/static-debian12:nonroot").Run() != nil {
		t.Skip("NOT RUN: the base image is not here: pull it, or run standins")
	}
	text := withoutDigests(t, "Dockerfile")
	stage := strings.LastIndex(text, "\nFROM ")
	steps, last := text[:stage], text[stage:]
	dir := t.TempDir()
	for line := range strings.Lines(steps) {
		step, ok := strings.CutPrefix(line, "RUN ")
		if !ok || strings.Contains(step, "mod download") {
			continue
		}
		run := exec.Command("sh", "-c", strings.ReplaceAll(step, "/out", dir+"/out"))
		run.Dir, run.Env = top, append(os.Environ(), "GOFLAGS=-buildvcs=false")
		said, err := run.CombinedOutput()
		testmust.Requiref(t, err == nil, "%s: %v\n%s", step, err, said)
	}
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "Dockerfile"), fmt.Appendf(nil, "FROM scratch AS build\nCOPY out /out\n%s", last), 0o600))
	docker(t, "build", "-q", "-t", "pakli-trial", dir)
	built = "pakli-trial"
	return built
}

// buildClusterQuickly makes the images of the cluster in the same way, and the server's.
func buildClusterQuickly(t *testing.T) (image string) {
	t.Helper()
	image = buildQuickly(t)
	dir := t.TempDir()
	text := withoutDigests(t, "deploy/cluster/Dockerfile")
	trillian := strings.TrimSpace(string(testmust.Have(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/trillian").Output())(t)))
	schema := testmust.Have(os.ReadFile(filepath.Join(trillian, "storage/postgresql/schema/storage.sql")))(t)
	testmust.Do(t, os.CopyFS(filepath.Join(dir, "deploy/cluster"), os.DirFS(filepath.Join(top, "deploy/cluster"))))
	for _, build := range [][]string{
		{"build", "-tags", "postgresql", "-ldflags=-s -w", "-o", dir + "/out/go/bin/", "github.com/google/trillian/cmd/trillian_log_server", "github.com/google/trillian/cmd/trillian_log_signer"},
		{"build", "-C", top, "-ldflags=-s -w", "-o", dir + "/out/go/bin/", "./cmd/pakli"},
	} {
		cmd := exec.Command("go", build...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		testmust.Requiref(t, err == nil, "%v\n%s", err, out)
	}
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "out/storage.sql"), schema, 0o644))
	_, last, _ := strings.Cut(text, "\nFROM gcr.io")
	testmust.Do(t, os.WriteFile(filepath.Join(dir, "Dockerfile"), fmt.Appendf(nil, "FROM scratch AS build\nCOPY out /\nFROM gcr.io%s", last), 0o600))
	for target, name := range map[string]string{"trillian": "pakli-trillian", "postgres": "pakli-postgres", "init": "pakli-cluster-init"} {
		docker(t, "build", "-q", "--target", target, "-t", name, dir)
	}
	return image
}

// A secret in the image or in its container's environment is in every registry and in every output of
// `docker inspect`. A program that is not pakli's is one more for an intruder to use.
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

// The host's time zone and language must not change a byte of the log or a report, since two hosts
// would then disagree. Turkish has another small I, and Chatham is 12:45 ahead.
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

// Others reach a server by TLS, with a certificate in the settings' folder that changes while the
// server runs.
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
