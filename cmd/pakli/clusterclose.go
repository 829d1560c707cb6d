package main

import (
	"context"
	"fmt"
	"time"
)

// runClusterClose freezes the tree of a log: what was handed in is integrated, and nothing
// comes after it. Front ends go on to be read.
func runClusterClose(ctx context.Context, e env, args []string) (int, error) {
	f, o, _ := clusterFlags(e, "close", "")
	origin := f.String("origin", "", "name of the log")
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	if err := requireFlags(f, "origin", "trillian", "trillian-tree", "register"); err != nil {
		return exitUsage, err
	}
	p, err := o.openParts(*origin)
	if err != nil {
		return exitUsage, err
	}
	defer p.tree.Close()
	if err := p.tree.Freeze(ctx, p.awaitStandstill); err != nil {
		return exitFail, err
	}
	size, _, err := p.tree.Head(ctx)
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d\n", size)
	fmt.Fprintf(e.err, "the tree has %d entries for good. When a front end's /checkpoint has as many, sign it into the list: pakli logs --closed\n", size)
	return exitDone, nil
}

// stillFor is for how long a drained tree must not grow before it is frozen.
const stillFor = 2 * time.Second

// awaitStandstill waits until everything is integrated and promised that was handed in.
func (p clusterParts) awaitStandstill(ctx context.Context) error {
	last, since := uint64(0), time.Now()
	for {
		size, _, err := p.tree.Head(ctx)
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
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
