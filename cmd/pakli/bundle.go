package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// runBundle writes a table to one file that pakli-verify reads offline.
func runBundle(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("bundle", "ID")
	var o bundled
	o.register(f)
	out := f.String("o", "", "file to write (default: the first eight digits of ID, and .pakli)")
	f.StringVar(&o.from, "from", "", "directory of a mirror to read, and no server")
	policyFile := f.String("policy", "", "file with the log and the cosigners that are wanted; read the log as these have seen it")
	f.BoolVar(&o.quick, "quick", false, "let the server make it, which then says what belongs to the table; otherwise the whole log is read")
	text, rest := idFirst(args)
	if err := parse(f, rest, 1-len(text)); err != nil {
		return exitUsage, err
	}
	id, err := wire.ParseHash(append(text, f.Args()...)[0])
	if err != nil {
		return exitUsage, usageError{err}
	}
	if o.policy, err = readPolicy(*policyFile); err != nil {
		return exitFail, err
	}
	b, err := o.make(ctx, e, id)
	if err != nil {
		return exitFail, err
	}
	for _, hash := range b.Missing() {
		fmt.Fprintf(e.err, "the log does not have the blob %x: where it is needed the table cannot be checked\n", hash)
	}
	name := *out
	if name == "" {
		name = id.String()[:8] + ".pakli"
	}
	if err := durable.Replace(name, b.Marshal(), 0o644); err != nil {
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of table %s, when %s had %d, in %s\n", len(b.Entries), id, b.Checkpoint.Origin, b.Checkpoint.Size, name)
	return exitDone, nil
}

// idFirst allows the ID before the flags.
func idFirst(args []string) (id, rest []string) {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		return args[:1], args[1:]
	}
	return nil, args
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

// bundled says where a bundle comes from.
type bundled struct {
	server
	from   string // directory of a mirror; "" for the server
	policy *tlog.Policy
	quick  bool
}

// make makes the bundle of a table.
func (o *bundled) make(ctx context.Context, e env, id wire.Hash) (*bundle.Bundle, error) {
	keys, err := o.keys(ctx, e)
	if err != nil {
		return nil, err
	}
	if o.from != "" {
		return bundle.Collect(ctx, mirror.Dir(o.from), id, keys)
	}
	url := strings.TrimRight(o.url, "/")
	if o.policy != nil && !o.quick {
		url += "/cosigned"
	}
	var also []note.Verifier
	for _, k := range keys.Log[1:] {
		also = append(also, k)
	}
	c, err := client.New(url, keys.Log[0], nil, also...)
	if err != nil {
		return nil, err
	}
	if o.quick {
		return served(ctx, c, id, keys)
	}
	return bundle.Collect(ctx, c, id, keys)
}

// keys are those of the log that are believed, and of its cosigners.
func (o *bundled) keys(ctx context.Context, e env) (keys bundle.Keys, err error) {
	if o.policy != nil {
		for _, l := range o.policy.Logs {
			keys.Log = append(keys.Log, l.Key)
		}
		for _, c := range o.policy.Cosigners {
			keys.Cosigners = append(keys.Cosigners, c.Key)
		}
	}
	if len(o.server.keys) == 0 && len(keys.Log) > 0 {
		return keys, nil
	}
	if len(o.server.keys) == 0 && o.from != "" {
		return keys, wrongUsage("--log is missing: a mirror cannot be asked for the log's key")
	}
	if len(o.server.keys) == 0 {
		if _, err := o.dial(ctx, e); err != nil { // which asks for the keys
			return keys, err
		}
	}
	keys.Log = o.server.keys
	return keys, nil
}

// served is the bundle that the server makes, under a key of the log.
func served(ctx context.Context, c *client.Client, id wire.Hash, keys bundle.Keys) (*bundle.Bundle, error) {
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
