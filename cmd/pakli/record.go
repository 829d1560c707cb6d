package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/record"
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
	_, err = e.out.Write(session.Text())
	return exitDone, err
}

// wholeLog shows a log, by URL or from a directory.
type wholeLog interface {
	tlog.EntryReader
	tlog.BlobReader
}

// open returns the log to read, and has keys to believe then.
func (s *server) open(ctx context.Context, e env, dir string) (wholeLog, error) {
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
func recordTable(ctx context.Context, src wholeLog, keys []note.Verifier, id wire.Hash) (*record.Session, error) {
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
	if r.recorder == nil || len(r.recorder.Session().Deals) == 0 {
		return nil, fmt.Errorf("table %s has no deal that is over", id)
	}
	return r.recorder.Session(), nil
}

// recording replays a table and records its moves.
type recording struct {
	blob     func(wire.Blob) ([]byte, error)
	state    *table.State
	recorder *record.Recorder
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
	if g.Game != (tarokk.Rules{}).Name() {
		return fmt.Errorf("%s has no game record: only %s has", g.Game, tarokk.Rules{}.Name())
	}
	var names []string
	for seat := range r.state.Seats() {
		names = append(names, r.state.SeatName(table.Seat(seat)))
	}
	r.recorder = record.NewRecorder(r.state.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
	return nil
}

func (r *recording) move(before, after *table.State, m *wire.Message) error {
	var body wire.MoveBody
	var move tarokk.Move
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return err
	}
	if err := wire.DecodeMove(body.Move, &move); err != nil {
		return err
	}
	was, err := tarokkState(before)
	if err != nil {
		return err
	}
	is, err := tarokkState(after)
	if err != nil {
		return err
	}
	r.recorder.Move(was, table.Seat(m.Seat), move, is)
	return nil
}

// tarokkState is the public state of the game.
func tarokkState(s *table.State) (state tarokk.State, err error) {
	text, err := s.Public()
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	return state, err
}
