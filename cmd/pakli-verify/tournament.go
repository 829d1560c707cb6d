package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// tournament says which tables to verify.
type tournament struct {
	all     bool
	ids     []wire.Hash
	workers int
}

func (t *tournament) flags(f *flag.FlagSet) {
	f.Func("table", "id of the table: 64 hex digits; may be repeated; a bundle needs none", func(s string) error {
		id, err := wire.ParseHash(s)
		t.ids = append(t.ids, id)
		return err
	})
	f.BoolVar(&t.all, "all", false, "verify all tables of the log")
	f.IntVar(&t.workers, "workers", 0, "with several tables: how many are replayed at once; 0: one for each processor")
}

func (t *tournament) wanted() bool { return t.all || len(t.ids) > 1 }

// one returns the id of the one table, which a bundle says itself.
func (t *tournament) one(isBundle bool) (wire.Hash, error) {
	switch {
	case t.all && len(t.ids) > 0:
		return wire.Hash{}, errors.New("--all and --table: want one of them")
	case t.workers < 0:
		return wire.Hash{}, fmt.Errorf("--workers %d: must be 0 or more", t.workers)
	case t.wanted() && isBundle:
		return wire.Hash{}, errors.New("a bundle has one table")
	case t.wanted() || len(t.ids) == 0 && isBundle:
		return wire.Hash{}, nil
	case len(t.ids) == 0:
		return wire.Hash{}, errors.New("--table or --all is missing")
	}
	return t.ids[0], nil
}

// runMany verifies many tables and returns the exit code.
func runMany(ctx context.Context, a arguments, out, errs io.Writer) int {
	result, err := verifyMany(ctx, a, errs)
	if err != nil {
		fmt.Fprintf(errs, "pakli-verify: cannot check: %v\n", err)
		return exitCannot
	}
	if err := write(out, result, a.json); err != nil {
		fmt.Fprintf(errs, "pakli-verify: %v\n", err)
		return exitCannot
	}
	return result.ExitCode()
}

func verifyMany(ctx context.Context, a arguments, errs io.Writer) (*verifier.Tournament, error) {
	source, err := open(ctx, a, a.source)
	if err != nil {
		return nil, err
	}
	o := verifier.TournamentOptions{Tables: a.many.ids, Workers: a.many.workers, Progress: progress(errs, time.Second)}
	if o.Options, err = options(ctx, a); err != nil {
		return nil, err
	}
	return verifier.VerifyAll(ctx, source, o)
}

// progress says how far the log was read, once in every span.
func progress(w io.Writer, span time.Duration) func(uint64, int) {
	began := time.Now()
	next := began.Add(span)
	return func(entries uint64, tables int) {
		if now := time.Now(); now.After(next) {
			fmt.Fprintf(w, "%d entries, %d tables, %.0f s\n", entries, tables, now.Sub(began).Seconds())
			next = now.Add(span)
		}
	}
}
