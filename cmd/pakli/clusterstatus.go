package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/postgres"
)

// runClusterStatus asks every part how it does, and says what is wrong.
func runClusterStatus(ctx context.Context, e env, args []string) (int, error) {
	f, o, _ := clusterFlags(e, "status", "")
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
	err = o.report(ctx, e, p)
	if err != nil {
		return exitFail, err
	}
	return exitDone, nil
}

// report prints what register and tree say, and returns what is wrong.
func (o clusterOptions) report(ctx context.Context, e env, p clusterParts) error {
	promised, err := p.register.Load(ctx)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	fmt.Fprintf(e.out, "promised   %d entries, root %v\n", promised.Size, promised.Root)
	if promised.Left != "" {
		return ledger.ErrLeft
	}
	size, root, err := p.tree.Head(ctx)
	if err != nil {
		return fmt.Errorf("log server: %w", err)
	}
	fmt.Fprintf(e.out, "integrated %d entries, root %v, %v ago by this clock\n", size, root, time.Since(p.tree.RootTime()).Round(time.Millisecond))
	if size < promised.Size {
		err = lacksPromised(promised.Size - size)
	}
	if size == promised.Size && root != promised.Root {
		err = errors.New("the tree has another history than what was promised")
	}
	return errors.Join(append(append(o.wrongParts(ctx, p), o.wrongDatabase(ctx)...), err)...)
}

func lacksPromised(entries uint64) error {
	return fmt.Errorf("the tree lacks %d promised entries: its database is older than what was promised", entries)
}

// wrongParts lists what is wrong with the parts of a cluster for a log, as far as can be seen
// from a front end.
func (o clusterOptions) wrongParts(ctx context.Context, p clusterParts) (list []error) {
	if err := p.tree.CheckState(ctx); err != nil {
		list = append(list, err)
	}
	if !strings.HasPrefix(o.register, "file:") && strings.Count(o.register, ",") < 2 {
		list = append(list, fmt.Errorf("--register names %d members: with fewer than three the register stops when one does", 1+strings.Count(o.register, ",")))
	}
	return list
}

// wrongDatabase lists what is wrong with the database of the log servers, if it was named.
func (o clusterOptions) wrongDatabase(ctx context.Context) []error {
	if o.database == "" {
		return nil
	}
	d, err := postgres.Open(o.database)
	if err != nil {
		return []error{err}
	}
	list, err := d.FindWrong(ctx)
	if err != nil {
		list = append(list, err)
	}
	return list
}

// analyze makes the database know its tables, after a tree was made or filled.
func (o clusterOptions) analyze(ctx context.Context) error {
	if o.database == "" {
		return nil
	}
	d, err := postgres.Open(o.database)
	if err != nil {
		return err
	}
	return d.Analyze(ctx)
}
