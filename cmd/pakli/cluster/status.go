package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/cluster"
	"github.com/pakli/pakli/ledger/tlog"
)

// statusCommand asks every part for its state and reports what is wrong.
func statusCommand(f *command.Flags) command.Body {
	return withParts(f, func(ctx context.Context, e command.Env, o Options, p Parts) error { return o.report(ctx, e, p) })
}

// withParts calls do with all parts of a log's cluster.
func withParts(f *command.Flags, do func(context.Context, command.Env, Options, Parts) error) command.Body {
	o, _ := clusterFlags(f)
	origin := f.String("origin", "", "name of the log")
	f.Required = []string{"origin", "trillian", "trillian-tree", "register"}
	return func(ctx context.Context, e command.Env) error {
		p, err := o.OpenParts(*origin)
		if err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		defer p.Tree.Close()
		return do(ctx, e, *o, p)
	}
}

// treeHead is the head of a tree in JSON.
type treeHead struct {
	Entries uint64    `json:"entries"`
	Root    tlog.Hash `json:"root"`
}

// report prints the state of register and tree and returns what is wrong.
func (o Options) report(ctx context.Context, e command.Env, p Parts) error {
	promised, err := p.register.Load(ctx)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	if promised.Left != "" {
		return ledger.ErrLeft
	}
	size, root, err := p.Tree.Head(ctx)
	if err != nil {
		return fmt.Errorf("log server: %w", err)
	}
	ago := time.Since(p.Tree.RootTime()).Round(time.Millisecond)
	said := e.Say(map[string]any{"promised": treeHead{promised.Size, promised.Root}, "integrated": treeHead{size, root}, "seconds_ago": ago.Seconds()},
		"promised   %d entries, root %v\nintegrated %d entries, root %v, %v ago by this clock\n", promised.Size, promised.Root, size, root, ago)
	if size < promised.Size {
		err = lacksPromised(promised.Size - size)
	}
	if size == promised.Size && root != promised.Root {
		err = errors.New("the tree has another history than what was promised")
	}
	return errors.Join(append(append(o.WrongParts(ctx, p), o.WrongDatabase(ctx)...), err, said)...)
}

func lacksPromised(entries uint64) error {
	return fmt.Errorf("the tree lacks %d promised entries: its database is older than what was promised", entries)
}

// WrongParts lists what is wrong with the parts of a log's cluster, as far as a front end can see.
func (o Options) WrongParts(ctx context.Context, p Parts) (list []error) {
	if err := p.Tree.CheckState(ctx); err != nil {
		list = append(list, err)
	}
	if !strings.HasPrefix(o.Register, "file:") && strings.Count(o.Register, ",") < 2 {
		list = append(list, fmt.Errorf("--register names %d members: with fewer than three the register stops when one does", 1+strings.Count(o.Register, ",")))
	}
	return list
}

// WrongDatabase lists what is wrong with the database of the log servers, if it is named.
func (o Options) WrongDatabase(ctx context.Context) []error {
	if o.Database == "" {
		return nil
	}
	d, err := cluster.OpenDatabase(o.Database)
	if err != nil {
		return []error{err}
	}
	list, err := d.FindWrong(ctx)
	if err != nil {
		list = append(list, err)
	}
	return list
}

// analyze updates the statistics of the database's tables, after a tree was made or filled.
func (o Options) analyze(ctx context.Context) error {
	if o.Database == "" {
		return nil
	}
	d, err := cluster.OpenDatabase(o.Database)
	if err != nil {
		return err
	}
	return d.Analyze(ctx)
}

// LookTime bounds all requests of one look at a cluster.
const LookTime = 10 * time.Second

// CheckPromised returns an error if the cluster cannot be followed up to its promise.
func (p Parts) CheckPromised(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, LookTime)
	defer cancel()
	promised, err := p.register.Load(ctx)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	if promised.Left != "" {
		return ledger.ErrLeft
	}
	if err := p.Tree.CheckState(ctx); err != nil {
		return fmt.Errorf("log server: %w", err)
	}
	size, _, err := p.Tree.Head(ctx)
	if err != nil {
		return fmt.Errorf("log server: %w", err)
	}
	if size < promised.Size {
		return lacksPromised(promised.Size - size)
	}
	return nil
}
