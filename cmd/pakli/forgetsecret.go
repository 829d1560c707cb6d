package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// runForget erases what would open a seat's hands at a table, for who steals the
// seat file later; a file is replaced, so what a disk keeps of the old one is out of reach. A table that is not over waits for the seat, which can never
// go on without it.
func runForget(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table forget", "ID")
	var s serverFlags
	var secret passphrase
	s.addFlags(f)
	secret.addFlags(f)
	seat := f.String("seat", "", "the seat `file`")
	force := f.Bool("force", false, "do not ask the log whether the table is over. If it is not, the seat can never go on there")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	identity, err := openSeat("--seat", *seat, secret)
	if err != nil {
		return exitFail, err
	}
	var id wire.Hash
	if *force {
		id, err = tableID(f.Arg(0), func(string) ([]wire.Hash, error) {
			return nil, wrongUsage("--force asks no server: it wants the whole id of the table")
		})
	} else {
		id, err = s.mustBeOver(ctx, e, f.Arg(0))
	}
	if err == nil {
		err = identity.Forget(id)
	}
	if err == nil {
		fmt.Fprintf(e.out, "erased from %s. Copies and backups of it still have the secret, and the disk may keep old blocks of the file.\n", *seat)
	}
	return exitDone, errors.Join(err, identity.Close())
}

// mustBeOver verifies a table, and returns an error if anybody has to go on.
func (s *serverFlags) mustBeOver(ctx context.Context, e env, text string) (wire.Hash, error) {
	c, id, err := s.findTable(ctx, e, text)
	if err != nil {
		return id, err
	}
	report, err := verifier.Verify(ctx, c, verifier.Options{Table: id, Log: s.verifiers(), Catalogue: catalogue()})
	if err != nil {
		return id, err
	}
	switch report.Verdict {
	case verifier.Sound, verifier.ForSeats, verifier.Adjudicated, verifier.Foul:
		return id, nil
	case verifier.Unfinished:
		return id, fmt.Errorf("table %s is not over, and its seat cannot go on without the secret; --force erases it all the same", id)
	}
	return id, errors.New(report.Headline())
}
