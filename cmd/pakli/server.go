package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"net"
	"net/url"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/mirror"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/wire"
)

// serverFlags is the flags that name a server and its log.
type serverFlags struct {
	url  string
	keys []*tlog.VerifierKey // a signature of any of them is the log's; none: not asked yet
	copy mirror.Dir          // where the log is copied to, and its keys are known from; "": nowhere
}

func (s *serverFlags) addFlags(f *flag.FlagSet) {
	f.StringVar(&s.url, "server", "http://127.0.0.1:8080", "`URL` of the server")
	s.registerKeys(f)
}

func (s *serverFlags) registerKeys(f *flag.FlagSet) {
	f.Func("log", "verifier `key` of the log; may be repeated while the log changes keys (default: the one that the server names, which trusts the server once)", func(text string) error {
		k, err := tlog.ParseLogKey(text)
		if err == nil && len(s.keys) > 0 && k.Name() != s.keys[0].Name() {
			err = fmt.Errorf("a key of %q, and one of %q: they cannot be of one log", k.Name(), s.keys[0].Name())
		}
		s.keys = append(s.keys, k)
		return err
	})
}

// verifiers are the keys as a note is opened with them.
func (s *serverFlags) verifiers() []note.Verifier { return bundle.Keys{Log: s.keys}.Verifiers() }

// dialServer returns a client that believes the log's keys and nothing else. Without a
// key it takes those that the server says; with one, it must have signed what is there.
func (s *serverFlags) dialServer(ctx context.Context, e env) (*client.Client, error) {
	if err := checkURL(s.url); err != nil {
		return nil, err
	}
	given := len(s.keys) > 0
	if !given {
		if err := s.askKeys(ctx, e); err != nil {
			return nil, s.unreachable(err)
		}
	}
	c, err := s.newClient()
	if err == nil && given {
		_, err = c.Checkpoint(ctx)
	}
	if errors.Is(err, tlog.ErrUnsigned) {
		return nil, s.otherLog(ctx)
	}
	if err != nil {
		return nil, s.unreachable(err)
	}
	return s.newClient() // which has seen nothing yet
}

func (s *serverFlags) newClient() (*client.Client, error) {
	keys := s.verifiers()
	return client.New(s.url, keys[0], nil, keys[1:]...)
}

// askKeys takes the keys that the server says.
func (s *serverFlags) askKeys(ctx context.Context, e env) error {
	info, err := client.AskLog(ctx, s.url, nil)
	if err != nil {
		return err
	}
	if s.keys, err = info.Verifiers(); err != nil {
		return err
	}
	fmt.Fprintf(e.err, "log key, as the server says: %q\n", s.keys[0])
	for _, k := range s.keys[1:] {
		fmt.Fprintf(e.err, "and another: %q\n", fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash()))
	}
	if s.copy != "" {
		if s.keys, err = s.copy.Signers(ctx, s.keys); err != nil {
			return fmt.Errorf("%w; if this log has changed its key, name it with --log", err)
		}
	}
	return nil
}

// otherLog says that the server's log is not that of --log.
func (s *serverFlags) otherLog(ctx context.Context) error {
	says := ""
	if info, err := client.AskLog(ctx, s.url, nil); err == nil {
		says = fmt.Sprintf(", which says that its key is %q", info.Key)
	}
	return fmt.Errorf("the key in --log (or in the policy), of %q, has not signed the log at %s%s: is it another server, or an old key?", s.keys[0].Name(), s.url, says)
}

// unreachable says it in words if no server answered.
func (s *serverFlags) unreachable(err error) error {
	var refused *net.OpError
	if errors.As(err, &refused) {
		return fmt.Errorf("no server answers at %s (--server): %w", s.url, refused.Err)
	}
	return err
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		return nil
	}
	if !strings.Contains(text, "://") && text != "" {
		return wrongUsage("%q has no scheme: is http://%s meant, or https://%s?", text, text, text)
	}
	return wrongUsage("%q is no URL of a server, as http://127.0.0.1:8080", text)
}

// tableID completes what a person names a table by. The list is asked for those that
// begin so.
func tableID(text string, list func(prefix string) ([]wire.Hash, error)) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil {
		return id, nil
	}
	if err := bundle.CheckName(text); err != nil {
		return wire.Hash{}, usageError{err}
	}
	ids, err := list(text)
	if err != nil {
		return wire.Hash{}, err
	}
	return bundle.FindNamed(text, ids)
}

// findTable returns a client, and the table that a person names.
func (s *serverFlags) findTable(ctx context.Context, e env, text string) (*client.Client, wire.Hash, error) {
	if err := bundle.CheckName(text); err != nil { // before anything is asked
		return nil, wire.Hash{}, usageError{err}
	}
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return nil, wire.Hash{}, err
	}
	id, err := tableNamed(ctx, c, text)
	return c, id, err
}

// tableNamed is the one table of the log that a person names, of those that a server lists.
func tableNamed(ctx context.Context, c *client.Client, text string) (wire.Hash, error) {
	id, err := tableID(text, tableLister(ctx, c))
	if err != nil || text == id.String() {
		return id, err
	}
	begins, err := bundle.BeginsWith(text)
	if err != nil {
		return id, err
	}
	return id, onlyOne(ctx, c, id, begins, func(entry []byte) bool { _, err := wire.ParseGenesis(entry); return err == nil })
}

// onlyOne checks that an entry is in the log, and that no other of its kind has a hash that begins as
// the person said. A server could list one of two whose codes are the same, since somebody has
// searched for it; the hashes under the signed root are all that there are.
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
				return wrongUsage("the log has two that begin so, %s and %s, and the server lists one: give the whole id", id, hash)
			}
		}
	}
	if !shown {
		return fmt.Errorf("the server lists %s, and its log has no such entry", id)
	}
	return nil
}

// tableLister asks a server for its tables.
func tableLister(ctx context.Context, c *client.Client) func(prefix string) ([]wire.Hash, error) {
	return func(prefix string) (ids []wire.Hash, err error) {
		if !bundle.IsDigits(prefix) {
			found, err := c.FindCode(ctx, prefix)
			for _, f := range found.Found {
				ids = append(ids, f.ID)
			}
			return ids, err
		}
		for t, err := range listTables(ctx, c, client.TableFilter{ID: prefix}) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, t.ID)
		}
		return ids, nil
	}
}

// listTables are all tables of a server that a filter lets through.
func listTables(ctx context.Context, c *client.Client, filter client.TableFilter) iter.Seq2[client.Summary, error] {
	return tablesAfter(ctx, c, filter, nil)
}

// tablesAfter lists those that begin behind an index of the log; nil: all.
func tablesAfter(ctx context.Context, c *client.Client, filter client.TableFilter, after *uint64) iter.Seq2[client.Summary, error] {
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

// inLog looks for tables in a log's entries.
func inLog(ctx context.Context, src tlog.EntryReader) func(prefix string) ([]wire.Hash, error) {
	return func(string) ([]wire.Hash, error) {
		c, err := src.Checkpoint(ctx)
		if err != nil {
			return nil, err
		}
		return bundle.TablesUnder(ctx, src, c)
	}
}
