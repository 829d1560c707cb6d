package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/testwait"
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

// One address that takes all connections and says nothing: others wait until the proxy gives it up.
func TestProxyHasRoomForOthers(t *testing.T) {
	proxy, err := findProxy()
	if err != nil {
		t.Skip(err)
	}
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "here") }))
	defer back.Close()
	port := testmust.Have(freePort())(t)
	at := fmt.Sprintf("127.0.0.1:%d", port)
	text := testmust.Have(os.ReadFile("../../../deploy/cluster/haproxy.cfg"))(t)
	here := strings.TrimPrefix(back.URL, "http://")
	conf := filepath.Join(t.TempDir(), "haproxy.cfg")
	text = []byte(strings.NewReplacer("maxconn 8192", "maxconn 600", "bind :8080", "bind "+at, "pakli-1:8080", here, "pakli-2:8080", here).Replace(string(text)))
	testmust.Do(t, os.WriteFile(conf, text, 0o600))
	c := exec.CommandContext(t.Context(), proxy, "-db", "-f", conf)
	testmust.Do(t, c.Start())
	defer c.Wait()
	defer c.Process.Kill()
	testwait.Until(t, "the proxy", func() bool { return asked(t.Context(), at, "127.0.0.2") == nil })
	for range 620 {
		if conn, err := net.Dial("tcp", at); err == nil {
			defer conn.Close()
		}
	}
	testmust.Do(t, asked(t.Context(), at, "127.0.0.2"), "beside an address with 620 idle connections")
}

// asked asks a proxy from an address of this machine, and waits half as long as it waits for those who say nothing.
func asked(ctx context.Context, at, from string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	c := http.Client{Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/checkpoint", nil)
	if err != nil {
		return err
	}
	a, err := c.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if b, err := io.ReadAll(a.Body); err != nil || string(b) != "here" {
		return errors.Join(errors.New(a.Status), err)
	}
	return nil
}
