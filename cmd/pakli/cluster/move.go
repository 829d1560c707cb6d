package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
)

// clusterFlags declares the flags of a command about a directory and its cluster.
func clusterFlags(f *command.Flags) (o *Options, data *string) {
	o = new(Options)
	o.AddFlags(f.FlagSet)
	return o, f.String("data", "pakli-data", "directory of the front end")
}

// joinCommand makes the directory of a front end with the log's keys, empty or from a backup. The
// front end catches up with the promise when it is served.
func joinCommand(f *command.Flags) command.Body {
	o, data := clusterFlags(f)
	keys := f.String("keys", "", "`directory` with the log's keys (*.key), as of another front end")
	from := f.String("from", "", "a backup or mirror of the log, to begin with (default: everything is read from the cluster)")
	f.Required = []string{"trillian", "trillian-tree", "register"}
	return func(ctx context.Context, e command.Env) error {
		if *keys != "" {
			if err := copyKeys(*keys, *data); err != nil {
				return err
			}
		}
		if err := joinCluster(ctx, *o, *data, *from); err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "%s follows the log; pakli serve reads what it lacks before it answers\n", *data)
		return e.Say(map[string]string{"directory": *data}, "")
	}
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

func joinCluster(ctx context.Context, o Options, data, from string) error {
	lo, keys, err := copies.OwnKeys(data)
	if err != nil {
		return fmt.Errorf("%s must have the log's keys, log.key and what else there is, and nothing else (or name them with --keys): %w", data, err)
	}
	origin := lo.Signer.Name()
	p, err := o.OpenParts(origin)
	if err != nil {
		return err
	}
	defer p.Tree.Close()
	promised, err := p.register.Load(ctx)
	if err == nil {
		err = p.Tree.CheckState(ctx)
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
	return errors.Join(err, copies.PublishKey(data, key))
}

// beginFollowing makes the directory of a log that follows a cluster.
func beginFollowing(ctx context.Context, o ledger.Options, keys []note.Verifier, data, from, follows string) error {
	if from == "" {
		o.Follows = follows
		return ledger.Create(data, o)
	}
	if _, err := ledger.RestoreBackup(ctx, from, data, o, nil, copies.BlobsOf, keys...); err != nil {
		return err
	}
	c, err := ledger.OpenCopy(data, o)
	if err != nil {
		return err
	}
	return errors.Join(c.Follow(follows), c.Close())
}

// leaveCommand takes a front end out of its cluster.
func leaveCommand(f *command.Flags) command.Body {
	o, data := clusterFlags(f)
	f.Required = []string{"trillian-tree", "register"}
	return func(ctx context.Context, e command.Env) error {
		lo, _, err := copies.OwnKeys(*data)
		if err != nil {
			return err
		}
		reg, err := o.openRegister(lo.Signer.Name())
		if err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		size, err := leaveCluster(ctx, *data, lo, followsOf(o.Tree, lo.Signer.Name()), reg)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "the other front ends stop; the log goes on from this directory alone, with %s\n", command.Line("pakli", "serve", "--data", *data))
		return copies.SayCopied(e, size, lo.Signer.Name(), *data)
	}
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

// promiseCommand makes the register again.
func promiseCommand(f *command.Flags) command.Body {
	var o Options
	o.addRegisterFlags(f.FlagSet)
	var dirs []string
	f.Func("data", "directory of a front end, which nobody serves now; name all there are", func(s string) error {
		dirs = append(dirs, s)
		return nil
	})
	missing := f.Int("missing", 0, "how many front ends have no directory any more; what only they have promised is then denied, which forks the log")
	f.Required = []string{"register"}
	return func(ctx context.Context, e command.Env) error {
		if len(dirs) == 0 {
			return command.WrongUsage("name the directories of all front ends, with --data")
		}
		p, origin, err := promiseOf(dirs)
		if err != nil {
			return err
		}
		if *missing > 0 {
			fmt.Fprintf(e.Err, "%d front ends are missing: if one of them has promised more than %d entries, going on forks the log\n", *missing, p.Size)
		}
		reg, err := o.openRegister(origin)
		if err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		now, err := reg.Make(ctx, p)
		if err == nil && now != p {
			err = fmt.Errorf("the register has a promise of %s, of %d entries: it has not lost it, and nothing was changed", origin, now.Size)
		}
		if err != nil {
			return err
		}
		return e.Say(map[string]any{"entries": p.Size, "log": origin}, "%d entries of %s are promised\n", p.Size, origin)
	}
}

// promiseOf returns the largest tree of several directories. The trees of the others must be
// beginnings of it.
func promiseOf(dirs []string) (p ledger.Promise, origin string, err error) {
	var all []*ledger.Copy
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.Close())
		}
	}()
	for _, dir := range dirs {
		o, _, err := copies.OwnKeys(dir)
		if err != nil {
			return p, "", err
		}
		if origin != "" && o.Signer.Name() != origin {
			return p, "", fmt.Errorf("%s belongs to the log %s, and another directory to %s", dir, o.Signer.Name(), origin)
		}
		origin = o.Signer.Name()
		c, err := ledger.OpenCopy(dir, o)
		if err != nil {
			return p, "", err
		}
		all = append(all, c)
	}
	p, err = ledger.LargestPromise(all...)
	return p, origin, err
}

// closeCommand freezes the tree of a log: entries handed in before are integrated, and no more are
// taken. Front ends can still be read.
func closeCommand(f *command.Flags) command.Body {
	return withParts(f, func(ctx context.Context, e command.Env, _ Options, p Parts) error {
		if err := p.Tree.Freeze(ctx, p.awaitStandstill); err != nil {
			return err
		}
		size, _, err := p.Tree.Head(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "the tree has %d entries for good. When a front end's /checkpoint has as many, sign it into the list: pakli logs --closed\n", size)
		return e.Say(map[string]uint64{"entries": size}, "%d\n", size)
	})
}

// stillFor is how long a drained tree must not grow before it is frozen.
const stillFor = 2 * time.Second

// awaitStandstill waits until all entries that were handed in are integrated and promised.
func (p Parts) awaitStandstill(ctx context.Context) error {
	last, since := uint64(0), time.Now()
	for {
		size, _, err := p.Tree.Head(ctx)
		if err != nil {
			return err
		}
		promised, err := p.register.Load(ctx)
		if err != nil {
			return err
		}
		if size != last || promised.Size < size {
			last, since = size, time.Now()
		}
		if time.Since(since) >= stillFor {
			return nil
		}
		if err := command.Wait(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}
