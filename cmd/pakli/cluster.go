package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/remote"
	"github.com/pakli/pakli/ledger/tlog"
)

// runCluster makes, joins and leaves a log on a cluster (docs/guide).
func runCluster(ctx context.Context, e env, args []string) (int, error) {
	return dispatch(ctx, e, []command{
		{"create", "make a new log on a cluster, and its first front end", runClusterCreate},
		{"join", "make the directory of another front end", runClusterJoin},
		{"leave", "go on alone with the log of a front end, for good", runClusterLeave},
		{"promise", "make the register anew, from the directories of all front ends", runClusterPromise},
		{"import", "bring a log that was kept alone to a cluster", runClusterImport},
		{"close", "let a log take no more entries, for good", runClusterClose},
		{"status", "say how the parts of a cluster do", runClusterStatus},
	}, "pakli cluster", args), nil
}

// requireFlags refuses flags that were left empty.
func requireFlags(f *flag.FlagSet, names ...string) error {
	var missing []string
	for _, name := range names {
		if v := f.Lookup(name).Value.String(); v == "" || v == "0" {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return wrongUsage("%s is missing", strings.Join(missing, " and "))
	}
	return nil
}

// runClusterCreate makes a key, a tree, a promise and a directory.
func runClusterCreate(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("cluster create", "")
	var o clusterOptions
	o.addServerFlags(f)
	data := f.String("data", "pakli-data", "directory for the first front end")
	origin := f.String("origin", "", "name of the log: the URL it is served under, without scheme")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if err := requireFlags(f, "origin", "trillian", "register"); err != nil {
		return exitUsage, err
	}
	tree, err := createOnCluster(ctx, o, *data, *origin)
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d\n", tree)
	fmt.Fprintf(e.err, "the log %s has the tree %d. Serve it with --data %s --trillian %s --trillian-tree %d --register %s; "+
		"other front ends are made with pakli cluster join and %s/log.key\n", *origin, tree, *data, o.trillian, tree, o.register, *data)
	return exitDone, nil
}

func createOnCluster(ctx context.Context, o clusterOptions, data, origin string) (tree int64, err error) {
	if err := o.checkDatabase(); err != nil {
		return 0, err
	}
	reg, err := o.openRegister(origin)
	if err != nil {
		return 0, err
	}
	if p, err := reg.Load(ctx); err == nil && p.Size > 0 {
		return 0, fmt.Errorf("the register promises %d entries of a log called %s: there is one already. Front ends join it with pakli cluster join", p.Size, origin)
	} else if err != nil && !errors.Is(err, ledger.ErrNoPromise) {
		return 0, fmt.Errorf("register: %w", err)
	}
	key, err := ledger.LoadKey(data)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = ledger.CreateKey(data, origin, rand.Reader)
	}
	if err != nil {
		return 0, err
	}
	if key.Verifier.Name() != origin {
		return 0, fmt.Errorf("%s has a key of %s, the log is to be called %s", data, key.Verifier.Name(), origin)
	}
	at, err := o.logServers()
	if err != nil {
		return 0, err
	}
	t, tree, err := remote.CreateTree(ctx, origin, false, at)
	if err != nil {
		return 0, fmt.Errorf("log server: %w", err)
	}
	defer t.Close()
	if err := o.analyze(ctx); err != nil {
		return 0, err
	}
	if _, err := reg.Make(ctx, ledger.Promise{Root: tlog.EmptyRoot()}); err != nil {
		return 0, fmt.Errorf("register: %w", err)
	}
	return tree, errors.Join(
		ledger.Create(data, ledger.Options{Signer: key.Signer, Store: badgerstore.Options{}, Follows: followsOf(tree, origin)}),
		publishKey(data, key))
}
