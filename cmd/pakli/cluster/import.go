package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/cluster"
)

// importCommand moves a log that was kept alone to a new tree of a cluster.
func importCommand(f *command.Flags) command.Body {
	o, data := clusterFlags(f)
	f.Required = []string{"trillian", "register"}
	return func(ctx context.Context, e command.Env) error {
		tree, size, err := importLog(ctx, e, *o, *data)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "%d entries are in the tree %d. Serve %s with --trillian %s --trillian-tree %d --register %s\n", size, tree, *data, o.Trillian, tree, o.Register)
		return e.Say(map[string]int64{"tree": tree}, "%d\n", tree)
	}
}

// importLog copies a log into a tree, compares the roots, promises the tree and makes the directory
// follow it.
func importLog(ctx context.Context, e command.Env, o Options, data string) (int64, uint64, error) {
	if err := o.checkDatabase(); err != nil {
		return 0, 0, err
	}
	lo, _, err := copies.OwnKeys(data)
	if err != nil {
		return 0, 0, err
	}
	c, err := ledger.OpenCopy(data, lo)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	origin := lo.Signer.Name()
	reg, err := o.openRegister(origin)
	if err != nil {
		return 0, 0, err
	}
	if err := checkUnpromised(ctx, c, reg, origin); err != nil {
		return 0, 0, err
	}
	tree, err := importTree(ctx, &o, origin)
	if err != nil {
		return 0, 0, err
	}
	defer tree.Close()
	err = fillTree(ctx, e, tree, c)
	if errors.Is(err, errSpoilt) {
		return 0, 0, fmt.Errorf("tree %d: %w", o.Tree, err)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("tree %d: %w. Repeat the command with --trillian-tree %d", o.Tree, err, o.Tree)
	}
	if err := o.analyze(ctx); err != nil {
		return 0, 0, err
	}
	if now, err := reg.Make(ctx, c.Head()); err != nil || now != c.Head() {
		return 0, 0, errors.Join(err, fmt.Errorf("register: it promises %d entries, the log has %d", now.Size, c.Head().Size))
	}
	return o.Tree, c.Head().Size, c.Follow(followsOf(o.Tree, origin))
}

// checkUnpromised refuses a log that is on a cluster already.
func checkUnpromised(ctx context.Context, c *ledger.Copy, r ledger.Register, origin string) error {
	if c.Follows() != "" {
		return fmt.Errorf("the directory follows a cluster already: %s. If that cluster is lost, take it out first, with pakli cluster leave", c.Follows())
	}
	p, err := r.Load(ctx)
	if errors.Is(err, ledger.ErrNoPromise) || err == nil && p == c.Head() {
		return nil
	}
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	if p.Left == "" {
		return fmt.Errorf("the register has a promise of %d entries of %s: the log is on a cluster already", p.Size, origin)
	}
	return fmt.Errorf("the register says that %s has left its cluster. Take another register, or remove /pakli/… of this log from it by hand once no front end is left that follows it", origin)
}

// importTree returns the tree of an unfinished import, or a new one.
func importTree(ctx context.Context, o *Options, origin string) (t *cluster.Tree, err error) {
	at, err := o.LogServers()
	if err != nil {
		return nil, err
	}
	if o.Tree != 0 {
		return cluster.OpenTree(o.Tree, at)
	}
	t, o.Tree, err = cluster.CreateTree(ctx, origin, true, at)
	return t, err
}

// importPiece bounds the bytes put into a tree at once.
const importPiece = 1 << 20

// fillTree puts all missing entries of a log into a tree and releases it.
func fillTree(ctx context.Context, e command.Env, tree *cluster.Tree, c *ledger.Copy) error {
	want := c.Head()
	at, _, err := tree.Head(ctx)
	if err != nil {
		return err
	}
	var piece []cluster.SequencedEntry
	size := 0
	flush := func() error {
		err := tree.Import(ctx, piece)
		piece, size = piece[:0], 0
		return err
	}
	for entry, err := range c.Entries(min(at, want.Size), want.Size) {
		if err != nil {
			return err
		}
		s := cluster.SequencedEntry{Index: at, Entry: append([]byte(nil), entry...)}
		for _, hash := range copies.BlobsOf(entry) {
			blob, err := c.Blob(ctx, hash)
			if err != nil {
				return err
			}
			s.Blobs = append(s.Blobs, blob)
			size += len(blob)
		}
		at++
		if piece, size = append(piece, s), size+len(entry); size >= importPiece || len(piece) >= 1000 {
			if err := flush(); err != nil {
				return err
			}
			fmt.Fprintf(e.Err, "%d of %d entries\n", at, want.Size)
		}
	}
	if len(piece) > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	return awaitIntegrated(ctx, tree, want, importPatience)
}

// importPatience is how long a tree may stand still during an import: a signer integrates some
// thousand entries a second.
const importPatience = time.Minute

// errSpoilt says that no import can continue with a tree. Two signers of a tree with a given order
// compute nodes at the same time, and each overwrites those of the other.
var errSpoilt = errors.New("it is spoilt, as by two signers at the same time. Let one signer run, and only one, and import again without --trillian-tree, into a new tree")

// awaitIntegrated waits until a tree has integrated everything, compares its root, and makes it take
// new entries.
func awaitIntegrated(ctx context.Context, tree *cluster.Tree, want ledger.Promise, patience time.Duration) error {
	last, since := uint64(0), time.Now()
	for {
		size, root, err := tree.Head(ctx)
		switch {
		case err != nil:
			return err
		case size > want.Size || size == want.Size && root != want.Root:
			return fmt.Errorf("it has %d entries with root %v, the log %d with %v: %w", size, root, want.Size, want.Root, errSpoilt)
		case size == want.Size:
			return tree.Release(ctx)
		case size < last:
			return fmt.Errorf("it has %d of %d entries, and had %d: %w", size, want.Size, last, errSpoilt)
		case size == last && time.Since(since) > patience:
			return fmt.Errorf("it stands still at %d of %d entries. Does a signer run, and only one, and does its database write? If it stands still again, import without --trillian-tree, into a new tree", size, want.Size)
		case size > last:
			last, since = size, time.Now()
		}
		if err := command.Wait(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}
