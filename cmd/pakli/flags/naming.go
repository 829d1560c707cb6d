package flags

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// EachEvent calls see with every event of a server.
func EachEvent(ctx context.Context, c *client.Client, see func(client.Event)) error {
	for after := (*uint64)(nil); ; {
		list, err := c.Events(ctx, after, 256)
		if err != nil {
			return err
		}
		for _, v := range list.Events {
			see(v)
		}
		if after = list.Next; after == nil {
			return nil
		}
	}
}

// FindEvent returns a client and the event that a person names by its id, the first digits of it, or
// its code.
func (s *Server) FindEvent(ctx context.Context, e command.Env, text string) (*client.Client, wire.Hash, error) {
	c, err := s.Dial(ctx, e)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	id, err := EventNamed(ctx, c, text)
	return c, id, err
}

// EventNamed returns the only event of the log with such a name. Two events with one code are an
// error.
func EventNamed(ctx context.Context, c *client.Client, text string) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil {
		return id, nil
	}
	code, coded := wire.ReadCode(text, wire.MinCode)
	begins := func(id wire.Hash) bool {
		return text != "" && strings.HasPrefix(id.String(), text) || coded == nil && id.HasCode(code)
	}
	var found []wire.Hash
	err := EachEvent(ctx, c, func(v client.Event) {
		if begins(v.ID) {
			found = append(found, v.ID)
		}
	})
	switch {
	case err != nil:
		return wire.Hash{}, err
	case len(found) == 0:
		return wire.Hash{}, command.WrongUsage("this server has no event %q: pakli event list shows those that it has", text)
	case len(found) > 1:
		return wire.Hash{}, command.WrongUsage("%d events of this server begin with %q: give more of the id", len(found), text)
	}
	return found[0], onlyOne(ctx, c, found[0], begins, func(entry []byte) bool { _, err := bulletin.ParseEvent(entry); return err == nil })
}

// TableID completes a person's name of a table. list is called for the tables that begin so.
func TableID(text string, list func(prefix string) ([]wire.Hash, error)) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil {
		return id, nil
	}
	if err := bundle.CheckName(text); err != nil {
		return wire.Hash{}, command.Misuse(err)
	}
	ids, err := list(text)
	if err != nil {
		return wire.Hash{}, err
	}
	return bundle.FindNamed(text, ids)
}

// FindTable returns a client and the table that a person names.
func (s *Server) FindTable(ctx context.Context, e command.Env, text string) (*client.Client, wire.Hash, error) {
	if err := bundle.CheckName(text); err != nil { // before any request
		return nil, wire.Hash{}, command.Misuse(err)
	}
	c, err := s.Dial(ctx, e)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	id, err := TableNamed(ctx, c, text)
	return c, id, err
}

// TableNamed returns the only table of the log that a person names, among those that a server lists.
func TableNamed(ctx context.Context, c *client.Client, text string) (wire.Hash, error) {
	id, err := TableID(text, TableLister(ctx, c))
	if err != nil || text == id.String() {
		return id, err
	}
	begins, err := bundle.BeginsWith(text)
	if err != nil {
		return id, err
	}
	return id, onlyOne(ctx, c, id, begins, func(entry []byte) bool { _, err := wire.ParseGenesis(entry); return err == nil })
}

// onlyOne checks that an entry is in the log, and that no other entry of its kind has a hash that
// begins as the person said. Somebody may have searched for a second table with the same code, and
// the server might list only that one; but the hashes under the signed root are complete.
func onlyOne(ctx context.Context, c *client.Client, id wire.Hash, begins func(wire.Hash) bool, isKind func(entry []byte) bool) error {
	indexes, err := c.EntriesLike(ctx, begins)
	if err != nil {
		return err
	}
	shown := false
	for _, index := range indexes {
		for entry, err := range c.Entries(ctx, index, index+1) {
			if err != nil {
				return err
			}
			hash := wire.HashEntry(entry)
			if shown = shown || hash == id; hash != id && isKind(entry) {
				return command.WrongUsage("the log has two ids that begin like that, %s and %s, and the server lists only one: give the whole id", id, hash)
			}
		}
	}
	if !shown {
		return fmt.Errorf("the server lists %s, and its log has no such entry", id)
	}
	return nil
}

// TableLister returns a function that asks a server for its tables.
func TableLister(ctx context.Context, c *client.Client) func(prefix string) ([]wire.Hash, error) {
	return func(prefix string) (ids []wire.Hash, err error) {
		if !bundle.IsDigits(prefix) {
			found, err := c.FindCode(ctx, prefix)
			for _, f := range found.Found {
				ids = append(ids, f.ID)
			}
			return ids, err
		}
		for t, err := range ListTables(ctx, c, client.TableFilter{ID: prefix}) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, t.ID)
		}
		return ids, nil
	}
}

// ListTables yields all tables of a server that pass a filter.
func ListTables(ctx context.Context, c *client.Client, filter client.TableFilter) iter.Seq2[client.Summary, error] {
	return TablesAfter(ctx, c, filter, nil)
}

// TablesAfter yields those that begin after an index of the log; nil: all.
func TablesAfter(ctx context.Context, c *client.Client, filter client.TableFilter, after *uint64) iter.Seq2[client.Summary, error] {
	return func(yield func(client.Summary, error) bool) {
		for after := after; ; {
			page, err := c.Tables(ctx, filter, after, 256)
			if err != nil {
				yield(client.Summary{}, err)
				return
			}
			for _, t := range page.Tables {
				if !yield(t, nil) {
					return
				}
			}
			if after = page.Next; after == nil {
				return
			}
		}
	}
}

// InLog returns a function that finds tables in a log's entries.
func InLog(ctx context.Context, src tlog.EntryReader) func(prefix string) ([]wire.Hash, error) {
	return func(string) ([]wire.Hash, error) {
		c, err := src.Checkpoint(ctx)
		if err != nil {
			return nil, err
		}
		return bundle.TablesUnder(ctx, src, c)
	}
}
