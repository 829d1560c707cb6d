package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/cluster"
)

// Options name the parts of a cluster. Without log servers there is no cluster and the log is kept
// alone.
type Options struct {
	Trillian string // log servers, host:port, separated by commas
	Tree     int64
	Register string // members of etcd, separated by commas, or file:DIRECTORY
	Poll     time.Duration

	ca, cert, key string // files, for TLS to log servers and etcd
	Database      string // of the log servers; "": it is not checked
}

// AddFlags declares the flags of a front end.
func (o *Options) AddFlags(f *flag.FlagSet) {
	o.AddServerFlags(f)
	f.Int64Var(&o.Tree, "trillian-tree", 0, "id of the log's tree there; pakli cluster create tells it")
	f.DurationVar(&o.Poll, "poll", 200*time.Millisecond, "time between two looks for entries of other front ends, while none of this one is under way")
}

// AddServerFlags declares the flags that need no tree.
func (o *Options) AddServerFlags(f *flag.FlagSet) {
	f.StringVar(&o.Trillian, "trillian", "", "Trillian's log servers, host:port separated by commas; empty: the log is kept by this process alone")
	f.StringVar(&o.Database, "database", "", "PostgreSQL of the log servers, `postgresql://user@node-1,node-2/name?sslmode=verify-full` without a password, to look whether it is set right (default: it is not looked at)")
	o.addRegisterFlags(f)
}

// addRegisterFlags declares the flags of the register.
func (o *Options) addRegisterFlags(f *flag.FlagSet) {
	f.StringVar(&o.Register, "register", "", "members of etcd, http://host:port or https://host:port separated by commas")
	f.StringVar(&o.ca, "cluster-ca", "", "`file` of certificates (PEM) that vouch for log servers and etcd; empty: connections to them are not encrypted")
	f.StringVar(&o.cert, "cluster-cert", "", "`file` of the certificate (PEM) that this process shows them")
	f.StringVar(&o.key, "cluster-key", "", "`file` of its key (PEM)")
}

// OnCluster reports whether the log is kept on a cluster.
func (o Options) OnCluster() bool { return o.Trillian != "" }

// CheckFlags refuses an incomplete set of flags.
func (o Options) CheckFlags() error {
	given := map[bool][]string{}
	for _, s := range []struct {
		name string
		is   bool
	}{{"--trillian", o.Trillian != ""}, {"--trillian-tree", o.Tree != 0}, {"--register", o.Register != ""}} {
		given[s.is] = append(given[s.is], s.name)
	}
	if len(given[true]) > 0 && len(given[false]) > 0 {
		return command.WrongUsage("a log on a cluster needs --trillian, --trillian-tree and --register; %s is missing", strings.Join(given[false], " and "))
	}
	if o.Database != "" && !o.OnCluster() {
		return command.WrongUsage("--database is of a log on a cluster: --trillian is missing")
	}
	if err := o.checkDatabase(); err != nil {
		return err
	}
	if o.OnCluster() && (o.Poll < 10*time.Millisecond || o.Poll > 2*time.Second) {
		return command.WrongUsage("--poll %v: must be from 10ms to 2s, or other front ends' entries come late", o.Poll)
	}
	return nil
}

// checkDatabase refuses a database with a wrong name before anything is made.
func (o Options) checkDatabase() error {
	if o.Database == "" {
		return nil
	}
	_, err := cluster.OpenDatabase(o.Database)
	return err
}

// A closingRegister is a register that can be closed.
type closingRegister interface {
	ledger.Register
	ledger.Cosignings
	Make(ctx context.Context, p ledger.Promise) (ledger.Promise, error)
}

// openRegister opens the register of the log called origin.
func (o Options) openRegister(origin string) (closingRegister, error) {
	if dir, ok := strings.CutPrefix(o.Register, "file:"); ok {
		return cluster.OpenFile(origin, dir)
	}
	security, err := o.security()
	if err != nil {
		return nil, err
	}
	members := strings.Split(o.Register, ",")
	for _, m := range members {
		m = strings.TrimSpace(m)
		if !strings.HasPrefix(m, "http://") && !strings.HasPrefix(m, "https://") {
			return nil, command.WrongUsage("--register: %q is no member of etcd, as http://127.0.0.1:2379", m)
		}
		if strings.HasPrefix(m, "http://") != (security == nil) {
			return nil, command.WrongUsage("--register: %q: https:// and --cluster-ca go together", m)
		}
	}
	return cluster.OpenEtcd(origin, security, members...)
}

// LogServers returns the log servers of the cluster.
func (o Options) LogServers() (cluster.Servers, error) {
	security, err := o.security()
	return cluster.Servers{Addresses: strings.Split(o.Trillian, ","), TLS: security}, err
}

// security returns the TLS configuration for log servers and etcd, or nil for unencrypted
// connections.
func (o Options) security() (*tls.Config, error) {
	if o.ca == "" {
		if o.cert != "" || o.key != "" {
			return nil, command.WrongUsage("--cluster-cert and --cluster-key are for TLS: --cluster-ca is missing")
		}
		return nil, nil
	}
	text, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, fmt.Errorf("--cluster-ca: %w", err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: x509.NewCertPool()}
	if !c.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--cluster-ca: %s has no certificate (PEM)", o.ca)
	}
	if o.cert == "" && o.key == "" {
		return c, nil
	}
	own, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return nil, fmt.Errorf("--cluster-cert and --cluster-key: %w", err)
	}
	c.Certificates = []tls.Certificate{own}
	return c, nil
}

// Parts are the open parts of a cluster.
type Parts struct {
	Tree     *cluster.Tree
	register closingRegister
	follows  string // as in the marker of a directory
}

// OpenParts opens the parts for the log called origin. It connects to nothing yet.
func (o Options) OpenParts(origin string) (p Parts, err error) {
	at, err := o.LogServers()
	if err != nil {
		return Parts{}, err
	}
	if p.Tree, err = cluster.OpenTree(o.Tree, at); err != nil {
		return Parts{}, err
	}
	if p.register, err = o.openRegister(origin); err != nil {
		return Parts{}, errors.Join(err, p.Tree.Close())
	}
	p.follows = followsOf(o.Tree, origin)
	return p, nil
}

// followsOf returns the marker of a directory that follows a tree.
func followsOf(tree int64, origin string) string {
	return fmt.Sprintf("tree %d register %spromise", tree, cluster.RegisterPrefix(origin))
}

// AddTo makes the options those of a log that follows the cluster.
func (p Parts) AddTo(o *ledger.Options, poll time.Duration) {
	o.Order, o.Register, o.Follows, o.Poll = p.Tree, p.register, p.follows, poll
}
