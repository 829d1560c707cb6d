package parts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/google/trillian"

	"github.com/pakli/pakli/internal/trials/cluster/process"
	"github.com/pakli/pakli/internal/trials/cluster/relay"
)

// Options say what to start.
type Options struct {
	Dir       string // for everything; other users must be able to enter it
	Programs  Programs
	FrontEnds int
	Direct    bool // without relays, for measurements
	Random    bool // HAProxy chooses front ends in turn, not by table
	TLS       bool // for log servers and etcd, which asks for client certificates
	Origin    string

	// Cosigned starts a cosigner for the log's key, with files in dir, and returns the file of its
	// policy; nil: no cosigners.
	Cosigned func(dir, key string) (policy string, err error)
}

// Cluster is a running cluster.
type Cluster struct {
	Options
	Databases           [2]*Database // [0] is the primary at first
	Registers           [3]*process.Process
	LogServers, Signers [2]*process.Process
	FrontEnds           []*FrontEnd
	Proxy               *process.Process
	URL                 string // of HAProxy

	logs            string
	tree, policy    string    // settings of front ends, once there is a log
	registerClients [3]string // client addresses of the members of etcd
	healthAt        [3]string // addresses of their health checks
	logServerRPC    [2]string
	security        *security // nil: no encryption

	mu    sync.Mutex
	links map[string]*relay.Relay
}

// patience bounds every start. It is no measure of speed.
const patience = 2 * time.Minute

// New prepares a cluster without starting anything.
func New(o Options) (*Cluster, error) {
	c := &Cluster{Options: o, logs: filepath.Join(o.Dir, "logs"), links: map[string]*relay.Relay{}}
	if err := errors.Join(os.Chmod(o.Dir, 0o711), os.MkdirAll(c.logs, 0o755)); err != nil {
		return nil, err
	}
	for i := range c.Databases {
		d, err := newDatabase(o.Dir, c.logs, fmt.Sprintf("postgres-%d", i+1))
		if err != nil {
			return nil, err
		}
		c.Databases[i] = d
	}
	if o.TLS {
		var err error
		if c.security, err = newSecurity(o.Dir); err != nil {
			return nil, err
		}
	}
	return c, c.prepareRegister()
}

// Link returns the relay between two parts, or nil: front-1>log-server-2, log-server-1>postgres-1,
// signer-2>postgres-1, postgres-2>postgres-1, front-1>etcd-3, peers>etcd-2, haproxy>front-1.
func (c *Cluster) Link(name string) *relay.Relay {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.links[name]
}

// Links returns the names of all relays with a prefix.
func (c *Cluster) Links(prefix string) (names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.links {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// link returns the address at which one part reaches another.
func (c *Cluster) link(from, to, target string) (string, error) {
	if c.Direct {
		return target, nil
	}
	r, err := relay.New(target)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.links[from+">"+to] = r
	return r.Addr(), nil
}

// Heal repairs all relays.
func (c *Cluster) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.links {
		r.Set(relay.State{})
	}
}

// StartStock starts other people's programs: all except front ends and proxy.
func (c *Cluster) StartStock(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, r := range c.Registers {
		if err := r.Start(); err != nil {
			return err
		}
	}
	if err := c.startDatabases(ctx); err != nil {
		return err
	}
	if err := c.startTrillian(ctx); err != nil {
		return err
	}
	return c.AwaitRegister(ctx)
}

func (c *Cluster) startDatabases(ctx context.Context) error {
	if err := c.Databases[0].BeginPrimary(ctx, c.Programs.Schema); err != nil {
		return err
	}
	if err := c.Follow(ctx, 1); err != nil {
		return err
	}
	return c.Databases[0].Synchronous(ctx, true)
}

// Follow makes one database node again as the standby of the other.
func (c *Cluster) Follow(ctx context.Context, standby int) error {
	primary := c.Databases[1-standby]
	at, err := c.link(c.Databases[standby].name, primary.name, primary.Addr())
	if err != nil {
		return err
	}
	return c.Databases[standby].BeginStandby(ctx, at)
}

func (c *Cluster) startTrillian(ctx context.Context) error {
	for i := range c.LogServers {
		name := fmt.Sprintf("log-server-%d", i+1)
		port, err := freePort()
		if err != nil {
			return err
		}
		c.logServerRPC[i] = fmt.Sprintf("127.0.0.1:%d", port)
		if c.LogServers[i], err = c.trillian(name, c.Programs.LogServer, c.logServerRPC[i]); err != nil {
			return err
		}
		name = fmt.Sprintf("signer-%d", i+1)
		if port, err = freePort(); err != nil {
			return err
		}
		if c.Signers[i], err = c.trillian(name, c.Programs.Signer, fmt.Sprintf("127.0.0.1:%d", port), "--force_master", "--sequencer_interval=20ms", "--batch_size=2000"); err != nil {
			return err
		}
	}
	for i := range c.LogServers {
		if err := errors.Join(c.LogServers[i].Start(), c.Signers[i].Start()); err != nil {
			return err
		}
	}
	return errors.Join(c.AwaitLogServer(ctx, 0), c.AwaitLogServer(ctx, 1))
}

// AwaitLogServer waits until a log server and its database answer.
func (c *Cluster) AwaitLogServer(ctx context.Context, i int) error {
	return c.LogServers[i].Await(ctx, func(ctx context.Context) error { return c.askTrees(ctx, i) })
}

// trillian returns a process of Trillian, which writes to whichever database accepts writes.
func (c *Cluster) trillian(name, program, rpc string, flags ...string) (*process.Process, error) {
	var hosts []string
	for _, d := range c.Databases {
		at, err := c.link(name, d.name, d.Addr())
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, at)
	}
	args := append([]string{
		"--storage_system=postgresql", "--quota_system=noop", "--logtostderr", "--max_msg_size_bytes=8388608",
		"--postgresql_uri=" + uri(strings.Join(hosts, ","), "postgres") + "?target_session_attrs=read-write&sslmode=disable&connect_timeout=2&pool_max_conns=40&application_name=" + name,
		"--rpc_endpoint=" + rpc, "--http_endpoint=",
	}, append(flags, c.security.logServer()...)...)
	return process.New(c.logs, process.Command{Name: name, Path: program, Args: args}), nil
}

// askTrees asks a log server for its trees.
func (c *Cluster) askTrees(ctx context.Context, i int) error {
	conn, err := grpc.NewClient(c.logServerRPC[i], grpc.WithTransportCredentials(c.security.transport()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = trillian.NewTrillianAdminClient(conn).ListTrees(ctx, &trillian.ListTreesRequest{})
	return err
}

// databaseFlag returns pakli's flag of the database, without relays.
func (c *Cluster) databaseFlag() string {
	return "--database=" + uri(c.Databases[0].Addr()+","+c.Databases[1].Addr(), "postgres") + "?sslmode=disable"
}

// LogServerAddrs returns the log servers' own addresses, without relays.
func (c *Cluster) LogServerAddrs() []string { return c.logServerRPC[:] }

// Shift restarts a log server or signer with a clock that is off by a duration; 0 restores the stock
// program.
func (c *Cluster) Shift(p *process.Process, off time.Duration) error {
	p.Kill()
	stock, shifted := c.Programs.LogServer, c.Programs.ShiftedLogServer
	if strings.HasPrefix(p.Name, "signer") {
		stock, shifted = c.Programs.Signer, c.Programs.ShiftedSigner
	}
	p.Path, p.Env = stock, nil
	if off != 0 {
		p.Path, p.Env = shifted, []string{clockEnv + "=" + off.String()}
	}
	return p.Start()
}

// parts returns all processes in the order in which to stop them.
func (c *Cluster) parts() (all []*process.Process) {
	if c.Proxy != nil {
		all = append(all, c.Proxy)
	}
	for _, f := range c.FrontEnds {
		all = append(all, f.Process)
	}
	for i := range c.LogServers {
		if c.LogServers[i] != nil {
			all = append(all, c.LogServers[i], c.Signers[i])
		}
	}
	for _, d := range c.Databases {
		all = append(all, d.Process)
	}
	return append(all, c.Registers[:]...)
}

// Parts returns all processes by their names.
func (c *Cluster) Parts() map[string]*process.Process {
	all := map[string]*process.Process{}
	for _, p := range c.parts() {
		all[p.Name] = p
	}
	return all
}

// Close stops everything and waits until nothing runs.
func (c *Cluster) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var all sync.WaitGroup
	for _, p := range c.parts() {
		all.Go(func() {
			p.Continue()
			if p.Name == "haproxy" || strings.HasPrefix(p.Name, "front") {
				p.Stop(ctx)
			}
			p.Kill()
		})
	}
	all.Wait()
	var failed []error
	for _, r := range c.links {
		failed = append(failed, r.Close())
	}
	return errors.Join(failed...)
}

// fetchBody returns the body of an answer 200.
func fetchBody(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, resp.Status)
	}
	return b, err
}

// answers returns a check that a URL answers 200.
func answers(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := fetchBody(ctx, url)
		return err
	}
}
