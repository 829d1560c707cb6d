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
	"github.com/pakli/pakli/internal/trials/cluster/process"
	"github.com/pakli/pakli/ledger/cluster"
)

// The trials must run what is deployed. A setting of PostgreSQL or HAProxy that differs would make
// every figure one of another cluster.
func TestAsDeployed(t *testing.T) {
	conf := testmust.Have(os.ReadFile("../../../../deploy/cluster/postgresql.conf"))(t)
	deployed := strings.ReplaceAll(string(conf), " = ", "=")
	for _, s := range databaseSettings {
		if strings.HasPrefix(s, "listen_addresses") || strings.HasPrefix(s, "unix_socket") {
			continue
		}
		testmust.Holdf(t, strings.Contains(deployed, "\n"+s+"\n"), "postgresql.conf lacks %s", s)
	}
	proxy := testmust.Have(os.ReadFile("../../../../deploy/cluster/haproxy.cfg"))(t)
	for line := range strings.Lines(proxyConf) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "%") || strings.HasPrefix(line, "server ") {
			continue
		}
		testmust.Holdf(t, strings.Contains(string(proxy), line), "haproxy.cfg lacks %q", line)
	}
}

// A proxy must start, even while a front end is not there yet.
func TestProxyStarts(t *testing.T) {
	proxy, err := findProxy()
	if err != nil {
		t.Skip(err)
	}
	out, err := exec.CommandContext(t.Context(), proxy, "-c", "-f", "../../../../deploy/cluster/haproxy.cfg").CombinedOutput()
	testmust.Holdf(t, err == nil, "%v\n%s", err, out)
}

// One address uses all connections and sends nothing. Others wait until the proxy closes these.
func TestProxyHasRoomForOthers(t *testing.T) {
	proxy, err := findProxy()
	if err != nil {
		t.Skip(err)
	}
	back := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "here") }))
	defer back.Close()
	port := testmust.Have(freePort())(t)
	at := fmt.Sprintf("127.0.0.1:%d", port)
	text := testmust.Have(os.ReadFile("../../../../deploy/cluster/haproxy.cfg"))(t)
	here := strings.TrimPrefix(back.URL, "http://")
	conf := filepath.Join(t.TempDir(), "haproxy.cfg")
	text = []byte(strings.NewReplacer("maxconn 8192", "maxconn 600", "bind :8080", "bind "+at, "pakli-1:8080", here, "pakli-2:8080", here).Replace(string(text)))
	testmust.Do(t, os.WriteFile(conf, text, 0o600))
	c := exec.CommandContext(t.Context(), proxy, "-db", "-f", conf)
	testmust.Do(t, c.Start())
	defer c.Wait()
	defer c.Process.Kill()
	testmust.Until(t, "the proxy", func() bool { return asked(t.Context(), at, "127.0.0.2") == nil })
	for range 620 {
		if conn, err := net.Dial("tcp", at); err == nil {
			defer conn.Close()
		}
	}
	testmust.Do(t, asked(t.Context(), at, "127.0.0.2"), "beside an address with 620 idle connections")
}

// asked sends a request to a proxy from an address of this machine, and waits half as long as the
// proxy waits for silent clients.
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

// Offers are in no log. A player at another front end than the organiser must still find the table,
// and a front end must not offer a table for ever whose genesis entry another received. When the
// front end with the offers dies, nobody can make offers.
func TestOffersAreAtOneFrontEnd(t *testing.T) {
	proxy, err := findProxy()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	c := &Cluster{Options: Options{Dir: dir, Programs: Programs{Proxy: proxy}, Direct: true}, logs: dir}
	var servers []*httptest.Server
	for i := range 2 {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, i, r.Header["X-Forwarded-For"]) }))
		t.Cleanup(s.Close)
		servers = append(servers, s)
		c.FrontEnds = append(c.FrontEnds, &FrontEnd{URL: s.URL, Process: process.New(dir, process.Command{Name: fmt.Sprintf("front-%d", i+1)})})
	}
	testmust.Do(t, c.startProxy(t.Context()))
	defer c.Proxy.Kill()
	seen := func(method, path string) map[string]int {
		list := map[string]int{}
		for range 8 {
			list[proxied(t, method, c.URL+path)]++
		}
		return list
	}
	for path, method := range map[string]string{"/v1/offers": "GET", "/v1/offers/1/joins": "POST", "/v1/tables": "POST"} {
		got := seen(method, path)
		testmust.Holdf(t, len(got) == 1 && got["0 [127.0.0.1]"] == 8, "%s %s is answered by %v", method, path, got)
	}
	got := seen("GET", "/v1/tables")
	testmust.Holdf(t, len(got) == 2, "tables are listed by %v", got)
	servers[0].Close()
	for deadline := time.Now().Add(time.Minute); proxied(t, "GET", c.URL+"/v1/offers") != "1 [127.0.0.1]"; time.Sleep(20 * time.Millisecond) {
		testmust.Require(t, !time.Now().After(deadline), "nobody has offers since the first front end has died")
	}
}

// proxied sends a request with forged headers about its sender.
func proxied(t *testing.T, method, url string) string {
	t.Helper()
	r := testmust.Have(http.NewRequestWithContext(context.Background(), method, url, nil))(t)
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	resp := testmust.Have(http.DefaultClient.Do(r))(t)
	defer resp.Body.Close()
	var body [64]byte
	n, _ := resp.Body.Read(body[:]) // at its end there is an error besides
	return string(body[:n])
}

// A correct PostgreSQL is reported, or a changed setting is not: the answers differ from what pakli
// asks for.
func TestDatabaseSettings(t *testing.T) {
	dir := t.TempDir()
	testmust.Do(t, errors.Join(os.Chmod(dir, 0o711), os.Chmod(dir+"/..", 0o711)))
	var pair [2]*Database
	for i, name := range []string{"first", "second"} {
		d, err := newDatabase(dir, dir, name)
		if err != nil {
			t.Skip("NOT RUN: ", err)
		}
		pair[i] = d
		defer d.Kill()
	}
	ctx := t.Context()
	schema := dir + "/schema"
	testmust.Do(t, os.WriteFile(schema, []byte(smallSchema), 0o644))
	testmust.Do(t, errors.Join(pair[0].BeginPrimary(ctx, schema), pair[1].BeginStandby(ctx, pair[0].Addr()), pair[0].Synchronous(ctx, true)))
	both := testmust.Have(cluster.OpenDatabase(uri(pair[0].Addr()+","+pair[1].Addr(), "postgres") + "?sslmode=disable"))(t)
	wrong := func(want string) {
		t.Helper()
		list, err := both.FindWrong(ctx)
		if got := errors.Join(list...); err != nil || (got == nil) != (want == "") || got != nil && !strings.Contains(got.Error(), want) {
			t.Errorf("it says %v, %v; want %q", got, err, want)
		}
	}
	wrong("Run ANALYZE trees, treehead")
	testmust.Do(t, both.Analyze(ctx))
	wrong("")
	testmust.Do(t, pair[0].Exec(ctx, "ALTER ROLE trillian SET synchronous_commit = 'local'"))
	wrong("synchronous_commit is local, must be on, or a standby")
	err := pair[0].Exec(ctx, "ALTER ROLE trillian RESET synchronous_commit; INSERT INTO TreeHead VALUES (1, 1), (1, 2)")
	testmust.Do(t, err)
	wrong("prune.sql")
	prune := testmust.Have(os.ReadFile("../../../../deploy/cluster/prune.sql"))(t)
	testmust.Do(t, pair[0].Exec(ctx, string(prune)))
	wrong("")
	n, err := pair[0].Number(ctx, "SELECT TreeHeadTimestamp FROM TreeHead")
	testmust.Holdf(t, n == 2 && err == nil, "of two old heads of a tree %d is left, %v", n, err)
	testmust.Do(t, pair[1].Promote(ctx))
	wrong("all take writes")
}

// smallSchema has the parts of Trillian's tables that are read.
const smallSchema = `CREATE TABLE Trees (TreeId BIGINT); INSERT INTO Trees VALUES (1);
CREATE TABLE TreeHead (TreeId BIGINT, TreeHeadTimestamp BIGINT, PRIMARY KEY (TreeId, TreeHeadTimestamp));
CREATE TABLE Subtree (TreeId BIGINT); CREATE TABLE LeafData (TreeId BIGINT); CREATE TABLE SequencedLeafData (TreeId BIGINT); CREATE TABLE Unsequenced (TreeId BIGINT);`

// The design relies on this: a commit that waits for the standby and is cancelled is committed and
// visible, although the standby does not have it. A reader that takes what PostgreSQL shows for what
// two machines have promises what may be lost.
func TestCancelledCommitIsCommitted(t *testing.T) {
	dir := t.TempDir()
	testmust.Do(t, errors.Join(os.Chmod(dir, 0o711), os.Chmod(dir+"/..", 0o711)))
	d, err := newDatabase(dir, dir, "alone")
	if err != nil {
		t.Skip("NOT RUN: ", err)
	}
	defer d.Kill()
	ctx, schema := t.Context(), dir+"/schema"
	testmust.Do(t, os.WriteFile(schema, []byte("CREATE TABLE promised (n int)"), 0o644))
	testmust.Do(t, errors.Join(d.BeginPrimary(ctx, schema), d.Exec(ctx, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'"), d.Exec(ctx, "SELECT pg_reload_conf()")))
	seen := func() int64 {
		t.Helper()
		return testmust.Have(d.Number(ctx, "SELECT count(*) FROM promised"))(t)
	}
	caller, giveUp := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- d.Exec(caller, "INSERT INTO promised VALUES (1)") }()
	d.await(t, "the commit waits", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	testmust.Equal(t, seen(), 0, "rows are seen while the commit waits")
	giveUp()
	testmust.Fail(t, <-ended, "the caller was told that it is committed")
	d.await(t, "it is seen", "SELECT count(*) FROM promised")
}

// await returns when a number is not 0.
func (d *Database) await(t *testing.T, what, query string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if n, err := d.Number(t.Context(), query); err != nil {
			t.Fatal(err)
		} else if n > 0 {
			return
		}
	}
	t.Fatalf("waited for a minute until %s", what)
}
