package desk

import (
	"context"
	"errors"

	"github.com/pakli/pakli/cmd/pakli-web/tamper"
)

// beginTrying plays a game of its own, to be tampered with.
func beginTrying(d *Desk, ctx context.Context, _ struct{}) (any, error) {
	g, err := tamper.Play(ctx, func(entries int) { d.emit("progress", map[string]any{"n": entries}) })
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.trying = g
	d.mu.Unlock()
	return map[string]any{"changes": tamper.Changes, "table": g.Table, "key": g.Key.String()}, nil
}

// try makes a change to it and has it judged.
func try(d *Desk, ctx context.Context, a struct {
	Lang   string        `json:"lang"`
	Change tamper.Change `json:"change"`
}) (any, error) {
	d.mu.Lock()
	g := d.trying
	d.mu.Unlock()
	if g == nil {
		return nil, errors.New("there is no game yet")
	}
	return g.Try(ctx, a.Change, a.Lang)
}
