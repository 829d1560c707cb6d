package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/ledger/bundle"
)

// runEventBundle writes an event, and each of its tables, to files that pakli-verify --event
// reads offline.
func runEventBundle(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("event bundle", "EVENT")
	o := bundleOptions{several: true}
	o.addFlags(f)
	f.StringVar(&o.out, "o", "", "`directory` for event.pakli, and ID.pakli of each table")
	f.StringVar(&o.from, "from", "", "`directory` of a mirror to read, and no server; EVENT is the whole id then")
	policyFile := f.String("policy", "", "`file` with the log and the cosigners that are wanted; read the log as these have seen it")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	if o.out == "" {
		return exitUsage, wrongUsage("-o is missing: the bundles of an event need a directory")
	}
	var err error
	if o.policy, err = readPolicy(*policyFile); err != nil {
		return exitFail, err
	}
	id, err := o.eventID(ctx, e, f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	keys, err := o.believedKeys(ctx, e)
	if err != nil {
		return exitFail, err
	}
	src, err := o.openSource(keys)
	if err != nil {
		return exitFail, err
	}
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return exitFail, err
	}
	b, err := bundle.CollectEvent(ctx, src, c, id, keys)
	if err != nil {
		return exitFail, err
	}
	if err := o.collect(ctx, e, src, c, b.Tables, keys); err != nil {
		return exitFail, err
	}
	name := filepath.Join(o.out, bundle.EventName)
	if err := durable.Replace(name, b.Marshal(), 0o644); err != nil { // last: with it the directory is whole
		return exitFail, err
	}
	fmt.Fprintf(e.out, "%d entries of event %s with %d tables, when %s had %d, in %s\n", len(b.Entries), id, len(b.Tables), c.Origin, c.Size, name)
	return exitDone, nil
}
