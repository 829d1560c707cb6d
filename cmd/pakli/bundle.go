package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// runBundle writes tables to files that pakli-verify reads offline.
func runBundle(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("bundle", "ID...")
	var o bundleOptions
	o.addFlags(f)
	f.StringVar(&o.out, "o", "", "`file` to write (default: the first eight digits of ID, and .pakli); of several tables the directory for ID.pakli of each")
	f.BoolVar(&o.all, "all", false, "all tables of the log, each in a file of its own, under one checkpoint")
	f.StringVar(&o.from, "from", "", "`directory` of a mirror to read, and no server")
	policyFile := f.String("policy", "", "`file` with the log and the cosigners that are wanted; read the log as these have seen it")
	f.BoolVar(&o.quick, "quick", false, "let the server make it, which then says what belongs to the table; otherwise the whole log is read")
	if err := parseFlags(f, args, 0, math.MaxInt); err != nil {
		return exitUsage, err
	}
	if err := o.checkNames(f.Args()); err != nil {
		return exitUsage, err
	}
	var err error
	if o.policy, err = readPolicy(*policyFile); err != nil {
		return exitFail, err
	}
	if err := o.writeAll(ctx, e); err != nil {
		return exitFail, err
	}
	return exitDone, nil
}

// checkNames says what does not go together.
func (o *bundleOptions) checkNames(names []string) error {
	for _, name := range names {
		if err := bundle.CheckName(name); err != nil {
			return usageError{err}
		}
	}
	o.names = names
	switch o.several = o.all || len(names) > 1; {
	case o.all && len(names) > 0:
		return wrongUsage("--all means every table: leave out %s", names[0])
	case !o.all && len(names) == 0:
		return wrongUsage("the id of a table is missing, or of several, or --all")
	case o.several && o.quick:
		return wrongUsage("--quick: the server makes one bundle at a time, each under another checkpoint")
	case o.several && o.out == "":
		return wrongUsage("-o is missing: several bundles need a directory")
	}
	return nil
}

// find completes what tables are named by.
func (o *bundleOptions) find(list func(prefix string) ([]wire.Hash, error)) error {
	for _, name := range o.names {
		id, err := tableID(name, list)
		if err != nil {
			return err
		}
		if !slices.Contains(o.ids, id) {
			o.ids = append(o.ids, id)
		}
	}
	if !o.several {
		o.out = cmp.Or(o.out, o.ids[0].String()[:8]+".pakli")
	}
	return nil
}

func readPolicy(file string) (*tlog.Policy, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	policy, err := tlog.ParsePolicy(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return policy, nil
}

// maxHeld is how many bytes of entries are held at once to make bundles of them.
const maxHeld = 64 << 20

// bundleOptions says of what bundles are made, and where they go.
type bundleOptions struct {
	serverFlags
	from    string // directory of a mirror; "" for the server
	policy  *tlog.Policy
	quick   bool
	all     bool
	names   []string // of tables, as they were given
	ids     []wire.Hash
	several bool
	out     string // file, or directory of several
}

// writeAll makes the bundles and writes them, all under one checkpoint: then two of them
// are of one history.
func (o *bundleOptions) writeAll(ctx context.Context, e env) error {
	keys, err := o.believedKeys(ctx, e)
	if err != nil {
		return err
	}
	if o.quick {
		return o.writeServed(ctx, e, keys)
	}
	src, err := o.openSource(keys)
	if err != nil {
		return err
	}
	c, err := src.Checkpoint(ctx)
	if err == nil {
		err = c.Verify(keys.Verifiers()...)
	}
	if err == nil && o.all {
		o.ids, err = bundle.TablesUnder(ctx, src, c)
	} else if err == nil {
		err = o.find(inLog(ctx, src))
	}
	if err != nil {
		return err
	}
	return o.collect(ctx, e, src, c, o.ids, keys)
}

// collect writes the bundles of tables, made from a whole log under c.
func (o *bundleOptions) collect(ctx context.Context, e env, src tlog.EntryReader, c tlog.Checkpoint, ids []wire.Hash, keys bundle.Keys) (err error) {
	if o.several {
		err = os.MkdirAll(o.out, 0o777)
	}
	for err == nil && len(ids) > 0 {
		var list []*bundle.Bundle
		list, err = bundle.CollectAll(ctx, src, c, ids, keys, maxHeld)
		for _, b := range list {
			err = errors.Join(err, o.writeBundle(e, b))
		}
		ids = ids[len(list):]
	}
	return err
}

// writeBundle writes one file.
func (o *bundleOptions) writeBundle(e env, b *bundle.Bundle) error {
	for _, hash := range b.MissingBlobs() {
		fmt.Fprintf(e.err, "the log does not have the blob %x: where it is needed table %s cannot be checked\n", hash, b.Table)
	}
	name := o.out
	if o.several {
		name = filepath.Join(o.out, b.Table.String()+".pakli")
	}
	if err := durable.Replace(name, b.Marshal(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.out, "%d entries of table %s, when %s had %d, in %s\n", len(b.Entries), b.Table, b.Checkpoint.Origin, b.Checkpoint.Size, name)
	return nil
}

// openSource is what is read: a mirror, or the server, with a policy as its cosigners have
// seen it.
func (o *bundleOptions) openSource(keys bundle.Keys) (tlog.EntryReader, error) {
	if o.from != "" {
		return mirror.Dir(o.from), nil
	}
	url := strings.TrimRight(o.url, "/")
	if o.policy != nil {
		url += "/cosigned"
	}
	return o.client(url, keys)
}

func (o *bundleOptions) client(url string, keys bundle.Keys) (*client.Client, error) {
	all := keys.Verifiers()
	return client.New(url, all[0], nil, all[1:]...)
}

// writeServed writes the bundle that the server makes.
func (o *bundleOptions) writeServed(ctx context.Context, e env, keys bundle.Keys) error {
	if o.from != "" {
		return wrongUsage("--quick changes nothing of --from: it is for a server")
	}
	c, err := o.client(strings.TrimRight(o.url, "/"), keys)
	if err != nil {
		return err
	}
	if err := o.find(tableLister(ctx, c)); err != nil {
		return err
	}
	b, err := fetchBundle(ctx, c, o.ids[0], keys)
	if err != nil {
		return err
	}
	return o.writeBundle(e, b)
}

// eventID is the event that a person names.
func (o *bundleOptions) eventID(ctx context.Context, e env, text string) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil || o.from != "" {
		return id, err
	}
	_, id, err := o.findEvent(ctx, e, text)
	return id, err
}

// believedKeys are those of the log that are believed, and of its cosigners.
func (o *bundleOptions) believedKeys(ctx context.Context, e env) (keys bundle.Keys, err error) {
	if o.policy != nil {
		for _, l := range o.policy.Logs {
			keys.Log = append(keys.Log, l.Key)
		}
		for _, c := range o.policy.Cosigners {
			keys.Cosigners = append(keys.Cosigners, c.Key)
		}
	}
	if len(o.serverFlags.keys) == 0 && len(keys.Log) > 0 {
		return keys, nil
	}
	if len(o.serverFlags.keys) == 0 && o.from != "" {
		return keys, wrongUsage("--log is missing: a mirror cannot be asked for the log's key")
	}
	if len(o.serverFlags.keys) == 0 {
		if _, err := o.dialServer(ctx, e); err != nil { // which asks for the keys
			return keys, err
		}
	}
	keys.Log = o.serverFlags.keys
	return keys, nil
}

// fetchBundle is the bundle that the server makes, under a key of the log.
func fetchBundle(ctx context.Context, c *client.Client, id wire.Hash, keys bundle.Keys) (*bundle.Bundle, error) {
	file, err := c.Bundle(ctx, id)
	if err != nil {
		return nil, err
	}
	b, err := bundle.Parse(file)
	if err != nil {
		return nil, err
	}
	if b.Table != id {
		return nil, fmt.Errorf("the server answered with table %s", b.Table)
	}
	if err := b.Checkpoint.Verify(keys.Verifiers()...); err != nil {
		return nil, err
	}
	b.Keys.Cosigners = keys.Cosigners
	return bundle.New(*b)
}
