package compose_test

import (
	"bytes"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/cluster/trial"
	"github.com/pakli/pakli/internal/trials/peers/authority"
	"github.com/pakli/pakli/ledger/tlog"
)

// hold is how long a fault lasts.
const hold = 2 * time.Second

// All of the cluster on one machine, to which people post through its proxy while each kind of container is killed, paused and cut
// off, its front ends are made anew one by one, and its primary dies and is replaced as docs/guide/cluster.md says.
// Silences are compared with the bars of the guide, which a busy machine does not keep: they are printed. Each container suffers one of the
// faults, by turns, and all with PAKLI_TESTS=all.
func TestCluster(t *testing.T) {
	testmust.OnlyThorough(t, "builds Trillian, and starts 15 containers")
	p := newProject(t, buildClusterQuickly(t))
	p.set("PAKLI_ALONE", "0")
	p.override("services: {pakli-1: &front-end {environment: {PAKLI_POST_RATE: -1, PAKLI_TABLE_RATE: -1, PAKLI_KEY_RATE: -1, PAKLI_GLOBAL_RATE: -1}}, pakli-2: *front-end}\n")
	p.profiles = "cluster"
	p.set("COMPOSE_PROFILES", "cluster")
	p.do("up", "-d", "--no-build")
	for _, service := range []string{"haproxy", "pakli-1", "pakli-2", "trillian-log-server-1", "trillian-log-server-2", "trillian-log-signer-1", "trillian-log-signer-2",
		"postgres-1", "postgres-2", "etcd-1", "etcd-2", "etcd-3", "prometheus", "grafana"} {
		p.awaitHealthy(service)
	}
	key := p.copyOut("pakli-1", "/data/log.vkey")
	p.federate(key, "http://haproxy:8080")
	p.set("PAKLI_POLICY", "/etc/pakli/policy")
	p.do("up", "-d", "--no-build", "--no-deps", "pakli-1", "pakli-2") // anew, with their policy
	p.awaitHealthy("pakli-1")
	p.awaitHealthy("pakli-2")
	c := p.crowd(key)
	c.fronts = []string{"pakli-1", "pakli-2"}
	c.acknowledged(20)
	c.watch("nothing broken", time.Second, func() { c.acknowledged(200) })
	for n, part := range []struct {
		service string
		bar     time.Duration
	}{
		{"pakli-1", 3 * time.Second}, {"pakli-2", 3 * time.Second}, {"trillian-log-server-1", time.Second}, {"trillian-log-server-2", time.Second},
		{"trillian-log-signer-1", time.Second}, {"trillian-log-signer-2", time.Second}, {"etcd-1", 3 * time.Second}, {"etcd-2", 3 * time.Second}, {"etcd-3", 3 * time.Second},
		{"postgres-2", 0}, {"haproxy", 0}, {"cosigner", time.Second}, {"keeper", time.Second}, {"prometheus", time.Second}, {"grafana", time.Second},
	} {
		c.breakPart(n, part.service, part.bar)
	}
	c.watch("front ends made anew one by one", 3*time.Second, func() {
		for _, service := range []string{"pakli-1", "pakli-2"} {
			p.do("up", "-d", "--no-build", "--no-deps", "--force-recreate", service)
			p.awaitHealthy(service)
		}
	})
	c.promote()
	c.end()
	p.checkCosigned(key, uint64(c.oracle.Size()))
}

// checkCosigned waits until both cosigners have signed the latest state of the log that its clients
// have seen. A cosigner does not sign a state that does not extend what it has seen.
func (p *project) checkCosigned(key string, size uint64) {
	p.t.Helper()
	v := testmust.Have(note.NewVerifier(key))(p.t)
	testmust.Until(p.t, "cosigners have seen the last entry", func() bool {
		resp, err := http.Get(p.url + "/cosigned/checkpoint")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		if err != nil || resp.StatusCode != http.StatusOK {
			return false
		}
		c, err := tlog.ParseCheckpoint(text)
		return err == nil && c.Verify(v) == nil && c.Size >= size && bytes.Count(text, []byte("\n— ")) >= 3
	})
}

// breakPart kills, pauses and cuts off the n-th container, each for a while, or does one of these.
func (c *crowd) breakPart(n int, service string, bar time.Duration) {
	c.p.t.Helper()
	id := c.p.container(service)
	network := c.p.inspect(service, "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}}{{end}}")
	for i, fault := range []struct{ name, begin, end string }{
		{"killed", "kill " + id, "start " + id}, {"paused", "pause " + id, "unpause " + id},
		{"cut off", "network disconnect " + network + " " + id, "network connect --alias " + service + " " + network + " " + id},
	} {
		if i != n%3 && !testmust.ThoroughInAll() {
			continue
		}
		c.watch(service+" "+fault.name, bar, func() {
			docker(c.p.t, strings.Fields(fault.begin)...)
			time.Sleep(hold)
			docker(c.p.t, strings.Fields(fault.end)...)
			c.p.awaitHealthy(service)
		})
	}
}

// promote follows docs/guide/cluster.md for a dead primary, with the commands of that page.
func (c *crowd) promote() {
	c.p.t.Helper()
	docker(c.p.t, "kill", c.p.container("postgres-1"))
	c.watch("primary killed, standby promoted", 2*time.Second, func() {
		c.p.do("exec", "-T", "postgres-2", "psql", "-h", "127.0.0.1", "-U", "trillian", "-c", "SELECT pg_promote()")
	})
	c.watch("the old primary made anew as the standby", 0, func() {
		c.p.do("run", "--rm", "-T", "--no-deps", "-e", "PRIMARY=postgres-2", "--entrypoint", "/usr/local/bin/standby", "postgres-1", "anew")
		c.p.do("start", "postgres-1")
		c.p.awaitHealthy("postgres-1")
		for _, sql := range []string{"ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'", "SELECT pg_reload_conf()"} {
			c.p.do("exec", "-T", "postgres-2", "psql", "-h", "127.0.0.1", "-U", "trillian", "-c", sql)
		}
		testmust.Until(c.p.t, "the standby follows", func() bool {
			return strings.Contains(c.p.do("exec", "-T", "postgres-2", "psql", "-h", "127.0.0.1", "-U", "trillian", "-Atc", "SELECT sync_state FROM pg_stat_replication"), "quorum")
		})
	})
}

// watch causes a fault while clients post, reports how long they waited, and checks the log against
// everything that it has said.
func (c *crowd) watch(what string, bar time.Duration, fault func()) {
	c.p.t.Helper()
	begun := time.Now()
	before, _, _ := c.load.SeenAcks()
	fault()
	c.acknowledged(20)
	acks, _, err := c.load.SeenAcks()
	testmust.Do(c.p.t, err, what)
	nobody, longest := trial.LongestSilence(slices.Clone(acks[len(before):]), begun, time.Now())
	c.p.t.Logf("%s: bar %v, nobody's for %.2f s, one client's for %.2f s, %d acknowledged", what, bar, nobody.Seconds(), longest.Seconds(), len(acks)-len(before))
	c.judge(what)
}

// lifetime is the lifetime of a certificate. A third is left when the server gets the next one.
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

const verifierProgram = "/usr/local/bin/pakli-verify"

// A cosigner, a keeper and a mirror, as docs/guide/operate.md starts them, of a server in a container; and what they are for. The
// server's volume is lost: a backup that is older than the mirror is refused, and the mirror is made the log again, of which nothing
// that was acknowledged is missing.
func TestFederation(t *testing.T) {
	testmust.OnlyThorough(t, "the short form is what the scripts of cmd/pakli play without containers")
	p := newProject(t, buildQuickly(t))
	p.settle(unbounded)
	p.up()
	key := p.checkSaid()
	p.federate(key, "http://pakli:8080")
	p.set("PAKLI_POLICY", "/etc/pakli/policy")
	p.up()
	c := p.crowd(key)
	c.acknowledged(30)
	for _, service := range []string{"cosigner", "keeper"} { // both are wanted: without one the log goes on, and without the other it starts again
		p.do("kill", "-s", "KILL", service)
		c.acknowledged(30)
		p.do("up", "-d", "--no-build", "--no-deps", service)
		p.awaitHealthy(service)
	}
	p.do("restart", "pakli")
	c.acknowledged(30)
	c.judge("cosigned")

	p.backUp(key)
	c.acknowledged(30)
	c.load.Stop()
	c.judge("before the volume is lost")
	testmust.Until(t, "the mirror has all entries", func() bool { return p.mirrored() >= c.oracle.Size() })
	for _, source := range []string{"http://pakli:8080/cosigned", "/copy/copy"} {
		verify := []string{"--log", key, "--all", source}
		if source != "/copy/copy" { // the mirror is of what the log has signed alone
			verify = append(verify, "--policy", "/etc/pakli/policy")
		}
		out, _ := p.try(append([]string{"run", "--rm", "-T", "--no-deps", "-v", p.volume("mirror-data") + ":/copy:ro", "--entrypoint", verifierProgram, "pakli"}, verify...)...)
		testmust.Hold(t, strings.Contains(out, " unfinished, 0 foul, 0 cannot be checked."), source, "is verified:", out)
	}

	p.do("rm", "-sf", "pakli")
	docker(t, "volume", "rm", p.volume("pakli-data"))
	p.do("up", "--no-start", "--no-build", "pakli")
	docker(t, "cp", filepath.Join(p.settings, "keys", "log.key"), p.container("pakli")+":/data/")
	copied := p.volume("mirror-data") + ":/newest:ro"
	restore := func(of string) (string, error) {
		return p.try("run", "--rm", "-T", "--no-deps", "-v", copied, "-v", filepath.Join(p.settings, "backup")+":/backup:ro", "pakli", "restore", "--data", "/data", "--newest", "/newest/copy", of)
	}
	out, err := restore("/backup/cards")
	testmust.Hold(t, err != nil && strings.Contains(out, "newest"), "an older backup is made the log:", out)
	out, err = restore("/newest/copy")
	testmust.Requiref(t, err == nil, "%v: %s", err, out)
	p.up()
	c.end()
}

// mirrored returns how many entries the mirror reports.
func (p *project) mirrored() (n int) {
	p.t.Helper()
	for _, said := range regexp.MustCompile(`(\d+) entries of `).FindAllStringSubmatch(p.do("logs", "--no-color", "mirror"), -1) {
		n = max(n, testmust.Have(strconv.Atoi(said[1]))(p.t))
	}
	return n
}

// settle writes the settings of the server.
func (p *project) settle(lines string) {
	p.t.Helper()
	testmust.Do(p.t, os.WriteFile(filepath.Join(p.settings, "pakli.conf"), []byte(lines), 0o644))
	p.set("PAKLI_CONFIG", "/etc/pakli/pakli.conf")
}

// federate starts the other profile for a log, and writes the policy with the keys that it reports.
func (p *project) federate(key, server string) {
	p.t.Helper()
	p.set("PAKLI_LOG", key)
	p.set("PAKLI_SERVER", server)
	p.do("--profile", "federation", "up", "-d", "--no-build", "--no-deps", "cosigner", "keeper", "mirror")
	p.set("COMPOSE_PROFILES", strings.Trim(p.profiles+",federation", ","))
	policy, witnesses := "log "+key+"\n", ""
	for service, name := range map[string]string{"cosigner": "cosigner.localhost", "keeper": "keeper.localhost"} {
		p.awaitHealthy(service)
		keys := regexp.MustCompile(`(?m)\S+\+[0-9a-f]{8}\+\S+$`).FindAllString(p.do("logs", "--no-color", service), -1)
		testmust.Requiref(p.t, len(keys) >= 1 && strings.HasPrefix(keys[0], name), "%s says its keys are %q", service, keys)
		policy += fmt.Sprintf("witness %s %s http://%s:8090\n", service, keys[0], service)
		if service == "keeper" {
			policy += fmt.Sprintf("# pakli keeper %s %s\n", service, keys[1])
		}
		witnesses += " " + service
	}
	policy += "group both all" + witnesses + "\nquorum both\n"
	testmust.Do(p.t, os.WriteFile(filepath.Join(p.settings, "policy"), []byte(policy), 0o644))
}

// backUp takes a backup of the server, and its keys.
func (p *project) backUp(key string) {
	p.t.Helper()
	for _, dir := range []string{"backup", "keys"} {
		testmust.Do(p.t, os.Mkdir(filepath.Join(p.settings, dir), 0o700))
		testmust.Do(p.t, os.Chown(filepath.Join(p.settings, dir), 65532, 65532))
	}
	p.inImage("", []string{filepath.Join(p.settings, "backup") + ":/backup"}, "backup", "--server", "http://pakli:8080", "--log", key, "/backup/cards")
	docker(p.t, "cp", p.container("pakli")+":/data/log.key", filepath.Join(p.settings, "keys"))
	testmust.Do(p.t, os.Chown(filepath.Join(p.settings, "keys", "log.key"), 65532, 65532))
}

// inImage runs a program of the server's image on its network, and returns what it prints.
func (p *project) inImage(program string, volumes []string, args ...string) string {
	p.t.Helper()
	run := []string{"run", "--rm", "-T", "--no-deps"}
	for _, v := range volumes {
		run = append(run, "-v", v)
	}
	if program != "" {
		run = append(run, "--entrypoint", program)
	}
	return p.do(append(append(run, "pakli"), args...)...)
}

// volume returns the engine's name of a volume of the file.
func (p *project) volume(name string) string { return "paklitrial" + p.port + "_" + name }
