package desk

import (
	"context"
	"errors"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/cmd/pakli-web/tamper"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// Evidence is a log's record of some tables under one of its checkpoints. It is made from the whole
// log, so it leaves out nothing that the log had then.
type Evidence struct {
	Size   uint64    `json:"size"` // entries of the log at the checkpoint
	Tables []Exhibit `json:"tables"`
}

// Exhibit is a table in a file (docs/spec/85-bundle.md) with the verdict on that file.
type Exhibit struct {
	judge.Answer
	Bundle []byte `json:"bundle"`
}

// maxHeld is how many bytes of entries are held at once to make bundles.
const maxHeld = 64 << 20

// evidence makes the bundles of tables and verifies each. Events "evidence" give the number of
// finished ones.
func evidence(d *Desk, ctx context.Context, a struct {
	tableAddress
	Tables []wire.Hash `json:"tables"`
}) (any, error) {
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	key, err := tlog.ParseLogKey(a.Key)
	if err != nil {
		return nil, err
	}
	under, err := c.Checkpoint(ctx)
	if err != nil {
		return nil, err
	}
	all := Evidence{Size: under.Size, Tables: []Exhibit{}}
	for len(all.Tables) < len(a.Tables) {
		list, err := bundle.CollectAll(ctx, c, under, a.Tables[len(all.Tables):], bundle.Keys{Log: []*tlog.VerifierKey{key}}, maxHeld)
		if err != nil {
			return nil, err
		}
		for _, b := range list {
			if len(b.MissingBlobs()) > 0 {
				return nil, errors.New("the log does not show all of table " + b.Table.String())
			}
			file := b.Marshal()
			answer, err := judge.File(ctx, file, []string{a.Key}, a.Lang)
			if err != nil {
				return nil, err
			}
			all.Tables = append(all.Tables, Exhibit{answer, file})
			d.emit("evidence", map[string]any{"n": len(all.Tables), "of": len(a.Tables)})
		}
	}
	return all, nil
}

// beginTrying plays the game of the page for trying to cheat.
func beginTrying(d *Desk, ctx context.Context, _ struct{}) (any, error) {
	g, err := tamper.Play(ctx, func(entries int) { d.emit("progress", map[string]any{"n": entries}) })
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trial = g
	return map[string]any{"changes": tamper.Changes}, err
}

// tryChange makes a change to that game and returns the verdict.
func tryChange(d *Desk, ctx context.Context, a struct {
	Lang   string
	Change tamper.Change
}) (any, error) {
	d.mu.Lock()
	g := d.trial
	d.mu.Unlock()
	if g == nil {
		return nil, errors.New("no game was played yet")
	}
	return g.Try(ctx, a.Change, a.Lang)
}
