package copies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/version"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Bundle writes tables to files that pakli-verify reads offline.
func Bundle(f *command.Flags) command.Body {
	o := Bundles{Server: flags.ServerOf(f)}
	f.StringVar(&o.Out, "o", "", "`file` to write (default: the first eight digits of ID, and .pakli); for several tables, the directory for their ID.pakli")
	f.BoolVar(&o.all, "all", false, "bundle all tables of the log, each in a file of its own, under one checkpoint")
	f.StringVar(&o.From, "from", "", "`directory` of a mirror to read instead of a server")
	policyFile := f.String("policy", "", "`file` with the log and the cosigners that are wanted; read the log as these have seen it")
	f.BoolVar(&o.quick, "quick", false, "let the server make the bundle, and believe it about which entries are the table's; otherwise the whole log is read")
	return func(ctx context.Context, e command.Env) error {
		if err := o.checkNames(f.Args()); err != nil {
			return err
		}
		var err error
		if o.Policy, err = flags.ReadPolicy(*policyFile); err != nil {
			return err
		}
		return o.writeAll(ctx, e)
	}
}

// WriteTable writes the bundle of the table that name identifies and returns its id.
func (o *Bundles) WriteTable(ctx context.Context, e command.Env, name string) (id wire.Hash, err error) {
	if err = o.checkNames([]string{name}); err == nil {
		err = o.writeAll(ctx, e)
	}
	if err != nil {
		return id, err
	}
	return o.ids[0], nil
}

// checkNames refuses flags and names that do not fit together.
func (o *Bundles) checkNames(names []string) error {
	for _, name := range names {
		if err := bundle.CheckName(name); err != nil {
			return command.Misuse(err)
		}
	}
	o.names = names
	switch o.Several = o.all || len(names) > 1; {
	case o.all && len(names) > 0:
		return command.WrongUsage("--all means every table: leave out %s", names[0])
	case !o.all && len(names) == 0:
		return command.WrongUsage("no table is named: give one or more ids, or --all")
	case o.Several && o.quick:
		return command.WrongUsage("--quick: the server makes one bundle at a time, each under another checkpoint")
	case o.Several && o.Out == "":
		return command.WrongUsage("-o is missing: several bundles need a directory")
	}
	return nil
}

// find completes the names of tables.
func (o *Bundles) find(list func(prefix string) ([]wire.Hash, error)) error {
	for _, name := range o.names {
		id, err := flags.TableID(name, list)
		if err != nil {
			return err
		}
		if !slices.Contains(o.ids, id) {
			o.ids = append(o.ids, id)
		}
	}
	if !o.Several {
		o.Out = cmp.Or(o.Out, o.ids[0].String()[:8]+".pakli")
	}
	return nil
}

// maxHeld bounds the bytes of entries that are held at once to make bundles.
const maxHeld = 64 << 20

// Bundles says from what bundles are made and where they go.
type Bundles struct {
	*flags.Server
	From    string // directory of a mirror; "": read the server
	Policy  *tlog.Policy
	quick   bool
	all     bool
	names   []string // of tables, as given
	ids     []wire.Hash
	Several bool
	Out     string // file, or directory for several
}

// writeAll makes and writes the bundles, all under one checkpoint, so that they show one history.
func (o *Bundles) writeAll(ctx context.Context, e command.Env) error {
	keys, err := o.BelievedKeys(ctx, e)
	if err != nil {
		return err
	}
	if o.quick {
		return o.writeServed(ctx, e, keys)
	}
	src, err := o.OpenSource(keys)
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
		err = o.find(flags.InLog(ctx, src))
	}
	if err != nil {
		return err
	}
	return o.Collect(ctx, e, src, c, o.ids, keys)
}

// Collect writes the bundles of tables, made from a whole log under c.
func (o *Bundles) Collect(ctx context.Context, e command.Env, src tlog.EntryReader, c tlog.Checkpoint, ids []wire.Hash, keys bundle.Keys) (err error) {
	if o.Several {
		err = os.MkdirAll(o.Out, 0o777)
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

func (o *Bundles) writeBundle(e command.Env, b *bundle.Bundle) error {
	for _, hash := range b.MissingBlobs() {
		fmt.Fprintf(e.Err, "the log does not have the blob %x: where it is needed table %s cannot be checked\n", hash, b.Table)
	}
	name := o.Out
	if o.Several {
		name = filepath.Join(o.Out, b.Table.String()+".pakli")
	}
	if err := durable.Replace(name, b.Marshal(), 0o644); err != nil {
		return err
	}
	return SayBundle(e, "table", b.Table, len(b.Entries), b.Checkpoint, name)
}

// SayBundle reports what is in a file with a bundle.
func SayBundle(e command.Env, what string, id wire.Hash, entries int, c tlog.Checkpoint, file string) error {
	return e.Say(map[string]any{what: id, "entries": entries, "log": c.Origin, "log_entries": c.Size, "file": file, "version": version.Read().String()},
		"%d entries of %s %s, when %s had %d, in %s\n", entries, what, id, c.Origin, c.Size, file)
}

// OpenSource returns the mirror or the server; with a policy, the server as its cosigners have seen
// it.
func (o *Bundles) OpenSource(keys bundle.Keys) (tlog.EntryReader, error) {
	if o.From != "" {
		return tiles.Directory(o.From), nil
	}
	url := strings.TrimRight(o.URL, "/")
	if o.Policy != nil {
		url += "/cosigned"
	}
	return o.client(url, keys)
}

func (o *Bundles) client(url string, keys bundle.Keys) (*client.Client, error) {
	all := keys.Verifiers()
	return client.New(url, all[0], nil, all[1:]...)
}

// writeServed writes the bundle that the server makes.
func (o *Bundles) writeServed(ctx context.Context, e command.Env, keys bundle.Keys) error {
	if o.From != "" {
		return command.WrongUsage("--quick changes nothing of --from: it is for a server")
	}
	c, err := o.client(strings.TrimRight(o.URL, "/"), keys)
	if err != nil {
		return err
	}
	if err := o.find(flags.TableLister(ctx, c)); err != nil {
		return err
	}
	b, err := fetchBundle(ctx, c, o.ids[0], keys)
	if err != nil {
		return err
	}
	return o.writeBundle(e, b)
}

// BelievedKeys returns the believed keys of the log and of its cosigners.
func (o *Bundles) BelievedKeys(ctx context.Context, e command.Env) (keys bundle.Keys, err error) {
	if o.Policy != nil {
		for _, l := range o.Policy.Logs {
			keys.Log = append(keys.Log, l.Key)
		}
		for _, c := range o.Policy.Cosigners {
			keys.Cosigners = append(keys.Cosigners, c.Key)
		}
	}
	if len(o.Server.Keys) == 0 && len(keys.Log) > 0 {
		return keys, nil
	}
	if len(o.Server.Keys) == 0 && o.From != "" {
		return keys, command.WrongUsage("--log is missing: a mirror cannot be asked for the log's key")
	}
	if len(o.Server.Keys) == 0 {
		if _, err := o.Dial(ctx, e); err != nil { // asks for the keys
			return keys, err
		}
	}
	keys.Log = o.Server.Keys
	return keys, nil
}

// fetchBundle returns the server's bundle of a table under a key of the log.
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
