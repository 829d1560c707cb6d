package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/backup"
)

// clusterFlags declares the flags of a command about a directory and its cluster.
func clusterFlags(e env, name, args string) (f *flag.FlagSet, o *clusterOptions, data *string) {
	f, o = e.flags("cluster "+name, args), new(clusterOptions)
	o.addFlags(f)
	return f, o, f.String("data", "pakli-data", "directory of the front end")
}

// runClusterJoin makes the directory of a front end, with the log's keys, from nothing or
// from a backup. It is followed up to the promise when it is served.
func runClusterJoin(ctx context.Context, e env, args []string) (int, error) {
	f, o, data := clusterFlags(e, "join", "")
	keys := f.String("keys", "", "`directory` with the log's keys (*.key), as of another front end")
	from := f.String("from", "", "a backup or mirror of the log, to begin with (default: everything is read from the cluster)")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if err := requireFlags(f, "trillian", "trillian-tree", "register"); err != nil {
		return exitUsage, err
	}
	if *keys != "" {
		if err := copyKeys(*keys, *data); err != nil {
			return exitFail, err
		}
	}
	if err := joinCluster(ctx, *o, *data, *from); err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.err, "%s follows the log; pakli serve reads what it lacks before it answers\n", *data)
	return exitDone, nil
}

// copyKeys copies all keys of a log.
func copyKeys(from, data string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.key"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there are no keys in %s", from)
	}
	if err == nil {
		err = os.MkdirAll(data, 0o700)
	}
	for _, file := range files {
		var text []byte
		if err == nil {
			text, err = os.ReadFile(file)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(data, filepath.Base(file)), text, 0o600)
		}
	}
	return err
}

func joinCluster(ctx context.Context, o clusterOptions, data, from string) error {
	lo, keys, err := ownKeys(data)
	if err != nil {
		return fmt.Errorf("%s must have the log's keys, log.key and what else there is, and nothing else (or name them with --keys): %w", data, err)
	}
	origin := lo.Signer.Name()
	p, err := o.openParts(origin)
	if err != nil {
		return err
	}
	defer p.tree.Close()
	promised, err := p.register.Load(ctx)
	if err == nil {
		err = p.tree.CheckState(ctx)
	}
	if err == nil && promised.Left != "" {
		err = ledger.ErrLeft
	}
	if err != nil {
		return err
	}
	if err := beginFollowing(ctx, lo, keys, data, from, p.follows); err != nil {
		return err
	}
	key, err := ledger.LoadKey(data)
	return errors.Join(err, publishKey(data, key))
}

// beginFollowing makes the directory that follows.
func beginFollowing(ctx context.Context, o ledger.Options, keys []note.Verifier, data, from, follows string) error {
	if from == "" {
		o.Follows = follows
		return ledger.Create(data, o)
	}
	if _, err := backup.Restore(ctx, from, data, o, nil, blobsOf, keys...); err != nil {
		return err
	}
	c, err := ledger.OpenCopy(data, o)
	if err != nil {
		return err
	}
	return errors.Join(c.Follow(follows), c.Close())
}

// runClusterLeave takes a front end out of its cluster.
func runClusterLeave(ctx context.Context, e env, args []string) (int, error) {
	f, o, data := clusterFlags(e, "leave", "")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if err := requireFlags(f, "trillian-tree", "register"); err != nil {
		return exitUsage, err
	}
	lo, _, err := ownKeys(*data)
	if err != nil {
		return exitFail, err
	}
	reg, err := o.openRegister(lo.Signer.Name())
	if err != nil {
		return exitUsage, err
	}
	size, err := leaveCluster(ctx, *data, lo, followsOf(o.tree, lo.Signer.Name()), reg)
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of %s in %s\n", size, lo.Signer.Name(), *data)
	fmt.Fprintf(e.err, "the other front ends stop; the log goes on from this directory alone, with pakli serve --data %s\n", *data)
	return exitDone, nil
}

func leaveCluster(ctx context.Context, data string, o ledger.Options, follows string, r ledger.Register) (uint64, error) {
	c, err := ledger.OpenCopy(data, o)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if c.Follows() != follows {
		return 0, fmt.Errorf("%s follows %q, not %q: is it another --trillian-tree?", data, c.Follows(), follows)
	}
	return c.Head().Size, c.Leave(ctx, r)
}

// runClusterPromise makes the register anew.
func runClusterPromise(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("cluster promise", "")
	var o clusterOptions
	o.addRegisterFlags(f)
	var dirs []string
	f.Func("data", "directory of a front end, which nobody serves now; name all there are", func(s string) error {
		dirs = append(dirs, s)
		return nil
	})
	missing := f.Int("missing", 0, "how many front ends have no directory any more; what only they have promised is then denied, which forks the log")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if err := requireFlags(f, "register"); err != nil {
		return exitUsage, err
	}
	if len(dirs) == 0 {
		return exitUsage, wrongUsage("name the directories of all front ends, with --data")
	}
	p, origin, err := promiseOf(dirs)
	if err != nil {
		return exitFail, err
	}
	if *missing > 0 {
		fmt.Fprintf(e.err, "%d front ends are missing: if one of them has promised more than %d entries, going on forks the log\n", *missing, p.Size)
	}
	reg, err := o.openRegister(origin)
	if err != nil {
		return exitUsage, err
	}
	now, err := reg.Make(ctx, p)
	if err == nil && now != p {
		err = fmt.Errorf("the register has a promise of %s, of %d entries: it has not lost it, and nothing was changed", origin, now.Size)
	}
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of %s are promised\n", p.Size, origin)
	return exitDone, nil
}

// promiseOf is the largest tree of several directories, of which the others must be
// beginnings.
func promiseOf(dirs []string) (p ledger.Promise, origin string, err error) {
	var copies []*ledger.Copy
	defer func() {
		for _, c := range copies {
			err = errors.Join(err, c.Close())
		}
	}()
	for _, dir := range dirs {
		o, _, err := ownKeys(dir)
		if err != nil {
			return p, "", err
		}
		if origin != "" && o.Signer.Name() != origin {
			return p, "", fmt.Errorf("%s is of the log %s, another one of %s", dir, o.Signer.Name(), origin)
		}
		origin = o.Signer.Name()
		c, err := ledger.OpenCopy(dir, o)
		if err != nil {
			return p, "", err
		}
		copies = append(copies, c)
	}
	p, err = ledger.LargestPromise(copies...)
	return p, origin, err
}
