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
	"github.com/pakli/pakli/protocol/replay"
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
	var r recording
	tables := replay.New(catalogue(), verifier.BlobsOf(ctx, src), 1, r.step)
	index := uint64(0)
	for entry, err := range src.Entries(ctx, 0, report.Checkpoint.Size) {
		if err != nil {
			return nil, err
		}
		if s := replay.Show(index, wire.HashEntry(entry), entry); s.Table == id {
			tables.Take(s)
		}
		index++
	}
	if tables.Settle(); r.err != nil {
		return nil, r.err
	}
	if r.recorder == nil || len(r.recorder.Session().Deals) == 0 {
		return nil, fmt.Errorf("table %s has no deal that is over", id)
	}
	return r.recorder.Session(), nil
}

// recording records the moves of a table.
type recording struct {
	recorder *record.Recorder
	err      error
}

// step records what became of an entry, if it was applied.
func (r *recording) step(_ wire.Hash, s replay.Step) {
	switch {
	case r.err != nil || s.Fault != nil:
	case s.Err != nil:
		r.err = s.Err
	case s.Before == nil:
		r.err = r.begin(s.After)
	case s.Entry.Message.Kind == wire.KindMove:
		r.err = r.move(s.Before, s.After, s.Entry.Message)
	}
}

func (r *recording) begin(s *table.State) error {
	g := s.Genesis()
	if g.Game != (tarokk.Rules{}).Name() {
		return fmt.Errorf("%s has no game record: only %s has", g.Game, tarokk.Rules{}.Name())
	}
	var names []string
	for seat := range s.Seats() {
		names = append(names, s.SeatName(table.Seat(seat)))
	}
	r.recorder = record.NewRecorder(s.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
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
