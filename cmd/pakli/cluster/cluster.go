// Package cluster has the commands of pakli cluster, which keep a log on several machines, and opens
// the parts of such a cluster that its flags name.
package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pakli/pakli/cmd/pakli/copies"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/badgerstore"
	"github.com/pakli/pakli/ledger/cluster"
	"github.com/pakli/pakli/ledger/tlog"
)

// Commands returns the commands of pakli cluster (docs/guide).
func Commands() []command.Command {
	return []command.Command{
		{Name: "create", Short: "make a new log on a cluster, and its first front end", Examples: []string{"pakli cluster create --origin cards.example --trillian HOST:8090 --register http://HOST:2379"}, Declare: createCommand},
		{Name: "join", Short: "make the directory of another front end", Examples: []string{"pakli cluster join --data b --keys a --trillian-tree 12 --trillian HOST:8090 --register http://HOST:2379"}, Declare: joinCommand},
		{Name: "leave", Short: "go on alone with the log of a front end, for good", Examples: []string{"pakli cluster leave --data b --trillian-tree 12 --register http://HOST:2379"}, Declare: leaveCommand},
		{Name: "promise", Short: "make the register anew, from the directories of all front ends", Examples: []string{"pakli cluster promise --data a --data b --register http://HOST:2379"}, Declare: promiseCommand},
		{Name: "import", Short: "bring a log that was kept alone to a cluster", Examples: []string{"pakli cluster import --data pakli-data --trillian HOST:8090 --register http://HOST:2379"}, Declare: importCommand},
		{Name: "close", Short: "let a log take no more entries, for good", Examples: []string{"pakli cluster close --origin cards.example --trillian-tree 12 --trillian HOST:8090 --register http://HOST:2379"}, Declare: closeCommand},
		{Name: "status", Short: "say how the parts of a cluster do", Examples: []string{"pakli cluster status --origin cards.example --trillian-tree 12 --trillian HOST:8090 --register http://HOST:2379"}, Declare: statusCommand},
	}
}

// createCommand makes a key, a tree, a promise and a directory.
func createCommand(f *command.Flags) command.Body {
	var o Options
	o.AddServerFlags(f.FlagSet)
	data := f.String("data", "pakli-data", "directory for the first front end")
	origin := f.String("origin", "", "name of the log: the URL it is served under, without scheme")
	f.Required = []string{"origin", "trillian", "register"}
	return func(ctx context.Context, e command.Env) error {
		tree, err := CreateLog(ctx, o, *data, *origin)
		if err != nil {
			return err
		}
		fmt.Fprintf(e.Err, "the log %s has the tree %d. Serve it with %s; other front ends are made with pakli cluster join and %s/log.key\n", *origin, tree,
			command.Line("--data", *data, "--trillian", o.Trillian, "--trillian-tree", fmt.Sprint(tree), "--register", o.Register), *data)
		return e.Say(map[string]int64{"tree": tree}, "%d\n", tree)
	}
}

// CreateLog makes a new log on a cluster: its key, a tree, a promise, and the directory of its first front end.
func CreateLog(ctx context.Context, o Options, data, origin string) (tree int64, err error) {
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
		return 0, fmt.Errorf("%s has a key of the log %s, and --origin names another, %s", data, key.Verifier.Name(), origin)
	}
	at, err := o.LogServers()
	if err != nil {
		return 0, err
	}
	t, tree, err := cluster.CreateTree(ctx, origin, false, at)
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
		copies.PublishKey(data, key))
}
