package tables

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/tiles"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/game"
	"github.com/pakli/pakli/protocol/games/records"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// recordCommand writes the finished deals of a table as text.
func recordCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	lines := f.Bool("lines", false, "write a game a line, in the form that other programs read, where a game has one")
	dir := f.String("mirror", "", "`directory` of a copy made by pakli mirror, to be read in place of a server; needs --log")
	return func(ctx context.Context, e command.Env) error {
		src, id, err := openWholeLog(ctx, e, s, *dir, f.Arg(0))
		if err != nil {
			return err
		}
		record, err := recordTable(ctx, src, s.Verifiers(), id)
		if err != nil {
			return err
		}
		text := record.Text()
		if *lines {
			if text = record.Lines(); text == nil {
				return command.WrongUsage("there is no form with one line for each game of this kind: leave out --lines")
			}
		}
		_, err = e.Out.Write(text)
		return err
	}
}

// wholeLog shows a log, by URL or from a directory.
type wholeLog interface {
	tlog.EntryReader
	tlog.BlobReader
}

// openWholeLog returns the log to read and the table that a person names. Afterwards the keys are
// known.
func openWholeLog(ctx context.Context, e command.Env, s *flags.Server, dir, table string) (wholeLog, wire.Hash, error) {
	if dir == "" {
		return s.FindTable(ctx, e, table)
	}
	if len(s.Keys) == 0 {
		return nil, wire.Hash{}, command.WrongUsage("--mirror needs the log's verifier key in --log")
	}
	src := tiles.Directory(dir)
	id, err := flags.TableID(table, flags.InLog(ctx, src))
	return src, id, err
}

// recordTable replays a table of the log after checking the whole log as pakli-verify does.
func recordTable(ctx context.Context, src wholeLog, keys []note.Verifier, id wire.Hash) (game.Record, error) {
	report, err := verifier.Verify(ctx, src, verifier.Options{Table: id, Log: keys, Catalogue: flags.Catalogue()})
	if err != nil {
		return nil, err
	}
	if report.Verdict == verifier.LogBroken {
		return nil, errors.New(report.Headline())
	}
	var r recording
	tables := replay.New(flags.Catalogue(), verifier.BlobsOf(ctx, src), 1, r.recordStep)
	tables.Marks = report.Marks
	index := uint64(0)
	for entry, err := range src.Entries(ctx, 0, report.Checkpoint.Size) {
		if err != nil {
			return nil, err
		}
		if s := replay.NewLeaf(index, wire.HashEntry(entry), entry); s.Table == id {
			tables.TakeLeaf(s)
		}
		index++
	}
	tables.SettleBatches()
	if r.last != nil && !r.last.IsOver() {
		r.flush()
	}
	if r.err == nil && r.record != nil {
		r.err = r.record.Close(r.last)
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.record == nil || r.record.Deals() == 0 {
		return nil, fmt.Errorf("table %s has no deal that is over", id)
	}
	return r.record, nil
}

// recording records the moves of a table.
type recording struct {
	record game.Record
	last   *table.State
	open   []func() error // moves of the current deal, which may be undone
	err    error
}

// recordStep records an applied entry.
func (r *recording) recordStep(_ wire.Hash, s replay.Step) {
	switch {
	case r.err != nil || s.Fault != nil && !s.IsAttempt():
	case s.Err != nil:
		r.err = s.Err
	case s.Before == nil:
		r.last, r.err = s.After, r.beginRecord(s.After)
	case s.Entry.Act != nil:
		if r.last = s.After; s.Before.Deal() < s.After.Deal() {
			r.open = nil
		}
	default:
		if s.IsApplied() && s.Entry.Message.Kind == wire.KindMove && !s.After.IsDisputed() {
			r.open = append(r.open, func() error { return r.recordMove(s.Before, s.After, s.Entry.Message) })
		}
		if !s.After.Genesis().HasActs() || len(s.After.Sheet().Deals) > len(s.Before.Sheet().Deals) {
			r.flush() // also if tokens, and not a move, have ended the deal
		}
		r.last = s.After
	}
}

// flush writes the moves that cannot be undone any more.
func (r *recording) flush() {
	for _, write := range r.open {
		if r.err == nil {
			r.err = write()
		}
	}
	r.open = nil
}

func (r *recording) beginRecord(s *table.State) error {
	g := s.Genesis()
	of, known := records.Lookup(g.Game)
	if !known {
		var names []string
		for _, r := range records.Catalogue() {
			names = append(names, r.Game)
		}
		return fmt.Errorf("%s has no game record: only %s", g.Game, flags.HaveIt(names))
	}
	var names []string
	for seat := range s.Seats() {
		names = append(names, s.SeatName(table.Seat(seat)))
	}
	r.record = of.Begin(s.ID().String(), names, table.Config{Seats: len(names), Deals: g.Deals, Options: g.Options})
	return nil
}

func (r *recording) recordMove(before, after *table.State, m *wire.Message) error {
	var body wire.MoveBody
	if err := wire.DecodeBody(m.Body, &body); err != nil {
		return err
	}
	return r.record.AddMove(before, after, table.Seat(m.Seat), body.Move)
}
