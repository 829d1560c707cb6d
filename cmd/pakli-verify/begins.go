package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// shortest is how many digits of an id are wanted at least.
const shortest = 4

// add takes a table by its id, or by the first digits of it.
func (t *selection) add(text string) error {
	id, err := wire.ParseHash(text)
	switch {
	case err == nil:
		t.ids = append(t.ids, id)
	case len(text) < shortest || len(text) > 2*len(id) || strings.Trim(text, "0123456789abcdef") != "":
		return fmt.Errorf("want 64 hexadecimal digits, or the first ones, %d at least", shortest)
	default:
		t.begins = append(t.begins, text)
	}
	return nil
}

// complete finds the tables of the log whose ids were not given whole. Each must be the
// only one that begins so.
func (t *selection) complete(ctx context.Context, src tlog.EntryReader) error {
	if len(t.begins) == 0 {
		return nil
	}
	c, err := src.Checkpoint(ctx)
	if err != nil {
		return err
	}
	all, err := bundle.Tables(ctx, src, c)
	if err != nil {
		return err
	}
	for _, text := range t.begins {
		var found []wire.Hash
		for _, id := range all {
			if strings.HasPrefix(id.String(), text) {
				found = append(found, id)
			}
		}
		if len(found) != 1 {
			return fmt.Errorf("%d tables of the log begin with %s", len(found), text)
		}
		t.ids = append(t.ids, found[0])
	}
	return nil
}

// choose returns the one table to verify: that which the source has, if it is a bundle.
func (t *selection) choose(ctx context.Context, src tlog.EntryReader, id wire.Hash) (wire.Hash, error) {
	switch {
	case len(t.begins) == 0:
		return id, nil
	case id == wire.Hash{}:
		err := t.complete(ctx, src)
		return append(t.ids, id)[0], err
	case strings.HasPrefix(id.String(), t.begins[0]):
		return id, nil
	}
	return id, fmt.Errorf("the bundle is of table %s", id)
}
