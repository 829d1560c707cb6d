package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/pakli/pakli/ledger"
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
}

func (o *clusterOptions) settings(f *flag.FlagSet) {
	o.servers(f)
	f.Int64Var(&o.tree, "trillian-tree", 0, "id of the log's tree there; pakli cluster create tells it")
	f.DurationVar(&o.poll, "poll", 200*time.Millisecond, "time between two looks for entries of other front ends, while none of this one is under way")
}

// servers declares what is there before there is a tree.
func (o *clusterOptions) servers(f *flag.FlagSet) {
	f.StringVar(&o.trillian, "trillian", "", "Trillian's log servers, host:port separated by commas; empty: the log is kept by this process alone")
	f.StringVar(&o.register, "register", "", "members of etcd, http://host:port separated by commas")
}

// follows tells whether the log is kept on a cluster.
func (o clusterOptions) follows() bool { return o.trillian != "" }

// check refuses half of what a cluster takes.
func (o clusterOptions) check() error {
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
	if o.follows() && (o.poll < 10*time.Millisecond || o.poll > 2*time.Second) {
		return wrongUsage("--poll %v: must be from 10ms to 2s, or other front ends' entries come late", o.poll)
	}
	return nil
}

// A closingRegister is a register that can be let go.
type closingRegister interface {
	ledger.Register
	ledger.Cosignings
	Make(ctx context.Context, p ledger.Promise) (ledger.Promise, error)
}

// openRegister opens the register of the log called origin.
func openRegister(where, origin string) (closingRegister, error) {
	if dir, ok := strings.CutPrefix(where, "file:"); ok {
		return register.OpenFile(origin, dir)
	}
	members := strings.Split(where, ",")
	for _, m := range members {
		if m = strings.TrimSpace(m); !strings.HasPrefix(m, "http://") && !strings.HasPrefix(m, "https://") {
			return nil, wrongUsage("--register: %q is no member of etcd, as http://127.0.0.1:2379", m)
		}
	}
	return register.OpenEtcd(origin, members...)
}

// parts are the parts of a cluster, opened.
type parts struct {
	tree     *remote.Tree
	register closingRegister
	follows  string // as the marker of a directory says it
}

// open opens the parts for the log called origin. Nothing is asked yet.
func (o clusterOptions) open(origin string) (p parts, err error) {
	if p.tree, err = remote.Open(o.tree, strings.Split(o.trillian, ",")...); err != nil {
		return parts{}, err
	}
	if p.register, err = openRegister(o.register, origin); err != nil {
		return parts{}, errors.Join(err, p.tree.Close())
	}
	p.follows = followsOf(o.tree, origin)
	return p, nil
}

// followsOf says what a directory follows.
func followsOf(tree int64, origin string) string {
	return fmt.Sprintf("tree %d register %spromise", tree, register.Prefix(origin))
}

// into makes the options of a log those of one that follows.
func (p parts) into(o *ledger.Options, poll time.Duration) {
	o.Order, o.Register, o.Follows, o.Poll = p.tree, p.register, p.follows, poll
}
