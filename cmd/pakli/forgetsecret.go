package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// runForget erases what would open a seat's hands at a table, for who steals the
// seat file later. A table that is not over waits for the seat, which can never
// go on without it.
func runForget(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table forget", "ID")
	var s server
	var secret passphrase
	s.register(f)
	secret.register(f)
	seat := f.String("seat", "", "the seat file")
	force := f.Bool("force", false, "do not ask the log whether the table is over: the seat can never go on there")
	text, rest := idFirst(args)
	if err := parse(f, rest, 1-len(text)); err != nil {
		return exitUsage, err
	}
	id, err := wire.ParseHash(append(text, f.Args()...)[0])
	if err != nil {
		return exitUsage, usageError{err}
	}
	phrase, err := secret.read()
	if err != nil {
		return exitFail, err
	}
	identity, err := seatfile.Open(*seat, phrase)
	if err != nil {
		return exitFail, err
	}
	if !*force {
		err = s.mustBeOver(ctx, e, id)
	}
	if err == nil {
		err = identity.Forget(id)
	}
	return exitDone, errors.Join(err, identity.Close())
}

// mustBeOver verifies a table, and returns an error if anybody has to go on.
func (s *server) mustBeOver(ctx context.Context, e env, id wire.Hash) error {
	c, err := s.dial(ctx, e)
	if err != nil {
		return err
	}
	report, err := verifier.Verify(ctx, c, verifier.Options{Table: id, Log: s.verifiers(), Catalogue: catalogue()})
	if err != nil {
		return err
	}
	switch report.Verdict {
	case verifier.Sound, verifier.Foul:
		return nil
	case verifier.Unfinished:
		return fmt.Errorf("table %s is not over, and its seat cannot go on without the secret; --force erases it all the same", id)
	}
	return errors.New(report.Headline())
}
