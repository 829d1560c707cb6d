package parts

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// What is tried here must be what is deployed: a setting of PostgreSQL or HAProxy that only one of
// them has makes every figure one of another cluster.
func TestAsDeployed(t *testing.T) {
	conf := testmust.Have(os.ReadFile("../../../deploy/cluster/postgresql.conf"))(t)
	deployed := strings.ReplaceAll(string(conf), " = ", "=")
	for _, s := range databaseSettings {
		if strings.HasPrefix(s, "listen_addresses") || strings.HasPrefix(s, "unix_socket") {
			continue
		}
		if !strings.Contains(deployed, "\n"+s+"\n") {
			t.Errorf("postgresql.conf lacks %s", s)
		}
	}
	proxy := testmust.Have(os.ReadFile("../../../deploy/cluster/haproxy.cfg"))(t)
	for line := range strings.Lines(proxyConf) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "%") || strings.HasPrefix(line, "server ") {
			continue
		}
		if !strings.Contains(string(proxy), line) {
			t.Errorf("haproxy.cfg lacks %q", line)
		}
	}
}

// A proxy that does not start, or does not while a front end is not there yet.
func TestProxyStarts(t *testing.T) {
	proxy, err := findProxy()
	if err != nil {
		t.Skip(err)
	}
	if out, err := exec.CommandContext(t.Context(), proxy, "-c", "-f", "../../../deploy/cluster/haproxy.cfg").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
