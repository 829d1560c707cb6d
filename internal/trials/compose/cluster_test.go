package compose_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/trials/cluster/trial"
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

// checkCosigned waits until both cosigners have signed the last state of the log that its clients have seen: neither does where
// what it is shown does not go on from what it has seen.
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

// promote does what docs/guide/cluster.md says when the primary is dead, with the commands that stand there.
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

// watch does something while people post, says how long they waited, and holds the log to what it has said.
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
