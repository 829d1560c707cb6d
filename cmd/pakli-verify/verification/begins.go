package verification

import (
	"context"
	"fmt"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// addTable adds a table by its id, the first digits of it, or its code.
func (t *selection) addTable(text string) error {
	if id, err := wire.ParseHash(text); err == nil {
		t.ids = append(t.ids, id)
		return nil
	}
	t.begins = append(t.begins, text)
	return bundle.CheckName(text)
}

// findTables finds the tables of the log that were not named by a whole id.
func (t *selection) findTables(ctx context.Context, src tlog.EntryReader) error {
	if len(t.begins) == 0 {
		return nil
	}
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return err
	}
	all, err := bundle.TablesUnder(ctx, src, c)
	if err != nil {
		return err
	}
	for _, text := range t.begins {
		id, err := bundle.FindNamed(text, all)
		if err != nil {
			return err
		}
		t.ids = append(t.ids, id)
	}
	return nil
}

// chooseTable returns the table to verify. Of a bundle it is the only one.
func (t *selection) chooseTable(ctx context.Context, src tlog.EntryReader, id wire.Hash) (wire.Hash, error) {
	switch {
	case len(t.begins) == 0:
		return id, nil
	case id == wire.Hash{}:
		err := t.findTables(ctx, src)
		return append(t.ids, id)[0], err
	}
	if _, err := bundle.FindNamed(t.begins[0], []wire.Hash{id}); err != nil {
		return id, fmt.Errorf("the bundle is of table %s", id)
	}
	return id, nil
}
