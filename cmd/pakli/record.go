package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/books"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// runRecord writes the finished deals of a table down as text.
func runRecord(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table record", "ID")
	var s server
	s.register(f)
	dir := f.String("mirror", "", "read a copy made by pakli mirror, in this directory, and not a server; needs --log")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	id, err := wire.ParseHash(f.Arg(0))
	if err != nil {
		return exitUsage, usageError{err}
	}
	src, err := s.open(ctx, e, *dir)
	if err != nil {
		return exitFail, err
	}
	session, err := recordTable(ctx, src, s.verifiers(), id)
	if err != nil {
		return exitFail, err
	}
	_, err = e.out.Write(session)
	return exitDone, err
}

// logSource is a log, by URL or from a directory.
type logSource interface {
	verifier.Source
	tlog.BlobReader
}

// open returns the log to read, and has keys to believe then.
func (s *server) open(ctx context.Context, e env, dir string) (logSource, error) {
	if dir == "" {
		return s.dial(ctx, e)
	}
	if len(s.keys) == 0 {
		return nil, wrongUsage("--mirror needs the log's verifier key in --log")
	}
	return mirror.Dir(dir), nil
}

// recordTable replays what the log shows of a table, after the whole of it was
// checked as pakli-verify does.
func recordTable(ctx context.Context, src logSource, keys []note.Verifier, id wire.Hash) ([]byte, error) {
	report, err := verifier.Verify(ctx, src, verifier.Options{Table: id, Log: keys, Catalogue: catalogue()})
	if err != nil {
		return nil, err
	}
	if report.Verdict == verifier.LogBroken {
		return nil, errors.New(report.Headline())
	}
	r := recording{blob: func(b wire.Blob) ([]byte, error) { return src.Blob(ctx, b.Hash) }}
	for entry, err := range src.Entries(ctx, 0, report.Checkpoint.Size) {
		if err != nil {
			return nil, err
		}
		if named, ok := wire.TableNamed(entry); wire.Hash(tlog.LeafHash(entry)) != id && (!ok || named != id) {
			continue // of another table
		}
		parsed, err := wire.ParseEntry(entry)
		if err != nil {
			continue // signed as nothing
		}
		if err := r.add(parsed); err != nil {
			return nil, err
		}
	}
	if r.record == nil || r.record.Deals() == 0 {
		return nil, fmt.Errorf("table %s has no deal that is over", id)
	}
	return r.record.Text(), nil
}

// recording replays a table and records its moves.
type recording struct {
	blob   func(wire.Blob) ([]byte, error)
	state  *table.State
	record book.Record
}

// add applies an entry, if the table does.
func (r *recording) add(e *wire.Entry) error {
	if r.state == nil {
		return r.begin(e)
	}
	next, err := r.state.Resolve(e, nil, r.blob)
	var fault *table.Fault
	switch {
	case errors.As(err, &fault) && fault.Class == table.Foul:
		r.state = r.state.End(fault)
		return nil
	case errors.As(err, &fault):
		return nil
	case err != nil:
		return err
	}
	before := r.state
	r.state = next
	if e.Message.Kind != wire.KindMove {
		return nil
	}
	return r.move(before, next, e.Message)
}

func (r *recording) begin(e *wire.Entry) (err error) {
	if r.state, err = table.Open(e, catalogue()); err != nil {
		return err
	}
	g := r.state.Genesis()
	of := books.Lookup(g.Game)
	if of.Record == nil {
		return fmt.Errorf("%s has no game record: only %s", g.Game, withBooks(func(b book.Book) bool { return b.Record != nil }))
	}
	var names []string
	for seat := range r.state.Seats() {
		names = append(names, r.state.SeatName(table.Seat(seat)))
	}
	r.record = of.Record(r.state.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
	return nil
}

func (r *recording) move(before, after *table.State, m *wire.Message) error {
	var body wire.MoveBody
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return err
	}
	return r.record.Add(before, after, table.Seat(m.Seat), body.Move)
}

// withBooks names the games whose books have something.
func withBooks(has func(book.Book) bool) string {
	var names []string
	for _, b := range books.All() {
		if has(b) {
			name, _, _ := strings.Cut(b.Game, "/")
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return names[0] + " has"
	}
	return strings.Join(names, ", ") + " have"
}
