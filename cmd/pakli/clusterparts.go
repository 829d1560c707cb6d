package main

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

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/postgres"
	"github.com/pakli/pakli/ledger/register"
	"github.com/pakli/pakli/ledger/remote"
)

// clusterOptions name the parts of a cluster. Without log servers there is none: the
// log is kept alone.
type clusterOptions struct {
	trillian string // log servers, host:port, separated by commas
	tree     int64
	register string // members of etcd, separated by commas, or file:DIRECTORY
	poll     time.Duration

	ca, cert, key string // files, for TLS to log servers and etcd
	database      string // of the log servers; empty: it is not looked at
}

func (o *clusterOptions) addFlags(f *flag.FlagSet) {
	o.addServerFlags(f)
	f.Int64Var(&o.tree, "trillian-tree", 0, "id of the log's tree there; pakli cluster create tells it")
	f.DurationVar(&o.poll, "poll", 200*time.Millisecond, "time between two looks for entries of other front ends, while none of this one is under way")
}

// addServerFlags declares what is there before there is a tree.
func (o *clusterOptions) addServerFlags(f *flag.FlagSet) {
	f.StringVar(&o.trillian, "trillian", "", "Trillian's log servers, host:port separated by commas; empty: the log is kept by this process alone")
	f.StringVar(&o.database, "database", "", "PostgreSQL of the log servers, `postgresql://user@node-1,node-2/name?sslmode=verify-full` without a password, to look whether it is set right (default: it is not looked at)")
	o.addRegisterFlags(f)
}

// addRegisterFlags declares where the register is.
func (o *clusterOptions) addRegisterFlags(f *flag.FlagSet) {
	f.StringVar(&o.register, "register", "", "members of etcd, http://host:port or https://host:port separated by commas")
	f.StringVar(&o.ca, "cluster-ca", "", "`file` of certificates (PEM) that vouch for log servers and etcd; empty: connections to them are not encrypted")
	f.StringVar(&o.cert, "cluster-cert", "", "`file` of the certificate (PEM) that this process shows them")
	f.StringVar(&o.key, "cluster-key", "", "`file` of its key (PEM)")
}

// onCluster tells whether the log is kept on a cluster.
func (o clusterOptions) onCluster() bool { return o.trillian != "" }

// checkFlags refuses half of what a cluster takes.
func (o clusterOptions) checkFlags() error {
	given := map[bool][]string{}
	for _, s := range []struct {
		name string
		is   bool
	}{{"--trillian", o.trillian != ""}, {"--trillian-tree", o.tree != 0}, {"--register", o.register != ""}} {
		given[s.is] = append(given[s.is], s.name)
	}
	if len(given[true]) > 0 && len(given[false]) > 0 {
		return wrongUsage("a log on a cluster needs --trillian, --trillian-tree and --register; %s is missing", strings.Join(given[false], " and "))
	}
	if o.database != "" && !o.onCluster() {
		return wrongUsage("--database is of a log on a cluster: --trillian is missing")
	}
	if err := o.checkDatabase(); err != nil {
		return err
	}
	if o.onCluster() && (o.poll < 10*time.Millisecond || o.poll > 2*time.Second) {
		return wrongUsage("--poll %v: must be from 10ms to 2s, or other front ends' entries come late", o.poll)
	}
	return nil
}

// checkDatabase refuses a database that is not named as it should be, before anything is made.
func (o clusterOptions) checkDatabase() error {
	if o.database == "" {
		return nil
	}
	_, err := postgres.Open(o.database)
	return err
}

// A closingRegister is a register that can be let go.
type closingRegister interface {
	ledger.Register
	ledger.Cosignings
	Make(ctx context.Context, p ledger.Promise) (ledger.Promise, error)
}

// openRegister opens the register of the log called origin.
func (o clusterOptions) openRegister(origin string) (closingRegister, error) {
	if dir, ok := strings.CutPrefix(o.register, "file:"); ok {
		return register.OpenFile(origin, dir)
	}
	security, err := o.security()
	if err != nil {
		return nil, err
	}
	members := strings.Split(o.register, ",")
	for _, m := range members {
		m = strings.TrimSpace(m)
		if !strings.HasPrefix(m, "http://") && !strings.HasPrefix(m, "https://") {
			return nil, wrongUsage("--register: %q is no member of etcd, as http://127.0.0.1:2379", m)
		}
		if strings.HasPrefix(m, "http://") != (security == nil) {
			return nil, wrongUsage("--register: %q: https:// and --cluster-ca go together", m)
		}
	}
	return register.OpenEtcd(origin, security, members...)
}

// logServers are those of the cluster.
func (o clusterOptions) logServers() (remote.Servers, error) {
	security, err := o.security()
	return remote.Servers{Addresses: strings.Split(o.trillian, ","), TLS: security}, err
}

// security is how log servers and etcd are known, and this process to them; nil: not at all.
func (o clusterOptions) security() (*tls.Config, error) {
	if o.ca == "" {
		if o.cert != "" || o.key != "" {
			return nil, wrongUsage("--cluster-cert and --cluster-key are for TLS: --cluster-ca is missing")
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

// clusterParts are the parts of a cluster, opened.
type clusterParts struct {
	tree     *remote.Tree
	register closingRegister
	follows  string // as the marker of a directory says it
}

// openParts opens the parts for the log called origin. Nothing is asked yet.
func (o clusterOptions) openParts(origin string) (p clusterParts, err error) {
	at, err := o.logServers()
	if err != nil {
		return clusterParts{}, err
	}
	if p.tree, err = remote.Open(o.tree, at); err != nil {
		return clusterParts{}, err
	}
	if p.register, err = o.openRegister(origin); err != nil {
		return clusterParts{}, errors.Join(err, p.tree.Close())
	}
	p.follows = followsOf(o.tree, origin)
	return p, nil
}

// followsOf says what a directory follows.
func followsOf(tree int64, origin string) string {
	return fmt.Sprintf("tree %d register %spromise", tree, register.KeyPrefix(origin))
}

// addTo makes the options of a log those of one that follows.
func (p clusterParts) addTo(o *ledger.Options, poll time.Duration) {
	o.Order, o.Register, o.Follows, o.Poll = p.tree, p.register, p.follows, poll
}
