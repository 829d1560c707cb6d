package parts

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pakli/pakli/internal/trials/cluster/process"
)

// FrontEnd is a pakli serve with its directory.
type FrontEnd struct {
	*process.Process
	Data, URL, Operator string // Operator is the URL of /metrics and /readyz
	trillian, register  string // settings
}

// frontEnd prepares the next front end: addresses, relays, settings.
func (c *Cluster) frontEnd() (*FrontEnd, error) {
	name := fmt.Sprintf("front-%d", len(c.FrontEnds)+1)
	var at [2]string
	for i := range at {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		at[i] = fmt.Sprintf("127.0.0.1:%d", port)
	}
	servers, err := c.wires(name, "log-server", c.logServerRPC[:])
	if err != nil {
		return nil, err
	}
	members, err := c.wires(name, "etcd", c.registerClients[:])
	if err != nil {
		return nil, err
	}
	f := &FrontEnd{
		Data: filepath.Join(c.Dir, name), URL: "http://" + at[0], Operator: "http://" + at[1],
		trillian: "--trillian=" + strings.Join(servers, ","), register: "--register=" + c.security.scheme() + strings.Join(members, ","+c.security.scheme()),
	}
	f.Process = process.New(c.logs, process.Command{Name: name, Path: c.Programs.Pakli, Stop: syscall.SIGTERM, Args: serveArgs(f)})
	c.FrontEnds = append(c.FrontEnds, f)
	return f, nil
}

// serveArgs returns the arguments of a server whose load comes from one address.
func serveArgs(f *FrontEnd) []string {
	return []string{
		"serve", "--data=" + f.Data, "--listen=" + strings.TrimPrefix(f.URL, "http://"), "--operator-addr=" + strings.TrimPrefix(f.Operator, "http://"),
		"--organisers=anyone", "--trusted-proxies=127.0.0.1/32", "--pages=off", "--ballast=0", "--log-requests=none",
		"--post-rate=-1", "--table-rate=-1", "--key-rate=-1", "--global-rate=-1", "--polls-per-address=4096", "--posts=4096",
	}
}

// StartAlone starts a server that keeps its log alone, for comparison.
func StartAlone(ctx context.Context, o Options) (*FrontEnd, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	f := &FrontEnd{Data: filepath.Join(o.Dir, "alone"), URL: fmt.Sprintf("http://127.0.0.1:%d", port), Operator: "none"}
	f.Process = process.New(o.Dir, process.Command{Name: "alone", Path: o.Programs.Pakli, Args: append(serveArgs(f), "--origin="+o.Origin)})
	if err := f.Start(); err != nil {
		return nil, err
	}
	return f, f.Await(ctx, answers(f.URL+"/readyz"))
}

// Key returns the verifier key in the directory.
func (f *FrontEnd) Key() (string, error) {
	b, err := os.ReadFile(filepath.Join(f.Data, "log.vkey"))
	return strings.TrimSpace(string(b)), err
}

// wires returns the addresses at which one part reaches all parts of a kind.
func (c *Cluster) wires(from, kind string, targets []string) (at []string, err error) {
	for i, target := range targets {
		wire, err := c.link(from, fmt.Sprintf("%s-%d", kind, i+1), target)
		if err != nil {
			return nil, err
		}
		at = append(at, wire)
	}
	return at, nil
}

// StartFrontEnds makes the log, lets all front ends join it, and starts them and HAProxy.
func (c *Cluster) StartFrontEnds(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i := range c.Options.FrontEnds {
		f, err := c.frontEnd()
		if err != nil {
			return err
		}
		if i == 0 {
			err = c.create(ctx, f)
		} else {
			err = c.Join(ctx, f)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range c.FrontEnds {
		c.serveWith(f)
		if err := f.Start(); err != nil {
			return err
		}
	}
	for _, f := range c.FrontEnds {
		if err := c.Ready(ctx, f); err != nil {
			return err
		}
	}
	return c.startProxy(ctx)
}

// create makes the log with its key and starts its cosigners.
func (c *Cluster) create(ctx context.Context, f *FrontEnd) error {
	out, err := c.pakli(ctx, "create", "--data="+f.Data, "--origin="+c.Origin, f.trillian, f.register, c.databaseFlag())
	if err != nil {
		return err
	}
	c.tree = "--trillian-tree=" + out
	key, err := f.Key()
	if err != nil || c.Cosigned == nil {
		return err
	}
	c.policy, err = c.Cosigned(c.Dir, key)
	return err
}

// serveWith adds the settings that need a log.
func (c *Cluster) serveWith(f *FrontEnd) {
	var fixed []string
	for _, a := range f.Args {
		if !strings.HasPrefix(a, "--trillian") && !strings.HasPrefix(a, "--register") && !strings.HasPrefix(a, "--database") && !strings.HasPrefix(a, "--cluster-") && !strings.HasPrefix(a, "--policy") {
			fixed = append(fixed, a)
		}
	}
	f.Args = append(append(fixed, f.trillian, c.tree, f.register, c.databaseFlag()), c.security.pakli()...)
	if c.policy != "" {
		f.Args = append(f.Args, "--policy="+c.policy)
	}
}

// Join makes the directory of a stopped front end with the keys of another.
func (c *Cluster) Join(ctx context.Context, f *FrontEnd) error {
	from := c.FrontEnds[0]
	if f == from {
		from = c.FrontEnds[1]
	}
	_, err := c.pakli(ctx, "join", "--data="+f.Data, "--keys="+from.Data, f.trillian, c.tree, f.register)
	return err
}

// pakli runs pakli cluster and returns its output.
func (c *Cluster) pakli(ctx context.Context, args ...string) (string, error) {
	out, said, err := process.Run(ctx, c.Programs.Pakli, append(append([]string{"cluster"}, args...), c.security.pakli()...)...)
	if err != nil {
		err = fmt.Errorf("pakli cluster %s: %w: %s", strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(string(out)), err
}

// Ready waits until a front end takes posts.
func (c *Cluster) Ready(ctx context.Context, f *FrontEnd) error {
	return f.Await(ctx, answers(f.URL+"/readyz"))
}

// Key returns the log's verifier key.
func (c *Cluster) Key() (string, error) { return c.FrontEnds[0].Key() }

// proxyConf is HAProxy's configuration. A table's requests go to one front end (5.1), which saves
// replays. A post without any answer is repeated (5.2). Offers, which are in no log, go to one front
// end.
const proxyConf = `global
	maxconn 8192
	tune.bufsize 131072
defaults
	mode http
	timeout connect 1s
	timeout client 120s
	timeout server 120s
	timeout http-request 20s
	timeout http-keep-alive 10s
	option redispatch 1
	retries 3
	retry-on conn-failure empty-response
	option forwardfor
	default-server inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
frontend cards
	bind %s
	monitor-uri /whole
	monitor fail if { nbsrv(anywhere) lt %d } or { nbsrv(tables) lt %[2]d }
	http-request del-header X-Forwarded-For
	use_backend tables if { path_beg /v1/tables/ }
	use_backend offers if { path_beg /v1/offers } || { path /v1/tables } { method POST }
	default_backend anywhere
backend tables
	%[3]s
%[4]s
backend offers
%[5]s
backend anywhere
	balance roundrobin
	option httpchk GET /readyz
%[6]s
`

func (c *Cluster) startProxy(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	bind := fmt.Sprintf("127.0.0.1:%d", port)
	var servers, tables, offers strings.Builder
	for i, f := range c.FrontEnds {
		at, err := c.link("haproxy", f.Name, strings.TrimPrefix(f.URL, "http://"))
		if err != nil {
			return err
		}
		line := fmt.Sprintf("\tserver %s %s", f.Name, at)
		fmt.Fprintln(&servers, line, "check")
		fmt.Fprintln(&tables, line, "track anywhere/"+f.Name)
		fmt.Fprintln(&offers, line, "track anywhere/"+f.Name, map[bool]string{true: "backup"}[i > 0])
	}
	balance := "balance uri depth 3\n\thash-type consistent"
	if c.Random {
		balance = "balance roundrobin"
	}
	conf := filepath.Join(c.Dir, "haproxy.cfg")
	if err := os.WriteFile(conf, fmt.Appendf(nil, proxyConf, bind, len(c.FrontEnds), balance, tables.String(), offers.String(), servers.String()), 0o644); err != nil {
		return err
	}
	c.URL = "http://" + bind
	c.Proxy = process.New(c.logs, process.Command{Name: "haproxy", Path: c.Programs.Proxy, Args: []string{"-db", "-f", conf}})
	if err := c.Proxy.Start(); err != nil {
		return err
	}
	return c.AwaitProxy(ctx)
}

// AwaitProxy waits until HAProxy sends requests to all front ends.
func (c *Cluster) AwaitProxy(ctx context.Context) error {
	return c.Proxy.Await(ctx, answers(c.URL+"/whole"))
}
